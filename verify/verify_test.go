package verify

import (
	"errors"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pawldb/pawl/compiler"
	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/devdb/pgtest"
)

// share asks for a long run, which takes every n-th case, broken program and
// broken queue. Without it a few stand for all.
var share = flag.Int("share", 0, "take every n-th case and broken program; 0 takes a few")

// taken reports whether a run takes the i-th of a list, of which a run that is not
// long takes every few-th.
func taken(i, few int) bool {
	if *share > 0 {
		return i%*share == 0
	}
	return i%few == 0
}

// longRun leaves a test to make test-long, of which each landing runs a tenth.
func longRun(t *testing.T) {
	t.Helper()
	if *share == 0 {
		t.Skip("a long run: go test -share 1")
	}
}

// compiled is a spec as a program.
func compiled(t *testing.T, dir string) *ir.Program {
	t.Helper()
	spec, list := dsl.Load(os.DirFS(dir), dsl.Options{})
	if list.HasErrors() {
		t.Fatal(list)
	}
	p, list := compiler.Compile(spec)
	if list.HasErrors() {
		t.Fatal(list)
	}
	return p
}

func seats(t *testing.T) *ir.Program { return compiled(t, "../examples/seats") }

func run(t *testing.T, p *ir.Program, o Options) *Report {
	t.Helper()
	o.URL = pgtest.URL(t)
	report, err := Run(t.Context(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// TestSeats verifies the example: everything holds, and every mutant is caught.
func TestSeats(t *testing.T) {
	report := run(t, seats(t), Options{})
	demandTeeth(t, report, nil)
	for _, kind := range []string{"no_duplicates", "no_overlap", "transitions", "adjust", "edit", "queue", "singleton", "table"} {
		if !slices.ContainsFunc(report.Subjects, func(s Subject) bool { return s.Kind == kind && len(s.Checks) > 0 }) {
			t.Errorf("nothing of the kind %s was verified", kind)
		}
	}
	t.Logf("all in %v", report.Duration)
}

// TestCases verifies specs of single constructs.
func TestCases(t *testing.T) {
	const small = "odd-names"
	dirs, err := filepath.Glob("../testdata/cases/*")
	if err != nil || len(dirs) == 0 {
		t.Fatal("no cases", err)
	}
	for i, dir := range dirs {
		name := filepath.Base(dir)
		if *share == 0 && name != small || *share > 0 && i%*share != 0 {
			continue
		}
		t.Run(name, func(t *testing.T) { demandTeeth(t, run(t, compiled(t, dir), Options{}), excused) })
	}
}

// excused are the mutants that something else stands in for, by case: a condition
// that another one repeats. Anything else must be caught.
func excused(c *Check, m *Mutant) bool {
	return m.Counterexample != nil && strings.HasPrefix(m.Reason, "something else refuses the same here") || strings.HasPrefix(c.ID, impliedKey)
}

// impliedKey is a key of the case upsert that the primary key of its table, one of
// its two columns, holds as well: without it the rows are kept apart all the same.
const impliedKey = "table.coupons.no_duplicates.once_per_user/"

// demandTeeth fails the test for whatever does not hold, and for every mutant
// that got away.
func demandTeeth(t *testing.T, report *Report, mayBeExcused func(*Check, *Mutant) bool) {
	t.Helper()
	for _, s := range report.Subjects {
		schedules, waiting, killed := 0, 0, 0
		for i := range s.Checks {
			c := &s.Checks[i]
			schedules, waiting = schedules+c.Schedules, waiting+c.Waiting
			if c.Verdict != Holds && c.Verdict != Untried {
				t.Errorf("%s: %s %s%s", c.ID, c.Verdict, c.Detail, story(c.Counterexamples))
			}
			if c.Verdict == Holds && len(c.Mutants) == 0 && c.Phase == Interleavings {
				if mayBeExcused == nil {
					t.Errorf("%s cannot fail: nothing was taken away", c.ID)
				}
				t.Logf("%s has no mutant on these rows", c.ID)
			}
			for k := range c.Mutants {
				m := &c.Mutants[k]
				switch {
				case m.Verdict == Killed && m.Counterexample != nil:
					killed++
				case (m.Verdict == Excused || m.Verdict == Survived) && mayBeExcused != nil && mayBeExcused(c, m):
				default:
					t.Errorf("%s@%s: %s %s\n%s", c.ID, m.ID, m.Verdict, m.Reason, strings.Join(m.Diff, "\n"))
				}
			}
		}
		t.Logf("%-45s %2d checks %4d schedules %4d waited %3d mutants caught", s.Address, len(s.Checks), schedules, waiting, killed)
	}
}

func story(list []Counterexample) string {
	var b strings.Builder
	for _, e := range list[:min(1, len(list))] {
		for _, s := range e.Run.Steps {
			b.WriteString("\n  s" + string(rune('0'+s.Client)) + " " + string(s.Kind) + " " + s.SQL + " " + string(s.State))
			if s.Err != nil {
				b.WriteString(" " + s.Err.Error())
			}
		}
		for _, v := range e.Run.Violations {
			b.WriteString("\n  " + v.Rule)
		}
	}
	return b.String()
}

// TestBrokenPrograms breaks compiled programs. verify takes the program as it is,
// so it must find what a faulty compiler would do.
func TestBrokenPrograms(t *testing.T) {
	longRun(t)
	tests := []struct {
		name, address string
		spoil         func(x *index)
	}{
		{"no exclusion constraint", "table.bookings.no_overlap.one_per_room", func(x *index) {
			x.tables[ir.TableRef{Schema: "app", Name: "bookings"}].Excludes = nil
		}},
		{"a claim that waits", "queue.tasks/claim-claim", func(x *index) {
			s := x.operations["queue.tasks.claim"].Statement(ir.MainStatement)
			s.SQL = strings.ReplaceAll(s.SQL, " SKIP LOCKED", "")
		}},
		{"an adjust without its guard and check", "table.counters.adjust.send/send-send", func(x *index) {
			s := x.operations["table.counters.adjust.send"].Statement(ir.MainStatement)
			s.SQL = strings.Replace(s.SQL, "((remaining - $2::bigint) >= 0) IS NOT FALSE", "true", 1)
			x.tables[ir.TableRef{Schema: "app", Name: "counters"}].Checks = nil
		}},
		{"an insert that ignores conflicts", "table.rooms.no_duplicates.name/insert-insert", func(x *index) {
			s := x.operations["table.rooms.insert"].Statement(ir.MainStatement)
			s.SQL = strings.Replace(s.SQL, "\nRETURNING", "\nON CONFLICT DO NOTHING\nRETURNING", 1)
		}},
		{"a move that forgets what it sets", "table.seats.transitions.status/book-book", func(x *index) {
			s := x.operations["table.seats.transitions.status.book"].Statement(ir.MainStatement)
			s.SQL = strings.Replace(s.SQL, ", customer_id = $2::bigint", ", customer_id = NULLIF($2::bigint, $2::bigint)", 1)
		}},
		{"an undeclared error", "table.rooms.no_duplicates.name/insert-insert", func(x *index) {
			x.operations["table.rooms.insert"].Errors = nil
		}},
	}
	for i, tt := range tests {
		if !taken(i, 3) {
			continue
		}
		t.Run(tt.name, func(t *testing.T) {
			p := seats(t)
			tt.spoil(newIndex(p))
			report := run(t, p, Options{Addresses: []string{tt.address}})
			first := report.Subjects[0].Checks[0]
			if first.Verdict != Violated || len(first.Counterexamples) == 0 {
				t.Fatalf("%s: %s %s", first.ID, first.Verdict, first.Detail)
			}
		})
	}
}

// TestReplay: the ID of a counterexample shows the same violation again, that of a
// mutant too.
func TestReplay(t *testing.T) {
	p := seats(t)
	report := run(t, p, Options{Addresses: []string{"table.counters.adjust.send/send-send"}})
	for _, m := range report.Subjects[0].Checks[0].Mutants {
		if m.ID != "read-then-write" {
			continue
		}
		again, err := Replay(t.Context(), p, m.Counterexample.ID, Options{URL: pgtest.URL(t)})
		if err != nil {
			t.Fatal(err)
		}
		if len(again.Run.Violations) == 0 || again.Run.Deviation != "" {
			t.Errorf("the replay of %s found nothing: %q", again.ID, again.Run.Deviation)
		}
		return
	}
	t.Error("the mutant read-then-write is gone")
}

// TestSurvivor: a guard that is not needed is reported, not passed over.
func TestSurvivor(t *testing.T) {
	p := seats(t)
	x := newIndex(p)
	rooms := x.tables[ir.TableRef{Schema: "app", Name: "rooms"}]
	second := ir.Index{Name: "rooms_name_again", Unique: true, Method: "btree", Parts: []ir.IndexPart{{Column: "name"}}}
	rooms.Indexes = append(rooms.Indexes, second)
	insert := x.operations["table.rooms.insert"]
	insert.Errors = append(insert.Errors, second.Name)
	for i := range p.Repositories {
		if r := &p.Repositories[i]; r.Name == "rooms" {
			for _, e := range r.Reported {
				if e.Name == "rooms_name" {
					e.Name = second.Name
					r.Reported = append(r.Reported, e)
				}
			}
		}
	}
	report := run(t, p, Options{Addresses: []string{"table.rooms.no_duplicates.name/insert-insert"}})
	c := report.Subjects[0].Checks[0]
	if c.Verdict != Holds || c.Mutants[0].Verdict != Survived {
		t.Errorf("%s %s, %s %s", c.ID, c.Verdict, c.Mutants[0].ID, c.Mutants[0].Verdict)
		if e := c.Mutants[0].Counterexample; e != nil {
			t.Log(story([]Counterexample{*e}))
		}
	}
}

// TestUnwrittenMutant: a statement that cannot be rewritten leaves a mutant that
// says so, through every filter, and not a check without teeth.
func TestUnwrittenMutant(t *testing.T) {
	x := newIndex(seats(t))
	for _, address := range []string{"queue.tasks.claim", "table.seats.transitions.status.book", "table.counters.adjust.send", "table.rooms.get_many_for_update"} {
		x.operations[address].Statement(ir.MainStatement).SQL = "/* " + address + " */ SELECT FROM WHERE"
	}
	for _, id := range []string{
		"queue.tasks/claim-claim", "table.seats.transitions.status/book-book", "table.counters.adjust.send/send-send", "table.rooms/lock-many",
	} {
		found := false
		for _, s := range models(x) {
			for _, c := range s.checks {
				for i := range c.mutants {
					found = found || c.id == id && c.mutants[i].err != nil
				}
			}
		}
		if !found {
			t.Errorf("%s hides that its statement could not be changed", id)
		}
	}
}

// TestFullSearchAgrees: the reductions lose no outcome.
func TestFullSearchAgrees(t *testing.T) {
	longRun(t)
	addresses := []string{
		"table.seats.transitions.status/book-book", "table.counters.adjust.send/send-repeatable-read",
		"table.rooms.edit.reprice/reprice-reprice", "table.rooms.no_duplicates.name/insert-serializable", "queue.tasks/claim-share",
		"table.bookings/insert-bookings_room-delete", "singleton.outbox_relay/run-run",
	}
	reduced, full := run(t, seats(t), Options{Addresses: addresses}), run(t, seats(t), Options{Addresses: addresses, Full: true})
	a, b := 0, 0
	for i, s := range reduced.Subjects {
		for k, c := range s.Checks {
			f := full.Subjects[i].Checks[k]
			a, b = a+c.Schedules, b+f.Schedules
			got, want := slices.Sorted(maps.Keys(c.Outcomes)), slices.Sorted(maps.Keys(f.Outcomes))
			if !slices.Equal(got, want) {
				t.Errorf("%s: reduced %q, full %q", c.ID, got, want)
			}
		}
	}
	if a >= b {
		t.Errorf("the reductions saved nothing: %d schedules, %d in full", a, b)
	}
	t.Logf("%d schedules, %d in full", a, b)
}

// TestThreeSessions tries a third client.
func TestThreeSessions(t *testing.T) {
	report := run(t, seats(t), Options{Sessions: 3, Addresses: []string{"table.seats.transitions.status/book-book", "queue.tasks/claim-due"}})
	demandTeeth(t, report, nil)
	for _, s := range report.Subjects {
		if n := len(s.Checks[0].Clients); n != 3 {
			t.Errorf("%s ran with %d clients", s.Checks[0].ID, n)
		}
	}
}

// TestReplayOfNothing: an ID that names nothing is said so.
func TestReplayOfNothing(t *testing.T) {
	for _, id := range []string{"", "table.rooms", "table.rooms/none:0.1", "table.rooms.no_duplicates.name/insert-insert@none:0.1"} {
		var unknown *UnknownError
		if _, err := Replay(t.Context(), seats(t), id, Options{URL: pgtest.URL(t)}); !errors.As(err, &unknown) {
			t.Errorf("%q: %v", id, err)
		}
	}
	var unknown *UnknownError
	if _, err := Run(t.Context(), seats(t), Options{URL: pgtest.URL(t), Addresses: []string{"table.none"}}); !errors.As(err, &unknown) {
		t.Error(err)
	}
}

// TestIDsAreUnique: a replay finds what a report named.
func TestIDsAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range models(newIndex(seats(t))) {
		for _, c := range s.checks {
			ids := []string{c.id}
			for i := range c.mutants {
				ids = append(ids, c.id+"@"+c.mutants[i].id)
			}
			for _, id := range ids {
				if seen[id] {
					t.Errorf("%s is there twice", id)
				}
				seen[id] = true
			}
		}
	}
}

// TestPhases runs what a controlled search cannot, and shows that it can fail.
func TestPhases(t *testing.T) {
	if testing.Short() {
		t.Skip("it restarts a server of its own many times")
	}
	o := Options{Stress: true, Crash: true, Addresses: []string{"queue.tasks/ghost-complete", "table.counters.adjust.send/send-send"}}
	report, err := Run(t.Context(), seats(t), o)
	if err != nil {
		t.Fatal(err)
	}
	demandTeeth(t, report, nil)
	phases := map[Phase]int{}
	for _, s := range report.Subjects {
		for _, c := range s.Checks {
			phases[c.Phase]++
			if c.Phase != Interleavings && c.Rounds == 0 {
				t.Errorf("%s ran no round", c.ID)
			}
		}
	}
	if phases[Stress] == 0 || phases[Crash] < 3 {
		t.Errorf("phases: %v", phases)
	}
	t.Logf("%v in %v", phases, report.Duration.Round(time.Millisecond))
}
