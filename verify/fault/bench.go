package fault

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/internal/faultproxy"
)

// bench is what the rounds of a crash phase share.
type bench struct {
	workload Workload
	options  CrashOptions
	host     *host
	direct   *pgx.ConnConfig // past the proxy
	via      *pgx.ConnConfig // through it
	control  *control
	proxy    *faultproxy.Proxy
	clients  *lines // of the clients
	rescuers *lines // of their recoveries
	rounds   int    // so far
	result   *CrashResult

	mu   sync.Mutex
	last *wire // the connection that the proxy opened last: only the first client comes that way
}

func newBench(host *host, target Target, o CrashOptions) (*bench, error) {
	w := target.Workload
	if err := w.check(); err != nil {
		return nil, err
	}
	config, err := pgx.ParseConfig(target.URL)
	if err != nil {
		return nil, err
	}
	b := &bench{workload: w, options: o, host: host, direct: config, control: newControl(config, host)}
	b.result = &CrashResult{Workload: w.Name}
	if b.proxy, err = faultproxy.Start(b.dial); err != nil {
		return nil, err
	}
	front, err := pgx.ParseConfig(b.proxy.URL(config.User, config.Database))
	if err != nil {
		return nil, errors.Join(err, b.proxy.Close())
	}
	b.via = config.Copy()
	b.via.Host, b.via.Port = front.Host, front.Port
	b.via.TLSConfig, b.via.Fallbacks = nil, nil
	b.clients = newLines(host, len(w.Clients), b.connect)
	b.rescuers = newLines(host, len(w.Clients), func(ctx context.Context, i int) (*pgx.Conn, error) {
		conn, err := pgx.ConnectConfig(ctx, b.direct)
		if err != nil {
			return nil, fmt.Errorf("connect the recovery of client %d: %w", i, err)
		}
		return conn, nil
	})
	return b, nil
}

func (b *bench) dial() (net.Conn, error) {
	conn, err := dialServer(b.direct)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last = &wire{Conn: conn}
	return b.last, nil
}

func (b *bench) wire() *wire {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.last
}

func (b *bench) close() error {
	b.clients.close()
	b.rescuers.close()
	b.control.close()
	return b.proxy.Close()
}

// connect opens the connection of a client: the first goes through the proxy.
func (b *bench) connect(ctx context.Context, client int) (*pgx.Conn, error) {
	config := b.direct
	if client == 0 {
		config = dialOnce(b.via)
	}
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("connect client %d: %w", client, err)
	}
	return conn, nil
}

// dialOnce is a configuration for one connection of a process that may die:
// pgx dials a second time when it finds the first broken, to have the server
// cancel what runs there, which the dead cannot do.
func dialOnce(config *pgx.ConnConfig) *pgx.ConnConfig {
	config = config.Copy()
	dial := config.DialFunc
	var used atomic.Bool
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		if used.Swap(true) {
			return nil, errors.New("this client dials once")
		}
		return dial(ctx, network, address)
	}
	return config
}

// record runs the clients one after the other without any fault and notes the
// points of the first. What goes wrong even so is a mistake in the workload.
func (b *bench) record(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, max(b.options.Timeout, defaultTimeout))
	defer cancel()
	if err := b.control.fixture(ctx, b.workload.Fixture); err != nil {
		return err
	}
	var points recorder
	b.proxy.SetRules(points.rule)
	defer b.proxy.SetRules()
	r := &Round{Ends: make([]Ending, len(b.workload.Clients)), Recoveries: make([]*Ending, len(b.workload.Clients))}
	for i, client := range b.workload.Clients {
		conn, err := b.clients.take(ctx, i)
		if err != nil {
			return err
		}
		r.Ends[i] = b.workload.run(conn, i, func() (any, error) { return client(ctx, conn) })
		leave(conn)
	}
	if first := r.Ends[0]; first.Outcome != OK {
		return fmt.Errorf("without any fault the first client already fails: %s", first.answer())
	}
	found, err := b.control.judge(ctx, &b.workload, r)
	if err != nil {
		return err
	}
	if len(found) > 0 {
		return fmt.Errorf("without any fault, one client after the other, the judge already says: %s", found[0].Rule)
	}
	b.result.Points = append(points.list(), Point{Number: len(points.points), Message: end})
	return nil
}

// recorder numbers the points of a conversation.
type recorder struct {
	mu     sync.Mutex
	points []Point
}

func (r *recorder) rule(f faultproxy.Frame) faultproxy.Action {
	if p, ok := pointOf(f); ok {
		r.mu.Lock()
		defer r.mu.Unlock()
		p.Number = len(r.points)
		r.points = append(r.points, p)
	}
	return faultproxy.Forward
}

func (r *recorder) list() []Point {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Point(nil), r.points...)
}
