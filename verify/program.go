package verify

import (
	"slices"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// index finds the parts of a program by what names them.
type index struct {
	program      *ir.Program
	tables       map[ir.TableRef]*ir.Table
	repositories map[ir.TableRef]*ir.Repository
	operations   map[string]*ir.Operation
	home         map[string]ir.TableRef // of operations, by address
}

func newIndex(p *ir.Program) *index {
	x := &index{
		program: p, tables: map[ir.TableRef]*ir.Table{},
		repositories: map[ir.TableRef]*ir.Repository{}, operations: map[string]*ir.Operation{},
		home: map[string]ir.TableRef{},
	}
	for i := range p.Schema.Tables {
		x.tables[p.Schema.Tables[i].Ref()] = &p.Schema.Tables[i]
	}
	for i := range p.Repositories {
		r := &p.Repositories[i]
		ref := ir.TableRef{Schema: r.Schema, Name: r.Table}
		x.repositories[ref] = r
		for _, op := range r.Operations {
			x.home[op.Address] = ref
		}
	}
	for op := range p.Operations() {
		x.operations[op.Address] = op
	}
	return x
}

// operation is the one of a kind on a table; nil when it has none.
func (x *index) operation(t ir.TableRef, kind ir.OperationKind) *ir.Operation {
	r := x.repositories[t]
	if r == nil || kind == ir.InsertOp && x.needsMembers(t) {
		return nil
	}
	i := slices.IndexFunc(r.Operations, func(o ir.Operation) bool { return o.Kind == kind })
	if i < 0 {
		return nil
	}
	return &r.Operations[i]
}

// made are the operations that an invariant made.
func (x *index) made(f *ir.Facts) []*ir.Operation {
	var list []*ir.Operation
	for _, address := range f.Operations {
		if op := x.operations[address]; op != nil {
			list = append(list, op)
		}
	}
	return list
}

// transaction is the limits that an operation runs under.
func (x *index) transaction(name string) ir.Transaction {
	for _, t := range x.program.Transactions {
		if t.Name == name {
			return t
		}
	}
	return ir.Transaction{Isolation: ir.ReadCommitted}
}

// key is a table's primary key, or nil.
func (x *index) key(t ir.TableRef) []string {
	if pk := x.tables[t].PrimaryKey; pk != nil {
		return pk.Columns
	}
	return nil
}

// children are the foreign keys that refer to a table, each with its table.
func (x *index) children(t ir.TableRef) []child {
	var list []child
	for ref, table := range x.tables {
		for _, k := range table.ForeignKeys {
			if k.RefSchema == t.Schema && k.RefTable == t.Name {
				list = append(list, child{ref, k})
			}
		}
	}
	slices.SortFunc(list, func(a, b child) int {
		return strings.Compare(a.table.SQL()+a.key.Name, b.table.SQL()+b.key.Name)
	})
	return list
}

// child is a foreign key and the table that has it.
type child struct {
	table ir.TableRef
	key   ir.ForeignKey
}
