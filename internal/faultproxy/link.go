package faultproxy

import (
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"
)

// numbers counts connections.
var numbers atomic.Int64

// link is one client's connection through the proxy.
type link struct {
	proxy          *Proxy
	number         int
	client, server net.Conn
	backend        *pgproto3.Backend  // reads from the client
	frontend       *pgproto3.Frontend // reads from the server
	once           sync.Once

	prepared map[string]string // statement name → SQL
	portals  map[string]string // portal name → SQL
	executed []string          // since the last Sync

	// swallow is set before the message whose answer is to vanish is passed on.
	swallow atomic.Bool
}

func newLink(p *Proxy, client, server net.Conn) *link {
	return &link{
		proxy: p, number: int(numbers.Add(1)), client: client, server: server,
		backend:  pgproto3.NewBackend(client, client),
		frontend: pgproto3.NewFrontend(server, server),
		prepared: make(map[string]string), portals: make(map[string]string),
	}
}

// cut ends both sides. TCP resets rather than closes, as a broken network would.
func (l *link) cut() {
	l.once.Do(func() {
		if tcp, ok := l.client.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}
		_ = l.client.Close()
		_ = l.server.Close()
		go l.proxy.forget(l)
	})
}

// forward passes the client's messages on until one of the sides ends.
func (l *link) forward() {
	defer l.cut()
	if l.start() != nil {
		return
	}
	for {
		message, err := l.backend.Receive()
		if err != nil {
			return
		}
		if l.pass(message) != nil {
			return
		}
	}
}

// start passes the start-up message on and refuses encryption.
func (l *link) start() error {
	for {
		message, err := l.backend.ReceiveStartupMessage()
		if err != nil {
			return err
		}
		switch message.(type) {
		case *pgproto3.SSLRequest, *pgproto3.GSSEncRequest:
			if _, err := l.client.Write([]byte{'N'}); err != nil {
				return err
			}
			continue
		}
		return l.send(l.server, message)
	}
}

// pass judges one message.
func (l *link) pass(message pgproto3.FrontendMessage) error {
	switch l.proxy.judge(Frame{Conn: l.number, Message: message, SQL: l.subject(message)}) {
	case Cut:
		return errCut
	case SwallowReply:
		l.swallow.Store(true)
	case Delay:
		time.Sleep(DelayTime)
	}
	return l.send(l.server, message)
}

// subject returns the SQL that a message is about and remembers names.
func (l *link) subject(message pgproto3.FrontendMessage) string {
	switch m := message.(type) {
	case *pgproto3.Query:
		return m.String
	case *pgproto3.Parse:
		l.prepared[m.Name] = m.Query
		return m.Query
	case *pgproto3.Bind:
		l.portals[m.DestinationPortal] = l.prepared[m.PreparedStatement]
		return l.prepared[m.PreparedStatement]
	case *pgproto3.Describe:
		if m.ObjectType == 'S' {
			return l.prepared[m.Name]
		}
		return l.portals[m.Name]
	case *pgproto3.Execute:
		l.executed = append(l.executed, l.portals[m.Portal])
		return l.portals[m.Portal]
	case *pgproto3.Sync:
		sql := strings.Join(l.executed, "; ")
		l.executed = nil
		return sql
	}
	return ""
}

// reply passes the server's messages back until one of the sides ends.
func (l *link) reply() {
	defer l.cut()
	for {
		message, err := l.frontend.Receive()
		if err != nil {
			return
		}
		if l.swallow.Load() {
			if _, ready := message.(*pgproto3.ReadyForQuery); ready {
				return
			}
			continue
		}
		l.learn(message)
		if l.send(l.client, message) != nil {
			return
		}
	}
}

// learn tells the reader of the client's side which kind of password message
// comes next.
func (l *link) learn(message pgproto3.BackendMessage) {
	switch message.(type) {
	case *pgproto3.AuthenticationCleartextPassword:
		_ = l.backend.SetAuthType(pgproto3.AuthTypeCleartextPassword)
	case *pgproto3.AuthenticationMD5Password:
		_ = l.backend.SetAuthType(pgproto3.AuthTypeMD5Password)
	case *pgproto3.AuthenticationSASL:
		_ = l.backend.SetAuthType(pgproto3.AuthTypeSASL)
	case *pgproto3.AuthenticationSASLContinue:
		_ = l.backend.SetAuthType(pgproto3.AuthTypeSASLContinue)
	case *pgproto3.AuthenticationSASLFinal:
		_ = l.backend.SetAuthType(pgproto3.AuthTypeSASLFinal)
	}
}

func (l *link) send(to net.Conn, message interface{ Encode([]byte) ([]byte, error) }) error {
	bytes, err := message.Encode(nil)
	if err != nil {
		return err
	}
	n, err := to.Write(bytes)
	if err == nil && n < len(bytes) {
		err = io.ErrShortWrite
	}
	if errors.Is(err, net.ErrClosed) {
		return errCut
	}
	return err
}
