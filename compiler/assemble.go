package compiler

import (
	"cmp"
	"slices"

	"github.com/pawldb/pawl/compiler/ir"
)

// assemble puts everything into the program, in an order that depends on names
// alone.
func (c *compilation) assemble() {
	p := c.program
	for _, t := range c.tables {
		c.assembleTable(t)
	}
	for _, q := range c.queueTables {
		c.assembleTable(q.table)
	}
	c.assembleData()
	c.assembleSchema()
	slices.SortFunc(p.Repositories, func(a, b ir.Repository) int { return cmp.Compare(a.Address, b.Address) })
	slices.SortFunc(p.Invariants, func(a, b ir.Invariant) int { return cmp.Compare(a.Facts().Address, b.Facts().Address) })
	slices.SortFunc(p.Idempotencies, func(a, b ir.Idempotency) int { return cmp.Compare(a.Address, b.Address) })
	slices.SortFunc(p.Inboxes, func(a, b ir.Inbox) int { return cmp.Compare(a.Address, b.Address) })
	c.maintenance()
	p.Promises = promises(p)
}

func (c *compilation) assembleTable(t *table) {
	s := &t.schema
	for _, col := range t.columns {
		col.schema.Type, col.schema.Null = col.typ, col.null
		s.Columns = append(s.Columns, col.schema)
	}
	sortByName(s.Uniques, func(x ir.Unique) string { return x.Name })
	sortByName(s.Excludes, func(x ir.Exclude) string { return x.Name })
	sortByName(s.Checks, func(x ir.Check) string { return x.Name })
	sortByName(s.ForeignKeys, func(x ir.ForeignKey) string { return x.Name })
	sortByName(s.Indexes, func(x ir.Index) string { return x.Name })
	sortByName(s.Triggers, func(x ir.Trigger) string { return x.Name })
	p := c.program
	p.Schema.Tables = append(p.Schema.Tables, *s)
	p.Repositories = append(p.Repositories, t.repository)
	p.Invariants = append(p.Invariants, t.invariants...)
}

func sortByName[T any](list []T, name func(T) string) {
	slices.SortFunc(list, func(a, b T) int { return cmp.Compare(name(a), name(b)) })
}

// assembleSchema adds what several declarations share, and sorts.
func (c *compilation) assembleSchema() {
	s := &c.program.Schema
	for schema := range c.refusals {
		s.Functions = append(s.Functions, refusal(schema, ir.Origin{
			Address: "pawl", Pos: pos(c.pawlRange(c.tables[0].decl.Header)),
			Why: "the triggers of this schema raise their errors through it",
		}))
	}
	for _, e := range c.extensions {
		s.Extensions = append(s.Extensions, e)
	}
	c.namespaces()
	qualified := func(schema, name string) string { return schema + "\x00" + name }
	sortByName(s.Extensions, func(x ir.Extension) string { return x.Name })
	sortByName(s.Enums, func(x ir.Enum) string { return qualified(x.Schema, x.Name) })
	sortByName(s.Domains, func(x ir.Domain) string { return qualified(x.Schema, x.Name) })
	sortByName(s.Functions, func(x ir.Function) string { return qualified(x.Schema, x.Name) })
	sortByName(s.Tables, func(x ir.Table) string { return qualified(x.Schema, x.Name) })
}

// namespaces lists the schemas that objects stand in. public is there from the
// start.
func (c *compilation) namespaces() {
	s := &c.program.Schema
	used := map[string]ir.Origin{}
	note := func(schema string, origin ir.Origin) {
		if _, have := used[schema]; !have && schema != defaultSchema {
			used[schema] = origin
		}
	}
	if c.spec.Pawl != nil {
		note(c.program.DefaultSchema, ir.Origin{Address: "pawl", Pos: pos(c.spec.Pawl.Header)})
	}
	for _, e := range s.Enums {
		note(e.Schema, e.Origin)
	}
	for _, d := range s.Domains {
		note(d.Schema, d.Origin)
	}
	for _, t := range s.Tables {
		note(t.Schema, t.Origin)
	}
	for schema, origin := range used {
		s.Namespaces = append(s.Namespaces, ir.Namespace{Name: schema, Origin: origin})
	}
	sortByName(s.Namespaces, func(x ir.Namespace) string { return x.Name })
}
