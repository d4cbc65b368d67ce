package compiler_test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/compiler/ir"
)

const roomSpec = `
table "rooms" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "name" { type = text }
  column "price" {
    type    = numeric(12, 2)
    default = 0
  }
  primary_key { columns = [id] }
  no_duplicates "name" { columns = [name] }
  edit "reprice" { columns = [price] }
  edit "rename" {
    columns = [name]
    wait    = "nowait"
  }
}
table "beds" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "room" { type = bigint }
  primary_key { columns = [id] }
  index "room" { columns = [room] }
  foreign_key "room" {
    columns    = [room]
    references = table.rooms
  }
}
`

// The lock of an edit makes other writers wait. That of reprice lets children
// in meanwhile, that of rename does not.
func TestEditLocks(t *testing.T) {
	p := compile(t, roomSpec)
	conn := database(t, p)
	other := connect(t, conn.Config().ConnString())
	exec(t, other, "SET lock_timeout = '50ms'")
	id := one(t, conn, p, "table.rooms.insert", ir.MainStatement, "blue", nil)["id"]
	during := func(edit string, what func()) {
		exec(t, conn, "BEGIN")
		one(t, conn, p, "table.rooms.edit."+edit, ir.LockStatement, id)
		what()
		exec(t, conn, "ROLLBACK")
	}
	insertBed := func() error { return second(run(t, other, p, "table.beds.insert", ir.MainStatement, id)) }
	during("reprice", func() {
		if err := insertBed(); err != nil {
			t.Errorf("a child had to wait: %v", err)
		}
		_, err := run(t, other, p, "table.rooms.edit.reprice", ir.LockStatement, id)
		wantError(t, err, "55P03", "")
		_, err = run(t, other, p, "table.rooms.edit.rename", ir.LockStatement, id) // NOWAIT
		wantError(t, err, "55P03", "")
	})
	during("rename", func() { wantError(t, insertBed(), "55P03", "") })
	row := one(t, conn, p, "table.rooms.edit.rename", ir.WriteStatement, id, "green")
	if row["name"] != "green" {
		t.Errorf("row %v", row)
	}
}

// The strong lock is taken at once because the write takes it in any case:
// taken later, a child that came in between makes it an upgrade that waits.
func TestEditOfAKeyColumnWouldUpgrade(t *testing.T) {
	p := compile(t, roomSpec)
	conn := database(t, p)
	other := connect(t, conn.Config().ConnString())
	id := one(t, conn, p, "table.rooms.insert", ir.MainStatement, "blue", nil)["id"]
	exec(t, conn, "BEGIN")
	exec(t, conn, "SET lock_timeout = '50ms'")
	exec(t, conn, "SELECT FROM app.rooms WHERE id = $1 FOR NO KEY UPDATE", id)
	exec(t, other, "BEGIN")
	one(t, other, p, "table.beds.insert", ir.MainStatement, id)
	_, err := run(t, conn, p, "table.rooms.edit.rename", ir.WriteStatement, id, "green")
	wantError(t, err, "55P03", "")
	exec(t, conn, "ROLLBACK")
	exec(t, other, "ROLLBACK")
}

// One runs at a time; the lock goes with its transaction.
func TestSingletonExcludes(t *testing.T) {
	p := compile(t, `singleton "relay" { key = -3 }`)
	conn := database(t, p)
	other := connect(t, conn.Config().ConnString())
	lock := operation(t, p, "singleton.relay.run").Statement(ir.LockStatement).SQL
	try := func(c *pgx.Conn) (got bool) {
		if err := c.QueryRow(t.Context(), operation(t, p, "singleton.relay.try_run").Statement(ir.LockStatement).SQL).Scan(&got); err != nil {
			t.Fatal(err)
		}
		return got
	}
	exec(t, conn, "BEGIN")
	exec(t, conn, lock)
	if try(other) {
		t.Error("two hold the lock")
	}
	exec(t, conn, "ROLLBACK")
	if !try(other) {
		t.Error("the lock stayed behind")
	}
}
