package golang

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/pawldb/pawl/compiler/ir"
)

// Problem is something in the specification that no Go can be generated for.
type Problem struct {
	Pos  ir.Pos
	Text string // what collides with what, or cannot be a name
	Help string // what to write instead
	// Internal marks a defect of this generator: Text then holds what has to be
	// reported, the source that did not parse among it.
	Internal bool
}

// owner is who has a name in a scope.
type owner struct {
	what string // table "bookings"; empty for names of our own
	pos  ir.Pos
}

// scope is one scope of the generated package, with who owns each name in it.
type scope struct {
	of       string // "package store", "struct Booking": for messages
	owners   map[string]owner
	problems *[]Problem
}

func newScope(of string, problems *[]Problem, own ...string) *scope {
	s := &scope{of: of, owners: map[string]owner{}, problems: problems}
	for _, name := range own {
		s.owners[name] = owner{}
	}
	return s
}

// claim takes a name for something that the specification declares. A name that
// is taken is a problem, whose help says how to choose another, and false.
func (s *scope) claim(name, what string, pos ir.Pos, help string) bool {
	first, taken := s.owners[name]
	if !taken {
		s.owners[name] = owner{what, pos}
		return true
	}
	holder := "a name that pawl itself generates"
	if first.what != "" {
		holder = first.what
		if first.pos.IsValid() {
			holder += " (" + first.pos.String() + ")"
		}
	}
	*s.problems = append(*s.problems, Problem{
		Pos:  pos,
		Text: fmt.Sprintf("%s needs the Go name %s in %s, which belongs to %s", what, name, s.of, holder),
		Help: help,
	})
	return false
}

// fresh takes the first free name of base, base2, base3, …: for names that users
// never write.
func (s *scope) fresh(base string) string {
	name := base
	for n := 2; s.has(name); n++ {
		name = base + strconv.Itoa(n)
	}
	s.owners[name] = owner{}
	return name
}

func (s *scope) has(name string) bool {
	_, ok := s.owners[name]
	return ok
}

// names returns the scope's names as a set.
func (s *scope) names() map[string]bool {
	m := make(map[string]bool, len(s.owners))
	for name := range s.owners {
		m[name] = true
	}
	return m
}

// localSpellings are the usual Go spellings of what is a keyword.
var localSpellings = map[string]string{
	"type": "typ", "func": "fn", "package": "pkg", "error": "failure", "string": "text", "len": "length",
}

// locals gives out names of parameters and variables inside one function, so
// that none hides a package, a predeclared name or another local.
type locals struct {
	outer map[string]bool // names of the package, shared by all its functions
	taken map[string]bool
}

// newLocals starts a function whose receiver and fixed variables are own, in a
// package with names at package level.
func newLocals(outer map[string]bool, own ...string) *locals {
	l := &locals{outer: outer, taken: map[string]bool{}}
	for _, name := range own {
		l.taken[name] = true
	}
	return l
}

// name takes a name for what the specification calls declared.
func (l *locals) name(declared string) string {
	base := lowerCamel(declared)
	if other, ok := localSpellings[base]; ok {
		base = other
	}
	name := base
	for n := 2; l.taken[name] || l.outer[name] || reservedWord(name); n++ {
		if n == 2 {
			name = base + "Value"
			continue
		}
		name = base + "Value" + strconv.Itoa(n-1)
	}
	l.taken[name] = true
	return name
}

// sortProblems orders problems by place, so that the same specification always
// reports them alike.
func sortProblems(problems []Problem) {
	slices.SortStableFunc(problems, func(a, b Problem) int {
		switch {
		case a.Pos.File != b.Pos.File:
			if a.Pos.File < b.Pos.File {
				return -1
			}
			return 1
		default:
			return a.Pos.Byte - b.Pos.Byte
		}
	})
}
