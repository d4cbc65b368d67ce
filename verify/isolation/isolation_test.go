package isolation

import (
	"bytes"
	"context"
	"errors"
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

// laboratory is a database with the explorers that work in it.
type laboratory struct {
	url       string
	conn      *pgx.Conn // sets scenarios up
	major     int
	explorers map[int]*explore.Explorer // by how many clients they have
}

func openLaboratory(t *testing.T) *laboratory {
	t.Helper()
	l := &laboratory{url: pgtest.URL(t), explorers: map[int]*explore.Explorer{}}
	var err error
	if l.conn, err = pgx.Connect(t.Context(), l.url); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.conn.Close(context.Background()) })
	// A SERIALIZABLE transaction that reads a whole table conflicts with every writer
	// of it, so the plans must not turn with the statistics. What cannot do without a
	// sequential scan then looks so expensive that it would be compiled.
	var number int
	err = l.conn.QueryRow(t.Context(), "SELECT current_setting('server_version_num')::int").Scan(&number)
	if err == nil {
		_, err = l.conn.Exec(t.Context(), `DO $$ BEGIN
	EXECUTE format('ALTER DATABASE %I SET enable_seqscan = off', current_database());
	EXECUTE format('ALTER DATABASE %I SET jit = off', current_database());
END $$`)
	}
	if err != nil {
		t.Fatal(err)
	}
	l.major = number / 10000
	return l
}

// explorer returns an explorer with enough clients.
func (l *laboratory) explorer(t *testing.T, clients int) *explore.Explorer {
	t.Helper()
	clients = max(clients, 3)
	if x := l.explorers[clients]; x != nil {
		return x
	}
	// Full: the numbers of schedules are those of the literature.
	x, err := explore.Open(context.Background(), l.url, explore.Options{Clients: clients, Full: true})
	if err != nil {
		t.Fatal(err)
	}
	l.explorers[clients] = x
	return x
}

func (l *laboratory) close(t *testing.T) {
	for _, x := range l.explorers {
		if err := x.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}
}

// TestScenarios runs every case of every file.
func TestScenarios(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	l := openLaboratory(t)
	defer l.close(t)
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
		t.Run(c.name, func(t *testing.T) { l.runCase(t, s, c) })
	}
	if *update && !t.Failed() {
		if err := os.WriteFile(s.path, txtar.Format(s.archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func (l *laboratory) runCase(t *testing.T, s *scenario, c testCase) {
	common, own := "transcript "+c.name, fmt.Sprintf("transcript %s on %d", c.name, l.major)
	file := own
	if _, ok := s.section(own); !ok {
		file = common
	}
	written, _ := s.section(file)
	recorded := blocks(written)
	if len(recorded) != len(c.schedules) && !*update {
		t.Fatalf("%s: the transcript %q is of %d schedules, and there are %d: run the test with -update", s.path, file, len(recorded), len(c.schedules))
	}
	var now strings.Builder
	for i, order := range c.schedules {
		want := ""
		if !*update {
			want = recorded[i]
		}
		now.WriteString(l.schedule(t, s, order, want))
	}
	if !*update {
		return
	}
	usual, ok := s.section(common)
	switch {
	case l.major == base:
		s.write(common, now.String())
	case ok && now.String() != usual:
		s.write(own, now.String())
	default:
		s.write(own, "")
	}
}

// blocks cuts a transcript into its schedules: each begins with a line that is not
// indented.
func blocks(text string) []string {
	var all []string
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, " ") {
			all = append(all, "")
		}
		all[len(all)-1] += line
	}
	return all
}

// attempts is how often a schedule may be tried that meets a deadlock. PostgreSQL
// looks for one when a session has waited for a millisecond; on a machine with more
// to do than it can, an earlier session may look after a later one has closed the
// circle, and is then the victim.
const attempts = 4

// schedule runs one order, or all, holds what it sees against what is expected and
// what is recorded, and returns its part of the transcript.
func (l *laboratory) schedule(t *testing.T, s *scenario, order schedule, recorded string) string {
	t.Helper()
	tries := 1
	if slices.ContainsFunc(order.expects, func(e string) bool { return strings.Contains(e, "40P01") }) {
		tries = attempts
	}
	for try := 1; ; try++ {
		text, err := l.attempt(t.Context(), l.explorer(t, len(order.clients)), s, order, recorded)
		if err == nil {
			return text
		}
		if try == tries {
			t.Errorf("%s: PostgreSQL %d: %s\n%v", s.path, l.major, order.line, err)
			return text
		}
		t.Logf("%s: again, since %v", order.line, err)
	}
}

func (l *laboratory) attempt(ctx context.Context, x *explore.Explorer, s *scenario, order schedule, recorded string) (string, error) {
	look := replay
	if order.all {
		look = every
	}
	seen, err := look(ctx, x, s, order)
	if err != nil {
		return "", err
	}
	text := seen[0].String()
	if order.all {
		text = summary(order, seen)
	}
	text = fmt.Sprintf("%s\n  %s\n", order.line, strings.ReplaceAll(text, "\n", "\n  "))
	var wrong []error
	if len(order.expects) == 0 {
		wrong = append(wrong, errors.New("nothing is expected of it"))
	}
	for _, e := range order.expects {
		if err := met(e, order, seen); err != nil {
			wrong = append(wrong, fmt.Errorf("expect: %s: %w", e, err))
		}
	}
	if recorded != "" && recorded != text {
		wrong = append(wrong, fmt.Errorf("this is not what was recorded (-recorded +now):\n%s", cmp.Diff(recorded, text)))
	}
	return text, errors.Join(wrong...)
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

// replay runs a schedule's one order.
func replay(ctx context.Context, x *explore.Explorer, s *scenario, order schedule) ([]*transcript, error) {
	var id []string
	for _, name := range order.order {
		i := slices.IndexFunc(order.clients, func(c client) bool { return c.name == name[:1] })
		id = append(id, strconv.Itoa(i))
	}
	run, err := x.Replay(ctx, s.scene(order), strings.Join(id, "."))
	if err != nil {
		return nil, err
	}
	if run.Deviation != "" || run.Stuck != "" {
		return nil, fmt.Errorf("it cannot be run so: %s%s", run.Deviation, run.Stuck)
	}
	one, err := transcribe(order, run)
	return []*transcript{one}, err
}

// every runs all orders of a schedule.
func every(ctx context.Context, x *explore.Explorer, s *scenario, order schedule) ([]*transcript, error) {
	var runs []*explore.Run
	scene := s.scene(order)
	scene.Judge = func(_ context.Context, _ *pgx.Conn, run *explore.Run) ([]explore.Violation, error) {
		runs = append(runs, run)
		return nil, nil
	}
	result, err := x.Explore(ctx, scene)
	if err != nil {
		return nil, err
	}
	if !result.Complete || result.Pruned > 0 || result.Schedules != len(runs) {
		return nil, fmt.Errorf("not every schedule was run: %+v", result)
	}
	var all []*transcript
	for _, run := range runs {
		one, err := transcribe(order, run)
		if err != nil {
			return nil, fmt.Errorf("schedule %s: %w", run.ID, err)
		}
		all = append(all, one)
	}
	return all, nil
}
