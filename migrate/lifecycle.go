package migrate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// PreventedError says that a plan would drop what lifecycle blocks keep, or make
// it mean less. Nothing was done.
type PreventedError struct{ Objects []PreventedObject }

// PreventedObject is an object that must not be dropped.
type PreventedObject struct {
	Address string // of its declaration
	// At is where the specification says prevent_destroy, or said it when it was
	// applied last.
	At   string
	Gone bool   // nothing is declared at the address any more
	Text string // what would happen
}

// Error names each object, the block that keeps it, and what to do.
func (e *PreventedError) Error() string {
	lines := make([]string, 0, 2*len(e.Objects))
	gone := false
	for _, o := range e.Objects {
		says := "says"
		if o.Gone {
			says, gone = "is declared no more, and said", true
		}
		lines = append(lines, fmt.Sprintf("%s: %s %s prevent_destroy (%s)", o.Text, o.Address, says, o.At))
	}
	if gone {
		return strings.Join(lines, "\n") + "\nDeclare it again, with prevent_destroy = false, and apply that: then it can be dropped. " +
			"A removed block with destroy = false keeps it in the database without pawl."
	}
	return strings.Join(lines, "\n") + "\nSay prevent_destroy = false there first, where that is meant."
}

// prevent refuses a plan that drops what lifecycle blocks keep. Of what is
// declared no more pawl.object remembers that they did.
func (p *planning) prevent() error {
	e := &PreventedError{}
	wanted := map[ir.ObjectID]bool{}
	for _, o := range p.objects {
		wanted[o.ID] = true
	}
	told := map[string]bool{}
	note := func(address, at string, gone bool, text string) {
		if !told[address] {
			told[address] = true
			e.Objects = append(e.Objects, PreventedObject{Address: address, At: at, Gone: gone, Text: text})
		}
	}
	for _, id := range slices.SortedFunc(maps.Keys(p.ledger.mine), p.wholesFirst) {
		r := p.ledger.mine[id]
		_, stands := p.all[id]
		if r.Prevented == "" || wanted[id] || !stands {
			continue
		}
		text := fmt.Sprintf("the %s %s would be dropped", id.Kind, id.SQL())
		// A rule that stands under another name is no drop; where it means less, a
		// hazard says so.
		holds := slices.Contains([]ir.ObjectKind{ir.TableObject, ir.ColumnObject, ir.EnumObject, ir.DomainObject}, id.Kind)
		declared := p.declares(r.Address)
		switch l, says := p.program.Prevents(r.Address); {
		case says && (holds || !declared):
			note(r.Address, l.Pos.String(), false, text)
		case !says && !declared:
			note(r.Address, r.Prevented, true, text)
		}
	}
	for _, c := range p.changes {
		if drop, ok := c.(ir.DropEnum); ok {
			if l, ok := p.program.Prevents(drop.Enum.Origin.Address); ok {
				note(l.Address, l.Pos.String(), false, "the enum "+ir.ChangeObject(c).SQL()+" would be made anew, without some of its values or in another order")
			}
		}
	}
	for _, h := range p.plan.Hazards {
		if l, ok := p.program.Prevents(h.Address); ok && (h.Kind == HazardDrop || h.Kind == HazardLossy || h.Kind == HazardWeaker) {
			note(l.Address, l.Pos.String(), false, h.Text)
		}
	}
	if len(e.Objects) > 0 {
		return e
	}
	return nil
}

// wholesFirst orders tables before what stands on them.
func (p *planning) wholesFirst(a, b ir.ObjectID) int {
	if n := rank(a.Kind) - rank(b.Kind); n != 0 {
		return n
	}
	return compareIDs(a, b)
}

// declares reports whether an object of the program has the address.
func (p *planning) declares(address string) bool {
	return slices.ContainsFunc(p.objects, func(o ir.Object) bool { return o.Origin.Address == address })
}

// ignore makes wanted what stands, in the attributes whose differences lifecycle
// blocks leave alone. What does not stand yet is made as it is declared.
func (p *planning) ignore() error {
	if !slices.ContainsFunc(p.program.Lifecycles, func(l ir.Lifecycle) bool { return len(l.Ignore) > 0 }) {
		return nil
	}
	for i := range p.want.Enums {
		e := &p.want.Enums[i]
		have, ok := find(p.owned.Enums, func(h ir.Enum) bool { return h.Schema == e.Schema && h.Name == e.Name })
		p.keepComment(ok, e.Origin, &e.Comment, have.Comment)
	}
	for i := range p.want.Domains {
		d := &p.want.Domains[i]
		have, ok := find(p.owned.Domains, func(h ir.Domain) bool { return h.Schema == d.Schema && h.Name == d.Name })
		p.keepComment(ok, d.Origin, &d.Comment, have.Comment)
	}
	for i := range p.want.Tables {
		t := &p.want.Tables[i]
		if have, ok := find(p.owned.Tables, func(h ir.Table) bool { return h.Ref() == t.Ref() }); ok {
			p.ignoreOn(t, &have)
		}
	}
	return nil
}

func (p *planning) ignoreOn(t, have *ir.Table) {
	p.keepComment(true, t.Origin, &t.Comment, have.Comment)
	for i := range t.Columns {
		c := &t.Columns[i]
		stands, ok := find(have.Columns, func(h ir.Column) bool { return h.Name == c.Name })
		p.keepComment(ok, c.Origin, &c.Comment, stands.Comment)
		if ok && slices.Contains(p.program.Ignored(c.Origin.Address), "default") {
			c.Default, c.Printed.Default = stands.Default, stands.Printed.Default
		}
	}
}

// keepComment takes over the comment of an object that stands.
func (p *planning) keepComment(stands bool, origin ir.Origin, comment *string, have string) {
	if stands && slices.Contains(p.program.Ignored(origin.Address), "comment") {
		*comment = have
	}
}

// catalogHash is what pawl.object remembers of how the catalog prints an object.
// Where differences are left alone, what stands is not what is declared, and the
// memory of it ends with that.
func catalogHash(program *ir.Program, o ir.Object, state string) string {
	if ignored := program.Ignored(o.Origin.Address); len(ignored) > 0 {
		return ir.Fingerprint([]any{state, ignored})
	}
	return ir.Fingerprint(state)
}
