package migrate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/compiler/ir"
)

// owned is the part of an inspected schema that a project may change or drop,
// each object with its address, and what is shared and only has to be there:
// schemas and extensions. A function that two projects of one schema have in
// common belongs to both.
func owned(have *ir.Schema, l *ledger, wanted map[ir.ObjectID]bool) *ir.Schema {
	mine := func(id ir.ObjectID) (ir.Origin, bool) {
		r, ok := l.mine[id]
		if _, shared := l.others[id]; shared && id.Kind == ir.FunctionObject {
			ok = wanted[id] // to change it is for both, to drop it is not for one of them
		}
		return ir.Origin{Address: r.Address}, ok
	}
	s := &ir.Schema{Namespaces: have.Namespaces, Extensions: have.Extensions}
	for _, e := range have.Enums {
		if origin, ok := mine(ir.ObjectID{Kind: ir.EnumObject, Schema: e.Schema, Name: e.Name}); ok {
			e.Origin = origin
			s.Enums = append(s.Enums, e)
		}
	}
	for i := range have.Domains {
		if d, ok := ownedDomain(&have.Domains[i], mine); ok {
			s.Domains = append(s.Domains, d)
		}
	}
	for _, f := range have.Functions {
		if origin, ok := mine(ir.ObjectID{Kind: ir.FunctionObject, Schema: f.Schema, Name: f.Name}); ok {
			f.Origin = origin
			s.Functions = append(s.Functions, f)
		}
	}
	for i := range have.Tables {
		t := have.Tables[i]
		if origin, ok := mine(t.ID(ir.TableObject, t.Name)); ok {
			t.Origin = origin
			s.Tables = append(s.Tables, ownedParts(&t, mine))
		}
	}
	return s
}

func ownedParts(t *ir.Table, mine func(ir.ObjectID) (ir.Origin, bool)) ir.Table {
	part := *t
	part.Columns = keep(t.Columns, func(c *ir.Column) (ir.ObjectID, *ir.Origin) { return t.ID(ir.ColumnObject, c.Name), &c.Origin }, mine)
	part.Uniques = keep(t.Uniques, func(u *ir.Unique) (ir.ObjectID, *ir.Origin) { return t.ID(ir.ConstraintObject, u.Name), &u.Origin }, mine)
	part.Excludes = keep(t.Excludes, func(e *ir.Exclude) (ir.ObjectID, *ir.Origin) { return t.ID(ir.ConstraintObject, e.Name), &e.Origin }, mine)
	part.Checks = keep(t.Checks, func(c *ir.Check) (ir.ObjectID, *ir.Origin) { return t.ID(ir.ConstraintObject, c.Name), &c.Origin }, mine)
	part.ForeignKeys = keep(t.ForeignKeys, func(k *ir.ForeignKey) (ir.ObjectID, *ir.Origin) { return t.ID(ir.ConstraintObject, k.Name), &k.Origin }, mine)
	part.Indexes = keep(t.Indexes, func(i *ir.Index) (ir.ObjectID, *ir.Origin) { return t.ID(ir.IndexObject, i.Name), &i.Origin }, mine)
	part.Triggers = keep(t.Triggers, func(g *ir.Trigger) (ir.ObjectID, *ir.Origin) { return t.ID(ir.TriggerObject, g.Name), &g.Origin }, mine)
	part.PrimaryKey = nil
	if t.PrimaryKey != nil {
		key := *t.PrimaryKey
		if origin, ok := mine(t.ID(ir.ConstraintObject, key.Name)); ok {
			key.Origin = origin
			part.PrimaryKey = &key
		}
	}
	return part
}

// keep copies the elements that are the project's, with their addresses.
func keep[T any](list []T, of func(*T) (ir.ObjectID, *ir.Origin), mine func(ir.ObjectID) (ir.Origin, bool)) []T {
	var kept []T
	for _, element := range list {
		id, origin := of(&element)
		if address, ok := mine(id); ok {
			*origin = address
			kept = append(kept, element)
		}
	}
	return kept
}

// UnmanagedError says that objects with wanted names stand in the database and
// are not the project's. pawl never takes over what it did not create.
type UnmanagedError struct{ Objects []UnmanagedObject }

// UnmanagedObject is an object that stands in the way of a wanted one.
type UnmanagedObject struct {
	ID      ir.ObjectID
	Origin  ir.Origin // of the wanted object
	Project string    // whose it is; empty when pawl did not create it
}

// Error names every object and what to do.
func (e *UnmanagedError) Error() string {
	lines := make([]string, len(e.Objects))
	for i, o := range e.Objects {
		owner := "was not created by pawl"
		if o.Project != "" {
			owner = fmt.Sprintf("belongs to the project %q", o.Project)
		}
		lines[i] = fmt.Sprintf("%s %s stands in the way of %s: it %s", o.ID.Kind, o.ID.SQL(), where(o.Origin), owner)
	}
	return strings.Join(lines, "\n") +
		"\npawl changes only what it created. Rename or drop what stands there, or name the declared object otherwise."
}

// where is an address and its place in the source.
func where(o ir.Origin) string {
	if o.Pos.IsValid() {
		return o.Address + " (" + o.Pos.String() + ")"
	}
	return o.Address
}

// inTheWay lists wanted objects whose names are taken by what is not the
// project's. What stands on a table that is in the way itself is not listed.
func inTheWay(all map[ir.ObjectID]string, names relations, l *ledger, wanted []ir.Object) error {
	e := &UnmanagedError{}
	blocked := map[[2]string]bool{}
	for _, object := range wanted {
		id := object.ID
		_, exists := all[id]
		_, mine := l.mine[id]
		other := l.others[id]
		shared := id.Kind == ir.NamespaceObject || id.Kind == ir.ExtensionObject ||
			id.Kind == ir.FunctionObject && other != ""
		if mine || shared || blocked[[2]string{id.Schema, id.Table}] {
			continue
		}
		if !exists {
			if taker, taken := names.taker(id, l); taken {
				e.Objects = append(e.Objects, UnmanagedObject{taker, object.Origin, ""})
			}
			continue
		}
		switch id.Kind {
		case ir.TableObject, ir.DomainObject:
			blocked[[2]string{id.Schema, id.Name}] = true
		}
		e.Objects = append(e.Objects, UnmanagedObject{id, object.Origin, other})
	}
	if len(e.Objects) == 0 {
		return nil
	}
	return e
}

// relations says of each name in a schema what relation has it: tables, views,
// sequences and indexes share their names.
type relations map[[2]string]ir.ObjectID

// readRelations reads the names in the given schemas.
func readRelations(ctx context.Context, tx pgx.Tx, schemas []string) (relations, error) {
	rows, err := tx.Query(ctx, `
SELECT n.nspname::text, c.relname::text, COALESCE(t.relname::text, ''),
       CASE c.relkind WHEN 'r' THEN 'table' WHEN 'p' THEN 'table' WHEN 'i' THEN 'index' WHEN 'I' THEN 'index' WHEN 'S' THEN 'sequence'
            WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' WHEN 'c' THEN 'composite type' WHEN 'f' THEN 'foreign table' ELSE 'relation' END
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_index i ON i.indexrelid = c.oid LEFT JOIN pg_class t ON t.oid = i.indrelid
WHERE n.nspname = ANY ($1::text[])`, schemas)
	if err != nil {
		return nil, fmt.Errorf("inspecting names: %w", err)
	}
	names := relations{}
	var id ir.ObjectID
	_, err = pgx.ForEachRow(rows, []any{&id.Schema, &id.Name, &id.Table, &id.Kind}, func() error {
		names[[2]string{id.Schema, id.Name}] = id
		return nil
	})
	return names, err
}

// taker is the relation that has the name of a wanted one, when it is not one
// that the project is about to replace.
func (r relations) taker(id ir.ObjectID, l *ledger) (ir.ObjectID, bool) {
	if id.Kind != ir.TableObject && id.Kind != ir.IndexObject {
		return id, false
	}
	taker, taken := r[[2]string{id.Schema, id.Name}]
	if taken && taker.Kind == ir.IndexObject {
		constraint := taker
		constraint.Kind = ir.ConstraintObject
		_, index := l.mine[taker]
		_, backing := l.mine[constraint]
		taken = !index && !backing
	}
	return taker, taken
}

// unmanaged lists what stands in the project's schemas and on its tables, and is
// neither recorded for any project nor wanted.
func unmanaged(all map[ir.ObjectID]string, l *ledger) []ir.ObjectID {
	var list []ir.ObjectID
	for id := range all {
		_, mine := l.mine[id]
		_, other := l.others[id]
		if mine || other || id.Kind == ir.NamespaceObject || id.Kind == ir.ExtensionObject {
			continue
		}
		if id.Table != "" && id.Kind != ir.TableObject {
			// A foreign table or domain is listed once, not with all that stands on it.
			_, table := l.mine[ir.ObjectID{Kind: ir.TableObject, Schema: id.Schema, Table: id.Table, Name: id.Table}]
			_, domain := l.mine[ir.ObjectID{Kind: ir.DomainObject, Schema: id.Schema, Name: id.Table}]
			if !table && !domain {
				continue
			}
		}
		list = append(list, id)
	}
	slices.SortFunc(list, compareIDs)
	return list
}

func compareIDs(a, b ir.ObjectID) int {
	return slices.Compare([]string{a.Schema, a.Table, string(a.Kind), a.Name}, []string{b.Schema, b.Table, string(b.Kind), b.Name})
}
