package verify

import (
	"context"
	"slices"
	"sync"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/compiler/ir"
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
	var mu sync.Mutex
	inside, met := 0, false
	run := func(op *ir.Operation) actor {
		return actor{name: op.Name, class: op.Address, run: func(ctx context.Context, conn session, v *variant) (any, error) {
			return v.do(ctx, conn, client.Call{Operation: op, Work: func(ctx context.Context, tx pgx.Tx) error {
				mu.Lock()
				inside++
				met = met || inside > 1
				mu.Unlock()
				defer func() {
					mu.Lock()
					defer mu.Unlock()
					inside--
				}()
				_, err := tx.Exec(ctx, "/* the work */ SELECT 1")
				return err
			}})
		}}
	}
	return &scene{
		fixture: emptyEffects, actors: []actor{run(a), run(b)},
		judge: func(*judgement) []explore.Violation {
			mu.Lock()
			defer mu.Unlock()
			overlapped := met
			met, inside = false, 0
			if !overlapped {
				return nil
			}
			return []explore.Violation{{Rule: "two processes ran the work at the same time"}}
		},
	}
}

// withoutAdvisory is a singleton that takes no lock.
func withoutAdvisory(op *ir.Operation) []mutant {
	s, tree := statementOf(op, ir.LockStatement)
	if tree == nil {
		return nil
	}
	var list []mutant
	for _, name := range tree.Calls() {
		edits, err := tree.WithoutCall(name)
		if err != nil {
			continue
		}
		for _, x := range edits {
			list = append(list, edited("without-lock", "without "+x.Removed, op, s, x))
		}
	}
	return list
}

// splitSingleton gives the lock back before the work.
func splitSingleton(op *ir.Operation) []mutant {
	return []mutant{{
		id: "split-transaction", name: "with the lock and the work in two transactions", without: client.Without{Transaction: true},
		diff: []string{" /* " + op.Address + " */", " SELECT pg_advisory_xact_lock(…)", "+COMMIT; BEGIN", " the work"},
	}}
}
