package ir

import "slices"

// DataSchema is what the tables that the program reads and does not own would be
// if they had to be made: with the columns and keys that it declares of them, and
// with the schemas that they stand in. Several declarations of one table are
// taken together.
func (p *Program) DataSchema() *Schema {
	s := &Schema{}
	for i := range p.Data {
		t := &p.Data[i]
		at := slices.IndexFunc(s.Tables, func(have Table) bool { return have.Ref() == t.Ref() })
		if at < 0 {
			at = len(s.Tables)
			s.Tables = append(s.Tables, Table{Schema: t.Schema, Name: t.Name, Origin: t.Origin})
		}
		s.Tables[at].describe(t)
		known := t.Schema == "public" || slices.ContainsFunc(s.Namespaces, func(n Namespace) bool { return n.Name == t.Schema })
		if !known {
			s.Namespaces = append(s.Namespaces, Namespace{Name: t.Schema, Origin: t.Origin})
		}
	}
	return s
}

// describe adds what another declaration says of a table.
func (t *Table) describe(other *Table) {
	for _, c := range other.Columns {
		if !slices.ContainsFunc(t.Columns, func(have Column) bool { return have.Name == c.Name }) {
			t.Columns = append(t.Columns, c)
		}
	}
	if t.PrimaryKey == nil {
		t.PrimaryKey = other.PrimaryKey
	}
	for _, u := range other.Uniques {
		if !slices.ContainsFunc(t.Uniques, func(have Unique) bool { return have.Name == u.Name }) {
			t.Uniques = append(t.Uniques, u)
		}
	}
}

// Standalone is the program for a database of its own, where nobody else makes
// the tables that it reads: they stand in the schema as its own do, though without
// operations. Whoever connects there owns them, and nobody gets grants.
func (p *Program) Standalone() *Program {
	whole := *p
	whole.Grants = nil
	if len(p.Data) == 0 {
		return &whole
	}
	data := p.DataSchema()
	whole.Data = nil
	whole.Schema.Tables = slices.Concat(data.Tables, p.Schema.Tables)
	whole.Schema.Namespaces = slices.Clone(p.Schema.Namespaces)
	for _, n := range data.Namespaces {
		if !slices.ContainsFunc(p.Schema.Namespaces, func(have Namespace) bool { return have.Name == n.Name }) {
			whole.Schema.Namespaces = append(whole.Schema.Namespaces, n)
		}
	}
	return &whole
}
