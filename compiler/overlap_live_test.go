package compiler_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pawldb/pawl/compiler/ir"
)

const bookingSpec = `
table "bookings" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "room" { type = ROOM }
  column "during" { type = tstzrange }
  column "status" {
    type    = text
    default = "held"
  }
  primary_key { columns = [id] }
  no_overlap "slot" {
    within  = [room]
    range   = during
    where   = "status <> 'cancelled'"
    prelock = PRELOCK
  }
}
`

func bookings(room string, prelock bool) string {
	return strings.NewReplacer("ROOM", room, "PRELOCK", fmt.Sprint(prelock)).Replace(bookingSpec)
}

// The constraint refuses overlaps, and its check what would slip past it.
func TestOverlapIsRefused(t *testing.T) {
	p := compile(t, bookings("bigint", true))
	conn := database(t, p)
	insert := func(during string) error {
		_, err := run(t, conn, p, "table.bookings.insert", ir.MainStatement, int64(1), during, nil)
		return err
	}
	if err := insert("[2026-01-01 10:00+0, 2026-01-01 12:00+0)"); err != nil {
		t.Fatal(err)
	}
	wantError(t, insert("[2026-01-01 11:00+0, 2026-01-01 13:00+0)"), "23P01", "bookings_slot")
	if err := insert("[2026-01-01 12:00+0, 2026-01-01 13:00+0)"); err != nil {
		t.Errorf("ranges that meet: %v", err)
	}
	for _, hole := range []string{
		"empty", "[2026-02-01,)", "(,2026-02-01)", "[2026-02-01, infinity)", "[-infinity, 2026-02-01)",
		"[2026-02-01, 2026-02-02]", "(2026-02-01, 2026-02-02)", "(,)",
	} {
		wantError(t, insert(hole), "23514", "bookings_slot_bounds")
	}
	_, err := run(t, conn, p, "table.bookings.insert", ir.MainStatement, int64(1), nil, nil)
	wantError(t, err, "23502", "")

	exec(t, conn, "INSERT INTO app.bookings (room, during, status) VALUES (1, '[2026-01-01 10:00+0, 2026-01-01 12:00+0)', 'cancelled')")
	wantError(t, second(conn.Exec(t.Context(), "UPDATE app.bookings SET status = 'held'")), "23P01", "bookings_slot")
}

// second is the error of a call.
func second[T any](_ T, err error) error { return err }

// What the options open is open, and nothing more.
func TestBoundsOptions(t *testing.T) {
	spec := func(typ, options string) string {
		return "table \"b\" {\n  column \"id\" {\n    type = bigint\n    identity = \"always\"\n  }\n  column \"r\" { type = " + typ + " }\n" +
			"  primary_key { columns = [id] }\n  no_overlap \"o\" {\n    range = r\n" + options + "\n  }\n}\n"
	}
	for _, c := range []struct {
		typ, options string
		good, bad    []string
	}{
		{"tstzrange", "allow_empty = true", []string{"empty", "empty", "[2026-01-01, 2026-01-02)"}, []string{"(2027-01-01, 2027-01-02)", "[2027-01-01,)"}},
		{"tstzrange", "allow_infinite = true", []string{"(,2026-01-01)", "[2026-01-01,)"}, []string{"empty", "(2027-01-01,2027-01-02)", "(,)"}},
		{"tstzrange", `bounds = "[]"`, []string{"[2026-01-01, 2026-01-02]"}, []string{"[2026-01-02, 2026-01-03]", "[2027-01-01, 2027-01-02)", "empty", "[2027-01-01,]"}},
		{"tstzrange", "bounds = \"[]\"\nallow_infinite = true", []string{"[2026-01-02,)", "(,2026-01-01]"}, []string{"[2025-01-01, 2025-01-02)"}},
		{"daterange", "", []string{"[2026-01-01, 2026-01-02]", "(2026-01-02, 2026-01-04)"}, []string{"[2026-01-02, 2026-01-04)", "empty", "[2027-01-01,)", "[2027-01-01, infinity)"}},
		{"int8range", "", []string{"[1,2]", "[3,4)"}, []string{"empty", "[9,)", "(,1)"}},
		{"numrange", "", []string{"[1,2)"}, []string{"[3,Infinity)", "[3,NaN)", "[3,4]", "empty"}},
	} {
		t.Run(c.typ+" "+c.options, func(t *testing.T) {
			conn := database(t, compile(t, spec(c.typ, c.options)))
			for _, r := range c.good {
				exec(t, conn, "INSERT INTO app.b (r) VALUES ($1::text::"+c.typ+")", r)
			}
			for _, r := range c.bad {
				_, err := conn.Exec(t.Context(), "INSERT INTO app.b (r) VALUES ($1::text::"+c.typ+")", r)
				var pg *pgconn.PgError
				if !errors.As(err, &pg) || pg.Code != "23514" && pg.Code != "23P01" {
					t.Errorf("%s: %v", r, err)
				}
			}
		})
	}
}

// A range from two columns says where it ends.
func TestRangeFromTwoColumns(t *testing.T) {
	p := compile(t, `
table "shifts" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "starts" { type = timestamptz }
  column "ends" { type = timestamptz }
  primary_key { columns = [id] }
  no_overlap "one" { range = { from = starts, to = ends, bounds = "[)" } }
}`)
	conn := database(t, p)
	insert := func(from, to string) error {
		return second(run(t, conn, p, "table.shifts.insert", ir.MainStatement, from, to))
	}
	if err := insert("2026-01-01", "2026-01-02"); err != nil {
		t.Fatal(err)
	}
	if err := insert("2026-01-02", "2026-01-03"); err != nil {
		t.Errorf("shifts that meet: %v", err)
	}
	wantError(t, insert("2026-01-01 12:00", "2026-01-01 13:00"), "23P01", "shifts_one")
	wantError(t, insert("2026-02-01", "2026-02-01"), "23514", "shifts_one_bounds")
	wantError(t, insert("2026-02-02", "2026-02-01"), "23514", "shifts_one_bounds") // and not 22000
	wantError(t, insert("2026-02-02", "infinity"), "23514", "shifts_one_bounds")
}

// race inserts one slot from many connections, round after round, and counts
// how the losers end.
func race(t *testing.T, p *ir.Program, room any, rounds int) (overlaps, deadlocks int) {
	t.Helper()
	conn := database(t, p)
	sql := operation(t, p, "table.bookings.insert").Statement(ir.MainStatement).SQL
	const writers = 6
	var mu sync.Mutex
	var wg sync.WaitGroup
	gates := make([]chan struct{}, rounds)
	for i := range gates {
		gates[i] = make(chan struct{})
	}
	done := make([]sync.WaitGroup, rounds)
	for i := range done {
		done[i].Add(writers)
	}
	holder := connect(t, conn.Config().ConnString())
	for range writers {
		c := connect(t, conn.Config().ConnString())
		exec(t, c, "SET deadlock_timeout = '20ms'")
		wg.Go(func() {
			for i := range rounds {
				<-gates[i]
				_, err := c.Exec(context.Background(), sql, room, slotOf(i), nil)
				var pg *pgconn.PgError
				mu.Lock()
				switch {
				case errors.As(err, &pg) && pg.Code == "23P01":
					overlaps++
				case errors.As(err, &pg) && pg.Code == "40P01":
					deadlocks++
				case err != nil:
					t.Error(err)
				}
				mu.Unlock()
				done[i].Done()
			}
		})
	}
	for i := range rounds {
		// Somebody has the slot while the writers come, and then lets it go:
		// whoever has put a row into the index by then waits for all who have, too.
		exec(t, holder, "BEGIN")
		if _, err := holder.Exec(t.Context(), sql, room, slotOf(i), nil); err != nil {
			t.Fatal(err)
		}
		close(gates[i])
		time.Sleep(25 * time.Millisecond)
		exec(t, holder, "ROLLBACK")
		done[i].Wait()
	}
	wg.Wait()
	var rows int
	if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM app.bookings").Scan(&rows); err != nil {
		t.Fatal(err)
	}
	if rows+overlaps+deadlocks != writers*rounds {
		t.Errorf("%d rows, %d overlaps, %d deadlocks of %d", rows, overlaps, deadlocks, writers*rounds)
	}
	return overlaps, deadlocks
}

// slotOf is the second that all writers of a round want.
func slotOf(round int) string {
	return fmt.Sprintf("[2026-01-01 0:%d:%d+0, 2026-01-01 0:%d:%d+0)", round/50, round%50, round/50, round%50+1)
}

// With the prelock every loser gets the overlap. Without it some writers wait
// for each other, and PostgreSQL ends one of them.
func TestPrelockMakesLosersMeetTheOverlap(t *testing.T) {
	const rounds = 10
	for _, c := range []struct {
		typ  string
		room any
	}{{"bigint", int64(-1 << 40)}, {"text", "blue"}, {"bytea", []byte{1}}} {
		if overlaps, deadlocks := race(t, compile(t, bookings(c.typ, true)), c.room, rounds); overlaps != 5*rounds || deadlocks != 0 {
			t.Errorf("%s: %d overlaps, want %d; %d deadlocks", c.typ, overlaps, 5*rounds, deadlocks)
		}
	}
	if _, deadlocks := race(t, compile(t, bookings("bigint", false)), int64(1), rounds); deadlocks == 0 {
		t.Error("without the prelock nobody deadlocked: this test proves nothing")
	}
}

// The key of a group's lock follows the group's own equality.
func TestPrelockKeyFollowsEquality(t *testing.T) {
	p := compile(t, bookings("numeric", true))
	conn := database(t, p)
	other := connect(t, conn.Config().ConnString())
	exec(t, conn, "BEGIN")
	exec(t, conn, "INSERT INTO app.bookings (room, during) VALUES (1.0, '[2026-01-01, 2026-01-02)')")
	exec(t, other, "SET lock_timeout = '50ms'")
	_, err := other.Exec(t.Context(), "INSERT INTO app.bookings (room, during) VALUES (1.00, '[2027-01-01, 2027-01-02)')")
	wantError(t, err, "55P03", "") // the same group waits
	exec(t, other, "INSERT INTO app.bookings (room, during) VALUES (2, '[2027-01-01, 2027-01-02)')")
	exec(t, other, "INSERT INTO app.bookings (room, during, status) VALUES (1, '[2027-01-01, 2027-01-02)', 'cancelled')")
	var class int64
	if err := conn.QueryRow(t.Context(), `SELECT classid::bigint FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2`).Scan(&class); err != nil {
		t.Fatal(err)
	}
	var oid int64
	if err := conn.QueryRow(t.Context(), "SELECT 'app.bookings'::regclass::oid::bigint").Scan(&oid); err != nil || oid != class {
		t.Errorf("class %d, table %d, %v", class, oid, err)
	}
}

// Pairs that overlap are found when the constraint was not there.
func TestOverlapViolators(t *testing.T) {
	p := compile(t, bookings("bigint", true))
	conn := database(t, p)
	exec(t, conn, "ALTER TABLE app.bookings DROP CONSTRAINT bookings_slot")
	exec(t, conn, `INSERT INTO app.bookings (room, during, status) VALUES
		(1, '[2026-01-01, 2026-01-03)', 'held'), (1, '[2026-01-02, 2026-01-04)', 'held'),
		(2, '[2026-01-02, 2026-01-04)', 'held'), (1, '[2026-01-02, 2026-01-04)', 'cancelled')`)
	var a, b int64
	sql := invariant[*ir.NoOverlap](t, p, "table.bookings.no_overlap.slot").Base.Violators
	if err := conn.QueryRow(t.Context(), sql).Scan(&a, &b); err != nil || a != 1 || b != 2 {
		t.Errorf("%d and %d, %v", a, b, err)
	}
}
