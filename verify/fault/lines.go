package fault

import (
	"context"
	"errors"
	"sync"

	"github.com/jackc/pgx/v5"
)

// lines are connections that are kept from round to round, for a new backend is
// what a round spends most of its time on. Each belongs to one user at a time.
type lines struct {
	connect func(ctx context.Context, i int) (*pgx.Conn, error)
	lines   []line
	host    *host
}

type line struct {
	conn  *pgx.Conn
	epoch int64
}

func newLines(host *host, n int, connect func(ctx context.Context, i int) (*pgx.Conn, error)) *lines {
	return &lines{connect: connect, lines: make([]line, n), host: host}
}

// take returns connection i as good as new.
func (l *lines) take(ctx context.Context, i int) (*pgx.Conn, error) {
	kept, epoch := &l.lines[i], l.host.epoch.Load()
	if kept.conn != nil {
		if kept.epoch == epoch && refresh(ctx, kept.conn) {
			return kept.conn, nil
		}
		hangUp(kept.conn)
	}
	conn, err := l.connect(ctx, i)
	if err != nil {
		return nil, err
	}
	kept.conn, kept.epoch = conn, epoch
	return conn, nil
}

// takeAll takes all connections at once.
func (l *lines) takeAll(ctx context.Context) ([]*pgx.Conn, error) {
	conns, errs := make([]*pgx.Conn, len(l.lines)), make([]error, len(l.lines))
	var all sync.WaitGroup
	for i := range l.lines {
		all.Go(func() { conns[i], errs[i] = l.take(ctx, i) })
	}
	all.Wait()
	return conns, errors.Join(errs...)
}

func (l *lines) close() {
	for _, line := range l.lines {
		hangUp(line.conn)
	}
}

// refresh rids a session of what its last user may have left in it, prepared
// statements apart. It reports whether that was possible.
func refresh(ctx context.Context, conn *pgx.Conn) bool {
	leave(conn)
	if conn.IsClosed() {
		return false
	}
	_, err := conn.PgConn().Exec(ctx, "RESET ALL; SELECT pg_catalog.pg_advisory_unlock_all()").ReadAll()
	return err == nil
}
