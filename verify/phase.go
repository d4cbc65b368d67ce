package verify

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/verify/client"
	"github.com/pawldb/pawl/verify/explore"
	"github.com/pawldb/pawl/verify/fault"
)

// Where a controlled search cannot go, the same clients run at full speed, and
// through crashes and lost connections. Each subject's first check is taken: the
// one in which two generated calls meet.

// stressRounds and stressClients are how hard a stress phase tries.
const (
	stressRounds  = 200
	stressClients = 8
)

// stress runs a check's clients at full speed.
func (s *site) stress(ctx context.Context, url string, c *check) (*Check, error) {
	out := &Check{ID: c.id + "/stress", Name: "under stress: " + c.name, Phase: Stress, Verdict: Holds}
	start := time.Now()
	sc, err := s.stage(ctx, c)
	if err != nil {
		return out, fmt.Errorf("%s: %w", out.ID, err)
	}
	w := s.workload(c, sc, stressClients)
	w.Judge = func(ctx context.Context, conn *pgx.Conn, r *fault.Round) ([]explore.Violation, error) {
		return sc.judgeRound(ctx, s.index, conn, r, c.about())
	}
	for _, a := range sc.actors {
		out.Clients = append(out.Clients, a.name)
	}
	r, err := fault.Stress(ctx, url, w, fault.StressOptions{Clients: stressClients, Rounds: stressRounds})
	if err != nil {
		return out, fmt.Errorf("%s: %w", out.ID, err)
	}
	out.Rounds, out.Rate, out.Violating = r.Rounds, r.Rate, r.Broken
	out.Duration = time.Since(start)
	switch {
	case r.Broken > 0:
		out.Verdict = Violated
		out.Counterexamples = []Counterexample{roundExample(out.ID, sc, r.First)}
	case len(r.Inconclusive) > 0:
		out.Verdict, out.Detail = Inconclusive, r.Inconclusive[0].Why
	}
	return out, nil
}

// phases are the checks that stress and crashes are tried on: of each invariant
// the one in which two generated calls meet, and whatever ends a claim.
func phases(subjects []*subject) map[*subject][]*check {
	chosen := map[*subject][]*check{}
	for _, s := range subjects {
		if s.report.Kind == "table" {
			continue
		}
		for i, c := range s.checks {
			if i == 0 || strings.HasSuffix(c.id, "/complete-complete") || strings.HasSuffix(c.id, "/ghost-complete") {
				chosen[s] = append(chosen[s], c)
			}
		}
	}
	return chosen
}

// crash injects every kind of fault at every point of a check's first client.
func (g *ground) crash(ctx context.Context, x *index, checks []*check, o Options) ([]Check, error) {
	start := time.Now()
	var targets []fault.Target
	var found []Check
	var scenes []*scene
	for _, c := range checks {
		s, url, err := g.siteAt(ctx, x, o)
		if err != nil {
			return nil, err
		}
		sc, err := s.stage(ctx, c)
		s.close(ctx)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.id, err)
		}
		w := s.workload(c, sc, len(sc.actors))
		w.Judge = func(ctx context.Context, conn *pgx.Conn, r *fault.Round) ([]explore.Violation, error) {
			return sc.judgeCrash(ctx, conn, r, c.about())
		}
		targets = append(targets, fault.Target{URL: url, Workload: w})
		out := Check{ID: c.id + "/crash", Name: "through crashes: " + c.name, Phase: Crash, Verdict: Holds}
		for _, a := range sc.actors {
			out.Clients = append(out.Clients, a.name)
		}
		found, scenes = append(found, out), append(scenes, sc)
	}
	results, err := fault.CrashAll(ctx, g.server, targets, fault.CrashOptions{Outages: 2})
	if err != nil {
		return nil, err
	}
	for i, r := range results {
		found[i].recordCrash(scenes[i], r, time.Since(start))
	}
	return found, nil
}

func (out *Check) recordCrash(sc *scene, r *fault.CrashResult, took time.Duration) {
	out.Rounds, out.Violating, out.Duration = r.Faults, r.Violating, min(r.Duration, took)
	if len(r.Skipped) > 0 {
		out.Detail = "left out: " + strings.Join(r.Skipped, "; ")
	}
	switch {
	case r.Violating > 0:
		out.Verdict = Violated
		for _, b := range r.Broken {
			out.Counterexamples = append(out.Counterexamples, roundExample(out.ID, sc, b))
		}
	case len(r.Inconclusive) > 0:
		out.Verdict = Inconclusive
		out.Detail = r.Inconclusive[0].Fault.String() + ": " + r.Inconclusive[0].Why
	}
}

// workload is a scene as free-running clients. Each names its session, so that
// the log of effects knows whose they are.
func (s *site) workload(c *check, sc *scene, clients int) fault.Workload {
	w := fault.Workload{Name: c.id, Fixture: sc.fixture, Classify: outcomeOf}
	whole := &mutant{}
	for i := range clients {
		a := sc.actors[i%len(sc.actors)]
		v := whole.variant(s, sc, i)
		w.Clients = append(w.Clients, func(ctx context.Context, conn *pgx.Conn) (any, error) {
			if _, err := conn.Exec(ctx, "SET application_name = "+ir.Literal("pawl verify s"+strconv.Itoa(i))); err != nil {
				return deeds{}, err
			}
			return a.run(ctx, conn, v)
		})
	}
	w.Recover = func(ctx context.Context, conn *pgx.Conn, client int, before fault.Ending) (any, error) {
		if before.Outcome == fault.Unknown && !sc.repeatable() {
			return deeds{}, nil
		}
		return w.Clients[client](ctx, conn)
	}
	return w
}

// repeatable reports that doing a scene's work again is safe when nobody knows
// whether it was done: a state, a fence or a key refuses it the second time. What
// is not, a caller must look up first.
func (s *scene) repeatable() bool {
	for _, a := range s.actors {
		switch a.kind {
		case ir.MoveOp, ir.CompleteOp, ir.FailOp, ir.ReleaseOp, ir.ClaimOp, ir.DeleteOp:
		case ir.InsertOp:
			if len(s.violators) == 0 {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// outcomeOf says what an ending means for the effect of a client's work.
func outcomeOf(e fault.Ending) fault.Outcome {
	list, _ := e.Value.(deeds)
	if e.Err != nil {
		return fault.Classify(e)
	}
	out := fault.Refused
	for _, d := range list {
		switch {
		case took(d):
			return fault.OK
		case d.outcome.Answer == client.Repeated:
			out = fault.Unknown // it took effect now or before, by this client or another
		}
	}
	return out
}

// judgeRound judges a round of stress like a schedule.
func (s *scene) judgeRound(ctx context.Context, x *index, conn *pgx.Conn, r *fault.Round, t ir.TableRef) ([]explore.Violation, error) {
	run := &explore.Run{}
	for _, e := range r.Ends {
		run.Ends = append(run.Ends, explore.End{Value: e.Value, Err: e.Err})
	}
	found, err := s.afterCommit(ctx, conn)
	if err != nil {
		return nil, err
	}
	many := *s
	many.winners = nil // they were counted for two clients
	more, err := many.judgeAll(ctx, x, conn, run, t)
	return append(found, more...), err
}

// judgeCrash asks what must be true whatever a client was told: the rule stands,
// each change is a declared one, and there are as many as were answered, and at
// most one more for each answer that was lost.
func (s *scene) judgeCrash(ctx context.Context, conn *pgx.Conn, r *fault.Round, t ir.TableRef) ([]explore.Violation, error) {
	found, err := s.judgeState(ctx, conn, t)
	if err != nil || t == (ir.TableRef{}) {
		return found, err
	}
	counts, err := effectCounts(ctx, conn, t, s.bookkeeping)
	if err != nil {
		return nil, err
	}
	total := 0
	for _, n := range counts {
		total += n
	}
	least, most := s.effectsOf(r, t)
	if total < least || total > most {
		found = append(found, explore.Violation{
			Rule:    fmt.Sprintf("%d changes of %s took place, and after what the clients were told it must be %d to %d", total, t.Name, least, most),
			Columns: []string{"client", "was told"}, Rows: told(r),
		})
	}
	return found, nil
}

// judgeState asks what needs no client's word: the rule stands, and each change
// is a declared one.
func (s *scene) judgeState(ctx context.Context, conn *pgx.Conn, t ir.TableRef) ([]explore.Violation, error) {
	found, err := s.afterCommit(ctx, conn)
	if err != nil {
		return nil, err
	}
	for _, effect := range s.effects {
		bad, err := evidence(ctx, conn, rule{effect.broken, badEffects(t, effect.sql)})
		if err != nil {
			return nil, err
		}
		found = append(found, bad...)
	}
	return found, nil
}

// effectsOf is how many changes may have taken place after what the clients and
// their recoveries were told: what one was told is done is done once, and what
// nobody was told of once or not at all.
func (s *scene) effectsOf(r *fault.Round, t ir.TableRef) (least, most int) {
	for i := range r.Ends {
		ends := []fault.Ending{r.Ends[i]}
		if i < len(r.Recoveries) && r.Recoveries[i] != nil {
			ends = append(ends, *r.Recoveries[i])
		}
		known, unknown := 0, 0
		for _, e := range ends {
			list, _ := e.Value.(deeds)
			for _, d := range list {
				n, _ := d.effects(t)
				known = max(known, n)
			}
			if e.Err != nil && e.Outcome == fault.Unknown {
				unknown = max(1, s.actors[i%len(s.actors)].most)
			}
		}
		least += known
		most += max(known, unknown)
	}
	return least, most
}

// told is what each client of a round was told, and its recovery.
func told(r *fault.Round) [][]string {
	var rows [][]string
	say := func(who string, e fault.Ending) {
		text := fmt.Sprint(e.Value)
		if e.Err != nil {
			text = e.Err.Error()
		}
		rows = append(rows, []string{who, text})
	}
	for i, e := range r.Ends {
		say("s"+strconv.Itoa(i), e)
		if i < len(r.Recoveries) && r.Recoveries[i] != nil {
			say("s"+strconv.Itoa(i)+" again", *r.Recoveries[i])
		}
	}
	return rows
}

// roundExample is a broken round as a counterexample: it has no schedule, only
// how the clients ended.
func roundExample(id string, sc *scene, r *fault.Round) Counterexample {
	name := "round-" + strconv.Itoa(r.Number)
	if r.Fault.Kind != "" {
		name = r.Fault.ID()
	}
	run := &explore.Run{ID: name, Violations: r.Violations, Duration: r.Duration}
	for i, e := range r.Ends {
		run.Clients = append(run.Clients, "s"+strconv.Itoa(i))
		run.Ends = append(run.Ends, explore.End{Value: e.Value, Err: e.Err})
	}
	return Counterexample{ID: id + ":" + run.ID, Run: run, Fixture: strings.TrimSuffix(sc.fixture, emptyEffects)}
}
