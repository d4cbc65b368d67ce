package compiler

import (
	"slices"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
	"github.com/pawldb/pawl/internal/pgsql"
)

// input is what a move or an adjust takes beside the key.
type input struct {
	declared []dsl.Arg
	fields   []ir.Field // the declared ones in order, then those named like a column
	names    []string   // all that an expression may use, columns of the table included
	used     map[string]bool
}

// input reads args. An argument named like a column has that column's type, so
// it need not be declared; declaring it says that it is never NULL.
func (c *compilation) input(t *table, args []dsl.Arg) input {
	in := input{declared: args, used: map[string]bool{}, names: t.columnNames()}
	for _, a := range args {
		if f, ok := c.argumentField(t, a); ok {
			in.fields = append(in.fields, f)
		}
		if !slices.Contains(in.names, a.Name.Text) {
			in.names = append(in.names, a.Name.Text)
		}
	}
	return in
}

func (c *compilation) argumentField(t *table, a dsl.Arg) (ir.Field, bool) {
	typ, ok := c.resolveType(a.Type)
	if !ok || a.Name.Text == "" {
		return ir.Field{}, false
	}
	col := t.byName[a.Name.Text]
	if col == nil || !col.known {
		return ir.Field{Name: a.Name.Text, Type: typ}, true
	}
	if slices.Contains(t.key, col) {
		c.report(diag.Diagnostic{
			Code:        diag.ArgumentName,
			Detail:      "The argument " + quote(col.name) + " is the key of the row, which the operation takes already.",
			Subject:     a.Name.Range,
			Label:       "the key",
			Consequence: "One name would stand for two values.",
			Help:        "leave it out of args; @" + col.name + " is the key's value. For another value use another name",
		})
		return ir.Field{}, false
	}
	if !typ.Base().Equal(col.typ.Base()) {
		c.report(diag.Diagnostic{
			Code:    diag.ArgumentType,
			Detail:  "The argument " + quote(col.name) + " is declared as " + typ.SQL() + ", and the column of that name is " + col.typ.SQL() + ".",
			Subject: a.Type.Range,
			Label:   typ.SQL(),
			Related: []diag.Related{{Range: col.decl.Type.Range, Text: "the column: " + col.typ.SQL()}},
			Consequence: "An argument named like a column has that column's type; with another one the comparison or the assignment would cast, and " +
				"could round or fail.",
			Help: "declare " + col.name + " = " + col.typ.SQL() + ", or give the argument another name",
		})
		return ir.Field{}, false
	}
	return ir.Field{Name: col.name, Type: col.typ}, true
}

// use notes the arguments of an expression, and adds those that are named like
// a column and were not declared.
func (in *input) use(t *table, e *pgsql.Expr) {
	for _, name := range argsOf(e) {
		in.used[name] = true
		col := t.byName[name]
		known := slices.ContainsFunc(in.fields, func(f ir.Field) bool { return f.Name == name })
		if known || col == nil || slices.Contains(t.key, col) {
			continue
		}
		in.fields = append(in.fields, col.field())
	}
}

// unused reports declared arguments that no expression uses.
func (c *compilation) unused(in input) {
	for _, a := range in.declared {
		if a.Name.Text == "" || in.used[a.Name.Text] {
			continue
		}
		c.report(diag.Diagnostic{
			Code:        diag.UnusedArgument,
			Detail:      "The argument " + quote(a.Name.Text) + " is declared and never used.",
			Subject:     a.Name.Range,
			Label:       "not used",
			Consequence: "Callers would pass a value that changes nothing.",
			Help:        "write @" + a.Name.Text + " in guard or set, or remove it",
		})
	}
}

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
	col := c.lookup(t, decl.Column, "set")
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
	case slices.Contains(t.key, col):
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

// field finds an argument: a declared one, one named like a column, or the key.
func (in *input) field(t *table, name string) (ir.Field, bool) {
	for _, f := range in.fields {
		if f.Name == name {
			return f, true
		}
	}
	if col := t.byName[name]; col != nil {
		return col.field(), true
	}
	return ir.Field{}, false
}

// derived is a CHECK of the table over the values that a write is about to
// store: its weakest precondition.
type derived struct {
	check *check
	expr  *pgsql.Expr
}

// derive replaces the assigned columns in every CHECK that mentions one.
func (c *compilation) derive(t *table, set []assignment) []derived {
	values := map[string]*pgsql.Expr{}
	for _, a := range set {
		values[a.column.name] = a.value
	}
	var list []derived
	for _, k := range t.checks {
		if !slices.ContainsFunc(k.columns, func(name string) bool { return values[name] != nil }) {
			continue
		}
		list = append(list, derived{check: k, expr: k.expr.Substitute(values)})
		for _, a := range set {
			c.volatileInCheck(k, a)
		}
	}
	return list
}

// volatileInCheck refuses a value that differs at each evaluation where a CHECK
// has to be decided on it before it is stored.
func (c *compilation) volatileInCheck(k *check, a assignment) {
	if !slices.Contains(k.columns, a.column.name) {
		return
	}
	for _, cause := range a.expr.Causes() {
		if cause.Volatility != pgsql.Volatile {
			continue
		}
		c.report(diag.Diagnostic{
			Code:        diag.VolatileFunction,
			Detail:      "The check " + k.name + " looks at " + quote(a.column.name) + ", which is set to " + cause.What + ".",
			Subject:     c.within(a.source, cause.Offset, cause.Length),
			Label:       "another value each time",
			Consequence: "The guard that follows from the check would be decided on one value, and another one would be stored.",
			Help:        "pass the value as an argument",
		})
	}
}

// derivedReason tells where derived checks come from.
func derivedReason(list []derived) []ir.Reason {
	if len(list) == 0 {
		return nil
	}
	names := make([]string, len(list))
	for i, d := range list {
		names[i] = d.check.name
	}
	return []ir.Reason{{
		Choice: "derived guard",
		Why: "the WHERE repeats " + and(names) + " with the new values put in, so a write that would break a CHECK touches no row, names the check, and " +
			"leaves the caller's transaction usable. The rule stands once, in the CHECK.",
	}}
}

func recordChecks(list []derived) []ir.DerivedCheck {
	var out []ir.DerivedCheck
	for _, d := range list {
		out = append(out, ir.DerivedCheck{Constraint: d.check.name, Expr: d.expr.SQL()})
	}
	return out
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
