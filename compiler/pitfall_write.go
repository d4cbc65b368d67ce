package compiler

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
)

// hotKeys points out moves and adjusts that change a key which foreign keys
// could rest on. An edit is left alone: its lock is a part of what it says.
func (c *compilation) hotKeys(t *table) {
	if len(t.children) == 0 {
		return // nobody waits for the strong lock
	}
	for _, a := range t.decl.Adjusts {
		for _, s := range a.Set {
			c.hotKey(t, s.Column, a.Allow, "adjust "+quote(a.Name.Text))
		}
	}
	for _, s := range t.states {
		c.hotKey(t, s.decl.Column, s.decl.Allow, "each move of transitions "+quote(s.label))
		for _, m := range s.moves {
			for _, set := range m.decl.Set {
				c.hotKey(t, set.Column, m.decl.Allow, "move "+quote(m.decl.Name.Text))
			}
		}
	}
}

func (c *compilation) hotKey(t *table, column dsl.Name, allow []dsl.Allow, what string) {
	name, _, strong := t.strongKey([]string{column.Text})
	if !strong || t.schema.PrimaryKey != nil && name == t.schema.PrimaryKey.Name {
		return // what changes a primary key is refused
	}
	u := t.uniques[slices.IndexFunc(t.uniques, func(u *unique) bool { return u.name == name })]
	c.finding(allow, diag.Diagnostic{
		Severity: diag.Warning,
		Code:     diag.HotKey,
		Detail:   capital(what) + " changes " + quote(column.Text) + ", which stands in the key " + quote(name) + " over all rows.",
		Subject:  column.Range,
		Label:    "part of a key",
		Related:  []diag.Related{{Range: u.decl.Header, Text: "the key"}},
		Consequence: "PostgreSQL takes the strong lock (FOR UPDATE) for the write: inserts into " + and(childNames(t)) +
			" that refer to the row wait until the transaction ends, and it waits for them.",
		Help: "keep what changes often out of the key, or make the key partial: no foreign key can rest on one with `where`; or " +
			allowHint(diag.HotKey, "it rarely happens"),
	})
}

// childNames lists the tables that refer to this one, each once.
func childNames(t *table) []string {
	var names []string
	for _, r := range t.children {
		if name := quote(r.child.label); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// looseWriters is how many operations make a state column a state machine.
const looseWriters = 3

// looseStates points out state columns that many operations write and no
// transitions block governs.
func (c *compilation) looseStates(t *table) {
	for _, col := range t.columns {
		if col.governs != nil || !looksLikeState(col) {
			continue
		}
		writers := t.writersOf(col.name)
		if len(writers) < looseWriters {
			continue
		}
		c.finding(col.decl.Allow, diag.Diagnostic{
			Severity:    diag.Warning,
			Code:        diag.LooseState,
			Detail:      "The column " + quote(col.name) + " looks like a state, " + plural(len(writers), "operation") + " write it, and no transitions block says which change is legal.",
			Subject:     col.decl.Name.Range,
			Label:       "any value may follow any other",
			Related:     writers,
			Consequence: "Two of them at the same moment each decide on the state that they read: an order that is cancelled is shipped after all, and nothing refuses it.",
			Help: "transitions " + quote(col.name) + " { column = " + ir.Ident(col.name) + " … } with a move for each of them, or " +
				allowHint(diag.LooseState, "any order is right"),
		})
	}
}

// looksLikeState reports whether a column holds a state, by its name.
func looksLikeState(col *column) bool {
	if !col.known || col.typ.Kind != ir.EnumType && !isText(col) {
		return false
	}
	return slices.ContainsFunc([]string{"status", "state", "phase", "stage"}, func(word string) bool {
		return col.name == word || strings.HasSuffix(col.name, "_"+word)
	})
}

// writersOf lists the operations that write a column, as places for a message.
func (t *table) writersOf(column string) []diag.Related {
	var list []diag.Related
	note := func(what string, at hcl.Range) { list = append(list, diag.Related{Range: at, Text: what}) }
	for _, a := range t.decl.Adjusts {
		if i := assignsTo(a.Set, column); i >= 0 {
			note("adjust "+quote(a.Name.Text), a.Set[i].Column.Range)
		}
	}
	for _, e := range t.decl.Edits {
		if i := slices.IndexFunc(e.Columns, func(n dsl.Name) bool { return n.Text == column }); i >= 0 {
			note("edit "+quote(e.Name.Text), e.Columns[i].Range)
		}
	}
	for _, u := range t.decl.Upserts {
		if i := slices.IndexFunc(u.Update, func(n dsl.Name) bool { return n.Text == column }); i >= 0 {
			note("upsert "+quote(u.Name.Text), u.Update[i].Range)
		}
	}
	for _, s := range t.states {
		for _, m := range s.moves {
			if i := assignsTo(m.decl.Set, column); i >= 0 {
				note("move "+quote(m.decl.Name.Text), m.decl.Set[i].Column.Range)
			}
		}
	}
	return list
}

// assignsTo finds the assignment to a column, or -1.
func assignsTo(set []dsl.Assignment, column string) int {
	return slices.IndexFunc(set, func(a dsl.Assignment) bool { return a.Column.Text == column })
}
