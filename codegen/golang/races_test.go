package golang_test

import (
	"errors"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pawldb/pawl/codegen/golang"
	"github.com/pawldb/pawl/codegen/postgres"
	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/internal/devdb/pgtest"
)

// cases are the golden folders of specifications.
const cases = root + "/testdata/cases"

// raceFiles generates a program with race tests and copies of the runtime and the
// explorer, into a folder of the module example.com/app.
func raceFiles(t *testing.T, program *ir.Program, folder string) []golang.File {
	t.Helper()
	program.Go.Dir, program.Go.Package = path.Join(folder, "store"), "store"
	program.Go.Runtime, program.Go.RaceTests = golang.RuntimeCopy, true
	files, wrong := golang.Generate(program, os.DirFS(filepath.Join(root, "pawl")), golang.GenerateOptions{
		ImportPath: path.Join("example.com/app", program.Go.Dir),
		Schema:     postgres.Schema(program),
		Explorer:   os.DirFS(filepath.Join(root, "verify", "explore")),
	})
	for _, p := range wrong {
		t.Fatalf("%s: %s: %s", folder, p.Pos, p.Text)
	}
	return files
}

// TestRaceTestsCompile lets vet look at the race tests of golden folders that are
// hard on them: all types, names that are words of Go, ranges of every kind.
func TestRaceTestsCompile(t *testing.T) {
	// One runtime and one explorer for all: they take most of the time.
	var files []golang.File
	for i, folder := range []string{"types", "odd-names", "two-schemas", "no-overlap-range", "transitions-args", "queue"} {
		for _, f := range raceFiles(t, compile(t, path.Join(cases, folder)), folder) {
			copied := path.Join(folder, "store", "pawl")
			if rest, ok := strings.CutPrefix(f.Path, copied+"/"); ok {
				if i > 0 {
					continue
				}
				f.Path = path.Join("pawl", rest)
			}
			f.Content = []byte(strings.ReplaceAll(string(f.Content), "example.com/app/"+copied, "example.com/app/pawl"))
			files = append(files, f)
		}
	}
	goCommand(t, writeModule(t, files), "vet", "./...")
}

// tampered is a test file of a user's: it puts a row in the place of one that is
// refused, and takes guards out of the schema when it is told to.
const tampered = `package store_test

import (
	"os"
	"strings"

	"example.com/app/store"
)

func init() {
	if os.Getenv("OWN_ROWS") != "" {
		raceRowOfFolders = func(s *raceSetup, n int) store.FolderInsert {
			return store.FolderInsert{Size: int32(100 * n)}
		}
	}
	if cut := os.Getenv("CUT"); cut != "" {
		whole := raceSchema
		if raceSchema = strings.Replace(raceSchema, cut, os.Getenv("PASTE"), 1); raceSchema == whole {
			panic("nothing was cut")
		}
	}
}
`

// TestRaceTestsRun runs the generated tests as a user does: on a server, without
// one, with a row that a check refuses, and with guards missing from the schema.
func TestRaceTestsRun(t *testing.T) {
	files := raceFiles(t, compile(t, cases+"/race-tests"), ".")
	module := writeModule(t, append(files, golang.File{Path: "store/own_test.go", Content: []byte(tampered)}))
	binary := filepath.Join(module, "race.test")
	goCommand(t, module, "test", "-c", "-o", binary, "./store")
	url := "PAWL_RACE_URL=" + pgtest.URL(t)
	const refuses = "PASTE=size integer NOT NULL CHECK (size >= 100)"
	t.Run("one failure for one refused row", func(t *testing.T) {
		test := exec.Command(binary, "-test.v", "-test.run", "^TestRaces$/Folders")
		test.Env = append(os.Environ(), url, "CUT=size      integer NOT NULL", refuses)
		out, err := test.CombinedOutput()
		if err == nil {
			t.Fatalf("nothing fails:\n%s", out)
		}
		holdToOneRefusal(t, module, string(out))
	})
	inPlace := "" // all races
	if testing.Short() {
		inPlace = "(Orders|Events|Stops)"
	}
	for _, c := range []struct {
		name string
		run  string // which races; all when empty
		env  []string
		fine bool
		says string
	}{
		{name: "no server", fine: true, says: "PAWL_RACE_URL is not set"},
		{name: "everything in place", run: inPlace, env: []string{url}, fine: true, says: "TestRaces/Orders:_pay_and_cancel"},
		{
			name: "a row that a check refuses", run: "Folders", env: []string{url, "CUT=size      integer NOT NULL", refuses},
			says: "row 1 that raceRowOfFolders makes up is refused",
		},
		{
			name: "a row of one's own", run: "Folders", env: []string{url, "CUT=size      integer NOT NULL", refuses, "OWN_ROWS=1"},
			fine: true, says: "PASS: TestRaces/Folders:_two_of_grow",
		},
		{
			name: "without the primary key", run: "Tags:_two_equal", env: []string{url, "CUT=CONSTRAINT tags_pkey PRIMARY KEY (name)", "PASTE=CONSTRAINT tags_pkey CHECK (true)"},
			says: "at most one may",
		},
		{
			name: "without the unique index", run: "Lines:_two_equal", env: []string{url, "CUT=CREATE UNIQUE INDEX lines_item", "PASTE=CREATE INDEX lines_item"},
			says: "broken: No two rows of lines",
		},
		{
			name: "without the foreign key", run: "Lines:_an_insert", env: []string{url, "CUT=ADD CONSTRAINT lines_order FOREIGN KEY (region, number) REFERENCES app.orders (region, number)", "PASTE=ADD CONSTRAINT lines_order CHECK (true)"},
			says: "at most one may",
		},
		{
			name: "without counting", run: "Places:_two_inserts", env: []string{url, "CUT=1 AS n FROM pawl_new WHERE show_id", "PASTE=0 AS n FROM pawl_new WHERE show_id"},
			says: "broken: There are at most capacity",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			test := exec.Command(binary, "-test.v", "-test.run", "^TestRaces$/"+c.run)
			test.Env = append(os.Environ(), c.env...)
			out, err := test.CombinedOutput()
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			if (err == nil) != c.fine || !strings.Contains(string(out), c.says) {
				t.Errorf("%v, and it should say %q:\n%s", err, c.says, out)
			}
		})
	}
}

// holdToOneRefusal reads what the tests say when a check refuses the rows of
// folders: one race fails, the others point at it, and what it gives to paste is Go
// once the value is right.
func holdToOneRefusal(t *testing.T, module, out string) {
	t.Helper()
	const first = "TestRaces/Folders:_two_of_grow"
	if failed, skipped := strings.Count(out, "--- FAIL: TestRaces/"), strings.Count(out, "--- SKIP: TestRaces/"); failed != 1 || skipped == 0 {
		t.Errorf("%d races fail and %d are skipped; one row is refused:\n%s", failed, skipped, out)
	}
	for _, says := range []string{
		"--- FAIL: " + first, "row 1 that raceRowOfFolders makes up is refused: see " + first,
		"CHECK ((size >= 100))", "// row 1: 1",
	} {
		if !strings.Contains(out, says) {
			t.Errorf("it should say %q:\n%s", says, out)
		}
	}
	_, pasted, ok := strings.Cut(out, "in a file folders_race_rows_test.go beside this one:\n")
	pasted, _, closed := strings.Cut(pasted, "=== ")
	if !ok || !closed || !strings.Contains(pasted, "int32(n)") {
		t.Fatalf("there is nothing to paste:\n%s", out)
	}
	pasted = strings.Replace(pasted, "int32(n)", "int32(100*n)", 1)
	file := filepath.Join(module, "store", "folders_race_rows_test.go")
	if err := os.WriteFile(file, []byte(pasted), 0o644); err != nil {
		t.Fatal(err)
	}
	goCommand(t, module, "vet", "./store")
}
