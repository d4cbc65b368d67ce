package compiler

import (
	"maps"
	"slices"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
)

// relocations reads the moved blocks. It needs to know all that is declared.
func (c *compilation) relocations() {
	known := c.addresses()
	var blocks []*dsl.Moved
	from, to := map[string]*dsl.Moved{}, map[string]*dsl.Moved{}
	for _, m := range c.spec.Moved {
		if m.From != nil && m.To != nil && c.movable(m, known) && c.movedOnce(m, from, to) {
			from[m.From.Text], to[m.To.Text] = m, m
			blocks = append(blocks, m)
		}
	}
	circular := false
	for _, m := range blocks {
		circular = c.endless(m, from) || circular
		moved := ir.Moved{From: m.From.Text, To: m.To.Text, Pos: pos(m.Header)}
		if m.To.Type == "value" {
			moved.Value, moved.Enum, moved.FromLabel, moved.ToLabel = true, m.To.Within, m.From.Label, m.To.Label
		}
		c.program.Moved = append(c.program.Moved, moved)
	}
	sortByName(c.program.Moved, func(m ir.Moved) string { return m.From })
	if !circular {
		for _, m := range blocks {
			c.arrives(m, known)
		}
	}
}

// arrives checks where the moves lead, all together.
func (c *compilation) arrives(m *dsl.Moved, known map[string]bool) {
	if !exists(known, c.program.Address(m.To.Text)) {
		c.moveReport(m.To, "Nothing is declared at "+m.To.Text+".",
			"What stands for "+m.From.Text+" would belong to nothing, and be dropped.",
			didYouMean(m.To.Text, slices.Sorted(maps.Keys(known)), "declare it, or remove the block"))
		return
	}
	if now := c.program.Address(m.From.Within); now != c.program.Address(m.To.Within) {
		c.moveReport(m.To, m.From.Text+" stands in "+now+", and "+m.To.Text+" in "+m.To.Within+".",
			"PostgreSQL gives it another name where it stands, and cannot take it anywhere else.",
			"add the new one, copy the values, then drop the old one; or move the table too: moved { from = "+m.From.Within+" … }")
	}
}

// addresses are the addresses of all that has one, values of enums included.
func (c *compilation) addresses() map[string]bool {
	known := map[string]bool{}
	for _, o := range c.program.Schema.Objects() {
		known[o.Origin.Address] = true
	}
	for _, i := range c.program.Invariants {
		known[i.Facts().Address] = true
	}
	for _, e := range c.program.Schema.Enums {
		for _, v := range e.Values {
			known[under(e.Origin.Address, "value", v)] = true
		}
	}
	return known
}

// exists reports whether something is declared at an address, or in it.
func exists(known map[string]bool, address string) bool {
	if known[address] {
		return true
	}
	for a := range known {
		if ir.Below(a, address) {
			return true
		}
	}
	return false
}

// movable checks a moved block by itself.
func (c *compilation) movable(m *dsl.Moved, known map[string]bool) bool {
	switch from, to := m.From, m.To; {
	case from.Text == to.Text:
		c.moveReport(to, "Both addresses are "+from.Text+".", "The block would say nothing.", "remove it")
	case from.Type != to.Type:
		c.moveReport(to, from.Text+" is no "+to.Type+".",
			"They are different things in the database: one cannot be renamed into the other.",
			"declare the new one and drop the old one; no moved block is needed for that")
	case exists(known, from.Text):
		c.moveReport(from, from.Text+" is still declared.",
			"What stands for it cannot belong to two declarations.",
			"remove the block, or what is declared there")
	default:
		return true
	}
	return false
}

// movedOnce refuses two blocks that give one thing two new addresses, or one
// address to two things.
func (c *compilation) movedOnce(m *dsl.Moved, from, to map[string]*dsl.Moved) bool {
	if first := from[m.From.Text]; first != nil {
		c.moveAgain(first, m.From, m.From.Text+" is moved twice.", "It cannot become two things.")
		return false
	}
	if first := to[m.To.Text]; first != nil {
		c.moveAgain(first, m.To, m.From.Text+" and "+first.From.Text+" would both become "+m.To.Text+".",
			"One of the two would be dropped with all that is in it.")
		return false
	}
	return true
}

func (c *compilation) moveAgain(first *dsl.Moved, at *dsl.Address, detail, consequence string) {
	c.report(diag.Diagnostic{
		Code: diag.MovedAddress, Detail: detail, Subject: at.Range, Consequence: consequence,
		Related: []diag.Related{{Range: first.Header, Text: "the other block"}}, Help: "remove one of the two blocks",
	})
}

// endless reports a circle of moves, once, at the block of it that stands last.
func (c *compilation) endless(m *dsl.Moved, from map[string]*dsl.Moved) bool {
	circle := map[*dsl.Moved]bool{}
	last := m
	for next := from[m.To.Text]; next != nil && !circle[next]; next = from[next.To.Text] {
		circle[next] = true
		if before(last.Header, next.Header) {
			last = next
		}
	}
	if circle[m] && last == m {
		c.moveReport(m.To, "The moved blocks lead in a circle, back to "+m.To.Text+".",
			"Nobody could say what the thing is called in the end.",
			"remove the block that is not meant; names cannot be exchanged in one apply")
	}
	return circle[m]
}

func (c *compilation) moveReport(at *dsl.Address, detail, consequence, help string) {
	c.report(diag.Diagnostic{Code: diag.MovedAddress, Detail: detail, Subject: at.Range, Consequence: consequence, Help: help})
}
