package pgsql

import (
	"fmt"
	"maps"
	"slices"

	pg "github.com/pganalyze/pg_query_go/v5"
)

// Privileges is what a statement needs of one table.
type Privileges struct {
	Schema, Table          string
	Select, Insert, Delete bool
	Into                   []string // the columns that an Insert names, sorted
	Update                 []string // the columns that it sets, sorted
	// Lock is set where rows are locked and nothing else is: PostgreSQL asks for
	// UPDATE on any column then.
	Lock bool
}

// PrivilegesOf lists what a statement, or a COPY into a table, needs of each
// table that it names with a schema, sorted. PostgreSQL asks the caller for it
// when the statement starts, whatever rows there are.
func PrivilegesOf(sql string) ([]Privileges, error) {
	tree, err := pg.Parse(sql)
	if err != nil {
		message, _ := describe(err)
		return nil, fmt.Errorf("this statement cannot be parsed: %s", message)
	}
	p := privileges{of: map[[2]string]*Privileges{}, target: map[*pg.RangeVar]bool{}}
	for m := range nodes(tree) {
		switch x := m.(type) {
		case *pg.InsertStmt:
			p.insert(x)
		case *pg.UpdateStmt:
			n := p.written(x.Relation)
			n.Select = true // it looks for the rows, and returns them
			n.sets(x.TargetList)
		case *pg.DeleteStmt:
			n := p.written(x.Relation)
			n.Select, n.Delete = true, true
		case *pg.CopyStmt:
			n := p.written(x.Relation)
			n.Insert = x.IsFrom
			for _, name := range x.Attlist {
				n.Into = append(n.Into, name.GetString_().GetSval())
			}
		case *pg.SelectStmt:
			p.locks(x)
		case *pg.RangeVar:
			if !p.target[x] && x.Schemaname != "" {
				p.need(x).Select = true
			}
		}
	}
	list := make([]Privileges, 0, len(p.of))
	for _, ref := range slices.SortedFunc(maps.Keys(p.of), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		n := p.of[ref]
		n.Into, n.Update = distinct(n.Into), distinct(n.Update)
		list = append(list, *n)
	}
	return list, nil
}

// privileges collects what one statement needs.
type privileges struct {
	of     map[[2]string]*Privileges // by schema and table
	target map[*pg.RangeVar]bool     // written, and not read by being named
}

func (p *privileges) need(r *pg.RangeVar) *Privileges {
	ref := [2]string{r.Schemaname, r.Relname}
	if p.of[ref] == nil {
		p.of[ref] = &Privileges{Schema: ref[0], Table: ref[1]}
	}
	return p.of[ref]
}

func (p *privileges) written(r *pg.RangeVar) *Privileges {
	p.target[r] = true
	return p.need(r)
}

func (p *privileges) insert(x *pg.InsertStmt) {
	n := p.written(x.Relation)
	n.Insert = true
	for _, column := range x.Cols {
		n.Into = append(n.Into, column.GetResTarget().GetName())
	}
	n.Select = n.Select || len(x.ReturningList) > 0 || x.OnConflictClause != nil
	if x.OnConflictClause != nil {
		n.sets(x.OnConflictClause.TargetList)
	}
}

// locks notes the tables whose rows a SELECT locks: those that it names, or all.
func (p *privileges) locks(x *pg.SelectStmt) {
	for _, clause := range x.LockingClause {
		named := clause.GetLockingClause().GetLockedRels()
		for _, from := range x.FromClause {
			for m := range nodes(from) {
				r, ok := m.(*pg.RangeVar)
				if !ok || r.Schemaname == "" {
					continue
				}
				alias := r.Relname
				if r.Alias != nil {
					alias = r.Alias.Aliasname
				}
				if len(named) == 0 || slices.ContainsFunc(named, func(n *pg.Node) bool { return n.GetRangeVar().GetRelname() == alias }) {
					p.need(r).Lock = true
				}
			}
		}
	}
}

// sets notes the columns of assignments.
func (n *Privileges) sets(targets []*pg.Node) {
	for _, t := range targets {
		n.Update = append(n.Update, t.GetResTarget().GetName())
	}
}

// distinct sorts names and drops what is there twice.
func distinct(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}
