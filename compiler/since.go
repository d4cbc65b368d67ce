package compiler

import (
	"slices"
	"time"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
	"github.com/pawldb/pawl/internal/pgsql"
)

// beginning is the since of an invariant, for what is looked at when everything
// about its table is known.
type beginning struct {
	table *table
	decl  dsl.Block
	since *expression
}

// covered is the predicate of an invariant: its own or the table's live, and the
// since that leaves old rows out. It is false when one of them cannot be read.
func (c *compilation) covered(t *table, decl dsl.Block, own, since *dsl.SQL) (*expression, bool) {
	where, ok := c.where(t, own)
	from, readable := c.since(t, decl, since)
	switch {
	case !ok || !readable:
		return nil, false
	case from == nil:
		return where, true
	case where == nil:
		return from, true
	}
	return &expression{Expr: pgsql.And(where.Expr, from.Expr), source: where.source, since: from.Expr}, true
}

// since reads the condition that old rows do not meet. It is nil for all rows, and
// false when it cannot be read.
func (c *compilation) since(t *table, decl dsl.Block, src *dsl.SQL) (*expression, bool) {
	if src == nil {
		return nil, true
	}
	e := c.parse(src, "since", row{table: t, condition: true})
	if e == nil {
		return nil, false
	}
	if len(e.Columns()) == 0 {
		c.report(diag.Diagnostic{
			Code:        diag.IdleSince,
			Detail:      "This since mentions no column.",
			Subject:     src.Range,
			Label:       "the same for every row",
			Consequence: "It tells no old row from a new one: all of them are covered, or none.",
			Help:        "compare a column that says how old a row is: since = \"created_at >= '2026-01-01'\"",
		})
		return nil, false
	}
	if !c.fixedMoments(t, e) {
		return nil, false
	}
	e.since = e.Expr
	c.beginnings = append(c.beginnings, beginning{t, decl, e})
	return e, true
}

// fixedMoments gives every moment in a since a zone, UTC, so that it is one
// moment in an index, in a trigger's function and in the statements of every
// client, whatever the settings of whoever runs them. It refuses what cannot be
// read without these settings.
func (c *compilation) fixedMoments(t *table, e *expression) bool {
	fixed := map[string]string{}
	for _, l := range e.Labels() {
		col := t.byName[l.Column]
		if col == nil || !col.known {
			continue
		}
		base := col.typ.Base().Name
		if base != "timestamptz" && base != "timestamp" && base != "date" {
			continue
		}
		instants := base == "timestamptz"
		text, ok := fixedMoment(l.Text, instants)
		d := diag.Diagnostic{
			Code: diag.NotImmutable, Subject: c.within(e.source, l.Offset, l.Length),
			Help: "write it as '2026-01-31', or '2026-01-31 15:04:05' with a zone such as +00 where the column has one; without a zone it is UTC",
		}
		switch {
		case l.Cast != "" && (l.Cast == "timestamptz") != instants:
			d.Detail = quote(col.name) + " is a " + col.typ.SQL() + ", and is compared with a " + l.Cast + "."
			d.Label = "a " + l.Cast
			d.Consequence = "Which instant a " + l.Cast + " is depends on the session's TimeZone: PostgreSQL refuses the comparison in an index (42P17), and in a " +
				"trigger it would differ from client to client."
			d.Help = "leave the cast out: the text is read as a " + col.typ.SQL()
		case !ok:
			d.Detail = quote(l.Text) + " is no moment that every session reads in the same way."
			d.Label = "depends on settings"
			d.Consequence = "PostgreSQL reads it once, by the DateStyle, TimeZone and clock of that session, and another session, or another apply, as another " +
				"moment: they would disagree about which rows are covered."
		default:
			fixed[l.Text+"\x00"+l.Column] = text
			continue
		}
		c.report(d)
		return false
	}
	e.Expr = e.ReplaceLabels(func(l pgsql.LabelRef) string {
		if text, ok := fixed[l.Text+"\x00"+l.Column]; ok {
			return text
		}
		return l.Text
	})
	return true
}

// localForms and zonedForms are the spellings of a moment that no setting of a
// session changes.
var (
	localForms = []string{"2006-01-02", "2006-01-02 15:04", "2006-01-02 15:04:05", "2006-01-02T15:04:05"}
	zonedForms = []string{
		"2006-01-02 15:04Z07:00", "2006-01-02 15:04Z07", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05Z07", "2006-01-02T15:04:05Z07:00",
	}
)

// fixedMoment spells a moment with its zone, where it is an instant. It is false
// for a text whose meaning depends on who reads it.
func fixedMoment(text string, instant bool) (string, bool) {
	is := func(form string) bool { _, err := time.Parse(form, text); return err == nil }
	i := slices.IndexFunc(localForms, is)
	switch {
	case i < 0:
		return text, instant && slices.ContainsFunc(zonedForms, is)
	case !instant:
		return text, true
	case i == 0:
		return text + " 00:00:00+00", true
	}
	return text + "+00", true
}

// looseSinces points out rows that can leave what their rule covers.
func (c *compilation) looseSinces() {
	for _, b := range c.beginnings {
		for _, name := range columnsOf(b.since.Expr) {
			col := b.table.byName[name]
			if col == nil || b.table.stays(col) {
				continue
			}
			c.finding(b.decl.Allow, diag.Diagnostic{
				Severity: diag.Warning,
				Code:     diag.LooseSince,
				Detail:   "The column " + quote(name) + " says since when rows are covered, and an UPDATE may change it.",
				Subject:  b.since.source.Range,
				Label:    quote(name) + " can change",
				Related:  []diag.Related{{Range: col.decl.Header, Text: "the column"}},
				Consequence: "A row leaves the rule by it, and nothing is promised of it any more; an old row that breaks the rule comes under it with a write of " +
					"another column.",
				Help: "immutable = true on column " + quote(name) + ", or say that it is meant: " + allowHint(diag.LooseSince, "nothing writes it"),
			})
			break
		}
		if name := b.since.NullFrom(func(name string) bool { return b.table.byName[name].null }); name != "" {
			c.finding(b.decl.Allow, diag.Diagnostic{
				Severity:    diag.Warning,
				Code:        diag.LooseSince,
				Detail:      "The column " + quote(name) + " says since when rows are covered, and may be NULL.",
				Subject:     b.since.source.Range,
				Label:       quote(name) + " may be NULL",
				Related:     []diag.Related{{Range: b.table.byName[name].decl.Null.Range, Text: "null = true"}},
				Consequence: "A new row without a value there is not covered: whoever leaves it out passes the rule.",
				Help:        "leave null = true out of column " + quote(name) + ", or say that it is meant: " + allowHint(diag.LooseSince, "old rows alone have none"),
			})
		}
	}
}

// stays reports whether a row keeps the value of a column for as long as it is
// there: by a rule, by an identity that nobody writes, or because it is computed
// from such columns.
func (t *table) stays(col *column) bool {
	if t.keeps(col) || col.schema.Identity == ir.IdentityAlways {
		return true
	}
	if col.schema.Generated == "" {
		return false
	}
	return !slices.ContainsFunc(columnsOf(built(col.schema.Generated)), func(name string) bool {
		from := t.byName[name]
		return from == nil || from == col || !t.stays(from)
	})
}

// sinceReason records that old rows are left out, and what that means.
func sinceReason(since *pgsql.Expr) ir.Reason {
	return ir.Reason{
		Choice: "since " + since.SQL(),
		Why: "rows for which it does not hold are older than the rule. They stay as they are, they are not probed, and nothing is promised of them, also not " +
			"beside a row that is covered.",
	}
}

// unlessOlder is a check that passes over the rows which since leaves out. A row
// of which since is NULL is left out too, as it is by an index.
func (e *expression) unlessOlder(check *pgsql.Expr) *pgsql.Expr {
	if e == nil || e.since == nil {
		return check
	}
	return pgsql.Or(pgsql.Not(e.since), check)
}

// coverage is the sentence of a promise that tells which rows are left out; empty
// for none.
func (e *expression) coverage() string {
	if e == nil || e.since == nil {
		return ""
	}
	return " Rows for which " + e.since.SQL() + " does not hold are older than the rule and not covered."
}
