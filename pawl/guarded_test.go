package pawl_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/pawl"
)

func TestGuardedSaysWhyNoRowWasTouched(t *testing.T) {
	for _, mode := range modes {
		t.Run(mode.String(), func(t *testing.T) {
			pool := connect(t, database(t), inMode(mode))
			exec(t, pool, `INSERT INTO app.rooms (name) VALUES ('blue')`)
			outside := session(pool)
			t.Run("outside", func(t *testing.T) { testGuarded(t, outside) })
			exec(t, pool, `TRUNCATE app.bookings, app.items`)
			t.Run("inside", func(t *testing.T) {
				_, err := pawl.InTx(t.Context(), outside, func(ctx cx, tx *pawl.Session) (int, error) {
					testGuarded(t, tx)
					return 0, nil
				})
				must(t, err)
			})
		})
	}
}

func testGuarded(t *testing.T, s *pawl.Session) {
	insert := func(during pawl.TimeRange) booking {
		t.Helper()
		b, err := pawl.QueryOne(t.Context(), s, &insertBooking, (*booking).dest, 1, during)
		must(t, err)
		return b
	}
	confirm := func(id int64) (booking, error) {
		return pawl.Guarded(t.Context(), s, &confirmBooking, (*booking).dest, id)
	}
	held, past := insert(soon(1, 2)), insert(soon(-9, -8))
	want(t, "status", held.Status, "held")

	confirmed, err := confirm(held.ID)
	must(t, err)
	want(t, "status", confirmed.Status, "confirmed")
	again, err := confirm(held.ID)
	must(t, err)
	want(t, "the row of a repeated move", again, confirmed)

	_, err = confirm(past.ID)
	var guard *pawl.GuardError
	if !errors.As(err, &guard) || !errors.Is(err, pawl.ErrGuard) {
		t.Fatalf("confirming a booking of the past: %v", err)
	}
	want(t, "guard", guard.Guard, "guard")
	want(t, "text", guard.Error(), confirmBooking.Name+": guard does not hold: upper(during) > now()")
	want(t, "row", guard.Row.(booking).ID, past.ID)

	exec(t, s.DB(), `UPDATE app.bookings SET status = 'cancelled'`)
	row, err := confirm(held.ID)
	var state *pawl.StateError
	if !errors.As(err, &state) || !errors.Is(err, pawl.ErrState) {
		t.Fatalf("confirming a cancelled booking: %v", err)
	}
	want(t, "state", *state, pawl.StateError{Operation: confirmBooking.Name, Current: "cancelled", Wanted: "confirmed"})
	want(t, "row of an error", row, booking{})

	_, err = confirm(held.ID + 1000)
	if !errors.Is(err, pawl.ErrNotFound) || !strings.Contains(err.Error(), confirmBooking.Name) {
		t.Errorf("confirming nothing: %v", err)
	}
	testAdjust(t, s)
}

func testAdjust(t *testing.T, s *pawl.Session) {
	_, err := pawl.QueryOne(t.Context(), s, &insertItem, (*item).dest, 1, 5)
	must(t, err)
	for range 7 { // past the execution at which PostgreSQL may turn to a generic plan
		_, err := pawl.Guarded(t.Context(), s, &takeItem, (*item).dest, 1, -1)
		if !errors.Is(err, pawl.ErrBadInput) || !strings.Contains(err.Error(), "qty") {
			t.Errorf("taking -1: %v", err)
		}
	}
	left, err := pawl.Guarded(t.Context(), s, &takeItem, (*item).dest, 1, 3)
	must(t, err)
	want(t, "stock", left.Stock, 2)
	_, err = pawl.Guarded(t.Context(), s, &takeItem, (*item).dest, 1, 3)
	var guard *pawl.GuardError
	if !errors.As(err, &guard) {
		t.Fatalf("taking too many: %v", err)
	}
	want(t, "guard", guard.Guard, "items_stock_not_negative")
}

// A guard holds under concurrency because PostgreSQL checks it again on the
// newest version of the row; the same statement without its guard oversells.
func TestGuardedHoldsUnderConcurrency(t *testing.T) {
	unguarded := takeItem
	unguarded.SQL = strings.Replace(takeItem.SQL, " AND ((stock - $2::integer) >= 0) IS NOT FALSE", "", 1)
	for _, c := range []struct {
		name  string
		op    *pawl.Operation
		taken int64
	}{{"guarded", &takeItem, 10}, {"without the guard", &unguarded, 50}} {
		t.Run(c.name, func(t *testing.T) {
			pool, s := open(t)
			exec(t, pool, `INSERT INTO app.items (id, stock) VALUES (1, 10)`,
				`ALTER TABLE app.items DROP CONSTRAINT items_stock_not_negative`)
			var wg sync.WaitGroup
			for range 50 {
				wg.Go(func() {
					_, err := pawl.Guarded(t.Context(), s, c.op, (*item).dest, 1, 1)
					if err != nil && !errors.Is(err, pawl.ErrGuard) {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			want(t, "taken", 10-number(t, pool, `SELECT stock FROM app.items`), c.taken)
		})
	}
}

func TestGuardedLooksTwiceWhenNothingStandsInTheWay(t *testing.T) {
	pool, s := open(t)
	exec(t, pool, `INSERT INTO app.items (id, stock) VALUES (1, 1)`)
	// Touches no row for the first n runs, although nothing is wrong with the row.
	blinking := func(n int) *pawl.Operation {
		exec(t, pool, `ALTER SEQUENCE app.attempts RESTART`)
		return &pawl.Operation{
			Name:       "blinking",
			SQL:        `UPDATE app.items SET stock = 2 WHERE id = $1::bigint AND nextval('app.attempts') > ` + itoa(n) + ` RETURNING ` + itemColumns,
			ExplainSQL: `SELECT ` + itemColumns + `, 'again', NULL FROM app.items WHERE id = $1::bigint`,
		}
	}
	got, err := pawl.Guarded(t.Context(), s, blinking(1), (*item).dest, 1)
	must(t, err)
	want(t, "stock", got.Stock, 2)
	_, err = pawl.Guarded(t.Context(), s, blinking(2), (*item).dest, 1)
	if !errors.Is(err, pawl.ErrUnsettled) {
		t.Errorf("blinking twice: %v", err)
	}
	want(t, "runs", number(t, pool, `SELECT last_value FROM app.attempts`), 2)
}

func TestGuardedVerdicts(t *testing.T) {
	pool, s := open(t)
	exec(t, pool, `INSERT INTO app.items (id, stock) VALUES (1, 1)`)
	judge := func(verdict string) error {
		op := pawl.Operation{
			Name: "judged", SQL: `UPDATE app.items SET stock = $2::integer WHERE id = $1::bigint AND false RETURNING ` + itemColumns,
			ExplainSQL:  `SELECT ` + itemColumns + `, '` + verdict + `', NULL FROM app.items WHERE id = $1::bigint`,
			ExplainArgs: []int{1},
		}
		_, err := pawl.Guarded(t.Context(), s, &op, (*item).dest, 1, 7)
		return err
	}
	if err := judge("stale"); !errors.Is(err, pawl.ErrStale) {
		t.Errorf("stale: %v", err)
	}
	if err := judge("tired"); err == nil || !strings.Contains(err.Error(), "tired") {
		t.Errorf("a verdict that does not exist: %v", err)
	}
}

// In a transaction whose snapshot is older than the change, the statement is
// refused with 40001 rather than explained from the old row.
func TestGuardedInsideAnOldSnapshot(t *testing.T) {
	pool, s := open(t)
	exec(t, pool, `INSERT INTO app.items (id, stock) VALUES (1, 1)`)
	attempts := 0
	_, err := pawl.InTx(t.Context(), s, func(ctx cx, tx *pawl.Session) (item, error) {
		attempts++
		if _, err := pawl.QueryOne(ctx, tx, &getItem, (*item).dest, 1); err != nil {
			return item{}, err
		}
		if attempts == 1 {
			exec(t, pool, `UPDATE app.items SET stock = 0`)
		}
		return pawl.Guarded(ctx, tx, &takeItem, (*item).dest, 1, 1)
	}, pawl.Isolation(pgx.RepeatableRead))
	if !errors.Is(err, pawl.ErrGuard) {
		t.Errorf("taking what somebody else took: %v", err)
	}
	want(t, "attempts", attempts, 2)
}
