package pgsql

import pg "github.com/pganalyze/pg_query_go/v5"

// scope is one SELECT: a name inside it is looked for in its FROM clause first, and
// then in those of the queries around it.
type scope struct {
	outer int // the number of the query around it; 0 is what stands in no SELECT
	// opaque says that the FROM clause reads something else than tables, whose
	// columns another part of the text gives: a sub-select, a function, WITH.
	opaque bool
}

// enter begins a SELECT, and returns what ends it.
func (w *walker) enter() (leave func()) {
	around := w.scope
	if len(w.scopes) == 0 {
		w.scopes = []scope{{}}
	}
	w.scopes = append(w.scopes, scope{outer: around})
	w.scope = len(w.scopes) - 1
	return func() { w.scope = around }
}

// opaque notes that the FROM clause reads something else than tables.
func (w *walker) opaque() {
	if w.scope > 0 {
		w.scopes[w.scope].opaque = true
	}
}

// columnsElsewhere reports a part of a FROM clause whose columns are not those of a
// table.
func columnsElsewhere(m any) bool {
	switch x := m.(type) {
	case *pg.RangeSubselect, *pg.RangeFunction, *pg.RangeTableFunc:
		return true
	case *pg.Alias:
		return len(x.Colnames) > 0
	}
	return false
}

// Source is where a column of a query comes from.
type Source struct {
	// Tables are those of one FROM clause that have the column: more than one when
	// USING merges them, or when PostgreSQL would call the name ambiguous.
	Tables []TableRef
	// Outer says that the name stands in a sub-select whose own tables have no such
	// column, and means one of a query around it.
	Outer bool
}

// SourceOf finds what a column means as PostgreSQL does: in the innermost FROM clause
// that has it. has tells whether a table has the column and the reference may mean
// that table. ok is false when the text alone does not tell, because a sub-select or
// a function stands in between, or when no table has it.
func (q *Query) SourceOf(ref ColumnRef, has func(TableRef) bool) (s Source, ok bool) {
	for at := ref.scope; at > 0; at = q.scopes[at].outer {
		for _, t := range q.tables {
			if t.scope == at && has(t) {
				s.Tables = append(s.Tables, t)
			}
		}
		switch {
		case len(s.Tables) > 0:
			s.Outer = at != ref.scope
			return s, true
		case q.scopes[at].opaque:
			return s, false
		}
	}
	return s, false
}

// Beside reports whether a table stands in the FROM clause of the SELECT that a
// column stands in.
func (q *Query) Beside(ref ColumnRef, t TableRef) bool { return t.scope == ref.scope }
