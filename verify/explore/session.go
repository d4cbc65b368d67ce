package explore

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// session is the connection of one client, kept over all schedules.
type session struct {
	config *pgx.ConnConfig
	conn   *pgx.Conn
	pid    uint32
	lost   bool // a client that does not return still holds conn
	ear    *ear // what the server tells meanwhile
}

// openSession connects the client with the given index. What it is told while a
// statement runs is announced by a nudge.
func openSession(ctx context.Context, base *pgx.ConnConfig, index int, nudge chan<- struct{}) (*session, error) {
	config := base.Copy()
	// As parameters of the connection they are what RESET goes back to.
	maps.Copy(config.RuntimeParams, settings)
	config.RuntimeParams["application_name"] = fmt.Sprintf("pawl verify s%d", index)
	s := &session{config: config, ear: &ear{nudge: nudge}}
	config.OnNotice = s.ear.hear
	return s, s.connect(ctx)
}

func (s *session) connect(ctx context.Context) error {
	conn, err := pgx.ConnectConfig(ctx, s.config)
	if err != nil {
		return err
	}
	s.conn, s.pid = conn, conn.PgConn().PID()
	return nil
}

// forget is sent between two schedules. It takes back what a client may have
// left behind outside of a transaction.
var forget = strings.Join([]string{
	"RESET SESSION AUTHORIZATION",
	"RESET ALL",
	"SELECT pg_advisory_unlock_all()",
	"CLOSE ALL",
	"DISCARD TEMP",
}, "; ") + "; "

// reset brings the session to where every schedule starts, and then runs the
// script, of SETs. A connection that broke is made anew.
func (s *session) reset(ctx context.Context, script string) error {
	if s.lost || s.conn.IsClosed() {
		s.lost = false
		if err := s.connect(ctx); err != nil {
			return err
		}
	}
	script = forget + script
	if s.conn.PgConn().TxStatus() != idle {
		script = "ROLLBACK; " + script
	}
	_, err := s.conn.Exec(ctx, script)
	if err == nil {
		return nil
	}
	// A cancellation that came too late, perhaps: a new connection has nothing to
	// forget.
	s.close(ctx)
	if err := s.connect(ctx); err != nil {
		return err
	}
	_, err = s.conn.Exec(ctx, script)
	return err
}

// rollback ends a transaction that a client has left open, so that its locks are
// not in the way of a judge.
func (s *session) rollback(ctx context.Context) error {
	if s.lost || s.conn.IsClosed() || s.conn.PgConn().TxStatus() == idle {
		return nil
	}
	if _, err := s.conn.Exec(ctx, "ROLLBACK"); err != nil {
		s.close(ctx)
	}
	return ctx.Err()
}

func (s *session) close(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_ = s.conn.Close(ctx) // nothing is lost with it
}
