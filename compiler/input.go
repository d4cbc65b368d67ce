package compiler

import (
	"slices"

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
	broken   bool // a declared argument could not be read
}

// input reads args. An argument named like a column has that column's type, so
// it need not be declared; declaring it says that it is never NULL.
func (c *compilation) input(t *table, args []dsl.Arg) input {
	in := input{declared: args, used: map[string]bool{}, names: t.columnNames()}
	for _, a := range args {
		if f, ok := c.argumentField(t, a); ok {
			in.fields = append(in.fields, f)
		} else {
			in.broken = true
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
