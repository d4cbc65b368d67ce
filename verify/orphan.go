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

// orphan is a statement of a scene whose client dies while it waits for a lock.
// The server does not notice, and runs it when the lock is free: late, and for
// nobody. The rule must stand all the same.
type orphan struct {
	// hold takes the lock that the client waits for.
	hold func(ctx context.Context, tx pgx.Tx, s *site) error
	// client is the actor that dies.
	client int
}

// holdingRow is an orphan that waits for the scene's row.
func (s *scene) holdingRow(t ir.TableRef, x *index) {
	s.orphan = &orphan{hold: func(ctx context.Context, tx pgx.Tx, _ *site) error {
		_, err := tx.Exec(ctx, "SELECT 1 FROM "+t.SQL()+" WHERE "+x.match(t, x.identify(t, s.row))+" FOR UPDATE")
		return err
	}}
}

// holdingClaim is an orphan that waits for another worker's claim.
func (s *scene) holdingClaim(claim *ir.Operation, args map[string]*string) {
	s.orphan = &orphan{client: 1, hold: func(ctx context.Context, tx pgx.Tx, st *site) error {
		_, err := st.performer.Do(ctx, tx, client.Call{Operation: claim, Args: args})
		return err
	}}
}

// orphaned kills the client of a check's orphan, without and with
// client_connection_check_interval.
func (s *site) orphaned(ctx context.Context, url string, c *check) (*Check, error) {
	start := time.Now()
	sc, err := s.stage(ctx, c)
	if err != nil || sc.orphan == nil {
		return nil, err
	}
	a := sc.actors[sc.orphan.client]
	v := (&mutant{}).variant(s, sc, sc.orphan.client)
	out := &Check{ID: c.id + "/orphan", Name: "a client dies while its " + a.name + " waits for a lock", Phase: Crash, Verdict: Holds, Clients: []string{a.name}}
	r, err := fault.Orphan(ctx, url, fault.OrphanCase{
		Name: c.id, Fixture: sc.fixture,
		Hold: func(ctx context.Context, tx pgx.Tx) error { return sc.orphan.hold(ctx, tx, s) },
		Client: func(ctx context.Context, conn *pgx.Conn) (any, error) {
			if _, err := conn.Exec(ctx, "SET application_name = "+ir.Literal("pawl verify s"+strconv.Itoa(sc.orphan.client))); err != nil {
				return nil, err
			}
			return a.run(ctx, conn, v)
		},
		Applied: func(ctx context.Context, conn *pgx.Conn) (bool, error) {
			counts, err := effectCounts(ctx, conn, c.about(), sc.bookkeeping)
			return counts[sc.orphan.client] > 0, err
		},
		Judge: func(ctx context.Context, conn *pgx.Conn) ([]explore.Violation, error) {
			return sc.judgeState(ctx, conn, c.about())
		},
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", out.ID, err)
	}
	out.Rounds, out.Duration = 2, time.Since(start)
	out.Detail = "the statement of the dead client was " + fate(r.Unchecked) + "; with client_connection_check_interval = " +
		fault.CheckInterval.String() + " it was " + fate(r.Checked)
	for i, o := range []fault.Orphaned{r.Unchecked, r.Checked} {
		if len(o.Violations) > 0 {
			out.Verdict, out.Violating = Violated, out.Violating+1
			run := &explore.Run{ID: "orphan-" + strconv.Itoa(i), Clients: []string{a.name}, Violations: o.Violations}
			out.Counterexamples = append(out.Counterexamples, Counterexample{ID: out.ID + ":" + run.ID, Run: run, Fixture: strings.TrimSuffix(sc.fixture, emptyEffects)})
		}
	}
	return out, nil
}

func fate(o fault.Orphaned) string {
	switch {
	case o.Applied:
		return "applied late"
	case o.Dropped:
		return "dropped"
	}
	return "run late, and refused"
}
