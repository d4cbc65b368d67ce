package fault

import (
	"context"
	"fmt"
	"time"

	"github.com/pawldb/pawl/internal/devdb"
)

// CrashOptions say which faults to inject. The zero value of each field is a good
// choice.
type CrashOptions struct {
	// Kinds are the kinds of faults to inject. Default: all of them.
	Kinds []Kind
	// Only are the IDs of the only faults to inject, to repeat one that was found.
	// Default: all of them.
	Only []string
	// Outages bounds how many points get each of the kinds that take the whole
	// server down, Kill and Restart, which cost 0.1 to 0.3 s a time. The last
	// points come first, for there the work is committed. 0: all points.
	Outages int
	// Timeout is how long a round may take, recovery included and waiting for a
	// lease excluded, before it is given up as inconclusive. Default 10 s.
	Timeout time.Duration
	// StopAtFirst ends the phase with its first violation.
	StopAtFirst bool
	// Keep is how many violating rounds to keep. Default 3.
	Keep int
}

// CrashResult is what a crash phase found.
type CrashResult struct {
	Workload string
	// Points are the places of the first client's conversation, the place after its
	// last answer included.
	Points []Point
	// Tallies count the faults of each kind that was tried.
	Tallies []Tally
	// Faults is how many were injected, and Violating how many of the rounds broke
	// a rule; Broken are the first of these.
	Faults    int
	Violating int
	Broken    []*Round
	// Inconclusive are rounds that did not come to an end in time. After three of
	// them the workload's remaining faults are not injected.
	Inconclusive []Inconclusive
	// Skipped names the faults that the server does not allow, and why.
	Skipped []string
	// Duration is how long its rounds took; those of several workloads that share
	// an outage take that time together.
	Duration time.Duration
}

// Tally is what became of the faults of one kind.
type Tally struct {
	Kind      Kind
	Injected  int
	Missed    int // the client was done before it came to the point
	Violating int
	Duration  time.Duration // of its rounds
}

// Target is a workload and the database that belongs to it alone.
type Target struct {
	URL      string
	Workload Workload
}

// Crash injects every kind of fault at every point of the first client's
// conversation with the server, in a round each: the fixture, all clients at
// once, the fault, recovery of every client that does not know how its work
// ended, the judge. The database belongs to the workload alone.
//
// server is the private server that url is a database of. Nil stands for a server
// that is not ours to break: the faults that take its processes are skipped and
// named in the result.
//
// The error is about the phase itself, or about a workload that fails without any
// fault.
func Crash(ctx context.Context, server *devdb.Server, url string, w Workload, o CrashOptions) (*CrashResult, error) {
	results, err := CrashAll(ctx, server, []Target{{URL: url, Workload: w}}, o)
	if err != nil {
		return nil, err
	}
	return results[0], nil
}

// CrashAll is Crash for several workloads in databases of one server, which are
// different databases. They share what is expensive: an outage waits until every
// workload has come to its point, and hits them all. The results have the order
// of the targets.
func CrashAll(ctx context.Context, server *devdb.Server, targets []Target, o CrashOptions) (results []*CrashResult, err error) {
	p := phase{host: &host{server: server}, options: o.filled()}
	defer func() {
		if closeErr := p.close(); err == nil {
			err = closeErr
		}
	}()
	for _, target := range targets {
		b, err := newBench(p.host, target, p.options)
		if err == nil {
			p.benches = append(p.benches, b)
			err = b.record(ctx)
		}
		if err != nil {
			return nil, fmt.Errorf("crash %q: %w", target.Workload.Name, err)
		}
		results = append(results, b.result)
	}
	if err := p.run(ctx); err != nil {
		return nil, err
	}
	return results, nil
}

func (o CrashOptions) filled() CrashOptions {
	if o.Kinds == nil {
		o.Kinds = Kinds
	}
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	if o.Keep <= 0 {
		o.Keep = 3
	}
	return o
}

// add counts a round.
func (t *Tally) add(r *Round, result *CrashResult, why string, keep int) {
	if r.Fault.Injected {
		t.Injected++
		result.Faults++
	} else {
		t.Missed++
	}
	switch {
	case why != "":
		result.Inconclusive = append(result.Inconclusive, Inconclusive{Round: r.Number, Fault: r.Fault, Why: why})
	case len(r.Violations) > 0:
		t.Violating++
		result.Violating++
		if len(result.Broken) < keep {
			result.Broken = append(result.Broken, r)
		}
	}
}
