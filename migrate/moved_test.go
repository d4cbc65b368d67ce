package migrate_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/migrate"
)

// named is a specification with one table, and perhaps blocks that say what it
// was called before.
func named(table, column string, moved ...string) string {
	text := `
pawl {
  project = "shop"
  schema  = "app"
}
table "` + table + `" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "` + column + `" { type = text }
  primary_key { columns = [id] }
  no_duplicates "key" { columns = [` + column + `] }
}
`
	for i := 0; i+1 < len(moved); i += 2 {
		text += "moved {\n  from = " + moved[i] + "\n  to   = " + moved[i+1] + "\n}\n"
	}
	return text
}

// TestMovesFollowEachOther takes databases in every state of two moves to the
// end of both.
func TestMovesFollowEachOther(t *testing.T) {
	t.Parallel()
	end := compileText(t, named("c", "z", "table.a", "table.b", "table.b", "table.c", "table.a.column.x", "table.b.column.y", "table.c.column.y", "table.c.column.z"))
	for name, start := range map[string]string{
		"before both": named("a", "x"), "between": named("b", "y"), "after the table": named("c", "y"), "at the end": named("c", "z"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn := connect(t)
			p := compileText(t, start)
			apply(t, conn, p)
			table := p.Schema.Tables[0]
			exec(t, conn, "INSERT INTO "+table.Ref().SQL()+" ("+ir.Ident(table.Columns[1].Name)+") VALUES ('kept')")
			apply(t, conn, end)
			if got := query[string](t, conn, "SELECT z FROM app.c"); got != "kept" {
				t.Errorf("the row says %q", got)
			}
		})
	}
}

// TestBothStand applies a rename as a new table first, and tells of the move when
// it is too late.
func TestBothStand(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, c := range map[string]struct{ both, moved, says string }{
		"tables": {
			named("a", "x") + named("b", "x")[strings.Index(named("b", "x"), "table"):],
			named("b", "x", "table.a", "table.b"), "the table app.a cannot become app.b: both stand",
		},
		"labels": {
			`pawl { project = "shop" }
enum "e" { values = ["old", "new"] }`,
			`pawl { project = "shop" }
enum "e" { values = ["new"] }
moved {
  from = enum.e.value.old
  to   = enum.e.value.new
}`, `the value "old" of public.e cannot become "new": both stand`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn := connect(t)
			apply(t, conn, compileText(t, c.both))
			_, err := migrate.NewPlan(ctx, conn, compileText(t, c.moved), migrate.PlanOptions{})
			var both *migrate.MoveError
			if !errors.As(err, &both) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("the plan says %v, want %s", err, c.says)
			}
		})
	}
}

// TestModuleMoved gives a use of a module another address: where the names in the
// database stay, only what is recorded changes.
func TestModuleMoved(t *testing.T) {
	t.Parallel()
	files := func(use, moved string) fstest.MapFS {
		return fstest.MapFS{
			"spec.hcl": {Data: []byte("pawl { project = \"shop\" }\n" + use + moved)},
			"log/log.hcl": {Data: []byte(`
variable "name" { type = string }
table "log" {
  name = var.name
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "text" { type = text }
  primary_key { columns = [id] }
  check "text" { expr = "text <> ''" }
}`)},
		}
	}
	conn := connect(t)
	apply(t, conn, compileFS(t, files("module \"a\" {\n  source = \"./log\"\n  name   = \"a_log\"\n}\n", "")))
	exec(t, conn, "INSERT INTO a_log (text) VALUES ('kept')")
	repeated := "module \"logs\" {\n  source   = \"./log\"\n  for_each = { a = \"%\" }\n  name     = each.value\n}\n"
	moved := "moved {\n  from = module.a\n  to   = module.logs[\"a\"]\n}\n"
	apply(t, conn, compileFS(t, files(strings.Replace(repeated, "%", "a_log", 1), moved)))
	if got := query[string](t, conn, "SELECT address FROM pawl.object WHERE kind = 'table'"); got != `module.logs["a"].table.log` {
		t.Errorf("the table is recorded as %s", got)
	}
	if got := query[string](t, conn, "SELECT text FROM a_log"); got != "kept" {
		t.Errorf("the row says %q", got)
	}
}

// TestMovedIsSuggested drops a table and a column beside new ones of their shape:
// the plan guesses nothing, and says what to paste. With that, nothing is lost.
func TestMovedIsSuggested(t *testing.T) {
	t.Parallel()
	conn := connect(t)
	apply(t, conn, compileText(t, named("a", "x")))
	for name, c := range map[string]struct {
		after string
		want  string
	}{
		"table":  {named("b", "x"), "moved {\n  from = table.a\n  to   = table.b\n}"},
		"column": {named("a", "y"), "moved {\n  from = table.a.column.x\n  to   = table.a.column.y\n}"},
	} {
		made := plan(t, conn, compileText(t, c.after))
		if got := outline(made); !strings.Contains(got, c.want) {
			t.Errorf("%s: the plan says\n%s", name, got)
		}
		for _, h := range plan(t, conn, compileText(t, c.after+c.want)).Hazards {
			if h.Kind == migrate.HazardDrop {
				t.Errorf("%s: with the block the plan still drops: %s", name, h.Text)
			}
		}
	}
}
