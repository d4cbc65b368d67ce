package fault

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// StressOptions say how hard to try. The zero value of each field is a good
// choice.
type StressOptions struct {
	// Clients is how many connections call at once; where there are more than the
	// workload has clients, these take turns. Default: one for each.
	Clients int
	// Rounds is how many rounds to run. Default 300.
	Rounds int
	// StopAtFirst ends the run with its first broken round.
	StopAtFirst bool
	// Timeout is how long a round may take before it is given up. Default 10 s.
	Timeout time.Duration
}

// StressResult is what happened to happen. It is never a proof.
type StressResult struct {
	Workload string
	Clients  int
	// Rounds is how many came to their end and were judged; Broken is how many of
	// them broke a rule, and Rate the share of these, from 0 to 1.
	Rounds int
	Broken int
	Rate   float64
	// First is the first broken round, nil when there was none.
	First *Round
	// Inconclusive are rounds that did not come to an end in time. The third of them
	// is the last round of the run.
	Inconclusive []Inconclusive
	// Outcomes counts how the clients ended.
	Outcomes map[Outcome]int
	Duration time.Duration
}

// Inconclusive is a round of which nothing can be said.
type Inconclusive struct {
	Round int
	Fault Fault // of a crash phase
	Why   string
}

// Stress runs a workload in many short rounds: the fixture, all clients let go at
// the same moment, the judge. The database belongs to the workload alone. The
// error is about the phase itself: the server is gone, the fixture does not run,
// the judge cannot look.
func Stress(ctx context.Context, url string, w Workload, o StressOptions) (*StressResult, error) {
	if err := w.check(); err != nil {
		return nil, fmt.Errorf("stress %q: %w", w.Name, err)
	}
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("stress %q: %w", w.Name, err)
	}
	o = o.filled(len(w.Clients))
	s := &stress{workload: w, options: o, config: config, control: newControl(config, new(host)), conns: make([]*pgx.Conn, o.Clients)}
	defer s.close()
	result := &StressResult{Workload: w.Name, Clients: o.Clients, Outcomes: make(map[Outcome]int)}
	start := time.Now()
	for number := range o.Rounds {
		if err := s.round(ctx, number, result); err != nil {
			return nil, fmt.Errorf("stress %q, round %d: %w", w.Name, number, err)
		}
		if o.StopAtFirst && result.Broken > 0 || len(result.Inconclusive) >= maxInconclusive {
			break
		}
	}
	if result.Rounds > 0 {
		result.Rate = float64(result.Broken) / float64(result.Rounds)
	}
	result.Duration = time.Since(start)
	return result, nil
}

func (o StressOptions) filled(clients int) StressOptions {
	if o.Clients <= 0 {
		o.Clients = clients
	}
	if o.Rounds <= 0 {
		o.Rounds = 300
	}
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	return o
}

// defaultTimeout bounds a round.
const defaultTimeout = 10 * time.Second

// maxInconclusive is how many rounds may take too long: each costs the whole
// timeout, and more of them say no more.
const maxInconclusive = 3

// stress holds the connections of a phase.
type stress struct {
	workload Workload
	options  StressOptions
	config   *pgx.ConnConfig
	control  *control
	conns    []*pgx.Conn
}

// round runs one round and adds it to the result.
func (s *stress) round(ctx context.Context, number int, result *StressResult) error {
	if err := s.prepare(ctx); err != nil {
		return err
	}
	r := &Round{Number: number, Ends: make([]Ending, len(s.conns))}
	start := time.Now()
	late := s.call(ctx, r)
	r.Duration = time.Since(start)
	if err := s.settle(ctx); err != nil {
		return err
	}
	if late {
		result.Inconclusive = append(result.Inconclusive, Inconclusive{Round: number, Why: fmt.Sprintf("the clients took more than %s", s.options.Timeout)})
		return nil
	}
	for _, e := range r.Ends {
		result.Outcomes[e.Outcome]++
	}
	var err error
	if r.Violations, err = s.control.judge(ctx, &s.workload, r); err != nil {
		return err
	}
	result.Rounds++
	if len(r.Violations) > 0 {
		result.Broken++
		if result.First == nil {
			result.First = r
		}
	}
	return nil
}

// prepare replaces lost connections and runs the fixture.
func (s *stress) prepare(ctx context.Context) error {
	for i, conn := range s.conns {
		if conn != nil && !conn.IsClosed() {
			continue
		}
		conn, err := pgx.ConnectConfig(ctx, s.config)
		if err != nil {
			return fmt.Errorf("connect client %d: %w", i, err)
		}
		s.conns[i] = conn
	}
	return s.control.fixture(ctx, s.workload.Fixture)
}

// call lets all clients go at once and reports whether the round was too late.
func (s *stress) call(ctx context.Context, r *Round) (late bool) {
	ctx, cancel := context.WithTimeout(ctx, s.options.Timeout)
	defer cancel()
	var clients sync.WaitGroup
	barrier := make(chan struct{})
	for i, conn := range s.conns {
		client := i % len(s.workload.Clients)
		clients.Go(func() {
			<-barrier
			r.Ends[i] = s.workload.run(conn, client, func() (any, error) { return s.workload.Clients[client](ctx, conn) })
			leave(conn)
		})
	}
	close(barrier)
	clients.Wait()
	return ctx.Err() != nil
}

// settle waits for what lost connections have left behind.
func (s *stress) settle(ctx context.Context) error {
	var orphans []uint32
	for _, conn := range s.conns {
		if conn.IsClosed() {
			orphans = append(orphans, conn.PgConn().PID())
		}
	}
	if len(orphans) == 0 {
		return ctx.Err()
	}
	return s.control.expel(ctx, orphans)
}

func (s *stress) close() {
	for _, conn := range s.conns {
		hangUp(conn)
	}
	s.control.close()
}
