package diff

import (
	"slices"

	"github.com/pawldb/pawl/compiler/ir"
)

func (d *differ) enums() (changes []ir.Change) {
	for _, e := range d.want.Enums {
		was, ok := lookup(d.have.Enums, sameEnum(e))
		switch {
		case !ok:
			changes = append(changes, ir.CreateEnum{Enum: e})
		case subsequence(was.Values, e.Values):
			changes = append(changes, newValues(was, e)...)
			if was.Comment != e.Comment {
				changes = append(changes, ir.SetEnumComment{Enum: e, From: was.Comment, To: e.Comment})
			}
		default:
			changes = append(changes, ir.DropEnum{Enum: was}, ir.CreateEnum{Enum: e})
		}
	}
	return changes
}

func (d *differ) dropEnums() (changes []ir.Change) {
	for _, e := range d.have.Enums {
		if _, ok := lookup(d.want.Enums, sameEnum(e)); !ok {
			changes = append(changes, ir.DropEnum{Enum: e})
		}
	}
	return changes
}

func sameEnum(e ir.Enum) func(ir.Enum) bool {
	return func(f ir.Enum) bool { return e.Schema == f.Schema && e.Name == f.Name }
}

// newValues places each value of to that from lacks beside a neighbour that is
// there when its turn comes.
func newValues(from, to ir.Enum) (changes []ir.Change) {
	for i, value := range to.Values {
		if slices.Contains(from.Values, value) {
			continue
		}
		add := ir.AddEnumValue{Enum: to, Value: value}
		switch {
		case i > 0:
			add.After = to.Values[i-1]
		case len(from.Values) > 0:
			add.Before = from.Values[0]
		}
		changes = append(changes, add)
	}
	return changes
}

// subsequence reports whether all of part stands in whole, in part's order.
func subsequence(part, whole []string) bool {
	for _, value := range whole {
		if len(part) > 0 && part[0] == value {
			part = part[1:]
		}
	}
	return len(part) == 0
}
