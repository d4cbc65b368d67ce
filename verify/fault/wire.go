package fault

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// wire is the proxy's connection to the server. It can outlive the client's, so
// that a stopped backend still finds what the client had sent.
type wire struct {
	net.Conn
	mu     sync.Mutex
	held   bool // Close is put off until release
	closed bool // it was asked for meanwhile
	sever  bool // the next Write is the last
}

// hold keeps the server's end open until release.
func (w *wire) hold() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held = true
}

// severAfterWrite makes the proxy take the server for gone once the next message
// has been sent.
func (w *wire) severAfterWrite() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sever = true
}

func (w *wire) Write(b []byte) (int, error) {
	n, err := w.Conn.Write(b)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sever && err == nil {
		w.sever = false
		err = w.SetReadDeadline(time.Unix(1, 0))
	}
	return n, err
}

func (w *wire) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.held {
		w.closed = true
		return nil
	}
	return w.Conn.Close()
}

// release ends hold.
func (w *wire) release() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held = false
	if w.closed {
		_ = w.Conn.Close()
	}
}

// dialServer reaches the server as a client would, encryption included: the
// client in front of the proxy speaks plainly.
func dialServer(config *pgx.ConnConfig) (net.Conn, error) {
	network, address := pgconn.NetworkAddress(config.Host, config.Port)
	conn, err := net.Dial(network, address)
	if err != nil || config.TLSConfig == nil {
		return conn, err
	}
	encrypted, err := startTLS(conn, config.TLSConfig)
	if err != nil {
		_ = conn.Close()
		return nil, fmt.Errorf("connect to %s: %w", address, err)
	}
	if encrypted != nil {
		return encrypted, nil
	}
	for _, fallback := range config.Fallbacks {
		if fallback.TLSConfig == nil {
			return conn, nil
		}
	}
	_ = conn.Close()
	return nil, fmt.Errorf("connect to %s: the server speaks no TLS", address)
}

// startTLS returns nil when the server declines.
func startTLS(conn net.Conn, config *tls.Config) (net.Conn, error) {
	ask, err := (&pgproto3.SSLRequest{}).Encode(nil)
	if err != nil {
		return nil, err
	}
	if _, err := conn.Write(ask); err != nil {
		return nil, err
	}
	var answer [1]byte
	if _, err := io.ReadFull(conn, answer[:]); err != nil {
		return nil, err
	}
	switch answer[0] {
	case 'S':
		return tls.Client(conn, config), nil
	case 'N':
		return nil, nil
	}
	return nil, errors.New("the server understands no request for TLS")
}
