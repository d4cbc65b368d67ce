package explore

import (
	"context"
	"fmt"
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
}

// openSession connects the client with the given index.
func openSession(ctx context.Context, base *pgx.ConnConfig, index int) (*session, error) {
	config := base.Copy()
	for name, value := range map[string]string{
		"application_name": fmt.Sprintf("pawl verify s%d", index),
		// A deadlock is to be noticed by the one who closes the circle, before
		// anybody is granted a further step.
		"deadlock_timeout": "1ms",
	} {
		config.RuntimeParams[name] = value
	}
	s := &session{config: config}
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
}, "; ")

// reset brings the session to where every schedule starts. A connection that
// broke is made anew.
func (s *session) reset(ctx context.Context) error {
	if s.lost {
		s.lost = false
		return s.connect(ctx)
	}
	if s.conn.IsClosed() {
		return s.connect(ctx)
	}
	script := forget
	if s.conn.PgConn().TxStatus() != idle {
		script = "ROLLBACK; " + forget
	}
	if _, err := s.conn.Exec(ctx, script); err != nil {
		s.close(ctx)
		return s.connect(ctx)
	}
	return nil
}

// shut switches gates on, of the tables with the given OIDs.
func (s *session) shut(ctx context.Context, oids string, firstRows bool) error {
	first := "off"
	if firstRows {
		first = "on"
	}
	_, err := s.conn.Exec(ctx, fmt.Sprintf("SET %s = '%s'; SET %s = %s", gateSetting, oids, firstSetting, first))
	return err
}

func (s *session) close(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_ = s.conn.Close(ctx) // nothing is lost with it
}
