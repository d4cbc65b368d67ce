package compiler_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pawldb/pawl/compiler/ir"
)

const batchSpec = `
table "items" {
  column "id" { type = bigint }
  column "stock" { type = bigint }
  primary_key { columns = [id] }
  check "stock" { expr = "stock >= 0" }
  adjust "take" {
    args = { qty = bigint }
    set  = { stock = "stock - @qty" }
  }
  edit "count" {
    columns = [stock]
    rows    = "many"
  }
}
`

// Lists of an enum travel as texts, and are compared as what they are: as the key of
// batches, and as what a batch of upserts writes.
func TestBatchesOverListsOfAnEnum(t *testing.T) {
	p := compile(t, `
enum "mood" { values = ["good", "bad"] }
table "people" {
  column "moods" { type = list(enum.mood) }
  column "n" { type = bigint }
  column "v" { type = bigint }
  column "likes" { type = list(enum.mood) }
  primary_key { columns = [moods] }
  adjust "add" {
    args = { by = bigint }
    set  = { n = "n + @by" }
  }
  edit "note" {
    columns = [likes]
    rows    = "many"
  }
  upsert "put" {
    key     = primary_key
    mode    = "versioned"
    version = v
    update  = [n, likes]
  }
}
`)
	conn := database(t, p)
	put := map[string]any{"moods": []string{"{good}", "{}"}, "n": []string{"1", "2"}, "v": []string{"1", "1"}, "likes": []string{"{bad}", "{}"}}
	for range 2 {
		if r, err := together(t, conn, p, "table.people.upsert.put.many", put); err != nil || len(r) != 2 {
			t.Fatalf("%v, %v", r, err)
		}
	}
	if r := must(t, conn, p, "table.people.adjust.add.many", ir.MainStatement, []string{"{}", "{good}"}, []string{"5", "7"}); len(r) != 2 {
		t.Errorf("%v", r)
	}
	r, err := together(t, conn, p, "table.people.get_many_for_update", map[string]any{"moods": []string{"{}", "{good}", "{bad}"}})
	if err != nil || len(r) != 2 || r[0]["n"] != int64(7) || r[1]["n"] != int64(8) {
		t.Errorf("%v, %v", r, err)
	}
	if r := must(t, conn, p, "table.people.edit.note", ir.WriteStatement, []string{"{good}"}, []string{"{good,bad}"}); len(r) != 1 {
		t.Errorf("%v", r)
	}
}

// batch is a statement for many rows on a connection of its own.
type batch struct {
	conn *pgx.Conn
	done chan error
	rows map[string]string // verdicts by position
}

func startBatch(t *testing.T, url, sql string, args ...any) *batch {
	t.Helper()
	b := &batch{conn: connect(t, url), done: make(chan error, 1), rows: map[string]string{}}
	exec(t, b.conn, "SET deadlock_timeout = '10ms'")
	go func() {
		r, err := b.conn.Query(context.Background(), sql, append([]any{pgx.QueryExecModeExec}, args...)...)
		if err == nil {
			for r.Next() {
				values := r.RawValues()
				last := len(values) - 1
				b.rows[string(values[last])] = strings.TrimRight(string(values[last-2])+" "+string(values[last-1]), " ")
			}
			err = r.Err()
		}
		b.done <- err
	}()
	return b
}

// waits returns once the batch waits for a lock.
func (b *batch) waits(t *testing.T, watcher *pgx.Conn) {
	t.Helper()
	for range 2000 {
		var waiting bool
		if err := watcher.QueryRow(t.Context(), "SELECT wait_event_type = 'Lock' FROM pg_stat_activity WHERE pid = $1", b.conn.PgConn().PID()).Scan(&waiting); err == nil && waiting {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatal("the batch does not wait")
}

// Two batches name the same rows in another order, and one waits half-way: the
// second stands behind the first. With the locks of one taken in reverse order each
// holds what the other one waits for.
func TestBatchesNeverDeadlock(t *testing.T) {
	p := compile(t, batchSpec)
	conn := database(t, p)
	meet := func(sql, second string, further ...any) (deadlocks int) {
		exec(t, conn, "TRUNCATE app.items")
		exec(t, conn, "INSERT INTO app.items VALUES (1, 9), (2, 9)")
		url := conn.Config().ConnString()
		holder, err := connect(t, url).Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := holder.Exec(t.Context(), "SELECT FROM app.items WHERE id = 1 FOR UPDATE"); err != nil {
			t.Fatal(err)
		}
		a := startBatch(t, url, sql, append([]any{"{1,2}"}, further...)...)
		a.waits(t, conn)
		b := startBatch(t, url, second, append([]any{"{2,1}"}, further...)...)
		b.waits(t, conn)
		if err := holder.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, err := range []error{<-a.done, <-b.done} {
			var refused *pgconn.PgError
			switch {
			case errors.As(err, &refused) && refused.Code == "40P01":
				deadlocks++
			case err != nil:
				t.Fatal(err)
			}
		}
		return deadlocks
	}
	for _, c := range []struct {
		address string
		role    ir.Role
		further []any
	}{
		{"table.items.adjust.take.many", ir.MainStatement, []any{"{1,1}"}},
		{"table.items.edit.count", ir.LockStatement, nil},
	} {
		sql := operation(t, p, c.address).Statement(c.role).SQL
		if n := meet(sql, sql, c.further...); n != 0 {
			t.Errorf("%s: %d deadlocks", c.address, n)
		}
		if n := meet(sql, strings.Replace(sql, "ORDER BY have.id", "ORDER BY have.id DESC", 1), c.further...); n != 1 {
			t.Errorf("%s, with the locks of one in reverse order: %d deadlocks; this test proves nothing", c.address, n)
		}
	}
}

// A batch waits for a row that somebody else takes the rest of: it is judged as it
// is then, and the batch leaves its other row alone. Without the lock it is judged
// as it was, and the CHECK alone keeps it from going below zero.
func TestBatchJudgesTheNewestRows(t *testing.T) {
	p := compile(t, batchSpec)
	conn := database(t, p)
	sql := operation(t, p, "table.items.adjust.take.many").Statement(ir.MainStatement).SQL
	meet := func(sql string) (*batch, string, error) {
		exec(t, conn, "TRUNCATE app.items")
		exec(t, conn, "INSERT INTO app.items VALUES (1, 5), (2, 5)")
		url := conn.Config().ConnString()
		other, err := connect(t, url).Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := other.Exec(t.Context(), "UPDATE app.items SET stock = 1 WHERE id = 2"); err != nil {
			t.Fatal(err)
		}
		b := startBatch(t, url, sql, "{2,1}", "{3,3}")
		b.waits(t, conn)
		if err := other.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		err = <-b.done
		var left string
		if err := conn.QueryRow(t.Context(), "SELECT string_agg(stock::text, ' ' ORDER BY id) FROM app.items").Scan(&left); err != nil {
			t.Fatal(err)
		}
		return b, left, err
	}
	b, left, err := meet(sql)
	if err != nil || b.rows["1"] != "guard items_stock" || b.rows["2"] != "again" || left != "5 1" {
		t.Errorf("%v, verdicts %v, left %s", err, b.rows, left)
	}
	unlocked := cutLine(t, sql, "FOR NO KEY UPDATE OF have")
	var refused *pgconn.PgError
	if _, left, err := meet(unlocked); !errors.As(err, &refused) || refused.Code != "23514" || left != "5 1" {
		t.Errorf("without the lock: %v, left %s; the lock is not what answers", err, left)
	}
	exec(t, conn, "ALTER TABLE app.items DROP CONSTRAINT items_stock")
	if _, left, err := meet(unlocked); err != nil || left != "2 -2" {
		t.Errorf("without lock and check: %v, left %s; this test proves nothing", err, left)
	}
	partial := strings.Replace(sql, "AND sent.fine ", "", 1)
	if _, left, err := meet(partial); err != nil || left != "2 1" {
		t.Errorf("without asking about the others: %v, left %s; this test proves nothing", err, left)
	}
}

// A key that stands in a batch twice, or in no row, keeps all of it from being written.
func TestBatchRefusals(t *testing.T) {
	p := compile(t, batchSpec)
	conn := database(t, p)
	sql := operation(t, p, "table.items.adjust.take.many").Statement(ir.MainStatement).SQL
	exec(t, conn, "INSERT INTO app.items VALUES (1, 5), (2, 5)")
	for _, c := range []struct {
		keys, amounts string
		want          map[string]string
	}{
		{"{2,1}", "{1,2}", map[string]string{"1": "done", "2": "done"}},
		{"{1,3}", "{1,1}", map[string]string{"1": "again", "2": "missing"}},
		{"{1,2,1}", "{1,1,1}", map[string]string{"1": "twice", "2": "again", "3": "twice"}},
		{"{1,2}", "{1,0}", map[string]string{"1": "again", "2": "input qty"}},
		{"{2,1}", "{9,9}", map[string]string{"1": "guard items_stock", "2": "guard items_stock"}},
	} {
		b := startBatch(t, conn.Config().ConnString(), sql, c.keys, c.amounts)
		if err := <-b.done; err != nil {
			t.Fatal(err)
		}
		for n, want := range c.want {
			if b.rows[n] != want {
				t.Errorf("%s, %s: row %s is %q, want %q", c.keys, c.amounts, n, b.rows[n], want)
			}
		}
	}
	var left string
	if err := conn.QueryRow(t.Context(), "SELECT string_agg(stock::text, ' ' ORDER BY id) FROM app.items").Scan(&left); err != nil || left != "3 4" {
		t.Errorf("left %s, %v", left, err)
	}
}
