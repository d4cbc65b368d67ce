package migrate_test

import (
	"context"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/pawldb/pawl/codegen/postgres"
	"github.com/pawldb/pawl/compiler"
	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/devdb/pgtest"
	"github.com/pawldb/pawl/migrate"
)

var update = flag.Bool("update", false, "rewrite the plans in testdata/diff")

// TestScripts runs testdata/diff: each applies one specification, puts rows in,
// and plans and applies another. The files of a script are before.hcl, data.sql,
// after.hcl, plan.golden, and, where the apply needs them, allow with one
// allowance a line; where the apply is refused for good, refused holds a part of
// the error. One that asks for a later server runs on the newest major alone.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("../testdata/diff/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s := script{archive: archive}
			got := s.run(t)
			if *update {
				s.set("plan.golden", got)
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if d := cmp.Diff(s.file("plan.golden"), got); d != "" {
				t.Errorf("plan (-want +got):\n%s", d)
			}
		})
	}
}

type script struct{ archive *txtar.Archive }

func (s *script) file(name string) string {
	for _, f := range s.archive.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

func (s *script) set(name, text string) {
	for i := range s.archive.Files {
		if s.archive.Files[i].Name == name {
			s.archive.Files[i].Data = []byte(text)
			return
		}
	}
	s.archive.Files = append(s.archive.Files, txtar.File{Name: name, Data: []byte(text)})
}

// run returns the plan from before to after.
func (s *script) run(t *testing.T) string {
	ctx := context.Background()
	conn := connect(t)
	p := compileText(t, s.file("after.hcl"))
	skipOlder(t, conn, p)
	apply(t, conn, compileText(t, s.file("before.hcl")))
	exec(t, conn, s.file("data.sql"))
	made := plan(t, conn, p)
	text := outline(made)
	for _, step := range made.Steps {
		if step.Lock != "" && step.Table == (ir.TableRef{}) {
			t.Errorf("%s takes a lock, and the plan does not say on which table", step.Title)
		}
	}

	allow := strings.Fields(s.file("allow"))
	if len(allow) > 0 || s.file("refused") != "" {
		err := made.Apply(ctx, conn, migrate.ApplyOptions{})
		var refused *migrate.RefusedError
		var violations *migrate.ViolationsError
		if !errors.As(err, &refused) && !errors.As(err, &violations) {
			t.Errorf("apply says %v, want a refusal", err)
		} else if !strings.Contains(err.Error(), strings.TrimSpace(s.file("refused"))) {
			t.Errorf("apply says %v, want %s", err, s.file("refused"))
		}
	}
	if s.file("refused") == "" {
		apply(t, conn, p, allow...)
	}
	return text
}

// skipOlder skips a test of what a later server has.
func skipOlder(t *testing.T, conn *pgx.Conn, p *ir.Program) {
	t.Helper()
	if server := query[int](t, conn, "SELECT current_setting('server_version_num')::integer / 10000"); server < p.Postgres {
		t.Skipf("asks for PostgreSQL %d", p.Postgres)
	}
}

func compileText(t *testing.T, text string) *ir.Program {
	t.Helper()
	return compileFS(t, fstest.MapFS{"spec.hcl": {Data: []byte(text)}})
}

func compileFS(t *testing.T, fsys fs.FS) *ir.Program {
	t.Helper()
	spec, diags := dsl.Load(fsys, dsl.Options{})
	var p *ir.Program
	if !diags.HasErrors() {
		p, diags = compiler.Compile(spec)
	}
	if diags.HasErrors() {
		t.Fatalf("%+v", diags)
	}
	return p
}

// TestEverySpecificationSettles applies the specification of every example, and
// demands that a second plan is empty. The tests of the command do that with the
// golden folders, on the installed major; on another one it is done here.
func TestEverySpecificationSettles(t *testing.T) {
	patterns := []string{"../examples/*"}
	if os.Getenv("PAWL_TEST_PG_BIN") != "" {
		patterns = append(patterns, "../testdata/cases/*")
	}
	var folders []string
	for _, pattern := range patterns {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		folders = append(folders, found...)
	}
	for _, folder := range folders {
		if specs, err := filepath.Glob(folder + "/*.hcl"); err != nil || len(specs) == 0 {
			continue
		}
		t.Run(filepath.Base(folder), func(t *testing.T) {
			t.Parallel()
			conn := connect(t)
			p := compileFS(t, os.DirFS(folder))
			skipOlder(t, conn, p)
			for _, extension := range pgtest.ExtensionsOf(t, folder) {
				exec(t, conn, "CREATE EXTENSION "+extension)
			}
			for _, c := range p.DataSchema().Creation() {
				exec(t, conn, strings.Join(postgres.Statements(c), ";"))
			}
			apply(t, conn, p)
		})
	}
}
