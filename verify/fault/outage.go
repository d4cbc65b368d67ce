package fault

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/pawldb/pawl/internal/devdb"
)

// host is a server that several databases under test share, and its state.
type host struct {
	server *devdb.Server // nil when it is not ours to break
	// down is held while the server is being taken down, so that nobody recovers
	// into a server about to die.
	down sync.RWMutex
	// epoch counts how often it was down: what was connected before is dead, also
	// where nobody has noticed.
	epoch atomic.Int64
}

// outage takes the server down once for several rounds, as soon as each of them
// has come to its point or is over without coming there. An outage is expensive
// and hits every database alike.
type outage struct {
	kind Kind
	host *host

	mu       sync.Mutex
	expected int      // rounds of which nothing is known yet
	wanted   bool     // a round has come to its point
	victims  []uint32 // the backends that the rounds want to see killed
	err      error
	over     chan struct{} // closed when it is over, or is known not to come
}

func newOutage(kind Kind, host *host, rounds int) *outage {
	return &outage{kind: kind, host: host, expected: rounds, over: make(chan struct{})}
}

// join waits for the outage, and takes part in it. The backends of victims are
// killed where the kind kills backends.
func (o *outage) join(ctx context.Context, c *control, victims ...uint32) error {
	o.mu.Lock()
	o.wanted = true
	o.victims = append(o.victims, victims...)
	o.mu.Unlock()
	return o.arrive(ctx, c)
}

// leave says that a round is over without having come to its point. It waits for
// the others' outage all the same, for nobody can look at anything meanwhile.
func (o *outage) leave(ctx context.Context, c *control) error { return o.arrive(ctx, c) }

func (o *outage) arrive(ctx context.Context, c *control) error {
	o.mu.Lock()
	o.expected--
	last := o.expected == 0
	o.mu.Unlock()
	if last {
		if o.wanted {
			o.err = o.strike(ctx, c)
		}
		close(o.over)
	}
	select {
	case <-o.over:
		return o.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// strike takes the server down and returns when it serves again. It does so even
// when the round that strikes has no time left: a server that is down stays down.
func (o *outage) strike(ctx context.Context, c *control) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), outageTime)
	defer cancel()
	o.host.down.Lock()
	defer o.host.down.Unlock()
	if o.kind == Restart {
		if err := o.host.server.RestartImmediate(ctx); err != nil {
			return err
		}
		return c.died(ctx)
	}
	// Our own backend shares the others' fate, which is how the end of the server is
	// noticed; and should a round have lost its backend otherwise, the server goes
	// down all the same.
	own, err := c.pid(ctx)
	if err != nil {
		return err
	}
	for _, victim := range append(o.victims, own) {
		if err := signal(victim, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
	}
	return c.died(ctx)
}

// outageTime bounds an outage.
const outageTime = 30 * time.Second
