package compiler

import (
	"slices"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
)

// ruleCascades names every foreign key whose actions write what a rule looks at: the
// writer of the parent has to be serializable then, and may not know.
func (c *compilation) ruleCascades(r *rule) {
	seen := map[*reference]bool{}
	for _, o := range r.on {
		for _, ref := range o.parents {
			c.ruleCascade(r, o, ref, columnList(o.columns), seen)
		}
	}
}

// ruleCascade names a foreign key whose actions write some columns, or delete rows,
// and those whose actions lead to it.
func (c *compilation) ruleCascade(r *rule, o *ruled, ref *reference, columns []string, seen map[*reference]bool) {
	if seen[ref] {
		return
	}
	deletes := ref.schema.OnDelete == ir.Cascade && !o.groups
	clears := (ref.schema.OnDelete == ir.SetNull || ref.schema.OnDelete == ir.SetDefault) && overlap(ref.columns, columns)
	if deletes || clears {
		seen[ref] = true
		c.ruleCascaded(r, o, ref, ref.decl.OnDelete, "DELETE", ref.schema.OnDelete)
		if deletes {
			for _, above := range ref.parent.parents {
				c.ruleCascadeAbove(r, o, above, seen)
			}
		}
	}
	if a := ref.schema.OnUpdate; (a == ir.Cascade || a == ir.SetNull || a == ir.SetDefault) && overlap(ref.columns, columns) {
		seen[ref] = true
		c.ruleCascaded(r, o, ref, ref.decl.OnUpdate, "UPDATE", a)
	}
}

// ruleCascadeAbove names the foreign keys by which a DELETE further up comes down.
func (c *compilation) ruleCascadeAbove(r *rule, o *ruled, ref *reference, seen map[*reference]bool) {
	if seen[ref] || ref.schema.OnDelete != ir.Cascade {
		return
	}
	seen[ref] = true
	c.ruleCascaded(r, o, ref, ref.decl.OnDelete, "DELETE", ref.schema.OnDelete)
	for _, above := range ref.parent.parents {
		c.ruleCascadeAbove(r, o, above, seen)
	}
}

func (c *compilation) ruleCascaded(r *rule, o *ruled, ref *reference, v dsl.Value[string], event string, action ir.Action) {
	c.finding(slices.Concat(r.decl.Allow, ref.decl.Allow), diag.Diagnostic{
		Severity: diag.Warning,
		Code:     diag.RuleCascade,
		Detail: "ON " + event + " " + string(action) + " of foreign_key " + quote(ref.decl.Name.Text) + " of " + quote(ref.child.label) + " writes rows of " +
			quote(o.label) + ", which the rule " + quote(r.label) + " looks at.",
		Subject: v.Range,
		Label:   "writes what a rule looks at",
		Related: []diag.Related{{Range: r.decl.Header, Text: "the rule"}},
		Consequence: "Whoever sends " + event + " for a row of " + quote(ref.parent.label) + " is refused at a weaker level than SERIALIZABLE (PW007), although " +
			"the statement does not name " + quote(o.label) + ". Generated code takes that level.",
		Help: `"restrict" keeps the two apart, or ` + allowHint(diag.RuleCascade, "all who do this are serializable"),
	})
}

// ruleIndexes warns about a table of a rule that is read whole.
func (c *compilation) ruleIndexes(r *rule) {
	if len(r.args) == 0 {
		return // the rule is about the whole table
	}
	for i, o := range r.on {
		names := columnList(o.group)
		if slices.ContainsFunc(o.indexed, func(lead []string) bool { return len(lead) > 0 && slices.Contains(names, lead[0]) }) {
			continue
		}
		c.finding(r.decl.Allow, diag.Diagnostic{
			Severity: diag.Warning,
			Code:     diag.RuleIndex,
			Detail:   "No index of " + quote(o.label) + " begins with " + or(quoted(names)) + ".",
			Subject:  r.decl.On[i].Table.Range,
			Label:    "read whole",
			Consequence: "The query reads all of " + quote(o.label) + ", and PostgreSQL notes the whole table as read: every two transactions that write it at the same " +
				"time, of whatever group, meet, and one of them gets 40001.",
			Help: "index \"by_" + names[0] + "\" { columns = [" + strings.Join(names, ", ") + "] }, or " + allowHint(diag.RuleIndex, "the table has a handful of rows"),
		})
	}
}
