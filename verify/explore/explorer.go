package explore

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// Options say how to explore. The zero value of each field is a good choice.
type Options struct {
	// Clients is how many connections to hold: the most clients of any scenario.
	// Default 2.
	Clients int
	// Full switches the reductions off: BEGIN is a step of its own, equal clients
	// are told apart, and independent steps are tried in both orders.
	Full bool
	// StopAtFirst ends an exploration with its first violation.
	StopAtFirst bool
	// Limit is how many schedules to execute at most; 0 for no limit.
	Limit int
	// StepTimeout is how long a step may take that waits for no lock. Default 5 s.
	StepTimeout time.Duration
	// Keep is how many counterexamples to keep. Default 3.
	Keep int
}

// An Explorer holds the connections to one database. It is not safe for
// concurrent use; several explorers on databases of their own are.
type Explorer struct {
	options    Options
	config     *pgx.ConnConfig
	control    *pgx.Conn // resets, probes and opens gates
	controlPID uint32
	judge      *pgx.Conn // asks for violations
	sessions   []*session
	nudges     chan struct{} // one when a session was told something
	gates      gates
	// shut and firstRows are what the sessions' gate settings have to be.
	shut      string
	firstRows bool
	executed  int // schedules of the current scenario, begun
	// serializable says that this is the database's default isolation level, and
	// deferrable that COMMIT may have to check something.
	serializable, deferrable bool
}

// Open connects to a database that belongs to the explorer alone: fixtures empty
// its tables, and gates put triggers on them. The role must be a superuser, since
// deadlock_timeout is lowered.
func Open(ctx context.Context, url string, o Options) (*Explorer, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("explore: %w", err)
	}
	if o.Clients <= 0 {
		o.Clients = 2
	}
	if o.StepTimeout <= 0 {
		o.StepTimeout = 5 * time.Second
	}
	if o.Keep <= 0 {
		o.Keep = 3
	}
	x := &Explorer{options: o, config: config, nudges: make(chan struct{}, 1)}
	err = x.connect(ctx)
	for i := 0; err == nil && i < o.Clients; i++ {
		var s *session
		if s, err = openSession(ctx, config, i, x.nudges); err == nil {
			x.sessions = append(x.sessions, s)
		}
	}
	if err != nil {
		_ = x.Close(ctx) // the first error says more
		return nil, fmt.Errorf("explore: connect: %w", err)
	}
	return x, nil
}

// connect opens the explorer's own connections where they are not open.
func (x *Explorer) connect(ctx context.Context) error {
	if x.control == nil || x.control.IsClosed() {
		conn, err := x.dial(ctx, "pawl verify control")
		if err != nil {
			return err
		}
		x.control, x.controlPID = conn, conn.PgConn().PID()
		x.gates.held = make(map[uint32]bool) // the locks went with the old one
	}
	if x.judge == nil || x.judge.IsClosed() {
		conn, err := x.dial(ctx, "pawl verify judge")
		if err != nil {
			return err
		}
		x.judge = conn
	}
	return nil
}

func (x *Explorer) dial(ctx context.Context, name string) (*pgx.Conn, error) {
	config := x.config.Copy()
	config.RuntimeParams["application_name"] = name
	// What the clients left locked, by PREPARE TRANSACTION for instance, must not
	// keep a fixture for ever.
	config.RuntimeParams["lock_timeout"] = strconv.FormatInt(max(x.options.StepTimeout.Milliseconds(), 1), 10)
	return pgx.ConnectConfig(ctx, config)
}

// Close gives the connections back. The gates' triggers are dropped.
func (x *Explorer) Close(ctx context.Context) error {
	var err error
	for _, s := range x.sessions {
		if !s.lost {
			s.close(ctx)
		}
	}
	x.sessions = nil
	if x.control != nil && !x.control.IsClosed() {
		err = errors.Join(x.gates.remove(ctx, x.control), x.control.Close(ctx))
	}
	if x.judge != nil {
		err = errors.Join(err, x.judge.Close(ctx))
	}
	return err
}

// Explore runs every schedule of s. The error is about the explorer itself: the
// server is gone, the fixture does not run, the judge cannot ask. What the
// clients did wrong stands in the result.
func (x *Explorer) Explore(ctx context.Context, s Scenario) (*Result, error) {
	started := time.Now()
	if err := x.begin(ctx, &s); err != nil {
		return nil, err
	}
	x.firstRows = s.FirstRows
	result, err := x.exhaust(ctx, &s)
	if errors.Is(err, errManyRows) {
		x.firstRows = true
		result, err = x.exhaust(ctx, &s)
	}
	if err = x.rest(ctx, err); err != nil {
		return nil, fmt.Errorf("explore %s: %w", s.Name, err)
	}
	result.Duration = time.Since(started)
	return result, nil
}

// begin makes the explorer ready for a scenario.
func (x *Explorer) begin(ctx context.Context, s *Scenario) error {
	if len(s.Clients) > len(x.sessions) {
		return fmt.Errorf("explore %s: it has %d clients, and the explorer holds %d connections: raise Options.Clients", s.Name, len(s.Clients), len(x.sessions))
	}
	if err := x.connect(ctx); err != nil {
		return fmt.Errorf("explore %s: connect: %w", s.Name, err)
	}
	// Since the last scenario the schema may have changed under prepared statements.
	for _, session := range x.sessions {
		if err := session.reset(ctx, ""); err != nil {
			return fmt.Errorf("explore %s: %w", s.Name, err)
		}
		if err := session.conn.DeallocateAll(ctx); err != nil {
			return fmt.Errorf("explore %s: %w", s.Name, err)
		}
	}
	if err := x.judge.DeallocateAll(ctx); err != nil {
		return fmt.Errorf("explore %s: %w", s.Name, err)
	}
	err := x.sessions[0].conn.QueryRow(ctx, `SELECT current_setting('default_transaction_isolation') = 'serializable',
	EXISTS (SELECT FROM pg_trigger WHERE tgdeferrable)`).Scan(&x.serializable, &x.deferrable)
	if err != nil {
		return fmt.Errorf("explore %s: %w", s.Name, err)
	}
	x.executed = 0
	x.shut, err = x.gates.shut(ctx, x.control, s.Gates)
	if err != nil {
		return fmt.Errorf("explore %s: %w", s.Name, err)
	}
	return nil
}

// rest is called when a scenario is over: the sessions keep nothing locked. The
// error is the context's when that is why the scenario ended.
func (x *Explorer) rest(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), x.options.StepTimeout)
	defer cancel()
	for i, session := range x.sessions {
		if resetErr := session.reset(ctx, ""); err == nil && resetErr != nil {
			err = fmt.Errorf("reset session %d: %w", i, resetErr)
		}
	}
	return err
}

// prepare brings sessions and tables to where every schedule starts.
func (x *Explorer) prepare(ctx context.Context, s *Scenario) error {
	if err := x.connect(ctx); err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	for i := range s.Clients {
		session := x.sessions[i]
		if err := session.reset(ctx, x.gateSettings()); err != nil {
			return fmt.Errorf("reset session %d: %w", i, err)
		}
		if x.shut == "" {
			continue
		}
		if err := x.gates.hold(ctx, x.control, session.pid); err != nil {
			return err
		}
	}
	if _, err := x.control.PgConn().Exec(ctx, s.Fixture).ReadAll(); err != nil {
		return fmt.Errorf("fixture: %w", err)
	}
	if x.executed++; x.executed%vacuumEvery == 1 {
		return x.vacuum(ctx)
	}
	return nil
}

// vacuumEvery is after how many schedules dead rows are removed: fixtures that
// DELETE leave many, and are still ten times as fast as those that TRUNCATE.
const vacuumEvery = 300

// vacuum removes dead rows. It is also done once before the first schedule, so
// that the planner has the same numbers before all of them.
func (x *Explorer) vacuum(ctx context.Context) error {
	tables, err := x.control.Query(ctx, `SELECT oid::regclass::text FROM pg_class
WHERE relkind = 'r' AND relpersistence <> 't' AND pg_relation_size(oid) > 0 AND relnamespace::regnamespace::text NOT IN ('pg_catalog', 'information_schema')
ORDER BY oid`)
	if err != nil {
		return fmt.Errorf("vacuum: %w", err)
	}
	names, err := pgx.CollectRows(tables, pgx.RowTo[string])
	if err != nil || len(names) == 0 {
		return err
	}
	if _, err := x.control.Exec(ctx, "VACUUM "+strings.Join(names, ", ")); err != nil {
		return fmt.Errorf("vacuum: %w", err)
	}
	return nil
}

// returning is how long clients have to return after their statements were
// cancelled, before their context is, and once more after that.
const returning = 5 * time.Second

// finish waits until the clients of a schedule that is over have returned. What
// they still do is cancelled.
func (x *Explorer) finish(ctx context.Context, actors []*actor, clients *sync.WaitGroup, cancel context.CancelFunc) error {
	returned := make(chan struct{})
	go func() {
		clients.Wait()
		close(returned)
	}()
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*returning)
	defer stop()
	forced := time.After(returning)
	for pause := time.Millisecond; ; pause *= 2 {
		select {
		case <-returned:
			return nil
		case <-forced:
			cancel()
		case <-ctx.Done():
			return x.disown(actors)
		case <-time.After(pause):
			for _, a := range actors {
				if a.state == running || a.state == waiting || a.state == stopped {
					_ = a.session.conn.PgConn().CancelRequest(ctx) // tried again
				}
			}
		}
	}
}

// disown gives up the connections of clients that do not return.
func (x *Explorer) disown(actors []*actor) error {
	var err error
	for _, a := range actors {
		if a.state == done {
			continue
		}
		a.session.lost = true
		err = errors.Join(err, fmt.Errorf("client %q does not return: Run must end when its statements fail", a.client.Name))
	}
	return err
}
