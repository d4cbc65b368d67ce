package verify

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/internal/pgsql"
	"github.com/pawldb/pawl/verify/fixture"
)

// subject is a declaration and the checks of it.
type subject struct {
	report Subject
	checks []*check
}

// model makes the checks of a program: a file for each construct says what
// brings its operations into conflict and which guards it rests on.
type model struct {
	*index
	subjects []*subject
}

// models makes the checks of everything that a program declares.
func models(x *index) []*subject {
	m := &model{index: x}
	for _, i := range x.program.Invariants {
		m.subject(i.Facts())
		m.invariant(i)
	}
	for i := range x.program.Repositories {
		m.repository(&x.program.Repositories[i])
	}
	return slices.DeleteFunc(m.subjects, func(s *subject) bool { return len(s.checks) == 0 })
}

func (m *model) invariant(i ir.Invariant) {
	switch i := i.(type) {
	case *ir.NoDuplicates:
		m.duplicates(i)
	case *ir.NoOverlap:
		m.overlap(i)
	case *ir.Transitions:
		m.transitions(i)
	case *ir.Adjust:
		m.adjust(i)
	case *ir.Edit:
		m.edit(i)
	case *ir.Immutable:
		m.immutable(i)
	case *ir.AppendOnly:
		m.appendOnly(i)
	case *ir.Upsert:
		m.upsert(i)
	case *ir.Limit:
		m.limit(i)
	case *ir.AtMostOne:
		m.atMostOne(i)
	case *ir.AtLeastOne:
		m.atLeastOne(i)
	case *ir.Sequence:
		m.sequence(i)
	case *ir.Ordered:
		m.ordered(i)
	case *ir.SetRule:
		m.rule(i)
	case *ir.QueueRule:
		m.queue(i)
	case *ir.Version:
		m.version(i)
	case *ir.SingletonRule:
		m.singleton(i)
	case *ir.LeaderRule:
		m.leader(i)
	case *ir.IdempotencyRule:
		m.idempotency(i)
	case *ir.InboxRule:
		m.inbox(i)
	}
}

func (m *model) subject(f *ir.Facts) {
	m.subjects = append(m.subjects, &subject{report: Subject{
		Address: f.Address, Kind: f.Kind, Promise: f.Promise, Mechanism: f.Mechanism, Pos: f.Pos,
	}})
}

// add adds a check to the subject at hand. label is unique in it.
func (m *model) add(label, name string, tables []ir.TableRef, build func(context.Context, *site) (*scene, error), mutants ...mutant) *check {
	s := m.subjects[len(m.subjects)-1]
	c := &check{id: s.report.Address + "/" + label, name: name, tables: tables, build: build, mutants: m.behindFreezes(tables, mutants)}
	if s.report.Kind == "rule" {
		c.rule = s.report.Address
	}
	s.checks = append(s.checks, c)
	return c
}

// script is the fixture of a set, with the record of effects empty. Tables that
// clients write to are emptied even where the fixture has no row of them.
func script(set *fixture.Set, tables ...ir.TableRef) string {
	return set.Script(tables...) + emptyEffects
}

// violators is the rule that an invariant's own query asks for.
func violators(f *ir.Facts) []rule {
	if f.Violators == "" {
		return nil
	}
	return []rule{{"the rule is broken: " + f.Promise, f.Violators}}
}

// columnsOf are the columns that an expression reads.
func columnsOf(expr string) []string {
	e, err := pgsql.ParseExpr(expr, pgsql.Options{})
	if err != nil {
		return nil
	}
	var names []string
	for _, c := range e.Columns() {
		if !slices.Contains(names, c.Name) {
			names = append(names, c.Name)
		}
	}
	return names
}

// sources puts in place of a table's generated columns, which no client writes,
// those that they are made of.
func (x *index) sources(t ir.TableRef, columns ...string) []string {
	var list []string
	for _, name := range columns {
		if formula := x.column(t, name).Generated; formula != "" {
			list = append(list, columnsOf(formula)...)
		} else {
			list = append(list, name)
		}
	}
	return list
}

// qualified is an expression over a row that goes by another name, with its
// arguments filled in.
func qualified(expr, row string, args map[string]*string, types map[string]ir.Type) (string, error) {
	e, err := parsed(expr)
	if err != nil {
		return "", err
	}
	if row != "" {
		e = e.Qualify(row)
	}
	filled, err := fill(e, args, types)
	if err != nil {
		return "", err
	}
	return filled.SQL(), nil
}

// literal spells a value of a type; the zero type leaves it untyped.
func literal(value *string, t ir.Type) string {
	text := "NULL"
	if value != nil {
		text = ir.Literal(*value)
	}
	if t.Kind == ir.BaseType && t.Name == "" {
		return text
	}
	return text + "::" + t.SQL()
}

// pick keeps some columns of a row.
func pick(row map[string]*string, columns []string) map[string]*string {
	kept := map[string]*string{}
	for _, c := range columns {
		if v, ok := row[c]; ok {
			kept[c] = v
		}
	}
	return kept
}

// argsOf fills an operation's arguments from a row, by name.
func argsOf(op *ir.Operation, row map[string]*string) map[string]*string {
	args := map[string]*string{}
	for _, f := range slices.Concat(op.Key, op.Args) {
		if v, ok := row[f.Name]; ok {
			args[f.Name] = v
		}
	}
	return args
}

// insertSQL inserts one row as a client would that knows nothing of pawl.
func (x *index) insertSQL(t ir.TableRef, row map[string]*string) string {
	var names, values []string
	for _, f := range x.repositories[t].Insert {
		if v, ok := row[f.Name]; ok {
			names, values = append(names, ir.Ident(f.Name)), append(values, literal(v, f.Type))
		}
	}
	return "INSERT INTO " + t.SQL() + " (" + strings.Join(names, ", ") + ") VALUES (" + strings.Join(values, ", ") + ")"
}

// updateSQL sets columns of the row with a key.
func (x *index) updateSQL(t ir.TableRef, key, set map[string]*string) string {
	return "UPDATE " + t.SQL() + " SET " + x.pairs(t, set) + " WHERE " + x.match(t, key)
}

// deleteSQL deletes the row with a key.
func (x *index) deleteSQL(t ir.TableRef, key map[string]*string) string {
	return "DELETE FROM " + t.SQL() + " WHERE " + x.match(t, key)
}

// match is the condition that a row has some values.
func (x *index) match(t ir.TableRef, values map[string]*string) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if values[name] == nil {
			list = append(list, ir.Ident(name)+" IS NULL")
			continue
		}
		list = append(list, ir.Ident(name)+" = "+literal(values[name], x.column(t, name).Type))
	}
	return strings.Join(list, " AND ")
}

// pairs assigns values to columns.
func (x *index) pairs(t ir.TableRef, values map[string]*string) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		list = append(list, ir.Ident(name)+" = "+literal(values[name], x.column(t, name).Type))
	}
	return strings.Join(list, ", ")
}

// column is a column of a table.
func (x *index) column(t ir.TableRef, name string) *ir.Column {
	columns := x.tables[t].Columns
	i := slices.IndexFunc(columns, func(c ir.Column) bool { return c.Name == name })
	if i < 0 {
		return &ir.Column{Name: name}
	}
	return &columns[i]
}

// keyOf picks a row's primary key.
func (x *index) keyOf(t ir.TableRef, row map[string]*string) map[string]*string {
	return pick(row, x.key(t))
}

// not negates a condition in the sense of a predicate: NULL is not true.
func not(condition string) string { return "(" + condition + ") IS NOT TRUE" }
