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
	// Inconclusive are rounds that did not come to an end in time.
	Inconclusive []Inconclusive
	// Skipped names the faults that the server does not allow, and why.
	Skipped  []string
	Duration time.Duration
}

// Tally is what became of the faults of one kind.
type Tally struct {
	Kind      Kind
	Injected  int
	Missed    int // the client was done before it came to the point
	Violating int
	Duration  time.Duration
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
	result, err := crash(ctx, server, url, w, o.filled())
	if err != nil {
		return nil, fmt.Errorf("crash %q: %w", w.Name, err)
	}
	return result, nil
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

func crash(ctx context.Context, server *devdb.Server, url string, w Workload, o CrashOptions) (result *CrashResult, err error) {
	if err := w.check(); err != nil {
		return nil, err
	}
	b, err := newBench(server, url, w, o)
	if err != nil {
		return nil, err
	}
	defer func() {
		if closeErr := b.close(); err == nil {
			err = closeErr
		}
	}()
	start := time.Now()
	result = &CrashResult{Workload: w.Name}
	if result.Points, err = b.record(ctx); err != nil {
		return nil, err
	}
	if server != nil {
		// Otherwise the first recovery replays all that was done before.
		if err := b.control.script(ctx, "CHECKPOINT"); err != nil {
			return nil, err
		}
	}
	for _, kind := range o.Kinds {
		if kind.ownServer() && server == nil {
			result.Skipped = append(result.Skipped, fmt.Sprintf("%s: the server is not pawl's own", kind))
			continue
		}
		if err := b.kind(ctx, kind, result); err != nil {
			return nil, err
		}
		if o.StopAtFirst && result.Violating > 0 {
			break
		}
	}
	result.Duration = time.Since(start)
	return result, nil
}

// kind injects one kind of fault wherever it says something.
func (b *bench) kind(ctx context.Context, kind Kind, result *CrashResult) error {
	tally := Tally{Kind: kind}
	start := time.Now()
	for _, point := range choose(result.Points, kind, b.options.Outages) {
		fault := Fault{Kind: kind, Point: point}
		round, why, err := b.round(ctx, fault)
		if err != nil {
			return fmt.Errorf("%s: %w", fault, err)
		}
		tally.add(round, result, why, b.options.Keep)
		if b.options.StopAtFirst && result.Violating > 0 {
			break
		}
	}
	tally.Duration = time.Since(start)
	result.Tallies = append(result.Tallies, tally)
	return nil
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

// choose returns the points at which a kind is injected.
func choose(points []Point, kind Kind, outages int) []Point {
	var chosen []Point
	for _, p := range points {
		if p.admits(kind) {
			chosen = append(chosen, p)
		}
	}
	if kind.takesDown() && outages > 0 && outages < len(chosen) {
		chosen = chosen[len(chosen)-outages:]
	}
	return chosen
}
