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
// Some changes stand next to each other on purpose. An object's drop directly
// followed by a creation of the same name is one that is made anew; followed by
// a creation of another name that says the same, it is one that gets another
// name. A DropEnum followed by a CreateEnum is an enum that lost values or
// changed their order, and a DropDomain followed by a CreateDomain one that would
// have to be made of another type. Around the new type of a column stand the drops and the
// creations of what PostgreSQL cannot carry over to it. And around the end of a
// key stand the drops and creations of the foreign keys that rest on it.
//
// Schemas (namespaces) and extensions are never dropped: others may use them.
//
// uses says which columns what stands mentions, so that the new type of a column
// disturbs nothing else; nil when that is not known, and everything on the table
// may mention it.
func Diff(have, want *ir.Schema, uses Uses) []ir.Change {
	d := newDiffer(have, want, uses)
	return slices.Concat(
		d.dropLeftovers(),
		d.dropForeignKeys(),
		d.namespaces(),
		d.enums(),
		d.domains(),
		d.functions(),
		d.newTables(),
		d.columns(),
		d.constraints(),
		d.transplants(),
		d.foreignKeys(),
		d.triggers(),
		d.dropFromTables(),
		d.dropTables(),
		d.dropFunctions(),
		d.dropFromDomains(),
		d.dropDomains(),
		d.dropEnums(),
	)
}

// Uses lists the columns that a constraint, an index or a trigger mentions.
type Uses map[ir.ObjectID][]ir.ObjectID

// differ holds the two sides, tables paired up.
type differ struct {
	have, want *ir.Schema
	uses       Uses
	both       []pair      // in the order of want
	added      []*ir.Table // in the order of want
	dropped    []*ir.Table // in the order of have
}

// pair is one table on both sides.
type pair struct {
	have, want *ir.Table
	ref        ir.TableRef
	uses       Uses
	retyped    []string                 // columns that get another type
	renamed    map[string]item          // what stands and only gets another name: its wanted form, by the old key
	keys       map[string]ir.ForeignKey // the same of foreign keys, by the old name
}

func newDiffer(have, want *ir.Schema, uses Uses) *differ {
	d := &differ{have: have, want: want, uses: uses}
	old := map[ir.TableRef]*ir.Table{}
	for i := range have.Tables {
		old[have.Tables[i].Ref()] = &have.Tables[i]
	}
	for i := range want.Tables {
		t := &want.Tables[i]
		if was, ok := old[t.Ref()]; ok {
			d.both = append(d.both, newPair(was, t, uses))
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

func newPair(have, want *ir.Table, uses Uses) pair {
	return pair{
		have: have, want: want, ref: want.Ref(), uses: uses, retyped: retyped(have, want),
		renamed: renamedItems(items(have), items(want)), keys: renamedKeys(have.ForeignKeys, want.ForeignKeys),
	}
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
			changes = append(changes, ir.ReplaceFunction{Function: f, Exists: ok, Was: was})
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
