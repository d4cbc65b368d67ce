package verify

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/internal/pgsql"
	"github.com/pawldb/pawl/verify/client"
	"github.com/pawldb/pawl/verify/explore"
)

// singleton: two processes that want to run one piece of work.
func (m *model) singleton(i *ir.SingletonRule) {
	var list []*ir.Operation
	for _, s := range m.program.Singletons {
		if s.Address != i.Base.Address {
			continue
		}
		for k := range s.Operations {
			list = append(list, &s.Operations[k])
		}
	}
	for a := range list {
		for b := a; b < len(list); b++ {
			c := m.add(list[a].Name+"-"+list[b].Name, "two processes "+list[a].Name+" and "+list[b].Name, nil,
				func(context.Context, *site) (*scene, error) { return alone(list[a], list[b]), nil },
				slices.Concat(withoutAdvisory(list[a]), splitSingleton(list[a]))...)
			c.whole = true
		}
	}
}

// alone is two clients whose work must not overlap.
func alone(a, b *ir.Operation) *scene {
	inside := &occupancy{}
	run := func(op *ir.Operation) actor {
		return actor{name: op.Name, class: op.Address, run: func(ctx context.Context, conn session, v *variant) (any, error) {
			return v.do(ctx, conn, client.Call{Operation: op, Work: func(ctx context.Context, tx pgx.Tx) error {
				return inside.stay(func() error {
					_, err := tx.Exec(ctx, "/* the work */ SELECT 1")
					return err
				})
			}})
		}}
	}
	return &scene{fixture: emptyEffects, actors: []actor{run(a), run(b)}, judge: inside.judge("two processes ran the work at the same time")}
}

// occupancy notices that two clients are inside something at once. The zero value
// is ready to use.
type occupancy struct {
	mu     sync.Mutex
	inside int
	met    bool
}

// stay is being inside while work lasts.
func (o *occupancy) stay(work func() error) error {
	o.mu.Lock()
	o.inside++
	o.met = o.met || o.inside > 1
	o.mu.Unlock()
	defer func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.inside--
	}()
	return work()
}

// judge reports a meeting, and forgets it for the next schedule.
func (o *occupancy) judge(broken string) func(*judgement) []explore.Violation {
	return func(*judgement) []explore.Violation {
		o.mu.Lock()
		defer o.mu.Unlock()
		met := o.met
		o.met = false
		if !met {
			return nil
		}
		return []explore.Violation{{Rule: broken}}
	}
}

// withoutAdvisory is a singleton that takes no lock.
func withoutAdvisory(op *ir.Operation) []mutant {
	uncalled := func(s *pgsql.Statement) (edits []pgsql.Edit, err error) {
		for _, name := range s.Calls() {
			more, moreErr := s.WithoutCall(name)
			edits, err = append(edits, more...), errors.Join(err, moreErr)
		}
		return edits, err
	}
	return rewriting(op, ir.LockStatement, uncalled, func(_ int, e pgsql.Edit) (string, string, []string) {
		return "without-lock", "without " + e.Removed, nil
	})
}

// splitSingleton gives the lock back before the work.
func splitSingleton(op *ir.Operation) []mutant {
	return []mutant{{
		id: "split-transaction", name: "with the lock and the work in two transactions", without: client.Without{Transaction: true},
		diff: []string{" /* " + op.Address + " */", " SELECT pg_advisory_xact_lock(…)", "+COMMIT; BEGIN", " the work"},
	}}
}
