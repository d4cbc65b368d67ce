package explore

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5/pgconn"
)

// answers are what the server said to steps, as far as it is the same whenever the
// schedule is: rows are not, since they may hold the time.
type answers []reply

type reply struct {
	client    int
	tag, code string
}

// add takes in the steps that are done. A client has one answer between two
// decisions, and in which order those of several are met does not matter.
func (a *answers) add(steps []Step) {
	for _, s := range steps {
		if s.State == Done {
			*a = append(*a, reply{client: s.Client, tag: s.Tag, code: codeOf(s.Err)})
		}
	}
	slices.SortStableFunc(*a, func(a, b reply) int { return cmp.Compare(a.client, b.client) })
}

// codeOf is an error's SQLSTATE, and empty for none.
func codeOf(err error) string {
	var pgErr *pgconn.PgError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &pgErr):
		return pgErr.Code
	}
	return "error"
}

// sample is the first schedule of a search and the last, to be run once more.
type sample struct {
	first, last *specimen
}

// specimen is a schedule that was executed, and its outcome.
type specimen struct {
	path     []*node
	outcome  string
	followed bool // others were begun after it
}

// take looks at a schedule after its execution.
func (p *sample) take(s *Scenario, run *Run, ended verdict, tree *search) {
	if ended != proceed || run.Stuck != "" {
		if p.last != nil {
			p.last.followed = true
		}
		return
	}
	one := &specimen{outcome: outcome(s, run), path: make([]*node, len(tree.path))}
	for i, n := range tree.path {
		same := *n // the search goes on with its own
		one.path[i] = &same
	}
	if p.last = one; p.first == nil {
		p.first = one
	}
}

// suspicious is how often the two are run when a schedule had to be repeated. Of an
// accident nothing more is seen; a coin falls as before in all of them by a chance
// of less than one in a hundred.
const suspicious = 4

// confirm runs the first and the last schedule once more: not every deviation
// shows on the way, and what only the rows or the final state tell does not.
func (x *Explorer) confirm(ctx context.Context, s *Scenario, p *sample, result *Result) error {
	// A judge may count the schedules that it is asked about, and has seen these.
	unjudged := *s
	unjudged.Judge, unjudged.AfterCommit = nil, nil
	again := p.again()
	for round := 0; round == 0 || result.Repeated > 0 && round < suspicious; round++ {
		for _, one := range again {
			if err := x.confirmOne(ctx, &unjudged, one, result); err != nil || !result.Complete {
				return err
			}
		}
	}
	return nil
}

// again returns what is to be run once more. What alternates, as nextval() % 2
// does, comes out alike every other time: so the last schedule comes such that it
// runs twice in a row.
func (p *sample) again() []*specimen {
	if p.last == nil {
		return nil
	}
	again := []*specimen{p.last}
	if p.last.followed {
		again = append(again, p.last)
	}
	if p.first != p.last {
		again = append(again, p.first)
	}
	return again
}

func (x *Explorer) confirmOne(ctx context.Context, s *Scenario, one *specimen, result *Result) error {
	run, ended, err := x.tryAgain(ctx, s, &search{path: slices.Clone(one.path), fixed: true}, result)
	if err != nil {
		return err
	}
	now := outcome(s, run)
	switch {
	case run.Stuck != "":
		run.Deviation = "run again at the end, it did not end: " + run.Stuck
		result.differs(run)
	case ended == diverge:
		result.differs(run)
	case now != one.outcome:
		run.Deviation = "run again at the end, it had another outcome: " + now + ", and not " + one.outcome
		result.differs(run)
	}
	return nil
}

// differs enters a run that was not what it was before.
func (r *Result) differs(run *Run) {
	r.NonDeterministic = append(r.NonDeterministic, run)
	r.Complete = false
}
