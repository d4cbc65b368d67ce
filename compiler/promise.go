package compiler

import (
	"cmp"
	"slices"

	"github.com/pawldb/pawl/compiler/ir"
)

// promises lists the objects that generated code relies on: every constraint,
// every unique index, every trigger with its function, and the indexes of
// queues. An index that only makes a read fast is not among them; a service is
// right without it.
func promises(p *ir.Program) []ir.Promise {
	var list []ir.Promise
	queues := map[ir.TableRef]bool{}
	for _, r := range p.Repositories {
		if r.Queue != nil {
			queues[ir.TableRef{Schema: r.Schema, Name: r.Table}] = true
			if r.Queue.Group != nil {
				queues[r.Queue.Group.Table] = true
			}
		}
	}
	for _, t := range p.Schema.Tables {
		list = append(list, tablePromises(t, queues[t.Ref()])...)
	}
	for i := range p.Schema.Domains {
		d := &p.Schema.Domains[i]
		for _, x := range d.Checks {
			list = append(list, ir.Promise{Address: x.Origin.Address, Object: d.CheckID(x.Name), Hash: ir.Fingerprint(x)})
		}
	}
	for _, f := range p.Schema.Functions {
		list = append(list, ir.Promise{
			Address: f.Origin.Address,
			Object:  ir.ObjectID{Kind: ir.FunctionObject, Schema: f.Schema, Name: f.Name},
			Hash:    ir.Fingerprint(f),
		})
	}
	slices.SortFunc(list, func(a, b ir.Promise) int {
		return cmp.Or(cmp.Compare(a.Object.Schema, b.Object.Schema), cmp.Compare(a.Object.Table, b.Object.Table),
			cmp.Compare(a.Object.Kind, b.Object.Kind), cmp.Compare(a.Object.Name, b.Object.Name))
	})
	return list
}

func tablePromises(t ir.Table, isQueue bool) []ir.Promise {
	var list []ir.Promise
	add := func(kind ir.ObjectKind, name string, origin ir.Origin, definition any) {
		list = append(list, ir.Promise{
			Address: origin.Address,
			Object:  ir.ObjectID{Kind: kind, Schema: t.Schema, Table: t.Name, Name: name},
			Hash:    ir.Fingerprint(definition),
		})
	}
	if pk := t.PrimaryKey; pk != nil {
		add(ir.ConstraintObject, pk.Name, pk.Origin, *pk)
	}
	for _, x := range t.Uniques {
		add(ir.ConstraintObject, x.Name, x.Origin, x)
	}
	for _, x := range t.Excludes {
		add(ir.ConstraintObject, x.Name, x.Origin, x)
	}
	for _, x := range t.Checks {
		add(ir.ConstraintObject, x.Name, x.Origin, x)
	}
	for _, x := range t.ForeignKeys {
		add(ir.ConstraintObject, x.Name, x.Origin, x)
	}
	for _, x := range t.Indexes {
		if x.Unique || isQueue {
			add(ir.IndexObject, x.Name, x.Origin, x)
		}
	}
	for _, x := range t.Triggers {
		add(ir.TriggerObject, x.Name, x.Origin, x)
	}
	return list
}
