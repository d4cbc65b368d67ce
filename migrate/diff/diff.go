package diff

import (
	"slices"

	"github.com/pawldb/pawl/compiler/ir"
)

// Diff lists the changes that lead from have to want, in an order in which
// PostgreSQL accepts them: foreign keys that stand in the way go first; then
// come types, functions, tables, columns, indexes and constraints, foreign keys
// and triggers; and last goes what nothing needs any more. Cycles of tables are
// fine. Equal schemas have no changes.
//
// Three kinds of changes stand next to each other on purpose. An object's drop
// directly followed by a creation of the same name is one that is made anew. A
// DropEnum followed by a CreateEnum is an enum that lost values or changed
// their order. And around the new type of a column stand the drops and the
// creations of what PostgreSQL cannot carry over to it.
//
// Schemas (namespaces) and extensions are never dropped: others may use them.
func Diff(have, want *ir.Schema) []ir.Change {
	d := newDiffer(have, want)
	return slices.Concat(
		d.dropForeignKeys(),
		d.namespaces(),
		d.enums(),
		d.functions(),
		d.newTables(),
		d.columns(),
		d.constraints(),
		d.foreignKeys(),
		d.triggers(),
		d.dropFromTables(),
		d.replantForeignKeys(),
		d.dropTables(),
		d.dropFunctions(),
		d.dropEnums(),
	)
}

// differ holds the two sides, tables paired up.
type differ struct {
	have, want *ir.Schema
	both       []pair      // in the order of want
	added      []*ir.Table // in the order of want
	dropped    []*ir.Table // in the order of have
}

// pair is one table on both sides.
type pair struct {
	have, want *ir.Table
	ref        ir.TableRef
	retyped    bool // a column gets another type
}

func newDiffer(have, want *ir.Schema) *differ {
	d := &differ{have: have, want: want}
	old := map[ir.TableRef]*ir.Table{}
	for i := range have.Tables {
		old[have.Tables[i].Ref()] = &have.Tables[i]
	}
	for i := range want.Tables {
		t := &want.Tables[i]
		if was, ok := old[t.Ref()]; ok {
			d.both = append(d.both, pair{was, t, t.Ref(), retyped(was, t)})
			delete(old, t.Ref())
		} else {
			d.added = append(d.added, t)
		}
	}
	for i := range have.Tables {
		if t := &have.Tables[i]; old[t.Ref()] == t {
			d.dropped = append(d.dropped, t)
		}
	}
	return d
}

// lookup finds an element of a list by its identity.
func lookup[T any](list []T, is func(T) bool) (T, bool) {
	if i := slices.IndexFunc(list, is); i >= 0 {
		return list[i], true
	}
	var none T
	return none, false
}

func (d *differ) namespaces() (changes []ir.Change) {
	for _, n := range d.want.Namespaces {
		if _, ok := lookup(d.have.Namespaces, func(h ir.Namespace) bool { return h.Name == n.Name }); !ok {
			changes = append(changes, ir.CreateNamespace{Namespace: n})
		}
	}
	for _, e := range d.want.Extensions {
		if _, ok := lookup(d.have.Extensions, func(h ir.Extension) bool { return h.Name == e.Name }); !ok {
			changes = append(changes, ir.CreateExtension{Extension: e})
		}
	}
	return changes
}

func (d *differ) functions() (changes []ir.Change) {
	for _, f := range d.want.Functions {
		was, ok := lookup(d.have.Functions, sameFunction(f))
		if !ok || was.Printed != f.Printed {
			changes = append(changes, ir.ReplaceFunction{Function: f, Exists: ok})
		}
	}
	return changes
}

func (d *differ) dropFunctions() (changes []ir.Change) {
	for _, f := range d.have.Functions {
		if _, ok := lookup(d.want.Functions, sameFunction(f)); !ok {
			changes = append(changes, ir.DropFunction{Function: f})
		}
	}
	return changes
}

func sameFunction(f ir.Function) func(ir.Function) bool {
	return func(g ir.Function) bool { return f.Schema == g.Schema && f.Name == g.Name }
}

func (d *differ) newTables() (changes []ir.Change) {
	for _, t := range d.added {
		changes = append(changes, ir.CreateTable{Table: *t})
		for _, index := range t.Indexes {
			changes = append(changes, ir.CreateIndex{Table: t.Ref(), Index: index})
		}
		for _, trigger := range t.Triggers {
			changes = append(changes, ir.CreateTrigger{Table: t.Ref(), Trigger: trigger})
		}
	}
	return changes
}

func (d *differ) dropTables() (changes []ir.Change) {
	for _, t := range d.dropped {
		changes = append(changes, ir.DropTable{Table: *t})
	}
	return changes
}
