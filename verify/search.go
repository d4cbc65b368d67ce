package verify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pawldb/pawl/codegen/postgres"
	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/verify/explore"
	"github.com/pawldb/pawl/verify/fixture"
)

// explore runs a check and its mutants. What goes wrong with one check is no
// reason to drop the others; only a connection that is gone is an error.
func (s *site) explore(ctx context.Context, c *check) (Check, error) {
	start := time.Now()
	out := Check{ID: c.id, Name: c.name, Phase: Interleavings, Verdict: Holds}
	err := s.exploreInto(ctx, c, &out)
	out.Duration = time.Since(start)
	if err == nil {
		return out, nil
	}
	if ctx.Err() != nil || s.conn.IsClosed() {
		return out, fmt.Errorf("%s: %w", c.id, err)
	}
	out.Verdict, out.Detail = Inconclusive, err.Error()
	if c.breaks && impossible(err) {
		out.Verdict = Untried
	}
	return out, nil
}

// impossible reports that rows could not be made up, or that the database does
// not take them: that of a rule which its row would have to break, perhaps.
func impossible(err error) bool {
	var none *fixture.NotFoundError
	var refused *pgconn.PgError
	return errors.As(err, &none) || errors.As(err, &refused) && strings.HasPrefix(refused.Code, "23")
}

func (s *site) exploreInto(ctx context.Context, c *check, out *Check) error {
	sc, err := s.stage(ctx, c)
	if err != nil {
		return err
	}
	scenario := s.scenario(c, sc, &mutant{}, false)
	for _, client := range scenario.Clients {
		out.Clients = append(out.Clients, client.Name)
	}
	result, err := s.explorer.Explore(ctx, scenario)
	if err != nil {
		return err
	}
	out.record(c, sc, result)
	if third, ok := s.withThird(c, sc, scenario); ok && out.Verdict == Holds {
		out.Clients = append(out.Clients, scenario.Clients[0].Name)
		if result, err = s.explorer.Explore(ctx, third); err != nil {
			return err
		}
		out.record(c, sc, result)
	}
	if out.Verdict != Holds {
		return nil
	}
	for i := range c.mutants {
		if sc.open != c.mutants[i].strict || sc.unbounded && c.mutants[i].bounded {
			continue
		}
		m, err := s.hunt(ctx, c, sc, &c.mutants[i])
		if err != nil {
			return fmt.Errorf("%s: %w", c.mutants[i].name, err)
		}
		out.Mutants = append(out.Mutants, m)
	}
	return nil
}

// withThird is a scenario with a third client that does what the first does.
// Statements are left whole: with the stops inside three clients would have
// thousands of schedules, and two have shown what stops show.
func (s *site) withThird(c *check, sc *scene, two explore.Scenario) (explore.Scenario, bool) {
	if s.sessions < 3 || len(sc.actors) != 2 || sc.neverWait != "" {
		return two, false
	}
	three := *sc
	three.actors = append(slices.Clone(sc.actors), sc.actors[0])
	three.winners = nil // they were counted for two clients
	whole := *c
	whole.whole = true
	return s.scenario(&whole, &three, &mutant{}, false), true
}

// stage makes the check's rows, has its tables watched, and tries the fixture.
func (s *site) stage(ctx context.Context, c *check) (*scene, error) {
	if err := s.watch(ctx, c.tables); err != nil {
		return nil, err
	}
	if err := s.keepRule(ctx, c.rule); err != nil {
		return nil, err
	}
	sc, err := c.build(ctx, s)
	if err != nil {
		return nil, err
	}
	if _, err := s.conn.Exec(ctx, sc.fixture, simple); err != nil {
		_, rollback := s.conn.Exec(ctx, "ROLLBACK")
		return nil, errors.Join(fmt.Errorf("the database does not take the rows that were made up: %w", err), rollback)
	}
	return sc, nil
}

// record fills in what an exploration found.
func (out *Check) record(c *check, sc *scene, r *explore.Result) {
	out.Schedules += r.Schedules
	out.Waiting += r.Waiting
	out.Pruned += r.Pruned
	out.Violating += r.Violating
	if out.Outcomes == nil {
		out.Outcomes = map[string]int{}
	}
	for outcome, n := range r.Outcomes {
		out.Outcomes[outcome] += n
	}
	for _, run := range r.Counterexamples {
		out.Counterexamples = append(out.Counterexamples, c.example("", sc, run))
	}
	switch {
	case r.Violating > 0:
		out.Verdict = Violated
	case !r.Complete:
		out.Verdict, out.Detail = Inconclusive, doubt(r)
	}
}

// example is a schedule that broke a rule, as a reader can repeat it: without the
// log of effects, which no other database has.
func (c *check) example(mutant string, sc *scene, run *explore.Run) Counterexample {
	id := c.id
	if mutant != "" {
		id += "@" + mutant
	}
	e := Counterexample{ID: id + ":" + run.ID, Run: run, Fixture: strings.TrimSuffix(sc.fixture, emptyEffects)}
	if !c.whole {
		for _, t := range c.tables {
			e.Gates = append(e.Gates, t.SQL())
		}
	}
	return e
}

func statements(changes []ir.Change) []string {
	var list []string
	for _, c := range changes {
		list = append(list, postgres.Statements(c)...)
	}
	return list
}

// doubt says why an exploration proves nothing.
func doubt(r *explore.Result) string {
	switch {
	case len(r.Inconclusive) > 0:
		return fmt.Sprintf("schedule %s did not end: %s", r.Inconclusive[0].ID, r.Inconclusive[0].Stuck)
	case len(r.NonDeterministic) > 0:
		return fmt.Sprintf("schedule %s came out differently when it was repeated: %s", r.NonDeterministic[0].ID, r.NonDeterministic[0].Deviation)
	}
	return "the search was cut off before its end"
}

// hunt runs a mutant until it shows itself. One that does not is excused when
// something else says the same: then it must show itself without that, too.
func (s *site) hunt(ctx context.Context, c *check, sc *scene, m *mutant) (Mutant, error) {
	out, err := s.huntOne(ctx, c, sc, m)
	if err != nil || out.Verdict != Survived || m.backup == nil {
		return out, err
	}
	both, err := s.huntOne(ctx, c, sc, m.backup)
	if err == nil && both.Verdict == Killed {
		out.Verdict, out.Counterexample = Excused, both.Counterexample
		out.Reason = "something else refuses the same here: " + both.Name + " it is caught"
	}
	out.Duration += both.Duration
	return out, err
}

func (s *site) huntOne(ctx context.Context, c *check, sc *scene, m *mutant) (out Mutant, err error) {
	start := time.Now()
	out = Mutant{ID: m.id, Name: m.name, Diff: m.diff, Graded: m.graded, Changes: statements(m.drop)}
	restore, err := s.mutate(ctx, sc, m)
	defer func() {
		if undo := restore(); err == nil {
			err = undo
		}
	}()
	if err != nil {
		return out, err
	}
	if m.err != nil {
		out.Verdict, out.Reason = Inconclusive, m.err.Error()
		return out, nil
	}
	r, err := s.explorer.Explore(ctx, s.scenario(c, sc, m, !m.graded))
	if err != nil {
		return out, err
	}
	out.Schedules, out.Waiting, out.Duration = r.Schedules, r.Waiting, time.Since(start)
	switch {
	case len(r.Counterexamples) > 0:
		out.Verdict = Killed
		example := c.example(m.id, sc, r.Counterexamples[0])
		out.Counterexample = &example
	case !r.Complete:
		out.Verdict, out.Reason = Inconclusive, doubt(r)
	default:
		out.Verdict = Survived
	}
	return out, nil
}

// mutate makes the mutant's changes, on the rows of the fixture. restore takes
// them back, on rows that keep the rule.
func (s *site) mutate(ctx context.Context, sc *scene, m *mutant) (restore func() error, err error) {
	on := func(ctx context.Context, changes []ir.Change) error {
		if len(changes) == 0 {
			return nil
		}
		if _, err := s.conn.Exec(ctx, sc.fixture, simple); err != nil {
			return err
		}
		return s.change(ctx, changes)
	}
	return func() error { return on(context.WithoutCancel(ctx), m.restore) }, on(ctx, m.drop)
}

// addressOf is the address in a statement's opening comment.
func addressOf(sql string) string {
	text, ok := strings.CutPrefix(sql, "/* ")
	if !ok {
		return ""
	}
	address, _, _ := strings.Cut(text, " */")
	return address
}

// covers reports whether an address is asked for: it is one of the list, or
// stands below one.
func covers(list []string, address string) bool {
	if len(list) == 0 {
		return true
	}
	for _, want := range list {
		if address == want || strings.HasPrefix(address, want+".") || strings.HasPrefix(address, want+"/") {
			return true
		}
	}
	return false
}
