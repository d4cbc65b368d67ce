package compiler

import (
	"slices"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
)

// removals reads the removed blocks. It needs to know all that is declared.
func (c *compilation) removals() {
	known := c.addresses()
	first := map[string]*dsl.Removed{}
	for _, decl := range c.spec.Removed {
		if decl.From == nil || !c.removable(decl, known, first) {
			continue
		}
		first[decl.From.Text] = decl
		removed := ir.Removed{From: decl.From.Text, Destroy: decl.Destroy.V, Pos: pos(decl.Header)}
		if decl.From.Type == singletonType && !c.leaders {
			// The terms of all leaders stand in one table.
			removed.Objects = []ir.ObjectID{{
				Kind: ir.TableObject, Schema: c.program.DefaultSchema, Table: leaderTable, Name: leaderTable,
			}}
		}
		c.program.Removed = append(c.program.Removed, removed)
	}
	sortByName(c.program.Removed, func(r ir.Removed) string { return r.From })
}

const singletonType = "singleton"

// removable refuses a block about what is declared, and a second one about the
// same.
func (c *compilation) removable(decl *dsl.Removed, known map[string]bool, first map[string]*dsl.Removed) bool {
	d := diag.Diagnostic{Code: diag.RemovedAddress, Subject: decl.From.Range}
	removed := ir.Removed{From: decl.From.Text}
	declared := make([]string, 0, 1)
	for address := range known {
		if removed.Covers(address) {
			declared = append(declared, address)
		}
	}
	switch again, moved := first[decl.From.Text], c.movedAway(decl.From.Text); {
	case len(declared) > 0:
		d.Detail = slices.Min(declared) + " is still declared."
		d.Consequence = "It would be pawl's and not pawl's: each apply would make it anew, or find it in its own way."
		d.Help = "remove the block, or what is declared there"
	case again != nil:
		d.Detail = decl.From.Text + " is removed twice."
		d.Consequence = "One of the two blocks could let go of what the other one drops."
		d.Related = []diag.Related{{Range: again.Header, Text: "the other block"}}
		d.Help = "remove one of the two blocks"
	case moved != nil:
		d.Detail = decl.From.Text + " is moved and removed."
		d.Consequence = "What a moved block gives another address is declared there, and stays: the removed block would say nothing."
		d.Related = []diag.Related{{Range: moved.Header, Text: "the moved block"}}
		d.Help = "remove one of the two blocks"
	default:
		return true
	}
	c.report(d)
	return false
}

// movedAway finds the moved block that leads away from an address.
func (c *compilation) movedAway(address string) *dsl.Moved {
	i := slices.IndexFunc(c.spec.Moved, func(m *dsl.Moved) bool { return m.From != nil && m.To != nil && m.From.Text == address })
	if i < 0 {
		return nil
	}
	return c.spec.Moved[i]
}
