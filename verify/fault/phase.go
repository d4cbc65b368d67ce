package fault

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// phase is a crash phase of several databases on one server.
type phase struct {
	host    *host
	options CrashOptions
	benches []*bench
}

func (p *phase) close() error {
	var errs []error
	for _, b := range p.benches {
		errs = append(errs, b.close())
	}
	return errors.Join(errs...)
}

// run injects all kinds of faults.
func (p *phase) run(ctx context.Context) error {
	if p.host.server != nil && len(p.benches) > 0 {
		// Otherwise the first recovery replays all that was done before.
		if err := p.benches[0].control.script(ctx, "CHECKPOINT"); err != nil {
			return err
		}
	}
	for _, kind := range p.options.Kinds {
		var err error
		switch {
		case kind.ownServer() && p.host.server == nil:
			p.skip(kind)
		case kind.takesDown():
			err = p.outages(ctx, kind)
		default:
			err = p.oneByOne(ctx, kind)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *phase) skip(kind Kind) {
	for _, b := range p.benches {
		b.result.Skipped = append(b.result.Skipped, fmt.Sprintf("%s: the server is not pawl's own", kind))
	}
}

// oneByOne injects faults that hit one connection.
func (p *phase) oneByOne(ctx context.Context, kind Kind) error {
	for _, b := range p.benches {
		tally := &Tally{Kind: kind}
		for _, point := range b.points(kind) {
			if b.done() {
				break
			}
			if err := b.inject(ctx, Fault{Kind: kind, Point: point}, nil, tally); err != nil {
				return err
			}
		}
		b.count(tally)
	}
	return nil
}

// outages injects faults that hit everybody: the first points of all workloads
// together, then the second, and so on.
func (p *phase) outages(ctx context.Context, kind Kind) error {
	tallies := make([]*Tally, len(p.benches))
	points := make([][]Point, len(p.benches))
	for i, b := range p.benches {
		tallies[i], points[i] = &Tally{Kind: kind}, b.points(kind)
	}
	for n := 0; ; n++ {
		var struck []int
		for i, b := range p.benches {
			if n < len(points[i]) && !b.done() {
				struck = append(struck, i)
			}
		}
		if len(struck) == 0 {
			break
		}
		shared := newOutage(kind, p.host, len(struck))
		errs := make([]error, len(p.benches))
		var rounds sync.WaitGroup
		for _, i := range struck {
			rounds.Go(func() {
				errs[i] = p.benches[i].inject(ctx, Fault{Kind: kind, Point: points[i][n]}, shared, tallies[i])
			})
		}
		rounds.Wait()
		if err := errors.Join(errs...); err != nil {
			return err
		}
	}
	for i, b := range p.benches {
		b.count(tallies[i])
	}
	return nil
}

// done reports whether enough has been found, or found out not to be found.
func (b *bench) done() bool {
	return b.options.StopAtFirst && b.result.Violating > 0 || len(b.result.Inconclusive) >= maxInconclusive
}

// inject runs one round and adds it to the result.
func (b *bench) inject(ctx context.Context, fault Fault, shared *outage, tally *Tally) error {
	start := time.Now()
	round, why, err := b.round(ctx, fault, shared)
	if err != nil {
		return fmt.Errorf("crash %q, %s: %w", b.workload.Name, fault, err)
	}
	tally.Duration += time.Since(start)
	tally.add(round, b.result, why, b.options.Keep)
	return nil
}

// count closes a tally; one of a kind that never had its turn is left out.
func (b *bench) count(t *Tally) {
	if t.Duration == 0 {
		return
	}
	b.result.Tallies = append(b.result.Tallies, *t)
	b.result.Duration += t.Duration
}

// points returns where a kind of fault says something, in the order in which it
// is injected.
func (b *bench) points(kind Kind) []Point {
	var chosen []Point
	for _, p := range b.result.Points {
		if only := b.options.Only; only != nil && !slices.Contains(only, Fault{Kind: kind, Point: p}.ID()) {
			continue
		}
		if p.admits(kind) {
			chosen = append(chosen, p)
		}
	}
	if n := b.options.Outages; kind.takesDown() && n > 0 && n < len(chosen) {
		chosen = chosen[len(chosen)-n:]
	}
	return chosen
}
