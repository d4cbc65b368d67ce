package isolation

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/pawldb/pawl/internal/devdb/pgtest"
	"github.com/pawldb/pawl/verify/explore"
)

var update = flag.Bool("update", false, "rewrite the transcripts in testdata: all on the base major, on another what differs from it")

// base is the major whose transcripts stand without a number.
const base = 15

// most is how many clients a scenario has, at most.
const most = 8

// laboratory is a database with an explorer.
type laboratory struct {
	conn     *pgx.Conn // sets scenarios up
	explorer *explore.Explorer
	major    int
}

func openLaboratory(t *testing.T, clients int) *laboratory {
	t.Helper()
	url := pgtest.URL(t)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	var version string
	if err := conn.QueryRow(t.Context(), "SHOW server_version_num").Scan(&version); err != nil {
		t.Fatal(err)
	}
	number, err := strconv.Atoi(version)
	if err != nil {
		t.Fatal(err)
	}
	// Full: the numbers of schedules are those of the literature.
	x, err := explore.Open(t.Context(), url, explore.Options{Clients: clients, Full: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return &laboratory{conn: conn, explorer: x, major: number / 10000}
}

// TestScenarios runs every case of every file.
func TestScenarios(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	l := openLaboratory(t, most)
	for _, path := range paths {
		s, err := readScenario(path)
		if err != nil {
			t.Error(err)
			continue
		}
		t.Run(s.name(), func(t *testing.T) { l.run(t, s) })
	}
}

func (l *laboratory) run(t *testing.T, s *scenario) {
	if s.since > l.major {
		t.Skipf("this is PostgreSQL %d, and the scenario is for %d and later", l.major, s.since)
	}
	if _, err := l.conn.Exec(t.Context(), "DROP SCHEMA public CASCADE; CREATE SCHEMA public;\n"+s.setup); err != nil {
		t.Fatalf("setup: %v", err)
	}
	for _, c := range s.cases {
		t.Run(c.name, func(t *testing.T) {
			var text strings.Builder
			for _, order := range c.schedules {
				fmt.Fprintf(&text, "%s\n%s\n", order.line, indent(l.schedule(t, s, order)))
			}
			s.compare(t, c.name, l.major, text.String())
		})
	}
	if *update && !t.Failed() {
		if err := os.WriteFile(s.path, txtar.Format(s.archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func indent(text string) string { return "  " + strings.ReplaceAll(text, "\n", "\n  ") }

// schedule runs one order, or all, holds the expectations against what is seen,
// and returns its text for the transcript.
func (l *laboratory) schedule(t *testing.T, s *scenario, order schedule) string {
	t.Helper()
	var seen []*transcript
	var text string
	if order.all {
		seen = l.every(t, s, order)
		text = summary(order, seen)
	} else {
		one := l.replay(t, s, order)
		seen = []*transcript{one}
		text = one.String()
	}
	if len(order.expects) == 0 {
		t.Errorf("%s: nothing is expected of it", order.line)
	}
	for _, e := range order.expects {
		if err := met(e, order, seen); err != nil {
			t.Errorf("%s\nexpect: %s: %v\n\n%s", order.line, e, err, text)
		}
	}
	return text
}

// compare holds a case's transcript against the file's, or rewrites that.
func (s *scenario) compare(t *testing.T, name string, major int, got string) {
	t.Helper()
	common := "transcript " + name
	own := fmt.Sprintf("%s on %d", common, major)
	want, ok := s.section(common)
	if *update {
		if major == base {
			s.write(common, got)
		} else if ok && got != want {
			s.write(own, got)
		} else {
			s.write(own, "")
		}
		return
	}
	if different, ok := s.section(own); ok {
		want = different
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("PostgreSQL %d does not do what %s says (-file +now):\n%s", major, s.path, diff)
	}
}

// scene makes what the explorer needs of a schedule.
func (s *scenario) scene(order schedule) explore.Scenario {
	scene := explore.Scenario{Name: s.name(), Fixture: s.reset}
	for _, c := range order.clients {
		scene.Clients = append(scene.Clients, explore.Client{Name: c.name, Run: c.run})
	}
	if order.final != "" {
		scene.State = func(ctx context.Context, conn *pgx.Conn) (string, error) {
			results, err := conn.PgConn().Exec(ctx, order.final).ReadAll()
			if err != nil {
				return "", err
			}
			var rows []string
			for _, row := range results[0].Rows {
				rows = append(rows, string(bytes.Join(row, []byte("|"))))
			}
			return strings.Join(rows, ", "), nil
		}
	}
	return scene
}

// run takes the steps of a client, whatever is answered: after an error too, as a
// person at a prompt would, who still has to end the transaction.
func (c client) run(ctx context.Context, conn *explore.Conn) (any, error) {
	for _, step := range c.steps {
		if _, err := conn.Exec(ctx, step.sql); err != nil {
			if _, notServer := sqlState(err); notServer != nil {
				return nil, err
			}
		}
	}
	return nil, nil
}

func (l *laboratory) replay(t *testing.T, s *scenario, order schedule) *transcript {
	t.Helper()
	var id []string
	for _, name := range order.order {
		i := slices.IndexFunc(order.clients, func(c client) bool { return c.name == name[:1] })
		id = append(id, strconv.Itoa(i))
	}
	run, err := l.explorer.Replay(t.Context(), s.scene(order), strings.Join(id, "."))
	if err != nil {
		t.Fatalf("%s: %v", order.line, err)
	}
	if run.Deviation != "" || run.Stuck != "" {
		t.Fatalf("%s cannot be run so: %s%s", order.line, run.Deviation, run.Stuck)
	}
	one, err := transcribe(order, run)
	if err != nil {
		t.Fatalf("%s: %v", order.line, err)
	}
	return one
}

func (l *laboratory) every(t *testing.T, s *scenario, order schedule) []*transcript {
	t.Helper()
	var runs []*explore.Run
	scene := s.scene(order)
	scene.Judge = func(_ context.Context, _ *pgx.Conn, run *explore.Run) ([]explore.Violation, error) {
		runs = append(runs, run)
		return nil, nil
	}
	result, err := l.explorer.Explore(t.Context(), scene)
	if err != nil {
		t.Fatalf("%s: %v", order.line, err)
	}
	if !result.Complete || result.Pruned > 0 || result.Schedules != len(runs) {
		t.Fatalf("%s: not every schedule was run: %+v", order.line, result)
	}
	var all []*transcript
	for _, run := range runs {
		one, err := transcribe(order, run)
		if err != nil {
			t.Fatalf("%s: %v", order.line, err)
		}
		all = append(all, one)
	}
	return all
}
