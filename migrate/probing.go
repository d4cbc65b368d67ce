package migrate

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pawldb/pawl/compiler/ir"
)

// probe runs the probes of the steps now, so that a plan shows what would make
// its apply fail. What cannot be answered now is left to the apply, and the plan
// says so.
func (p *planning) probe() error {
	if p.options.NoProbes || !slices.ContainsFunc(p.plan.Steps, func(s Step) bool { return s.probe != nil }) {
		return nil
	}
	return snapshot(p.ctx, p.conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(p.ctx, "SET LOCAL search_path = "+ir.Idents(p.plan.path)); err != nil {
			return err
		}
		seen := map[ir.ObjectID]bool{}
		for _, s := range p.plan.Steps {
			// What scans nothing has an empty table before it, as far as can be seen now.
			if s.probe == nil || !s.Scans || seen[s.probe.object] {
				continue
			}
			seen[s.probe.object] = true
			err := limited(p.ctx, tx, func(tx pgx.Tx) error {
				v, err := s.probe.run(p.ctx, tx)
				if v != nil {
					p.plan.Violations = append(p.plan.Violations, *v)
				}
				return err
			})
			if why := unanswered(err); why != "" {
				p.unprobed(s.probe, why)
			} else if err != nil {
				return fmt.Errorf("looking for rows that break %s: %w", s.probe.object.SQL(), err)
			}
		}
		return nil
	})
}

// unprobed notes a probe that gave no answer. Silence would read as "no rows".
func (p *planning) unprobed(pr *probe, why string) {
	p.plan.Hazards = append(p.plan.Hazards, Hazard{
		Kind: HazardUnprobed, Address: pr.origin.Address, Pos: pr.origin.Pos, Rows: -1,
		Text: fmt.Sprintf("not probed: nobody knows yet whether rows break %s %s: %s", pr.object.Kind, pr.object.SQL(), why),
		Help: "should there be any, the apply stops at its step",
	})
}

// unanswered is why the server gave no answer to a question about rows; empty
// when it gave one, or when err is of another kind. It may take too long, be in
// somebody's way, not be for this role, or need what the plan has yet to make: a
// column, a type, a value of an enum.
func unanswered(err error) string {
	var pgErr *pgconn.PgError
	if !errors.As(err, &pgErr) {
		return ""
	}
	switch {
	case pgErr.Code == queryCanceled:
		return "the search took longer than " + probeLimit
	case pgErr.Code == lockNotAvailable:
		return "another session has the table locked"
	case pgErr.Code == mayNot:
		return "this role may not see all rows: " + pgErr.Message
	case strings.HasPrefix(pgErr.Code, "42"), strings.HasPrefix(pgErr.Code, "22"):
		return "the server cannot say before the steps ahead of it: " + pgErr.Message
	}
	return ""
}
