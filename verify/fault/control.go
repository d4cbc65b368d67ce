package fault

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/verify/explore"
)

// control is the machinery's own connection, past the proxy, for one user at a
// time. It is opened when needed, and again after the server was down.
type control struct {
	config *pgx.ConnConfig
	host   *host
	mu     sync.Mutex
	line
}

func newControl(config *pgx.ConnConfig, host *host) *control {
	config = config.Copy()
	config.RuntimeParams["application_name"] = "pawl verify"
	return &control{config: config, host: host}
}

// use calls f with the connection.
func (c *control) use(ctx context.Context, f func(*pgx.Conn) error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if epoch := c.host.epoch.Load(); c.conn == nil || c.conn.IsClosed() || c.epoch != epoch {
		hangUp(c.conn)
		conn, err := pgx.ConnectConfig(ctx, c.config)
		if err != nil {
			return err
		}
		c.conn, c.epoch = conn, epoch
	}
	return f(c.conn)
}

// pid is the process id of our own backend.
func (c *control) pid(ctx context.Context) (pid uint32, err error) {
	err = c.use(ctx, func(conn *pgx.Conn) error {
		pid = conn.PgConn().PID()
		return nil
	})
	return pid, err
}

// fixture runs a script through the simple protocol.
func (c *control) fixture(ctx context.Context, sql string) error {
	if err := c.script(ctx, sql); err != nil {
		return fmt.Errorf("the fixture does not run: %w", err)
	}
	return nil
}

func (c *control) script(ctx context.Context, sql string) error {
	return c.use(ctx, func(conn *pgx.Conn) error {
		_, err := conn.PgConn().Exec(ctx, sql).ReadAll()
		return err
	})
}

// judge asks the workload's judge.
func (c *control) judge(ctx context.Context, w *Workload, r *Round) (found []explore.Violation, err error) {
	err = c.use(ctx, func(conn *pgx.Conn) error {
		found, err = w.Judge(ctx, conn, r)
		leave(conn)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("the judge cannot look: %w", err)
	}
	return found, nil
}

// yes answers a query of one boolean.
func (c *control) yes(ctx context.Context, sql string, args ...any) (is bool, err error) {
	err = c.use(ctx, func(conn *pgx.Conn) error { return conn.QueryRow(ctx, sql, args...).Scan(&is) })
	return is, err
}

// gone waits until the server has none of the backends any more, so that nothing
// they still do can be missed.
func (c *control) gone(ctx context.Context, pids []uint32) error {
	list := make([]int64, len(pids))
	for i, pid := range pids {
		list[i] = int64(pid)
	}
	return c.await(ctx, "the end of the clients' backends",
		"SELECT NOT EXISTS (SELECT FROM pg_catalog.pg_stat_activity WHERE pid = ANY ($1::bigint[]))", list)
}

// expel ends backends whose clients are gone.
func (c *control) expel(ctx context.Context, pids []uint32) error {
	ctx, cancel := context.WithTimeout(ctx, tidyTime)
	defer cancel()
	for _, pid := range pids {
		if _, err := c.yes(ctx, "SELECT pg_catalog.pg_terminate_backend($1)", int(pid)); err != nil {
			return err
		}
	}
	return c.gone(ctx, pids)
}

// await polls until a query answers true.
func (c *control) await(ctx context.Context, what, sql string, args ...any) error {
	for {
		switch is, err := c.yes(ctx, sql, args...); {
		case err != nil:
			return fmt.Errorf("wait for %s: %w", what, err)
		case is:
			return nil
		}
		if err := sleep(ctx, pollPause); err != nil {
			return fmt.Errorf("wait for %s: %w", what, err)
		}
	}
}

// pollPause is how often the server is asked about something awaited.
const pollPause = 2 * time.Millisecond

// died waits until the connection is noticed to be dead, which it is as soon as
// the server has begun to recover, and then until the server lets us in again. It
// begins the host's next epoch.
func (c *control) died(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.conn != nil && !c.conn.IsClosed() {
		if _, err := c.conn.Exec(ctx, "SELECT 1"); err != nil {
			hangUp(c.conn)
		}
	}
	for {
		conn, err := pgx.ConnectConfig(ctx, c.config)
		if err == nil {
			c.conn, c.epoch = conn, c.host.epoch.Add(1)
			return nil
		}
		if sleep(ctx, recoveryPause) != nil {
			return fmt.Errorf("wait for the server to recover: %w", err)
		}
	}
}

// recoveryPause is how often a server that recovers is asked whether it is ready.
// Each time it has to make a process just to say no.
const recoveryPause = 10 * time.Millisecond

func (c *control) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	hangUp(c.conn)
}

// leave brings a connection out of a transaction in which somebody left it; one
// that cannot be is closed.
func leave(conn *pgx.Conn) {
	if conn.IsClosed() || conn.PgConn().TxStatus() == 'I' {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if _, err := conn.Exec(ctx, "ROLLBACK"); err != nil {
		hangUp(conn)
	}
}

// hangUp closes a connection without waiting long; nil is allowed.
func hangUp(conn *pgx.Conn) {
	if conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	// What it says about a connection that was broken on purpose is no news.
	_ = conn.Close(ctx)
}

// sleep waits for d, or fails with the end of ctx.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}

// tidyTime is how long tidying up after a round may take.
const tidyTime = 5 * time.Second

// errLate ends a round that took too long.
var errLate = errors.New("the round took too long")
