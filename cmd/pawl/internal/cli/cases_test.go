package cli

import (
	"bytes"
	"context"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/cmd/pawl/internal/view"
	"github.com/pawldb/pawl/codegen/postgres"
	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/internal/devdb/pgtest"
	"github.com/pawldb/pawl/internal/diag"
	"github.com/pawldb/pawl/migrate"
)

var update = flag.Bool("update", false, "rewrite the golden files of testdata/cases and the scripts' expectations")

// casesDir holds the golden folders. Each has a spec, and beside it all that pawl
// makes of it: the SQL, the Go package, and what explain prints for the addresses
// that the spec names in comments ("# explain: table.rooms").
const casesDir = "../../../../testdata/cases"

// The golden files beside those that generate writes: what explain prints, and
// the warnings of the spec when there are any.
const (
	explainFile  = "explain.txt"
	findingsFile = "warnings.txt"
)

// TestCases compares every golden folder in both directions: what is made must
// be there, and what is there must be made. The SQL is loaded into a server and
// applied, and a plan after that has to be empty.
func TestCases(t *testing.T) {
	specs, err := filepath.Glob(filepath.Join(casesDir, "*", "spec.hcl"))
	if err != nil || len(specs) == 0 {
		t.Fatalf("no golden folders in %s: %v", casesDir, err)
	}
	for _, spec := range specs {
		dir := filepath.Dir(spec)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			p, want := makeCase(t, dir)
			compareFolder(t, dir, want)
			if !t.Failed() {
				loadAndApply(t, p, want["schema.sql"])
			}
		})
	}
}

// TestCasesCompile compiles and vets the Go packages of all golden folders. One
// go vet for all of them: the runtime is then compiled once.
func TestCasesCompile(t *testing.T) {
	packages, err := filepath.Glob(filepath.Join(casesDir, "*", "store"))
	if err != nil || len(packages) == 0 {
		t.Fatalf("no golden packages in %s: %v", casesDir, err)
	}
	for i, dir := range packages {
		packages[i] = "./" + filepath.ToSlash(dir)
	}
	vet := exec.Command("go", append([]string{"vet"}, packages...)...)
	if out, err := vet.CombinedOutput(); err != nil {
		t.Errorf("go vet: %v\n%s", err, out)
	}
}

// makeCase makes everything that belongs into a golden folder beside its spec.
func makeCase(t *testing.T, dir string) (*project, map[string][]byte) {
	t.Helper()
	a := &app{system: system{env: os.LookupEnv, stdout: io.Discard, stderr: io.Discard}}
	a.global.dir = dir
	p, list, err := a.compile("")
	if err != nil {
		t.Fatal(err)
	}
	findings := showFindings(t, p, list)
	if list.HasErrors() {
		t.Fatalf("the spec has mistakes:\n%s", findings)
	}
	a.view = view.NewHuman(view.Streams{Out: t.Output(), Err: t.Output()})
	out, err := a.render(p)
	if err != nil {
		t.Fatal(err)
	}
	out.files[explainFile] = explainCase(t, p, dir)
	if len(list) > 0 {
		out.files[findingsFile] = []byte(strings.ReplaceAll(findings, dir+string(filepath.Separator), ""))
	}
	return p, out.files
}

func showFindings(t *testing.T, p *project, list diag.List) string {
	t.Helper()
	var text bytes.Buffer
	if err := (diag.Text{Sources: p.sources}).List(&text, list); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// explainCase is what explain prints for each address that the spec names.
func explainCase(t *testing.T, p *project, dir string) []byte {
	t.Helper()
	atlas := newAtlas(p.program)
	var text bytes.Buffer
	for line := range strings.Lines(string(p.sources[filepath.Join(dir, "spec.hcl")])) {
		address, ok := strings.CutPrefix(strings.TrimSpace(line), "# explain: ")
		if !ok {
			continue
		}
		explanation, ok := atlas.explain(address)
		if !ok {
			t.Fatalf("nothing is at %s; there are\n%s", address, strings.Join(atlas.addresses(), "\n"))
		}
		// The folder's name on this machine is no part of the golden file.
		explanation.Source = strings.TrimPrefix(explanation.Source, dir+string(filepath.Separator))
		if text.Len() > 0 {
			text.WriteString("\n")
		}
		v := view.NewHuman(view.Streams{Out: &text, Err: io.Discard})
		v.Explained(explanation)
		if err := v.Close(exitOK); err != nil {
			t.Fatal(err)
		}
	}
	if text.Len() == 0 {
		t.Fatal(`the spec names no address to explain: add a comment "# explain: table.…"`)
	}
	return text.Bytes()
}

// compareFolder compares a golden folder with what was made, or with -update
// makes it so.
func compareFolder(t *testing.T, dir string, want map[string][]byte) {
	t.Helper()
	have := golden(t, dir)
	if *update {
		rewrite(t, dir, have, want)
		return
	}
	if diff := diffFolder(have, want); diff != "" {
		t.Errorf("the golden folder is not what the spec makes (-have +made); go test -update rewrites it:\n%s", diff)
	}
}

// golden reads what is in a golden folder beside its spec.
func golden(t *testing.T, dir string) map[string]string {
	t.Helper()
	have := contents(t, dir)
	for name := range have {
		if filepath.Ext(name) == ".hcl" {
			delete(have, name)
		}
	}
	return have
}

// diffFolder compares in both directions: a file that is missing and one that
// nothing makes are differences too.
func diffFolder(have map[string]string, want map[string][]byte) string {
	made := map[string]string{}
	for name, text := range want {
		made[name] = string(text)
	}
	return cmp.Diff(have, made)
}

func rewrite(t *testing.T, dir string, have map[string]string, want map[string][]byte) {
	t.Helper()
	o := output{root: dir, files: want}
	d, err := o.compare()
	d.changed = append(d.changed, d.foreign...) // explanations bear no mark
	for name := range have {
		if _, wanted := want[name]; !wanted {
			d.stale = append(d.stale, name)
		}
	}
	if err == nil {
		err = o.write(context.Background(), d)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// The comparison itself must be able to fail, in both directions.
func TestGoldenFoldersAreComparedInBothDirections(t *testing.T) {
	want := texts(map[string]string{"schema.sql": "s", "store/a_gen.go": "a"})
	for name, test := range map[string]struct {
		have map[string]string
		same bool
	}{
		"same":    {map[string]string{"schema.sql": "s", "store/a_gen.go": "a", "spec.hcl": "x"}, true},
		"changed": {map[string]string{"schema.sql": "t", "store/a_gen.go": "a"}, false},
		"missing": {map[string]string{"schema.sql": "s"}, false},
		"extra":   {map[string]string{"schema.sql": "s", "store/a_gen.go": "a", "store/b_gen.go": "b"}, false},
	} {
		dir := folder(t, test.have)
		if diff := diffFolder(golden(t, dir), want); (diff == "") != test.same {
			t.Errorf("%s: the difference is %q", name, diff)
		}
		rewrite(t, dir, golden(t, dir), want)
		if diff := diffFolder(golden(t, dir), want); diff != "" {
			t.Errorf("%s: after -update the difference is %s", name, diff)
		}
	}
}

// loadAndApply loads the SQL file into an empty database and applies the program
// to another. Both have to end as the same schema, and a plan after the apply
// has nothing to do.
func loadAndApply(t *testing.T, p *project, sql []byte) {
	t.Helper()
	loaded, applied := connectTo(t, pgtest.URL(t)), connectTo(t, pgtest.URL(t))
	if major := majorOf(t, applied); major < p.program.Postgres {
		t.Skipf("the case needs PostgreSQL %d, and the server is %d", p.program.Postgres, major)
	}
	for _, extension := range pgtest.ExtensionsOf(t, p.dir) {
		mustExec(t, loaded, "CREATE EXTENSION "+extension)
		mustExec(t, applied, "CREATE EXTENSION "+extension)
	}
	for _, change := range p.program.DataSchema().Creation() {
		for _, statement := range postgres.Statements(change) {
			mustExec(t, loaded, statement)
			mustExec(t, applied, statement)
		}
	}
	mustExec(t, loaded, string(sql))
	plan := planOn(t, applied, p.program)
	if err := plan.Apply(t.Context(), applied, migrate.ApplyOptions{}); err != nil {
		t.Fatalf("apply: %v", err)
	}
	again := planOn(t, applied, p.program)
	if !again.Empty() {
		t.Errorf("the plan after an apply is not empty: %+v", again.Changes)
	}
	if diff := cmp.Diff(inspect(t, loaded, p.program), inspect(t, applied, p.program)); diff != "" {
		t.Errorf("schema.sql and apply make different schemas (-schema.sql +apply):\n%s", diff)
	}
}

func connectTo(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

func majorOf(t *testing.T, conn *pgx.Conn) int {
	t.Helper()
	var number int
	if err := conn.QueryRow(t.Context(), "SELECT current_setting('server_version_num')::integer").Scan(&number); err != nil {
		t.Fatal(err)
	}
	return number / 10000
}

func planOn(t *testing.T, conn *pgx.Conn, program *ir.Program) *migrate.Plan {
	t.Helper()
	plan, err := migrate.NewPlan(t.Context(), conn, program, migrate.PlanOptions{})
	if err != nil {
		t.Fatalf("plan: %v", err)
	}
	return plan
}

// inspect reads the program's schemas back.
func inspect(t *testing.T, conn *pgx.Conn, program *ir.Program) *ir.Schema {
	t.Helper()
	s, err := migrate.Inspect(t.Context(), conn, postgres.SearchPath(&program.Schema)[1:])
	if err != nil {
		t.Fatalf("inspect: %v", err)
	}
	return s
}
