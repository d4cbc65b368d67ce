package devdb

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"net/url"
	"strconv"
)

// TCPURL is the address of a database by way of the TCP port on 127.0.0.1, with
// the password that guards it; "" when the server was started without
// Options.TCP.
func (s *Server) TCPURL(database string) string {
	if s.password == "" {
		return ""
	}
	u := url.URL{
		Scheme:   "postgres",
		User:     url.UserPassword(superuser, s.password),
		Host:     net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port)),
		Path:     "/" + database,
		RawQuery: "sslmode=disable",
	}
	return u.String()
}

// setPassword opens the TCP port to this process alone: every user of the machine
// can connect to it.
func (s *Server) setPassword(ctx context.Context) error {
	password := rand.Text() // letters and digits
	if err := s.admin(ctx, "ALTER ROLE "+superuser+" PASSWORD '"+password+"'"); err != nil {
		return err
	}
	s.password = password
	return nil
}

// freePort asks the system for a port nobody uses at the moment.
func freePort() (int, error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a free TCP port: %w", err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
