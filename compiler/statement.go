package compiler

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/internal/pgsql"
)

// parameters numbers the arguments of one statement.
type parameters struct {
	fields []ir.Field // $1 is fields[0]
	// sent says that there are many rows of them, which go by sentAlias, beside those
	// of the table, which go by haveAlias.
	sent bool
}

func newParameters(lists ...[]ir.Field) *parameters {
	return &parameters{fields: slices.Concat(lists...)}
}

// find is the number of an argument, from 1.
func (p *parameters) find(name string) int {
	i := slices.IndexFunc(p.fields, func(f ir.Field) bool { return f.Name == name })
	if i < 0 {
		panic("compiler: a statement uses the argument " + name + ", which it does not have")
	}
	return i + 1
}

// ref spells an argument: $2::bigint.
func (p *parameters) ref(name string) string {
	if p.sent {
		return sentAlias + "." + ir.Ident(name)
	}
	n, typ := p.bind(name)
	return "$" + strconv.Itoa(n) + "::" + typ
}

func (p *parameters) bind(name string) (int, string) {
	n := p.find(name)
	return n, cast(p.fields[n-1].Type)
}

// column spells a column of the row.
func (p *parameters) column(name string) string {
	if p.sent {
		return haveAlias + "." + ir.Ident(name)
	}
	return ir.Ident(name)
}

// sql spells an expression over the row and the arguments.
func (p *parameters) sql(e *pgsql.Expr) string {
	if !p.sent {
		return e.WithParams(p.bind)
	}
	values := map[string]*pgsql.Expr{}
	for _, name := range argsOf(e) {
		values[name] = built(p.ref(name))
	}
	return e.Qualify(haveAlias).FillArgs(values).SQL()
}

// only is the arguments of the list that the expressions mention, in the order
// of the list. A server cannot tell the type of a parameter that no text uses.
func only(list []ir.Field, exprs []*pgsql.Expr) []ir.Field {
	var used []ir.Field
	for _, f := range list {
		if slices.ContainsFunc(exprs, func(e *pgsql.Expr) bool { return slices.Contains(argsOf(e), f.Name) }) {
			used = append(used, f)
		}
	}
	return used
}

// rowList spells the columns of a row, as every statement that returns rows
// selects them. A star would break the plans that connections keep when a
// column is added (0A000).
func (t *table) rowList() string { return t.qualifiedRow("") }

// storedRow spells the columns of a row as they are, for a CTE that is joined and
// compared further on: what leaves the statement is spelled by qualifiedRow.
func (t *table) storedRow(alias string) string {
	names := make([]string, len(t.columns))
	for i, col := range t.columns {
		names[i] = alias + "." + ir.Ident(col.name)
	}
	return strings.Join(names, ", ")
}

func (t *table) qualifiedRow(alias string) string {
	sql := ""
	for i, col := range t.columns {
		if i > 0 {
			sql += ", "
		}
		name := ir.Ident(col.name)
		if alias != "" {
			name = alias + "." + name
		}
		sql += result(name, col.typ)
	}
	return sql
}

// keyEquals spells the condition that finds the row of a key.
func (t *table) keyEquals(p *parameters) string {
	sql := ""
	for i, col := range t.key {
		if i > 0 {
			sql += " AND "
		}
		sql += ir.Ident(col.name) + " = " + p.ref(col.name)
	}
	return sql
}

// keyFields are the arguments that name a row.
func (t *table) keyFields() []ir.Field { return fields(t.key) }

// rowFields are the columns of a row.
func (t *table) rowFields() []ir.Field { return fields(t.columns) }

// ordinals spells GROUP BY 1, 2, 3.
func ordinals(n int) string {
	sql := ""
	for i := range n {
		if i > 0 {
			sql += ", "
		}
		sql += strconv.Itoa(i + 1)
	}
	return sql
}
