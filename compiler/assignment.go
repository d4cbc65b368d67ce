package compiler

import (
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
	"github.com/pawldb/pawl/internal/pgsql"
)

// assignment is one entry of set after its checks.
type assignment struct {
	column *column
	expr   *pgsql.Expr // as written
	value  *pgsql.Expr // of the column's type exactly, for other expressions
	source dsl.SQL
}

// assignments reads a set attribute. own is the transitions whose move this is.
func (c *compilation) assignments(t *table, in *input, list []dsl.Assignment, own *stateColumn, what string) ([]assignment, bool) {
	var set []assignment
	ok := true
	for _, decl := range list {
		a, good := c.assignment(t, in, decl, own, what)
		ok = ok && good
		if good {
			set = append(set, a)
		}
	}
	return set, ok
}

func (c *compilation) assignment(t *table, in *input, decl dsl.Assignment, own *stateColumn, what string) (assignment, bool) {
	col := c.lookup(t, decl.Column)
	e := c.parse(&decl.Expr, "set expression", row{table: t, args: in.names, changing: pgsql.Volatile})
	if e != nil {
		in.use(t, e.Expr)
	}
	if col == nil || e == nil || !col.known {
		return assignment{}, false
	}
	if c.fixed(t, col, decl.Column, what) || c.governed(col, own, decl.Column.Range, what) {
		return assignment{}, false
	}
	if own != nil && own.column == col {
		c.report(diag.Diagnostic{
			Code:        diag.GovernedColumn,
			Detail:      "The move writes the column " + quote(col.name) + " by itself.",
			Subject:     decl.Column.Range,
			Label:       "the state column",
			Consequence: "Two values would be assigned to one column, which PostgreSQL refuses.",
			Help:        "leave it out of set; `to` says the state",
		})
		return assignment{}, false
	}
	if c.frozenLiteral(col, e, "set expression") {
		return assignment{}, false
	}
	if e.AlwaysNull() && !col.null {
		c.report(diag.Diagnostic{
			Code:        diag.SetNull,
			Detail:      "The column " + quote(col.name) + " is NOT NULL, and this sets it to NULL.",
			Subject:     decl.Expr.Range,
			Label:       "NULL",
			Related:     []diag.Related{{Range: col.decl.Header, Text: "NOT NULL"}},
			Consequence: "The operation would fail with 23502 on every call.",
			Help:        "null = true in column " + quote(col.name) + ", or set another value",
		})
		return assignment{}, false
	}
	return assignment{column: col, expr: e.Expr, value: coerced(e.Expr, col, t, in), source: decl.Expr}, true
}

// fixed reports an assignment to a column that no operation may write.
func (c *compilation) fixed(t *table, col *column, at dsl.Name, what string) bool {
	d := diag.Diagnostic{Code: diag.FixedColumn, Subject: at.Range}
	switch {
	case c.writesFrozen(t, col, at.Range, what), !c.writtenByHand(col, at.Range, what):
		return true
	case col.counts != nil:
		d.Detail = "The column " + quote(col.name) + " is the counter of limit " + quote(col.counts.label) + "."
		d.Label = "kept by triggers"
		d.Related = []diag.Related{{Range: col.counts.decl.Header, Text: "the limit"}}
		d.Consequence = "The counter would say something else than the rows, and the limit would let too many in or keep some out for ever."
		d.Help = "leave it out of this " + what
	case col == t.version:
		d.Detail = "The column " + quote(col.name) + " is the version of " + quote(t.label) + "."
		d.Label = "the version"
		d.Related = []diag.Related{{Range: t.decl.Version.Range, Text: "version = " + col.name}}
		d.Consequence = "Every generated write raises it by one. Set to anything else, a row could come back to a version that somebody has read, and their " +
			"update would pass over what was written in between."
		d.Help = "leave it out of this " + what
	case col.places != nil:
		d.Detail = "The column " + quote(col.name) + " is the position of ordered " + quote(col.places.label) + "."
		d.Label = "changed by moves"
		d.Related = []diag.Related{{Range: col.places.decl.Header, Text: "the order"}}
		d.Consequence = "Two calls at once would take one position, and one of them would fail."
		d.Help = "leave it out of this " + what + ", and call MoveTo or Swap"
	case t.keyed(col):
		d.Detail = "The column " + quote(col.name) + " is in the primary key of " + quote(t.label) + "."
		d.Label = "primary key"
		d.Consequence = "The row would be another one afterwards: callers who hold its key, in other tables or in memory, would find nothing or a " +
			"stranger, and children of it block the change."
		d.Help = "insert a new row and delete the old one, or use a key that means nothing (identity = \"always\")"
	case col.schema.Identity == ir.IdentityAlways:
		d.Detail = "The column " + quote(col.name) + " is an identity column."
		d.Label = "identity"
		d.Consequence = "PostgreSQL refuses to update it (428C9)."
		d.Help = "leave it out of this " + what
	default:
		return false
	}
	c.report(d)
	return true
}

// coerced is the expression as the column will hold it. Other expressions that
// look at it, a CHECK for instance, must see the stored value: 0.005 is 0.01 in
// a numeric(12, 2), and NULL has no type of its own.
func coerced(e *pgsql.Expr, col *column, t *table, in *input) *pgsql.Expr {
	if holdsExactly(e, col, t, in) {
		return e
	}
	typ := col.typ
	if base := typ.Base().Name; base == "varchar" || base == "bpchar" || base == "bit" || base == "varbit" {
		typ = parameterType(typ) // a cast with a length would cut the value
	}
	return built(operandSQL(e.SQL()) + "::" + typ.SQL())
}

// holdsExactly reports whether an expression certainly has the column's type
// already: columns and arguments of that type under plain arithmetic.
func holdsExactly(e *pgsql.Expr, col *column, t *table, in *input) bool {
	refs, args := columnsOf(e), argsOf(e)
	if len(refs)+len(args) == 0 || !e.IsArithmetic() {
		return false
	}
	// The result of arithmetic may have more digits than the column, and that of
	// real is double precision.
	bare := len(refs) == 1 && len(args) == 0 && pgsql.Same(e, built(ir.Ident(refs[0])))
	if !bare && (len(col.typ.Mods) > 0 || strings.HasPrefix(col.typ.Name, "float")) {
		return false
	}
	for _, name := range refs {
		if !t.byName[name].typ.Equal(col.typ) {
			return false
		}
	}
	for _, name := range args {
		if f, ok := in.field(t, name); !ok || !f.Type.Equal(col.typ) {
			return false
		}
	}
	return true
}

func recordSet(set []assignment) []ir.Assignment {
	var out []ir.Assignment
	for _, a := range set {
		out = append(out, ir.Assignment{Column: a.column.name, Expr: a.expr.SQL()})
	}
	return out
}

// setSQL spells SET.
func setSQL(p *parameters, set []assignment) string {
	parts := make([]string, len(set))
	for i, a := range set {
		parts[i] = ir.Ident(a.column.name) + " = " + p.sql(a.expr)
	}
	return strings.Join(parts, ", ")
}

// assigned lists the columns of a set.
func assigned(set []assignment) []string {
	list := make([]string, len(set))
	for i, a := range set {
		list[i] = a.column.name
	}
	return list
}
