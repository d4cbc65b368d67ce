package diff

import "github.com/pawldb/pawl/compiler/ir"

func (d *differ) triggers() (changes []ir.Change) {
	for _, p := range d.both {
		for _, g := range p.want.Triggers {
			changes = append(changes, p.trigger(g)...)
		}
	}
	return changes
}

func (p pair) trigger(now ir.Trigger) []ir.Change {
	create := ir.CreateTrigger{Table: p.ref, Trigger: now}
	was, ok := lookup(p.have.Triggers, sameTrigger(now))
	switch {
	case !ok:
		return []ir.Change{create}
	case p.triggerMoves(was):
		return nil // made anew around the column's new type
	case was.Printed != now.Printed:
		return []ir.Change{ir.DropTrigger{Table: p.ref, Trigger: was}, create}
	case was.Disabled:
		return []ir.Change{ir.EnableTrigger{Table: p.ref, Trigger: now}}
	}
	return nil
}

func sameTrigger(g ir.Trigger) func(ir.Trigger) bool {
	return func(h ir.Trigger) bool { return g.Name == h.Name }
}
