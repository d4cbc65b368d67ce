package compiler_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pawldb/pawl/compiler/ir"
)

// Reads by key find the row and use the key's index, expression and predicate
// included.
func TestReadsByKey(t *testing.T) {
	p := seats(t)
	conn := database(t, p)
	exec(t, conn, "INSERT INTO app.customers (email, deleted_at) SELECT 'User' || n || '@x', CASE WHEN n % 2 = 0 THEN now() END FROM generate_series(1, 2000) n")
	exec(t, conn, "ANALYZE app.customers")
	const get = "table.customers.get_by_one_live_account"
	if row := one(t, conn, p, get, ir.MainStatement, "USER7@x"); row["email"] != "User7@x" {
		t.Errorf("row %v", row)
	}
	if r := must(t, conn, p, get, ir.MainStatement, "user8@x"); len(r) != 0 {
		t.Errorf("a row that is not live: %v", r)
	}
	for _, mode := range []string{"force_generic_plan", "force_custom_plan"} {
		exec(t, conn, "SET plan_cache_mode = "+mode)
		has(t, explain(t, conn, operation(t, p, get).Statement(ir.MainStatement).SQL, "text", "'user7@x'"), "customers_one_live_account")
	}
	exec(t, conn, "BEGIN")
	if got := ids(must(t, conn, p, "table.customers.get_many_for_update", ir.MainStatement, []int64{9, 3, 5, 3, -1})); !slices.Equal(got, []int64{3, 5, 9}) {
		t.Errorf("rows %v", got)
	}
	exec(t, conn, "ROLLBACK")
	if r := must(t, conn, p, "table.customers.delete", ir.MainStatement, int64(1)); len(r) != 0 {
		t.Errorf("rows %v", r)
	}
}

// Pages follow each other without a gap, and each is one range of the index,
// also in the plan that a connection keeps.
func TestPages(t *testing.T) {
	p := seats(t)
	conn := database(t, p)
	exec(t, conn, "INSERT INTO app.teams (name) SELECT 'team' || n FROM generate_series(1, 20) n")
	exec(t, conn, "ALTER TABLE app.shifts DISABLE TRIGGER USER") // a rule would look at each row
	exec(t, conn, "INSERT INTO app.shifts (team_id, doctor, on_call) SELECT 1 + n % 20, 'd', n % 3 = 0 FROM generate_series(1, 20000) n")
	exec(t, conn, "ANALYZE app.shifts")
	const list = "table.shifts.list_by_team"
	var got []int64
	var onCall, after any
	for {
		page := must(t, conn, p, list, ir.MainStatement, int64(4), onCall, after, int64(300))
		if len(page) == 0 {
			break
		}
		got = append(got, ids(page)...)
		onCall, after = page[len(page)-1]["on_call"], page[len(page)-1]["id"]
	}
	var want []int64
	r, err := conn.Query(t.Context(), "SELECT id FROM app.shifts WHERE team_id = 4 ORDER BY on_call, id")
	if err != nil {
		t.Fatal(err)
	}
	for r.Next() {
		var id int64
		if err := r.Scan(&id); err != nil {
			t.Fatal(err)
		}
		want = append(want, id)
	}
	if len(want) != 1000 || !slices.Equal(got, want) {
		t.Errorf("%d rows in pages, %d in one", len(got), len(want))
	}
	sql := operation(t, p, list).Statement(ir.MainStatement).SQL
	for _, mode := range []string{"force_generic_plan", "force_custom_plan"} {
		exec(t, conn, "SET plan_cache_mode = "+mode)
		for _, values := range []string{"4, NULL, NULL, 10", "4, false, 5000, 10"} {
			plan := explain(t, conn, sql, "bigint, boolean, bigint, bigint", values)
			if strings.Contains(plan, "Seq Scan") {
				t.Errorf("%s, %s: the page reads the table:\n%s", mode, values, plan)
			}
			if mode == "force_generic_plan" && !strings.Contains(values, "NULL") {
				has(t, plan, "One-Time Filter", "never executed") // the arm of the first page
			}
		}
	}
}

// The errors that are promised are those that come.
func TestReportedErrorsCome(t *testing.T) {
	p := seats(t)
	conn := database(t, p)
	customer := one(t, conn, p, "table.customers.insert", ir.MainStatement, "a@x", nil)["id"]
	room := one(t, conn, p, "table.rooms.insert", ir.MainStatement, "blue", nil)["id"]
	const slot = "[2100-01-01, 2100-01-02)"
	insert := func(args ...any) error {
		return second(run(t, conn, p, "table.bookings.insert", ir.MainStatement, args...))
	}
	if err := insert(room, customer, slot, nil, nil); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		operation        string
		code, constraint string
		err              error
	}{
		{"table.bookings.insert", "23P01", "bookings_one_per_room", insert(room, customer, slot, nil, nil)},
		{"table.bookings.insert", "23503", "bookings_room", insert(int64(-1), customer, slot, nil, nil)},
		{"table.bookings.insert", "23503", "bookings_customer", insert(room, int64(-1), "[2101-01-01, 2101-01-02)", nil, nil)},
		{"table.bookings.insert", "23514", "bookings_one_per_room_bounds", insert(room, customer, "empty", nil, nil)},
		{"table.bookings.insert", "PW001", "bookings_status", insert(room, customer, "[2102-01-01, 2102-01-02)", "cancelled", nil)},
		{"table.rooms.insert", "23505", "rooms_name", second(run(t, conn, p, "table.rooms.insert", ir.MainStatement, "blue", nil))},
		{"table.rooms.insert", "23514", "rooms_price_not_negative", second(run(t, conn, p, "table.rooms.insert", ir.MainStatement, "red", "-1"))},
		{"table.rooms.delete", "23503", "bookings_room", second(run(t, conn, p, "table.rooms.delete", ir.MainStatement, room))},
		{"table.customers.insert", "23505", "customers_one_live_account", second(run(t, conn, p, "table.customers.insert", ir.MainStatement, "A@X", nil))},
		{"table.rooms.edit.reprice", "23514", "rooms_price_not_negative", second(run(t, conn, p, "table.rooms.edit.reprice", ir.WriteStatement, room, "-1"))},
	} {
		wantError(t, c.err, c.code, c.constraint)
		if !slices.Contains(operation(t, p, c.operation).Errors, c.constraint) {
			t.Errorf("%s does not say that %s can come back", c.operation, c.constraint)
		}
	}
}
