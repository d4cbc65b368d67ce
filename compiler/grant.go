package compiler

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/internal/pgsql"
)

// grants decides what the role of the generated code may do: what its statements
// ask for, and to read what store.Check looks at. What triggers do needs no
// grants: their functions run as their owner.
func (c *compilation) grants() {
	p := c.program
	if p.AppRole == "" {
		return
	}
	g := granting{tables: map[ir.TableRef]*rights{}}
	for _, t := range c.tables {
		g.of(t.ref).counts = slices.ContainsFunc(t.columns, func(col *column) bool { return col.counts != nil })
	}
	for i := range p.Schema.Tables {
		t := &p.Schema.Tables[i]
		g.of(t.Ref()).key = t.Columns[0].Name
		if t.PrimaryKey != nil {
			g.of(t.Ref()).key = t.PrimaryKey.Columns[0]
		}
	}
	for op := range p.Operations() {
		for i := range op.Statements {
			g.statement(op.Address, op.Statements[i].SQL)
		}
	}
	for _, promise := range p.Promises {
		if t, ok := g.tables[ir.TableRef{Schema: promise.Object.Schema, Name: promise.Object.Table}]; ok {
			t.need(ir.Select, "store.Check")
		}
	}
	p.Grants = g.list()
}

// granting collects what operations need.
type granting struct{ tables map[ir.TableRef]*rights }

// rights are what is needed of one table.
type rights struct {
	key     string                    // a column to grant UPDATE on where rows are only locked
	needs   map[ir.Privilege][]string // by which operations
	columns map[string]bool           // that are updated
	into    map[string]bool           // columns that are inserted
	counts  bool                      // whether a column is a counter, which nobody is to write
	locked  []string                  // operations that lock rows
}

func (g *granting) of(ref ir.TableRef) *rights {
	if g.tables[ref] == nil {
		g.tables[ref] = &rights{needs: map[ir.Privilege][]string{}, columns: map[string]bool{}, into: map[string]bool{}}
	}
	return g.tables[ref]
}

func (g *granting) statement(address, sql string) {
	needs, err := pgsql.PrivilegesOf(sql)
	if err != nil {
		panic("compiler: a statement of " + address + " does not parse: " + err.Error())
	}
	for _, n := range needs {
		t, own := g.tables[ir.TableRef{Schema: n.Schema, Name: n.Table}]
		if !own {
			continue // pg_catalog's
		}
		for privilege, needed := range map[ir.Privilege]bool{
			ir.Select: n.Select, ir.Insert: n.Insert, ir.Delete: n.Delete, ir.Update: len(n.Update) > 0,
		} {
			if needed {
				t.need(privilege, address)
			}
		}
		for _, column := range n.Into {
			t.into[column] = true
		}
		for _, column := range n.Update {
			t.columns[column] = true
		}
		if n.Lock {
			t.locked = append(t.locked, address)
		}
	}
}

// need notes which operation asks for a privilege.
func (t *rights) need(privilege ir.Privilege, address string) {
	if !slices.Contains(t.needs[privilege], address) {
		t.needs[privilege] = append(t.needs[privilege], address)
	}
}

// list brings the grants into an order that depends on names alone.
func (g *granting) list() []ir.Grant {
	var list []ir.Grant
	schemas := map[string]bool{}
	for _, ref := range slices.SortedFunc(maps.Keys(g.tables), func(a, b ir.TableRef) int {
		return slices.Compare([]string{a.Schema, a.Name}, []string{b.Schema, b.Name})
	}) {
		t := g.tables[ref]
		if len(t.columns) == 0 && len(t.locked) > 0 {
			t.columns[t.key] = true
			t.needs[ir.Update] = []string{t.locked[0] + ", which locks rows: PostgreSQL asks for UPDATE on one column"}
		}
		for _, privilege := range []ir.Privilege{ir.Select, ir.Insert, ir.Update, ir.Delete} {
			by := t.needs[privilege]
			if len(by) == 0 {
				continue
			}
			if !schemas[ref.Schema] {
				schemas[ref.Schema] = true
				list = append(list, ir.Grant{Schema: ref.Schema, Privilege: ir.Usage, Why: "its tables are there"})
			}
			grant := ir.Grant{Schema: ref.Schema, Table: ref.Name, Privilege: privilege, Why: neededBy(by)}
			switch {
			case privilege == ir.Update:
				grant.Columns = slices.Sorted(maps.Keys(t.columns))
			case privilege == ir.Insert && t.counts:
				if len(t.into) == 0 {
					t.into[t.key] = true // DEFAULT VALUES asks for any column
				}
				grant.Columns = slices.Sorted(maps.Keys(t.into))
			}
			list = append(list, grant)
		}
	}
	return list
}

// neededBy names the operations that need a grant, for a sentence.
func neededBy(operations []string) string {
	const few = 3
	slices.Sort(operations)
	if len(operations) <= few {
		return "for " + strings.Join(operations, ", ")
	}
	return fmt.Sprintf("for %s and %d more", strings.Join(operations[:few], ", "), len(operations)-few)
}
