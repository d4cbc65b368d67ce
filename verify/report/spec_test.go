package report_test

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/pawldb/pawl/internal/devdb/pgtest"
	"github.com/pawldb/pawl/verify"
	"github.com/pawldb/pawl/verify/explore"
	"github.com/pawldb/pawl/verify/report"
	"github.com/pawldb/pawl/verify/report/reporttest"
)

// isolationSpec is a specification as isolationtester reads it.
type isolationSpec struct {
	setups      []string
	teardown    string
	sessions    []isolationSession
	permutation [][]string
}

type isolationSession struct {
	name, setup, teardown string
	steps                 map[string]string
	order                 []string
}

// specParser reads the format that PostgreSQL's src/test/isolation/README and
// specparse.y describe:
//
//	spec        = { setup } [ teardown ] session { session } { permutation }
//	setup       = "setup" block            teardown = "teardown" block
//	session     = "session" name [ setup ] step { step } [ teardown ]
//	step        = "step" name block
//	permutation = "permutation" marked { marked }
//	marked      = name [ "(" marker { "," marker } ")" ]
//	marker      = "*" | name [ "notices" integer ]
//
// A block is everything between "{" and the first "}". A name is an identifier,
// or any text in double quotes, where a quote is doubled. "#" begins a comment
// outside of blocks.
type specParser struct {
	text string
	at   int
}

func (p *specParser) fail(format string, args ...any) {
	line := 1 + strings.Count(p.text[:p.at], "\n")
	panic(fmt.Errorf("line %d: %s", line, fmt.Sprintf(format, args...)))
}

func (p *specParser) space() {
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case c == '#':
			for p.at < len(p.text) && p.text[p.at] != '\n' {
				p.at++
			}
		case strings.ContainsRune(" \t\r\f\n", rune(c)):
			p.at++
		default:
			return
		}
	}
}

var specWord = regexp.MustCompile(`^[A-Za-z_\x80-\xff][A-Za-z0-9_$\x80-\xff]*`)

// word reads a bare word, a key word or an identifier; empty when none stands
// here.
func (p *specParser) word() string {
	p.space()
	word := specWord.FindString(p.text[p.at:])
	p.at += len(word)
	return word
}

// accept reads a key word or a mark when it stands here.
func (p *specParser) accept(token string) bool {
	p.space()
	if unicode.IsLetter(rune(token[0])) {
		if specWord.FindString(p.text[p.at:]) != token {
			return false
		}
	} else if !strings.HasPrefix(p.text[p.at:], token) {
		return false
	}
	p.at += len(token)
	return true
}

func (p *specParser) name() string {
	p.space()
	if !p.accept(`"`) {
		word := p.word()
		if word == "" || slices.Contains([]string{"setup", "teardown", "session", "step", "permutation", "notices"}, word) {
			p.fail("a name was expected, not %q", word)
		}
		return word
	}
	var b strings.Builder
	for {
		switch {
		case p.at == len(p.text) || p.text[p.at] == '\n':
			p.fail("a quoted name does not end")
		case strings.HasPrefix(p.text[p.at:], `""`):
			b.WriteByte('"')
			p.at += 2
		case p.text[p.at] == '"':
			p.at++
			return b.String()
		default:
			b.WriteByte(p.text[p.at])
			p.at++
		}
	}
}

func (p *specParser) block() string {
	if !p.accept("{") {
		p.fail("{ was expected")
	}
	end := strings.IndexByte(p.text[p.at:], '}')
	if end < 0 {
		p.fail("a block does not end")
	}
	sql := strings.TrimSpace(p.text[p.at : p.at+end])
	p.at += end + 1
	return sql
}

func parseSpec(text string) (s isolationSpec, err error) {
	defer func() {
		if e, ok := recover().(error); ok {
			err = e
		}
	}()
	p := &specParser{text: text}
	for p.accept("setup") {
		s.setups = append(s.setups, p.block())
	}
	if p.accept("teardown") {
		s.teardown = p.block()
	}
	known := map[string]bool{}
	for p.accept("session") {
		session := isolationSession{name: p.name(), steps: map[string]string{}}
		if p.accept("setup") {
			session.setup = p.block()
		}
		for p.accept("step") {
			name := p.name()
			if known[name] {
				p.fail("two steps are named %s", name)
			}
			known[name] = true
			session.steps[name] = p.block()
			session.order = append(session.order, name)
		}
		if len(session.steps) == 0 {
			p.fail("the session %s has no step", session.name)
		}
		if p.accept("teardown") {
			session.teardown = p.block()
		}
		s.sessions = append(s.sessions, session)
	}
	if len(s.sessions) == 0 {
		p.fail("a session was expected")
	}
	for p.accept("permutation") {
		s.permutation = append(s.permutation, p.marked(known))
	}
	if p.space(); p.at < len(text) {
		p.fail("%q was not expected", strings.SplitN(text[p.at:], "\n", 2)[0])
	}
	return s, nil
}

// marked reads the steps of a permutation, up to the next key word or the end.
func (p *specParser) marked(known map[string]bool) []string {
	var steps []string
	for {
		if p.space(); p.at == len(p.text) || strings.HasPrefix(p.text[p.at:], "permutation") {
			return steps
		}
		name := p.name()
		if !known[name] {
			p.fail("there is no step %s", name)
		}
		steps = append(steps, name)
		if p.accept("(") {
			for more := true; more; more = p.accept(",") {
				if p.accept("*") {
					continue
				}
				p.name()
				if p.accept("notices") {
					p.integer()
				}
			}
			if !p.accept(")") {
				p.fail(") was expected")
			}
		}
	}
}

func (p *specParser) integer() {
	p.space()
	digits := len(p.text[p.at:]) - len(strings.TrimLeft(p.text[p.at:], "0123456789"))
	if digits == 0 {
		p.fail("a number was expected")
	}
	p.at += digits
}

// TestParseSpecRefuses holds the parser of this test: one that takes anything
// would show nothing.
func TestParseSpecRefuses(t *testing.T) {
	for _, text := range []string{
		"", "setup { SELECT 1 }", "session s0", "session s0 step a { SELECT 1", "session s0 step a { }} permutation a",
		"session s0 step a { } step a { } permutation a", "session s0 step a { } permutation b", "session s0 step a { } setup { }",
		"session \"s0\n\" step a { }", "session setup step a { }", "session s0 setup { } setup { } step a { }",
	} {
		if _, err := parseSpec(text); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
	if _, err := parseSpec("# c\nsetup { a } setup { b }\nteardown { c }\nsession \"s \"\"0\"\"\" setup { x } step a { y } teardown { z }\npermutation a(*) a(a, a notices 2)"); err != nil {
		t.Error(err)
	}
}

const seatsSchema = "CREATE SCHEMA app;\nCREATE TABLE app.seats (id bigint PRIMARY KEY, status text NOT NULL, booked_by text)"

var bookingsSchema = []string{
	"CREATE SCHEMA app",
	"CREATE TABLE app.rooms (id bigint PRIMARY KEY, name text)",
	"CREATE TABLE app.bookings (room_id bigint, during daterange, note text) -- {no} constraint",
}

// specs are counterexamples with what makes their tables.
func specs() map[string]struct {
	c *verify.Counterexample
	o report.SpecOptions
} {
	booked, gated := reporttest.Booked(), reporttest.Gated()
	return map[string]struct {
		c *verify.Counterexample
		o report.SpecOptions
	}{
		"booked":    {&booked, report.SpecOptions{Schema: []string{seatsSchema}, Schemas: []string{"app"}, About: []string{"two clients book one seat", "without the guard"}}},
		"gated":     {&gated, report.SpecOptions{Schema: bookingsSchema, Schemas: []string{"app"}, Gates: []string{"app.bookings"}}},
		"gated all": {&gated, report.SpecOptions{Schema: bookingsSchema, Schemas: []string{"app"}}},
	}
}

func TestSpec(t *testing.T) {
	for name, sample := range specs() {
		text, err := report.Spec(sample.c, sample.o)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		golden(t, strings.ReplaceAll(name, " ", "-")+".spec", text)
		s, err := parseSpec(text)
		if err != nil {
			t.Errorf("%s: %v in:\n%s", name, err, text)
			continue
		}
		granted := 0
		for _, step := range sample.c.Run.Steps {
			if step.Kind != explore.Resume {
				granted += 1 + len(step.Ahead)
			}
		}
		granted++ // The rows that are left are asked for.
		if len(s.permutation) != 1 || len(s.permutation[0]) != granted {
			t.Errorf("%s: the permutations are %v, and %d steps were granted", name, s.permutation, granted)
		}
		for _, session := range s.sessions {
			for step, sql := range session.steps {
				if strings.Contains(sql, "$1") {
					t.Errorf("%s: the step %s has a parameter: %s", name, step, sql)
				}
			}
		}
	}
}

func TestSpecOfBooked(t *testing.T) {
	sample := specs()["booked"]
	text, err := report.Spec(sample.c, sample.o)
	if err != nil {
		t.Fatal(err)
	}
	s, err := parseSpec(text)
	if err != nil {
		t.Fatal(err)
	}
	const update = "UPDATE app.seats\nSET status = 'booked', booked_by = '%s'\nWHERE id = '7'\nRETURNING id, status;"
	want := isolationSpec{
		setups:   []string{seatsSchema + ";", sample.c.Fixture},
		teardown: "DROP SCHEMA IF EXISTS app CASCADE;",
		sessions: []isolationSession{
			{name: "s0", order: []string{"s0_1", "s0_2", "s0_3"}, steps: map[string]string{
				"s0_1": "BEGIN;", "s0_2": "/* table.seats.transitions.status.book */ " + fmt.Sprintf(update, "ann"), "s0_3": "COMMIT;",
			}},
			{name: "s1", order: []string{"s1_1"}, steps: map[string]string{
				"s1_1": "/* table.seats.transitions.status.book */ " + fmt.Sprintf(update, "bob"),
			}},
			{name: "after", order: []string{"after_1"}, steps: map[string]string{"after_1": "SELECT * FROM app.seats ORDER BY 1;"}},
		},
		permutation: [][]string{{"s0_1", "s0_2", "s1_1", "s0_3", "after_1"}},
	}
	if diff := cmp.Diff(want, s, cmp.AllowUnexported(isolationSpec{}, isolationSession{})); diff != "" {
		t.Error(diff)
	}
}

// A brace ends a block wherever it stands, so none may be left in SQL, and what
// the SQL says may not change.
func TestSpecSpellsBraces(t *testing.T) {
	conn := connect(t)
	for _, sql := range []string{
		`SELECT '{}'`, `SELECT 'a\}b'`, `SELECT E'a\\}b\}c\n'`, `SELECT e'}'`, `SELECT $x$ {}' \ $x$`, `SELECT $$}$$ || '}'`,
		`SELECT 1 AS "a}\b"`, `SELECT U&'\0041}'`, `SELECT 1 AS U&"\0041}"`, "SELECT 1 -- }", "SELECT /* { } /* } */ } */ 1",
		`SELECT '{1,2}'::int[]`, `SELECT name'}'`,
	} {
		c := &verify.Counterexample{Run: &explore.Run{Steps: []explore.Step{{Kind: explore.Statement, SQL: sql}}}}
		text, err := report.Spec(c, report.SpecOptions{})
		if err != nil {
			t.Errorf("%s: %v", sql, err)
			continue
		}
		s, err := parseSpec(text)
		if err != nil {
			t.Errorf("%s: %v in:\n%s", sql, err, text)
			continue
		}
		if want, got := query(t, conn, sql), query(t, conn, s.sessions[0].steps["s0_1"]); want != got {
			t.Errorf("%s became %s, which says %s in place of %s", sql, s.sessions[0].steps["s0_1"], got, want)
		}
	}
}

// Arguments are literals where parameters stood, and nowhere else.
func TestSpecReplacesParameters(t *testing.T) {
	conn := connect(t)
	const sql = `SELECT $1::int - $2::int, $3::text, '$1', "$1", $tag$ $1 $tag$, $4::text IS NULL, $10::text /* $1 */ FROM (SELECT 1 AS "$1") t -- $1`
	args := []string{"3", "-4", reporttest.Hostile, "NULL", "", "", "", "", "", `it's \ "q" }`}
	c := &verify.Counterexample{Run: &explore.Run{Steps: []explore.Step{{Kind: explore.Statement, SQL: sql, Args: args}}}}
	text, err := report.Spec(c, report.SpecOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := parseSpec(text)
	if err != nil {
		t.Fatalf("%v in:\n%s", err, text)
	}
	want := fmt.Sprintf("[7 %s $1 1  $1  true %s]", args[2], args[9])
	if got := query(t, conn, s.sessions[0].steps["s0_1"]); !strings.HasPrefix(got, want) {
		t.Errorf("%s returned\n%q, want\n%q", s.sessions[0].steps["s0_1"], got, want)
	}
}

// Arrays are spelled so that a reader sees them, and PostgreSQL the same ones.
func TestSpecSpellsArrays(t *testing.T) {
	conn := connect(t)
	for arg, want := range map[string]string{
		`{1,2}`: `ARRAY['1', '2']::text[]`, `{}`: `ARRAY[]::text[]`, `{NULL,"NULL"}`: `ARRAY[NULL, 'NULL']::text[]`,
		`{"a b","c\\"d\\\\"}`: "", `{"}","it's, {"}`: "", `{{1,2},{3,4}}`: "", `{a b}`: "", `[0:1]={1,2}`: "",
	} {
		c := &verify.Counterexample{Run: &explore.Run{Steps: []explore.Step{{Kind: explore.Statement, SQL: "SELECT $1::text[] AS a", Args: []string{arg}}}}}
		text, err := report.Spec(c, report.SpecOptions{})
		if err != nil {
			t.Fatal(err)
		}
		s, err := parseSpec(text)
		if err != nil {
			t.Fatalf("%v in:\n%s", err, text)
		}
		got := s.sessions[0].steps["s0_1"]
		if want != "" && got != "SELECT "+want+" AS a;" {
			t.Errorf("%s became %s, want %s", arg, got, want)
		}
		if same, other := query(t, conn, "SELECT "+literal(arg)+"::text[] AS a"), query(t, conn, got); same != other {
			t.Errorf("%s became %s, which is %s and not %s", arg, got, other, same)
		}
	}
}

func literal(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// The statements of a batch each begin with $1.
func TestSpecReplacesParametersOfABatch(t *testing.T) {
	c := &verify.Counterexample{Run: &explore.Run{Steps: []explore.Step{{
		Kind: explore.Statement, SQL: "SELECT $2, $1;\nSELECT 1;\nSELECT $1 || ';' || $1", Args: []string{"a", "b", "c"},
	}}}}
	text, err := report.Spec(c, report.SpecOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := parseSpec(text)
	if err != nil {
		t.Fatal(err)
	}
	const want = "SELECT 'b', 'a';\nSELECT 1;\nSELECT 'c' || ';' || 'c';"
	if got := s.sessions[0].steps["s0_1"]; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestSpecRefusesWhatCannotBeSent(t *testing.T) {
	for _, sql := range []string{`copy app.seats ("id") from stdin`, "SELECT }", "SELECT '\x00'"} {
		c := &verify.Counterexample{ID: "x", Run: &explore.Run{Steps: []explore.Step{{Kind: explore.Statement, SQL: sql}}}}
		if _, err := report.Spec(c, report.SpecOptions{}); !errors.Is(err, report.ErrNotExportable) {
			t.Errorf("%q: %v", sql, err)
		}
	}
	if _, err := report.Spec(&verify.Counterexample{}, report.SpecOptions{}); !errors.Is(err, report.ErrNotExportable) {
		t.Errorf("no run: %v", err)
	}
}

// PostgreSQL's own tool runs what is exported, and sees what pawl saw.
func TestIsolationtesterRunsSpecs(t *testing.T) {
	tools, err := filepath.Glob("/usr/lib/postgresql/*/lib/pgxs/src/test/isolation/isolationtester")
	if err != nil || len(tools) == 0 {
		t.Skip("no isolationtester is installed: it comes with Debian's postgresql-NN")
	}
	for name, want := range map[string][]string{
		"booked": {
			"starting permutation: s0_1 s0_2 s1_1 s0_3 after_1",
			"booked_by = 'bob'", "<waiting ...>", "step s1_1: <... completed>", "7|booked", "step after_1:", "7|booked|bob",
		},
		"gated": {
			"<waiting ...>", "step s1_1:", "step go_s0_1:", "step s0_1: <... completed>",
		},
	} {
		t.Run(name, func(t *testing.T) {
			sample := specs()[name]
			text, err := report.Spec(sample.c, sample.o)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, tools[len(tools)-1], pgtest.URL(t))
			cmd.Stdin = strings.NewReader(text)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v:\n%s", err, out)
			}
			rest := string(out)
			for _, part := range want {
				_, after, found := strings.Cut(rest, part)
				if !found {
					t.Fatalf("%q is missing, after what came before it, in:\n%s", part, out)
				}
				rest = after
			}
			if strings.Contains(string(out), "invalid permutation") || strings.Contains(string(out), "WARNING") {
				t.Errorf("isolationtester complains:\n%s", out)
			}
		})
	}
}
