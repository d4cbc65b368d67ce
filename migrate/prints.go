package migrate

import (
	"slices"
	"strings"

	"github.com/pawldb/pawl/codegen/postgres"
	"github.com/pawldb/pawl/compiler/ir"
)

// columnSeparator joins the two prints of a column into one.
const columnSeparator = "\x00"

// printsOf collects what stands in the Printed fields of a schema's tables,
// where the server has to be asked for it.
func printsOf(s *ir.Schema) prints {
	all := prints{}
	for i := range s.Domains {
		d := &s.Domains[i]
		all[d.ID()] = d.Printed
		for _, c := range d.Checks {
			all[d.CheckID(c.Name)] = c.Printed
		}
	}
	for i := range s.Tables {
		t := &s.Tables[i]
		for _, c := range t.Columns {
			all[t.ID(ir.ColumnObject, c.Name)] = c.Printed.Type + columnSeparator + c.Printed.Default
		}
		for _, e := range t.Excludes {
			all[t.ID(ir.ConstraintObject, e.Name)] = e.Printed
		}
		for _, c := range t.Checks {
			all[t.ID(ir.ConstraintObject, c.Name)] = c.Printed
		}
		for _, i := range t.Indexes {
			all[t.ID(ir.IndexObject, i.Name)] = i.Printed
		}
		for _, g := range t.Triggers {
			all[t.ID(ir.TriggerObject, g.Name)] = g.Printed
		}
	}
	return all
}

func columnPrint(print string) ir.ColumnPrint {
	typ, def, _ := strings.Cut(print, columnSeparator)
	return ir.ColumnPrint{Type: typ, Default: def}
}

// setPrints puts prints into the Printed fields of a schema's tables.
func setPrints(s *ir.Schema, all prints) {
	set := func(field *string, id ir.ObjectID) {
		if print, ok := all[id]; ok {
			*field = print
		}
	}
	for i := range s.Domains {
		d := &s.Domains[i]
		set(&d.Printed, d.ID())
		for j := range d.Checks {
			set(&d.Checks[j].Printed, d.CheckID(d.Checks[j].Name))
		}
	}
	for i := range s.Tables {
		t := &s.Tables[i]
		for j := range t.Columns {
			if print, ok := all[t.ID(ir.ColumnObject, t.Columns[j].Name)]; ok {
				t.Columns[j].Printed = columnPrint(print)
			}
		}
		for j := range t.Excludes {
			set(&t.Excludes[j].Printed, t.ID(ir.ConstraintObject, t.Excludes[j].Name))
		}
		for j := range t.Checks {
			set(&t.Checks[j].Printed, t.ID(ir.ConstraintObject, t.Checks[j].Name))
		}
		for j := range t.Indexes {
			set(&t.Indexes[j].Printed, t.ID(ir.IndexObject, t.Indexes[j].Name))
		}
		for j := range t.Triggers {
			set(&t.Triggers[j].Printed, t.ID(ir.TriggerObject, t.Triggers[j].Name))
		}
	}
}

// printPlain fills the prints that need no server: those of names alone.
func printPlain(s *ir.Schema) {
	for i := range s.Functions {
		f := &s.Functions[i]
		var settings []string
		if len(f.SearchPath) > 0 {
			settings = []string{"search_path=" + ir.Idents(f.SearchPath)}
		}
		declared := *f
		declared.Body = postgres.Body(*f)
		f.Printed = printFunction(declared, settings)
	}
	for i := range s.Tables {
		t := &s.Tables[i]
		if t.PrimaryKey != nil {
			t.PrimaryKey.Printed = postgres.Definition(*t.PrimaryKey)
		}
		for j := range t.Uniques {
			t.Uniques[j].Printed = postgres.Definition(t.Uniques[j])
		}
		for j := range t.ForeignKeys {
			t.ForeignKeys[j].Printed = postgres.Definition(t.ForeignKeys[j])
		}
		for j := range t.Indexes {
			if plainIndex(t.Indexes[j]) {
				t.Indexes[j].Printed = printIndex(t.Indexes[j])
			}
		}
	}
}

// plainIndex reports whether an index is one of columns alone, whose print needs
// no server.
func plainIndex(i ir.Index) bool {
	return i.Where == "" && !slices.ContainsFunc(i.Parts, func(p ir.IndexPart) bool { return p.Column == "" || p.OpClass != "" })
}

// declaredPrint is the print of a column from its declaration's own texts, in
// the form that inspection gives to what the catalog says in parts.
func declaredPrint(c ir.Column) ir.ColumnPrint {
	print := ir.ColumnPrint{Type: c.Type.SQL(), Default: c.Default}
	if c.Collation != "" {
		print.Type += " COLLATE " + ir.Ident(c.Collation)
	}
	if c.Generated != "" {
		print.Default = "GENERATED ALWAYS AS (" + c.Generated + ")"
	}
	return print
}

// declaredPrints is a schema whose prints are its declarations' own texts.
func declaredPrints(s *ir.Schema) *ir.Schema {
	c := clone(s)
	for i := range c.Domains {
		d := &c.Domains[i]
		d.Printed = d.Type.SQL()
		for j := range d.Checks {
			d.Checks[j].Printed = postgres.Definition(d.Checks[j])
		}
	}
	for i := range c.Tables {
		t := &c.Tables[i]
		for j := range t.Columns {
			t.Columns[j].Printed = declaredPrint(t.Columns[j])
		}
		for j := range t.Excludes {
			t.Excludes[j].Printed = postgres.Definition(t.Excludes[j])
		}
		for j := range t.Checks {
			t.Checks[j].Printed = postgres.Definition(t.Checks[j])
		}
		for j := range t.Indexes {
			t.Indexes[j].Printed = printIndex(t.Indexes[j])
		}
		for j := range t.Triggers {
			t.Triggers[j].Printed = printTrigger(t.Triggers[j])
		}
	}
	return c
}

// parts is what of the domains is listed, and the tables of a schema with all their columns, but of defaults,
// constraints, indexes and triggers only those listed. Tables with none of these
// are left out.
func parts(s *ir.Schema, ids map[ir.ObjectID]bool) *ir.Schema {
	part := &ir.Schema{Domains: domainParts(s, ids)}
	for i := range s.Tables {
		t := &s.Tables[i]
		if p, some := partOf(t, ids); some {
			part.Tables = append(part.Tables, p)
		}
	}
	return part
}

func partOf(t *ir.Table, ids map[ir.ObjectID]bool) (p ir.Table, some bool) {
	listed := func(kind ir.ObjectKind, name string) bool {
		has := ids[t.ID(kind, name)]
		some = some || has
		return has
	}
	p = ir.Table{Schema: t.Schema, Name: t.Name, Columns: slices.Clone(t.Columns)}
	for i := range p.Columns {
		if !listed(ir.ColumnObject, p.Columns[i].Name) {
			p.Columns[i].Default, p.Columns[i].Generated = "", ""
		}
	}
	p.Excludes = filter(t.Excludes, func(e ir.Exclude) bool { return listed(ir.ConstraintObject, e.Name) })
	p.Checks = filter(t.Checks, func(c ir.Check) bool { return listed(ir.ConstraintObject, c.Name) })
	p.Indexes = filter(t.Indexes, func(i ir.Index) bool { return listed(ir.IndexObject, i.Name) })
	p.Triggers = filter(t.Triggers, func(g ir.Trigger) bool { return listed(ir.TriggerObject, g.Name) })
	return p, some
}

func filter[T any](list []T, keep func(T) bool) []T {
	var kept []T
	for _, element := range list {
		if keep(element) {
			kept = append(kept, element)
		}
	}
	return kept
}

// clone copies a schema down to the fields that prints go into.
func clone(s *ir.Schema) *ir.Schema {
	c := *s
	c.Enums = slices.Clone(s.Enums)
	c.Domains = cloneDomains(s.Domains)
	c.Functions = slices.Clone(s.Functions)
	c.Tables = slices.Clone(s.Tables)
	for i := range c.Tables {
		t := &c.Tables[i]
		t.Columns = slices.Clone(t.Columns)
		t.Uniques = slices.Clone(t.Uniques)
		t.Excludes = slices.Clone(t.Excludes)
		t.Checks = slices.Clone(t.Checks)
		t.ForeignKeys = slices.Clone(t.ForeignKeys)
		t.Indexes = slices.Clone(t.Indexes)
		t.Triggers = slices.Clone(t.Triggers)
		if t.PrimaryKey != nil {
			key := *t.PrimaryKey
			t.PrimaryKey = &key
		}
	}
	return &c
}
