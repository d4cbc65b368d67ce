package isolation

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

// scenario is a file of testdata: a txtar archive whose comment says what is to
// be seen and where it comes from, with these sections.
//
//	-- setup --     a script, once
//	-- reset --     a script before every schedule
//	-- steps --     lines that all cases share
//	-- case NAME -- the lines of a case; see [scenario.line]
//	-- transcript NAME --        what happened in the case, written by -update
//	-- transcript NAME on 18 --  the same on another major, where it differs
type scenario struct {
	path    string
	archive *txtar.Archive
	since   int // the first major that knows the syntax
	setup   string
	reset   string
	cases   []testCase
}

// testCase is one case: schedules and what must be seen in them.
type testCase struct {
	name      string
	schedules []schedule
}

// schedule is one order of steps, or all orders of some clients' steps.
type schedule struct {
	line    string // as it is written: order: a1 b1 a2
	all     bool
	order   []string // of one order
	clients []client
	final   string // a query for the end; may be empty
	expects []string
}

// client is a session: a letter, and its steps in the order in which it takes them.
type client struct {
	name  string
	steps []step
}

// step is one step of a client: a script that is sent as a whole.
type step struct{ name, sql string }

// reading is the state in which the lines of a case are read.
type reading struct {
	words     map[string]string // what stands for {word}
	steps     map[string]string
	final     string
	schedules []schedule
}

func readScenario(path string) (*scenario, error) {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		return nil, err
	}
	s := &scenario{path: path, archive: archive}
	if _, since, ok := strings.Cut(string(archive.Comment), "\nSince: "); ok {
		if s.since, err = strconv.Atoi(strings.TrimSpace(since)); err != nil {
			return nil, fmt.Errorf("%s: Since: wants a major version at the end of the comment: %w", path, err)
		}
	}
	if !strings.Contains(string(archive.Comment), "\nSource: ") {
		return nil, fmt.Errorf("%s: the comment names no Source:", path)
	}
	shared := reading{words: map[string]string{}, steps: map[string]string{}}
	for _, f := range archive.Files {
		name, isCase := strings.CutPrefix(f.Name, "case ")
		switch {
		case f.Name == "setup":
			s.setup = string(f.Data)
		case f.Name == "reset":
			s.reset = string(f.Data)
		case f.Name == "steps":
			err = shared.read(string(f.Data))
		case isCase:
			own := reading{words: maps.Clone(shared.words), steps: maps.Clone(shared.steps), final: shared.final}
			err = own.read(string(f.Data))
			s.cases = append(s.cases, testCase{name: name, schedules: own.schedules})
		case !strings.HasPrefix(f.Name, "transcript "):
			err = fmt.Errorf("no section is called %q", f.Name)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", path, f.Name, err)
		}
	}
	return s, s.orphan()
}

var onMajor = regexp.MustCompile(` on [0-9]+$`)

// orphan complains about a transcript that belongs to no case: nothing would ever
// be held against it.
func (s *scenario) orphan() error {
	for _, f := range s.archive.Files {
		name, ok := strings.CutPrefix(f.Name, "transcript ")
		name = onMajor.ReplaceAllString(name, "")
		if ok && !slices.ContainsFunc(s.cases, func(c testCase) bool { return c.name == name }) {
			return fmt.Errorf("%s: %s: there is no such case", s.path, f.Name)
		}
	}
	return nil
}

func (r *reading) read(lines string) error {
	for line := range strings.Lines(lines) {
		if err := r.line(strings.TrimSpace(line)); err != nil {
			return fmt.Errorf("%q: %w", line, err)
		}
	}
	return nil
}

var stepName = regexp.MustCompile(`^[a-z][0-9]+$`)

// line reads one line of a case.
//
//	a1: SQL            the step of client a that orders call a1
//	final: SQL         a query for the end of every schedule that follows
//	order: a1 b1 a2    a schedule of these steps, in this order
//	all: a1 a2, b1     every schedule in which each client takes its steps in turn
//	expect: ...        what must be seen in the schedule above it; see expectation
//	word: TEXT         what {word} stands for in the SQL of schedules that follow
func (r *reading) line(line string) error {
	key, value, ok := strings.Cut(line, ": ")
	switch {
	case line == "":
		return nil
	case !ok:
		return fmt.Errorf("a line is a key, a colon, a blank and a value")
	case key == "order" || key == "all":
		return r.schedule(line, key == "all", value)
	case key == "expect":
		if len(r.schedules) == 0 {
			return fmt.Errorf("no order stands above it")
		}
		last := &r.schedules[len(r.schedules)-1]
		last.expects = append(last.expects, value)
	case key == "final":
		r.final = value
	case stepName.MatchString(key):
		r.steps[key] = value
	default:
		r.words[key] = value
	}
	return nil
}

func (r *reading) schedule(line string, all bool, value string) error {
	s := schedule{line: line, all: all}
	s.order = strings.Fields(strings.ReplaceAll(value, ",", " "))
	var err error
	if s.final, err = r.fill(r.final); err != nil {
		return err
	}
	for _, name := range s.order {
		text, ok := r.steps[name]
		if !ok {
			return fmt.Errorf("there is no step %s", name)
		}
		sql, err := r.fill(text)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(s.clients, func(c client) bool { return c.name == name[:1] })
		if i < 0 {
			i = len(s.clients)
			s.clients = append(s.clients, client{name: name[:1]})
		}
		s.clients[i].steps = append(s.clients[i].steps, step{name: name, sql: sql})
	}
	slices.SortFunc(s.clients, func(a, b client) int { return strings.Compare(a.name, b.name) })
	r.schedules = append(r.schedules, s)
	return nil
}

var word = regexp.MustCompile(`\{[a-z]+\}`)

// fill puts words into a text.
func (r *reading) fill(text string) (string, error) {
	for range 2 { // a word may hold others
		text = word.ReplaceAllStringFunc(text, func(w string) string {
			if by, ok := r.words[w[1:len(w)-1]]; ok {
				return by
			}
			return w
		})
	}
	if w := word.FindString(text); w != "" {
		return "", fmt.Errorf("nothing says what %s is", w)
	}
	return text, nil
}

// section returns the text of a section, and whether there is one.
func (s *scenario) section(name string) (string, bool) {
	for _, f := range s.archive.Files {
		if f.Name == name {
			return string(f.Data), true
		}
	}
	return "", false
}

// write puts a section into the file: behind the others, or in its old place. An
// empty text takes it away.
func (s *scenario) write(name, text string) {
	files := s.archive.Files
	i := slices.IndexFunc(files, func(f txtar.File) bool { return f.Name == name })
	switch {
	case text == "" && i >= 0:
		s.archive.Files = slices.Delete(files, i, i+1)
	case text == "":
	case i >= 0:
		files[i].Data = []byte(text)
	default:
		s.archive.Files = append(files, txtar.File{Name: name, Data: []byte(text)})
	}
}

// name is the file's name without its extension.
func (s *scenario) name() string { return strings.TrimSuffix(filepath.Base(s.path), ".txt") }
