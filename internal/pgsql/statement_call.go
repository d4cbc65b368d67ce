package pgsql

import (
	"slices"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v5"
	"google.golang.org/protobuf/proto"
)

// Calls returns the names of the functions that the statement calls, each once:
// folded, with its schema when that was written, in the order of the tree.
func (s *Statement) Calls() []string {
	var names []string
	for m := range nodes(s.tree) {
		if f, ok := m.(*pg.FuncCall); ok && !slices.Contains(names, calledName(f)) {
			names = append(names, calledName(f))
		}
	}
	return names
}

// WithoutCall gives, for each call of a function that Calls names, the statement
// with a constant in its place: true for pg_try_..., as if the lock were to be
// had, and NULL for all others. The names of the result's columns stay.
func (s *Statement) WithoutCall(name string) ([]Edit, error) {
	e := s.edits()
	named := make(map[*pg.Node]*pg.ResTarget) // the column whose whole value a node is
	for m := range nodes(e.tree) {
		switch x := m.(type) {
		case *pg.ResTarget:
			if x.Name == "" {
				named[x.Val] = x
			}
		case *pg.Node:
			f, ok := x.Node.(*pg.Node_FuncCall)
			if !ok || calledName(f.FuncCall) != name {
				continue
			}
			target := named[x]
			if target != nil {
				target.Name = lastName(f.FuncCall)
			}
			call := proto.Clone(x).(*pg.Node)
			x.Node = null().Node
			if strings.HasPrefix(lastName(f.FuncCall), "pg_try_") {
				x.Node = always().Node
			}
			e.add(text(call), call)
			x.Node = f
			if target != nil {
				target.Name = ""
			}
		}
	}
	return e.result()
}

// calledName returns the name of a called function, with its schema if written.
func calledName(f *pg.FuncCall) string {
	names := make([]string, 0, len(f.Funcname))
	for _, n := range f.Funcname {
		names = append(names, n.GetString_().GetSval())
	}
	return strings.Join(names, ".")
}

// lastName returns the name of a called function alone.
func lastName(f *pg.FuncCall) string {
	return f.Funcname[len(f.Funcname)-1].GetString_().GetSval()
}
