// Package faultproxy is a PostgreSQL proxy for tests: it understands the
// messages that pass and can break the connection at exactly one of them.
//
//	proxy, err := faultproxy.Start(upstream, faultproxy.On(faultproxy.Commit, faultproxy.SwallowReply))
//	pool, err := pgxpool.New(ctx, proxy.URL(user, database))
//
// A rule sees every message of the client together with the SQL that it is
// about, so that a Bind or an Execute of a statement prepared long ago can be
// recognised, and so can the Sync that commits a batch.
package faultproxy

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"sync"
)

// Proxy listens on a TCP port of the loopback interface and forwards to one
// server. The client must not ask for TLS; a request for it is answered "no".
type Proxy struct {
	listener net.Listener
	dial     func() (net.Conn, error)
	wg       sync.WaitGroup

	mu     sync.Mutex
	rules  []Rule
	frames []Frame
	conns  map[*link]struct{}
	closed bool
}

// Start opens a proxy to the server that dial reaches.
func Start(dial func() (net.Conn, error), rules ...Rule) (*Proxy, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	p := &Proxy{listener: listener, dial: dial, rules: rules, conns: make(map[*link]struct{})}
	p.wg.Add(1)
	go p.accept()
	return p, nil
}

// URL is the connection string of a client of the proxy.
func (p *Proxy) URL(user, database string) string {
	u := url.URL{
		Scheme: "postgres", User: url.User(user), Host: p.listener.Addr().String(), Path: "/" + database,
		RawQuery: "sslmode=disable",
	}
	return u.String()
}

// SetRules replaces the rules for all connections, from the next message on.
func (p *Proxy) SetRules(rules ...Rule) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rules = rules
}

// Frames returns the clients' messages so far, in the order of their arrival.
func (p *Proxy) Frames() []Frame {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]Frame(nil), p.frames...)
}

// Reset forgets the messages so far.
func (p *Proxy) Reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.frames = nil
}

// RoundTrips is how often a client has waited for the server so far: every Sync
// and every simple query.
func (p *Proxy) RoundTrips() int {
	n := 0
	for _, f := range p.Frames() {
		if f.EndsRoundTrip() {
			n++
		}
	}
	return n
}

// Close ends all connections and waits until they are gone.
func (p *Proxy) Close() error {
	p.mu.Lock()
	p.closed = true
	for l := range p.conns {
		l.cut()
	}
	p.mu.Unlock()
	err := p.listener.Close()
	p.wg.Wait()
	return err
}

func (p *Proxy) accept() {
	defer p.wg.Done()
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := p.dial()
		if err != nil {
			_ = client.Close()
			continue
		}
		l := newLink(p, client, server)
		if !p.admit(l) {
			l.cut()
			return
		}
		p.wg.Add(2)
		go func() { defer p.wg.Done(); l.forward() }()
		go func() { defer p.wg.Done(); l.reply() }()
	}
}

// admit registers a connection unless the proxy is closing.
func (p *Proxy) admit(l *link) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.conns[l] = struct{}{}
	}
	return !p.closed
}

func (p *Proxy) forget(l *link) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, l)
}

// judge records a frame and asks the rules: the first that does not forward
// decides.
func (p *Proxy) judge(f Frame) Action {
	p.mu.Lock()
	p.frames = append(p.frames, f)
	rules := p.rules
	p.mu.Unlock()
	for _, rule := range rules {
		if action := rule(f); action != Forward {
			return action
		}
	}
	return Forward
}

// errCut ends a connection on purpose.
var errCut = errors.New("cut by a rule")
