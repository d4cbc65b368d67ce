package explore

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// outcome returns a run's key in [Result.Outcomes]. Clients of one class are
// interchangeable, so their ends stand in order of their text.
func outcome(s *Scenario, run *Run) string {
	ends := make([]string, len(run.Ends))
	classes := make(map[string][]int)
	for i, end := range run.Ends {
		ends[i] = endText(end)
		if class := s.Clients[i].Class; class != "" {
			classes[class] = append(classes[class], i)
		}
	}
	for _, members := range classes {
		texts := make([]string, 0, len(members))
		for _, i := range members {
			texts = append(texts, ends[i])
		}
		slices.Sort(texts)
		for n, i := range members {
			ends[i] = texts[n]
		}
	}
	for i, text := range ends {
		ends[i] = run.Clients[i] + ": " + text
	}
	if run.FinalState != "" {
		ends = append(ends, run.FinalState)
	}
	return strings.Join(ends, " | ")
}

// endText spells how a client ended, without what differs between two servers: a
// PostgreSQL error is its code.
func endText(end End) string {
	var texts []string
	if end.Value != nil {
		if text := fmt.Sprint(end.Value); text != "" {
			texts = append(texts, text)
		}
	}
	var pgErr *pgconn.PgError
	switch {
	case errors.As(end.Err, &pgErr):
		texts = append(texts, "error "+pgErr.Code)
	case end.Err != nil:
		texts = append(texts, "error "+end.Err.Error())
	case len(texts) == 0:
		return "ok"
	}
	return strings.Join(texts, ", ")
}

// keep adds a counterexample, if it is among the most readable ones: with the
// fewest changes from one client to another, then the fewest steps.
func (r *Result) keep(run *Run, most int) {
	at, _ := slices.BinarySearchFunc(r.Counterexamples, run, func(a, b *Run) int {
		return cmp.Or(cmp.Compare(switches(a), switches(b)), cmp.Compare(len(a.Steps), len(b.Steps)), -1)
	})
	r.Counterexamples = slices.Insert(r.Counterexamples, at, run)
	r.Counterexamples = r.Counterexamples[:min(len(r.Counterexamples), most)]
}

// switches counts how often a step of one client follows one of another.
func switches(run *Run) int {
	n, last := 0, -1
	for _, s := range run.Steps {
		if s.Kind == Resume {
			continue
		}
		if s.Client != last && last >= 0 {
			n++
		}
		last = s.Client
	}
	return n
}
