package verify

import (
	"context"
	"slices"
	"strconv"
	"sync"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/verify/client"
	"github.com/pawldb/pawl/verify/explore"
)

// leadership is a leader with its operations.
type leadership struct {
	rule                           *ir.LeaderRule
	campaign, renew, resign, guard *ir.Operation
}

// leader: a leader whose term is over and who does not know it, candidates that
// meet, and a term that is renewed or ended while another one begins.
func (m *model) leader(i *ir.LeaderRule) {
	l := leadership{rule: i}
	for _, op := range m.made(&i.Base) {
		//exhaustive:ignore
		switch op.Kind {
		case ir.CampaignOp:
			l.campaign = op
		case ir.RenewOp:
			l.renew = op
		case ir.ResignOp:
			l.resign = op
		case ir.GuardOp:
			l.guard = op
		}
	}
	m.takeover(l)
	m.resigned(l)
	if i.Session {
		return // a lock of PostgreSQL's decides who leads
	}
	m.candidates(l)
	m.renewed(l)
}

// leaderKey names the row of a leader: a condition on it alone says who is meant.
var leaderKey = []string{"name"}

// takeover is a leader whose term is over and that works in guarded transactions,
// and the next one. What the first one did must be done before the second term
// begins, or not at all.
func (m *model) takeover(l leadership) {
	mutants := slices.Concat(
		withoutRowLocks(l.guard, ir.MainStatement, withoutLock), withoutGuards(l.guard, ir.MainStatement, leaderKey),
		withoutRowLocks(l.campaign, ir.MainStatement, func(int) string { return "without-takeover-lock" }),
	)
	c := m.add("takeover", "a leader whose term is over works on while the next one begins", nil,
		func(context.Context, *site) (*scene, error) {
			w := &works{}
			return &scene{fixture: l.fixture("1", "'-infinity'"), actors: []actor{l.working("1", w), l.succeeding(w)}, judge: w.judge}, nil
		}, mutants...)
	c.whole = true
}

// candidates campaign for a term that is over, for the first of all, and for one
// that is not over.
func (m *model) candidates(l leadership) {
	guards := withoutGuards(l.campaign, ir.MainStatement, leaderKey)
	for _, s := range []struct {
		label, name, fixture string
		winners              int
		mutants              []mutant
	}{
		{"campaign-campaign", "two candidates campaign for a term that is over", l.fixture("1", "'-infinity'"), 1, guards},
		{"campaign-first", "two candidates campaign for the first term", l.empty(), 1, []mutant{l.withoutEnlisting()}},
		{"campaign-held", "two candidates campaign for a term that is not over", l.fixture("1", "clock_timestamp() + interval '1 hour'"), 0, guards},
	} {
		c := m.add(s.label, s.name, nil, func(context.Context, *site) (*scene, error) {
			return &scene{fixture: s.fixture, actors: []actor{l.campaigning(), l.campaigning()}, winners: &winners{s.winners, s.winners}}, nil
		}, s.mutants...)
		c.whole = true
	}
}

// renewed is a term that is renewed late, while a candidate campaigns, and one
// that is renewed while a guarded transaction of its own is open.
func (m *model) renewed(l leadership) {
	guards := withoutGuards(l.renew, ir.MainStatement, leaderKey)
	for _, m := range withoutGuards(l.campaign, ir.MainStatement, leaderKey) {
		m.id = "campaign-" + m.id // both statements have a first condition
		guards = append(guards, m)
	}
	c := m.add("campaign-renew", "a candidate campaigns while the leader renews a lease that has run out", nil,
		func(context.Context, *site) (*scene, error) {
			return &scene{
				fixture: l.fixture("1", "'-infinity'"), winners: &winners{1, 1},
				actors: []actor{l.campaigning(), calling(l.renew, l.arguments("1"))},
			}, nil
		}, guards...)
	c.whole = true
	c = m.add("guard-renew", "a leader renews its lease beside a guarded transaction of its own", nil,
		func(context.Context, *site) (*scene, error) {
			return &scene{
				fixture: l.fixture("1", "clock_timestamp() + interval '1 hour'"), winners: &winners{2, 2},
				actors:    []actor{l.working("1", &works{}), calling(l.renew, l.arguments("1"))},
				neverWait: "a renewal waited for the leader's own transaction, or that for the renewal",
			}, nil
		}, withRowLocks(l.guard, ir.MainStatement, "FOR SHARE")...)
	c.whole = true
}

// resigned is a leader that resigns when the next term has begun already.
func (m *model) resigned(l leadership) {
	ended := rule{
		"a leader ended the term of the next one",
		"SELECT name, term, lease_until FROM " + l.rule.Base.Table.SQL() + " WHERE term = 2 AND lease_until <= clock_timestamp()",
	}
	c := m.add("campaign-resign", "a candidate campaigns while the leader before resigns", nil,
		func(context.Context, *site) (*scene, error) {
			return &scene{
				fixture: l.fixture("1", "'-infinity'"), violators: []rule{ended},
				actors: []actor{l.campaigning(), calling(l.resign, l.arguments("1"))},
			}, nil
		}, withoutGuards(l.resign, ir.MainStatement, leaderKey)...)
	c.whole = true
}

// empty is the table without any leader.
func (l leadership) empty() string { return "TRUNCATE " + l.rule.Base.Table.SQL() + ";" + emptyEffects }

// fixture is a leader with a term and the end of its lease.
func (l leadership) fixture(term, until string) string {
	return l.empty() + "\nINSERT INTO " + l.rule.Base.Table.SQL() + " (name, term, lease_until) VALUES (" + ir.Literal(l.rule.Base.Address) + ", " + term + ", " + until + ");"
}

// arguments are those that all the operations take, by their names.
func (l leadership) arguments(term string) map[string]*string {
	lease, holder := strconv.FormatInt(l.rule.Lease.Microseconds(), 10), "a candidate"
	return map[string]*string{"term": &term, "lease": &lease, "holder": &holder}
}

// withoutEnlisting is a campaign for a row that is not there.
func (l leadership) withoutEnlisting() mutant {
	s := l.campaign.Statement(ir.EnlistStatement)
	return mutant{
		id: "without-enlist", name: "without the row", statements: []replacement{{l.campaign.Address, ir.EnlistStatement, "SELECT 1"}},
		diff: []string{"-" + s.SQL},
	}
}

func (l leadership) campaigning() actor { return calling(l.campaign, l.arguments("")) }

// working is a transaction that guards a term and works.
func (l leadership) working(term string, w *works) actor {
	return actor{name: "work in term " + term, class: l.guard.Address + term, kind: l.guard.Kind, run: func(ctx context.Context, conn session, v *variant) (any, error) {
		return l.work(ctx, conn, v, term, w)
	}}
}

// succeeding is a candidate that works as soon as its term has begun.
func (l leadership) succeeding(w *works) actor {
	return actor{name: "campaign and work", class: l.campaign.Address, kind: l.campaign.Kind, run: func(ctx context.Context, conn session, v *variant) (any, error) {
		done, err := v.do(ctx, conn, client.Call{Operation: l.campaign, Args: l.arguments("")})
		if err != nil || !took(done[0]) {
			return done, err
		}
		more, err := l.work(ctx, conn, v, "2", w)
		return append(done, more...), err
	}}
}

// work guards a term, looks what the first term has left and adds to it.
func (l leadership) work(ctx context.Context, conn session, v *variant, term string, w *works) (done deeds, err error) {
	_, err = inTransaction(ctx, conn, ir.ReadCommitted, func(tx pgx.Tx) error {
		done, err = v.do(ctx, tx, client.Call{Operation: l.guard, Args: l.arguments(term)})
		if err != nil {
			return err
		}
		if !took(done[0]) {
			return errRollback
		}
		var before int
		if err := tx.QueryRow(ctx, countWork).Scan(&before); err != nil {
			return err
		}
		if term != "1" {
			w.see(before)
		}
		_, err = tx.Exec(ctx, "INSERT INTO pawl_effects.effect (client, at, tab, op) VALUES ("+term+", clock_timestamp(), 0, 'WORK')")
		return err
	})
	return done, err
}

// countWork counts what the first term did.
const countWork = "SELECT count(*) FROM pawl_effects.effect WHERE op = 'WORK' AND client = 1"

// works is what the second leader found of the first one's work.
type works struct {
	mu   sync.Mutex
	seen *int // nil when the second term never began
}

func (w *works) see(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen = &n
}

// judge reports work of the first term that came after the second had begun.
func (w *works) judge(j *judgement) []explore.Violation {
	w.mu.Lock()
	defer w.mu.Unlock()
	seen := w.seen
	w.seen = nil
	var all int
	if err := j.conn.QueryRow(j.ctx, countWork).Scan(&all); err != nil {
		return []explore.Violation{{Rule: "the work of the leaders cannot be counted: " + err.Error()}}
	}
	if seen == nil || all == *seen {
		return nil
	}
	return []explore.Violation{{Rule: "a leader whose term was over committed work after the next term had begun"}}
}
