package fault

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/verify/explore"
)

// OrphanCase is a client that dies while its statement waits for a lock. The
// server does not notice: when the lock is free the statement is executed, for
// nobody.
type OrphanCase struct {
	Name    string
	Fixture string // a script for the simple protocol
	// Hold takes the lock in a transaction that is committed after the client's
	// death. In the case of a lease it is the successor, who takes the lease over.
	Hold func(ctx context.Context, tx pgx.Tx) error
	// Client sends one statement that commits by itself and has to wait for Hold.
	Client Client
	// Applied reports whether the client's statement took effect.
	Applied func(ctx context.Context, conn *pgx.Conn) (bool, error)
	// Judge says what is broken then. Nil when nothing can be: the case is only to
	// show what happens.
	Judge func(ctx context.Context, conn *pgx.Conn) ([]explore.Violation, error)
}

// OrphanResult is what became of the statement without and with
// client_connection_check_interval.
type OrphanResult struct {
	Name               string
	Unchecked, Checked Orphaned
}

// Orphaned is what became of a statement whose client had died.
type Orphaned struct {
	// Dropped is true when the server gave the statement up while it waited.
	Dropped bool
	// Applied is true when it took effect.
	Applied    bool
	Violations []explore.Violation
}

// CheckInterval is the client_connection_check_interval that Orphan checks with.
const CheckInterval = 200 * time.Millisecond

// Orphan kills a client that waits for a lock, once on a session that does not
// look whether its client is alive and once on one that does, every
// CheckInterval. To the server a closed socket and a process killed with SIGKILL
// are the same: the kernel closes the socket, and nobody says goodbye.
func Orphan(ctx context.Context, url string, c OrphanCase) (*OrphanResult, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("orphan %q: %w", c.Name, err)
	}
	o := orphanage{config: config, control: newControl(config, new(host)), OrphanCase: c}
	defer o.control.close()
	result := &OrphanResult{Name: c.Name}
	if result.Unchecked, err = o.try(ctx, 0); err != nil {
		return nil, fmt.Errorf("orphan %q, unchecked: %w", c.Name, err)
	}
	if result.Checked, err = o.try(ctx, CheckInterval); err != nil {
		return nil, fmt.Errorf("orphan %q, checked: %w", c.Name, err)
	}
	return result, nil
}

// orphanage is where an OrphanCase is tried.
type orphanage struct {
	OrphanCase
	config  *pgx.ConnConfig
	control *control
}

// try lets the client die once.
func (o *orphanage) try(ctx context.Context, interval time.Duration) (Orphaned, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, defaultTimeout, errLate)
	defer cancel()
	if err := o.control.fixture(ctx, o.Fixture); err != nil {
		return Orphaned{}, err
	}
	holder, err := pgx.ConnectConfig(ctx, o.config)
	if err != nil {
		return Orphaned{}, err
	}
	defer hangUp(holder)
	tx, err := holder.Begin(ctx)
	if err != nil {
		return Orphaned{}, err
	}
	if err := o.Hold(ctx, tx); err != nil {
		return Orphaned{}, fmt.Errorf("take the lock: %w", err)
	}
	ghost, err := o.die(ctx, interval)
	if err != nil {
		return Orphaned{}, err
	}
	var found Orphaned
	if found.Dropped, err = o.noticed(ctx, ghost); err != nil {
		return Orphaned{}, err
	}
	if err := tx.Commit(ctx); err != nil {
		return Orphaned{}, fmt.Errorf("let the lock go: %w", err)
	}
	if err := o.control.gone(ctx, []uint32{ghost}); err != nil {
		return Orphaned{}, err
	}
	return found, o.control.use(ctx, func(conn *pgx.Conn) error {
		if found.Applied, err = o.Applied(ctx, conn); err != nil || o.Judge == nil {
			return err
		}
		found.Violations, err = o.Judge(ctx, conn)
		return err
	})
}

// die runs the client until it waits for a lock, closes its socket, and returns
// the pid of the backend that it leaves behind.
func (o *orphanage) die(ctx context.Context, interval time.Duration) (uint32, error) {
	config := dialOnce(o.config)
	config.RuntimeParams["client_connection_check_interval"] = strconv.FormatInt(interval.Milliseconds(), 10)
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return 0, err
	}
	defer hangUp(conn)
	ended := make(chan error, 1)
	go func() {
		_, err := o.Client(ctx, conn)
		ended <- err
	}()
	pid := conn.PgConn().PID()
	waiting, stop := context.WithCancel(ctx)
	defer stop()
	waits := make(chan error, 1)
	go func() {
		waits <- o.control.await(waiting, "the client to wait for the lock",
			"SELECT pg_catalog.cardinality(pg_catalog.pg_blocking_pids($1)) > 0", int(pid))
	}()
	select {
	case err := <-ended:
		stop()
		<-waits
		return 0, errors.Join(errors.New("the client did not wait for the lock that Hold takes"), err)
	case err := <-waits:
		if err != nil {
			return 0, errors.Join(err, conn.PgConn().Conn().Close(), <-ended)
		}
	}
	if err := conn.PgConn().Conn().Close(); err != nil {
		return 0, err
	}
	if err := <-ended; err == nil {
		return 0, errors.New("the client got an answer though its socket was closed")
	}
	return pid, nil
}

// noticed reports whether the backend goes away by itself within some intervals.
func (o *orphanage) noticed(ctx context.Context, pid uint32) (bool, error) {
	bounded, cancel := context.WithTimeout(ctx, 3*CheckInterval)
	defer cancel()
	for {
		is, err := o.control.yes(ctx, "SELECT NOT EXISTS (SELECT FROM pg_catalog.pg_stat_activity WHERE pid = $1)", int(pid))
		if is || err != nil {
			return is, err
		}
		if sleep(bounded, pollPause) != nil {
			return false, ctx.Err()
		}
	}
}

// LateUpdate is the plainest orphan: an UPDATE of a table of its own, which it
// makes in the database.
func LateUpdate() OrphanCase {
	const table = "pawl_verify_orphan"
	return OrphanCase{
		Name:    "an UPDATE whose client died while it waited",
		Fixture: "DROP TABLE IF EXISTS " + table + "; CREATE TABLE " + table + " AS SELECT 100 AS v",
		Hold: func(ctx context.Context, tx pgx.Tx) error {
			_, err := tx.Exec(ctx, "SELECT FROM "+table+" FOR UPDATE")
			return err
		},
		Client: func(ctx context.Context, conn *pgx.Conn) (any, error) {
			return conn.Exec(ctx, "UPDATE "+table+" SET v = v + 1")
		},
		Applied: func(ctx context.Context, conn *pgx.Conn) (applied bool, err error) {
			err = conn.QueryRow(ctx, "SELECT v = 101 FROM "+table).Scan(&applied)
			return applied, err
		},
	}
}
