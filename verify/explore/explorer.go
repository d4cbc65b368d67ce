package explore

import (
	"context"
	"time"
)

// Options say how to explore. The zero value of each field is a good choice.
type Options struct {
	// Clients is how many connections to hold: the most clients of any scenario.
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
	options Options
}

// Open connects to a database that belongs to the explorer alone: fixtures empty
// its tables, and gates put triggers on them. The role must be a superuser, since
// deadlock_timeout is lowered.
func Open(ctx context.Context, url string, o Options) (*Explorer, error)

// Close gives the connections back. The gates' triggers are dropped.
func (x *Explorer) Close(ctx context.Context) error

// Explore runs every schedule of s. The error is about the explorer itself: the
// server is gone, the fixture does not run, the judge cannot ask. What the
// clients did wrong stands in the result.
func (x *Explorer) Explore(ctx context.Context, s Scenario) (*Result, error)

// Replay runs one schedule. Where id names a client that cannot go, or is over
// too early, the run says so in Deviation and goes on with whoever can.
func (x *Explorer) Replay(ctx context.Context, s Scenario, id string) (*Run, error)
