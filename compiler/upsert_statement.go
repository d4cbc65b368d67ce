package compiler

import (
	"slices"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/internal/pgsql"
)

// How the statements of an upsert call the rows they compare.
const (
	haveAlias = "have"     // the row that is there
	newAlias  = "excluded" // PostgreSQL's name for the proposed one
	sentAlias = "sent"     // the proposed one outside ON CONFLICT
)

// outcomeField is the last column of an upsert's results.
func (u *upsert) outcomeField() ir.Field {
	return ir.Field{Name: u.free("outcome"), Type: ir.Type{Name: "text"}}
}

// free is a name that no column of the table has.
func (u *upsert) free(name string) string { return u.table.free(name) }

// arbiter spells what ON CONFLICT names: the parts of the key and, as literal
// text, its predicate. With a parameter there, the plan that PostgreSQL keeps
// from the sixth execution on no longer matches the index (42P10).
func (u *upsert) arbiter() string {
	parts := make([]string, len(u.key.parts))
	for i, p := range u.key.parts {
		parts[i] = ir.Ident(p.Column)
		if e := u.key.exprs[i]; e != nil {
			parts[i] = operandSQL(e.SQL())
		}
	}
	sql := "ON CONFLICT (" + strings.Join(parts, ", ") + ")"
	if u.key.where != nil {
		sql += " WHERE " + u.key.where.SQL()
	}
	return sql
}

// action spells what happens with the row that is there. given says where an
// optional column counts as given, for those that are no reason to write.
func (u *upsert) action(given func(col *column) string) string {
	if u.mode == "ignore" {
		return " DO NOTHING"
	}
	written := slices.Clone(u.update)
	if u.version != nil {
		written = append(written, u.version)
	}
	sets := make([]string, len(written))
	for i, col := range written {
		sets[i] = ir.Ident(col.name) + " = " + newAlias + "." + ir.Ident(col.name)
	}
	if v := u.table.version; v != nil {
		sets = append(sets, ir.Ident(v.name)+" = "+haveAlias+"."+ir.Ident(v.name)+" + 1")
	}
	sql := " DO UPDATE\nSET " + strings.Join(sets, ", ") + "\nWHERE "
	if u.version != nil {
		name := ir.Ident(u.version.name)
		return sql + haveAlias + "." + name + " < " + newAlias + "." + name
	}
	var reasons []string
	for _, col := range u.update {
		differs := differ(haveAlias, newAlias, col)
		if u.restless(col) {
			differs = "(" + given(col) + " AND " + differs + ")"
		}
		reasons = append(reasons, differs)
	}
	return sql + strings.Join(reasons, "\n  OR ")
}

// restless reports a column whose default changes with time. Left out, it is no
// reason to overwrite a row that is the same in all else: it would be one on
// every call.
func (u *upsert) restless(col *column) bool {
	return col.schema.Default != "" && built(col.schema.Default).Volatility() != pgsql.Immutable
}

// differ spells that a column differs between two rows. Values of a type without
// an equality, or with one that passes over differences, are compared as they
// are printed.
func differ(a, b string, col *column) string {
	name, as := "."+ir.Ident(col.name), ""
	if col.typ.Kind == ir.OtherType || familyOf(col.typ).noOrder || col.typ.Base().Name == "interval" {
		as = "::text"
	}
	return a + name + as + " IS DISTINCT FROM " + b + name + as
}

// overRow is a part of the key over a row that goes by a name.
func (u *upsert) overRow(i int, alias string) string {
	if e := u.key.exprs[i]; e != nil {
		return operandSQL(e.Qualify(alias).SQL())
	}
	return alias + "." + ir.Ident(u.key.parts[i].Column)
}

func (u *upsert) keyOver(alias string) string {
	parts := make([]string, len(u.key.parts))
	for i := range parts {
		parts[i] = u.overRow(i, alias)
	}
	return strings.Join(parts, ", ")
}

// nullable reports a part of the key that may be NULL.
func (u *upsert) nullable(i int) bool {
	columns := partColumns(u.key.parts[i], u.key.exprs[i])
	return slices.ContainsFunc(columns, func(name string) bool { return u.table.byName[name].null })
}

// sameKey spells that two rows have one key.
func (u *upsert) sameKey(a, b string) string {
	conditions := make([]string, len(u.key.parts))
	for i := range conditions {
		x, y := u.overRow(i, a), u.overRow(i, b)
		conditions[i] = x + " = " + y
		if u.notDistinct && u.nullable(i) {
			conditions[i] = "(" + conditions[i] + " OR " + x + " IS NULL AND " + y + " IS NULL)"
		}
	}
	return strings.Join(conditions, " AND ")
}

// outside spells that the sent row is one that the key does not cover: with NULL
// in it, or not under its predicate. It is empty when there is no such row.
func (u *upsert) outside() string {
	var conditions []string
	if u.key.where != nil {
		conditions = append(conditions, "("+u.key.where.Qualify(sentAlias).SQL()+") IS NOT TRUE")
	}
	for i := range u.key.parts {
		if u.nullable(i) && !u.notDistinct {
			conditions = append(conditions, u.overRow(i, sentAlias)+" IS NULL")
		}
	}
	return strings.Join(conditions, " OR ")
}

// decisive are the columns that an explanation looks at, in the order of the
// arguments: the key's, and those that tell a repeated message from an old one.
func (u *upsert) decisive() []ir.Field {
	names := slices.Clone(u.key.columns)
	if u.key.where != nil {
		names = append(names, columnsOf(u.key.where.Expr)...)
	}
	if u.version != nil {
		names = append(append(names, u.version.name), columnList(u.update)...)
	}
	return slices.DeleteFunc(slices.Clone(u.table.repository.Insert), func(f ir.Field) bool { return !slices.Contains(names, f.Name) })
}

// value spells a sent value as its column will hold it: a key is looked for, and
// a version compared, after the rounding that storing brings.
func (u *upsert) value(f ir.Field, sql string) string {
	if stored := storedType(f.Type).SQL(); stored != parameterType(f.Type).SQL() {
		sql += "::" + stored
	}
	return u.orDefault(f, sql)
}

func (u *upsert) orDefault(f ir.Field, sql string) string {
	if f.Optional {
		return "COALESCE(" + sql + ", " + u.table.byName[f.Name].schema.Default + ")"
	}
	return sql
}

// storedType is a type as a cast can bring a value to it that an assignment would
// take: without a length, which a cast enforces by cutting.
func storedType(t ir.Type) ir.Type {
	switch t.Base().Name {
	case "varchar", "bpchar", "bit", "varbit":
		return parameterType(t)
	}
	return t
}

// sentRow spells the arguments as a row.
func (u *upsert) sentRow(p *parameters, list []ir.Field) string {
	values := make([]string, len(list))
	for i, f := range list {
		values[i] = u.value(f, p.ref(f.Name)) + " AS " + ir.Ident(f.Name)
	}
	return "(SELECT " + strings.Join(values, ", ") + ") AS " + sentAlias
}

// mainStatement inserts the row, or does with the one that is there what the
// mode says. It returns nothing when nothing was written.
func (u *upsert) mainStatement() ir.Statement {
	t := u.table
	list := t.repository.Insert
	p := newParameters(list)
	names, values := make([]string, len(list)), make([]string, len(list))
	for i, f := range list {
		names[i], values[i] = ir.Ident(f.Name), u.orDefault(f, p.ref(f.Name))
	}
	sql := "INSERT INTO " + t.ref.SQL() + " AS " + haveAlias + " (" + strings.Join(names, ", ") + ")\n"
	if outside := u.outside(); outside != "" {
		for i := range values {
			values[i] = sentAlias + "." + names[i]
		}
		sql += "SELECT " + strings.Join(values, ", ") + "\nFROM " + u.sentRow(p, list) + "\nWHERE NOT (" + outside + ")"
	} else {
		sql += "VALUES (" + strings.Join(values, ", ") + ")"
	}
	sql += "\n" + u.arbiter() + u.action(func(col *column) string { return p.ref(col.name) + " IS NOT NULL" })
	return ir.Statement{
		Role:    ir.MainStatement,
		SQL:     comment(u.address) + sql + "\nRETURNING " + t.qualifiedRow(haveAlias) + ", " + u.wrote(u.freshSQL()) + " AS " + ir.Ident(u.outcomeField().Name),
		Args:    p.fields,
		Results: append(t.rowFields(), u.outcomeField()),
		Rows:    ir.ReturnsOne,
	}
}

// wrote spells the outcome for a row that was written.
//
// A row that ON CONFLICT overwrote was locked by the statement first, and the new
// version of it keeps that lock in xmax; one that was inserted has none. It is the
// one place that looks at it: on a table where PostgreSQL has no such column, a
// partitioned one, the statement fails (0A000), and never answers wrongly.
func (u *upsert) wrote(fresh string) string {
	if u.mode == "ignore" {
		return ir.Literal(string(ir.VerdictInserted))
	}
	return "CASE WHEN " + fresh + " THEN " + ir.Literal(string(ir.VerdictInserted)) + " ELSE " + ir.Literal(string(ir.VerdictUpdated)) + " END"
}

// explainStatement finds the row that was there when nothing was written. Where
// none is, it has gone since, and the main statement may be tried again.
func (u *upsert) explainStatement() ir.Statement {
	t := u.table
	p := newParameters(u.decisive())
	return ir.Statement{
		Role: ir.ExplainStatement,
		SQL: comment(u.address) + "SELECT " + t.qualifiedRow(haveAlias) + ",\n  CASE" + u.outsideArm() + u.verdictArms() + "\n  END AS " +
			ir.Ident(u.outcomeField().Name) + "\nFROM " + u.sentRow(p, p.fields) + "\n  LEFT JOIN " + t.ref.SQL() + " AS " + haveAlias + " ON " + u.found(),
		Args:    p.fields,
		Results: append(t.rowFields(), u.outcomeField()),
		Rows:    ir.ReturnsOne,
	}
}

// found spells that a row is the one that the sent row conflicts with.
func (u *upsert) found() string {
	sql := u.sameKey(haveAlias, sentAlias)
	if u.key.where != nil {
		sql += " AND (" + u.key.where.Qualify(haveAlias).SQL() + ")"
	}
	return sql
}

func when(condition string, v ir.Verdict) string {
	return "\n    WHEN " + condition + " THEN " + ir.Literal(string(v))
}

func (u *upsert) outsideArm() string {
	if outside := u.outside(); outside != "" {
		return when(outside, ir.VerdictInput)
	}
	return ""
}

// verdictArms tell what it means that the row which is there was not written.
func (u *upsert) verdictArms() string {
	gone := when(haveAlias+".tableoid IS NULL", ir.VerdictAgain)
	if u.version == nil {
		return gone + "\n    ELSE " + ir.Literal(string(ir.VerdictUnchanged))
	}
	name := "." + ir.Ident(u.version.name)
	return gone + when(haveAlias+name+" < "+sentAlias+name, ir.VerdictAgain) + u.staleArms(haveAlias)
}

// staleArms tell a message that came twice from one that came late.
func (u *upsert) staleArms(have string) string {
	return when(u.repeated(have), ir.VerdictUnchanged) + "\n    ELSE " + ir.Literal(string(ir.VerdictStale))
}

// repeated spells that a row holds what the sent one would write.
func (u *upsert) repeated(have string) string {
	name := "." + ir.Ident(u.version.name)
	same := []string{have + name + " = " + sentAlias + name}
	for _, col := range u.update {
		same = append(same, strings.Replace(differ(have, sentAlias, col), " IS DISTINCT ", " IS NOT DISTINCT ", 1))
	}
	return strings.Join(same, " AND ")
}
