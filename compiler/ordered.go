package compiler

import (
	"slices"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
)

// ordered is an ordered block after its checks.
type ordered struct {
	decl    *dsl.Ordered
	label   string
	address string
	name    string // what its objects are named after, the table of groups first
	per     []*column
	column  *column
	key     *unique
	groups  ir.TableRef
	rule    *ir.Ordered
}

// orders compiles the ordered blocks of a table. It runs before the reads are
// made: an insert gives no position.
func (c *compilation) orders(t *table) {
	for _, decl := range t.decl.Orders {
		o := &ordered{
			decl: decl, label: labelOf(decl.Block, decl.Rename), address: inside(t.address, "ordered", decl.Block),
			name: derivedName(t.ref.Name, decl.Name.Text, decl.Rename),
		}
		o.groups = ir.TableRef{Schema: t.ref.Schema, Name: o.name}
		if c.orderedParts(t, o) {
			c.lowerOrdered(t, o)
		}
	}
}

// orderedParts reads the group and the column of the position.
func (c *compilation) orderedParts(t *table, o *ordered) bool {
	decl := o.decl
	per, ok := c.lookupAll(t, decl.Per)
	o.per, o.column = per, c.lookup(t, decl.Column)
	if !ok || len(per) == 0 || o.column == nil || !o.column.known {
		return false
	}
	for i, col := range per {
		if !col.known || c.keyType(col, decl.Per[i].Range, "ordered") {
			return false
		}
		switch {
		case col == o.column:
			return c.orderedColumn(o, decl.Per[i], "makes the group and holds the position", "every row would be a group of its own")
		case col.null:
			return c.orderedColumn(o, decl.Per[i], "may be NULL", "rows without a group would have no order")
		}
	}
	col := o.column
	switch _, _, kept := t.kept(col); {
	case len(t.key) == 0:
		return c.orderedColumn(o, decl.Column, "stands in a table without a primary key", "nothing names the row that moves")
	case !familyOf(col.typ.Base()).integer:
		return c.orderedColumn(o, decl.Column, "is no integer", "positions are counted")
	case col.null:
		return c.orderedColumn(o, decl.Column, "may be NULL", "every row has a position")
	case col.schema.Identity != ir.NoIdentity, col.schema.Default != "":
		return c.orderedColumn(o, decl.Column, "has a value of its own already", "the trigger puts a row that is given none at the end")
	case kept, slices.Contains(t.key, col):
		return c.orderedColumn(o, decl.Column, "never changes", "rows move")
	}
	return true
}

// orderedReferences reports foreign keys whose actions take rows to another group:
// they come in at its end one by one, in whatever order they are found.
func (c *compilation) orderedReferences(t *table) {
	for _, decl := range t.decl.Orders {
		for _, r := range t.parents {
			if a := r.schema.OnDelete; a != ir.Cascade {
				c.regroups(t, decl, r, r.decl.OnDelete, a, "DELETE")
			}
			c.regroups(t, decl, r, r.decl.OnUpdate, r.schema.OnUpdate, "UPDATE")
		}
	}
}

func (c *compilation) regroups(t *table, decl *dsl.Ordered, r *reference, v dsl.Value[string], a ir.Action, event string) {
	i := slices.IndexFunc(decl.Per, func(n dsl.Name) bool { return slices.Contains(r.columns, n.Text) })
	if i < 0 || a == ir.NoAction || a == ir.Restrict {
		return
	}
	c.report(diag.Diagnostic{
		Code:        diag.GroupColumn,
		Detail:      "ON " + event + " " + string(a) + " writes " + quote(decl.Per[i].Text) + ", which makes the groups of ordered " + quote(decl.Name.Text) + ".",
		Subject:     v.Range,
		Label:       "takes whole groups of " + quote(t.label) + " elsewhere",
		Related:     []diag.Related{{Range: decl.Per[i].Range, Text: "makes the groups"}},
		Consequence: "Each row would come in at the end of another group, in the order in which PostgreSQL finds them: the order of the group would be lost.",
		Help:        `write "restrict", and move the rows one by one`,
	})
}

func (c *compilation) orderedColumn(o *ordered, at dsl.Name, what, why string) bool {
	c.report(diag.Diagnostic{
		Code:        diag.GroupColumn,
		Detail:      "The column " + quote(at.Text) + " of ordered " + quote(o.label) + " " + what + ".",
		Subject:     at.Range,
		Label:       what,
		Consequence: "Rows could not be put in order and moved: " + why + ".",
		Help:        columnOfNumbers(at, o.decl.Column, "position"),
	})
	return false
}

// lowerOrdered puts the table of groups, the deferrable key and the triggers into
// the schema.
func (c *compilation) lowerOrdered(t *table, o *ordered) {
	origin := ir.Origin{Address: o.address, Pos: pos(o.decl.Header)}
	what := "ordered " + quote(o.label)
	if !c.claimRelation(o.groups, o.groups.Name, "the groups of "+what, o.decl.Header) ||
		!c.claimRelation(o.groups, o.groups.Name+"_pkey", "the key of the groups of "+what, o.decl.Header) ||
		!c.claimConstraint(t, o.name+"_key", "the key of "+what, o.decl.Header, true) {
		return
	}
	o.lowerKey(t, origin)
	groups := ir.Table{
		Schema: o.groups.Schema, Name: o.groups.Name, Origin: origin, Comment: "The locks of ordered " + o.label + ": whoever moves a row of a group writes its row here.",
		PrimaryKey: &ir.PrimaryKey{Name: o.groups.Name + "_pkey", Columns: columnList(o.per), Origin: origin},
	}
	for _, col := range o.per {
		groups.Columns = append(groups.Columns, ir.Column{Name: col.name, Type: col.typ, Origin: origin})
	}
	groups.Columns = append(groups.Columns, ir.Column{Name: o.changes(), Type: ir.Type{Name: "int8"}, Origin: origin})
	c.program.Schema.Tables = append(c.program.Schema.Tables, groups)
	o.rule = &ir.Ordered{
		Per: columnList(o.per), Column: o.column.name, Groups: o.groups,
		Base: ir.Facts{
			Address: o.address, Kind: "ordered", Table: t.ref,
			Promise:   "No two rows of " + t.ref.Name + " with one " + and(columnList(o.per)) + " have the same " + o.column.name + "; rows come in at the end, and moves of one group do not disturb each other.",
			Mechanism: "UNIQUE (" + ir.Idents(o.key.columns) + ") DEFERRABLE; a row for each group in " + o.groups.Name + ", which moves and inserts update first",
			Reasons:   o.reasons(t),
			Violators: "SELECT " + ir.Idents(o.key.columns) + ", count(*) AS rows FROM " + t.ref.SQL() + " GROUP BY " + ir.Idents(o.key.columns) + " HAVING count(*) > 1",
			Pos:       pos(o.decl.Header),
		},
	}
	o.rule.Base.Objects = append([]ir.ObjectID{
		{Kind: ir.TableObject, Schema: o.groups.Schema, Table: o.groups.Name, Name: o.groups.Name}, o.key.object,
	}, c.lowerPlacing(t, o, origin)...)
	o.key.facts = &o.rule.Base
	o.column.places = o
	t.orders = append(t.orders, o)
	t.invariants = append(t.invariants, o.rule)
}

// lowerKey adds the unique constraint over group and position.
func (o *ordered) lowerKey(t *table, origin ir.Origin) {
	u := &unique{name: o.name + "_key", plain: true, decl: &dsl.NoDuplicates{
		Block: o.decl.Block, Rename: o.decl.Rename, List: o.decl.List, Deferrable: dsl.Value[bool]{V: true, Set: true, Range: o.decl.Header},
	}}
	for i, col := range append(slices.Clone(o.per), o.column) {
		at := o.decl.Column
		if i < len(o.per) {
			at = o.decl.Per[i]
		}
		u.decl.Columns = append(u.decl.Columns, dsl.KeyPart{Column: &at, Range: at.Range})
		u.parts, u.exprs, u.columns = append(u.parts, ir.IndexPart{Column: col.name}), append(u.exprs, nil), append(u.columns, col.name)
	}
	t.schema.Uniques = append(t.schema.Uniques, ir.Unique{Name: u.name, Columns: u.columns, Deferrable: true, Origin: origin})
	u.object = ir.ObjectID{Kind: ir.ConstraintObject, Schema: t.ref.Schema, Table: t.ref.Name, Name: u.name}
	t.indexed = append(t.indexed, u.columns)
	t.uniques = append(t.uniques, u)
	o.key = u
}

// changes is the counter of a group's row, under a name that no column of the
// group has.
func (o *ordered) changes() string {
	name := "changes"
	for hasColumn(o.per, name) {
		name += "_"
	}
	return name
}

func (o *ordered) reasons(t *table) []ir.Reason {
	group := and(columnList(o.per))
	return []ir.Reason{
		{
			Choice: "deferrable unique constraint",
			Why: "rows change places in one UPDATE, which passes through states where two of them have one position: an ordinary unique key is checked row by " +
				"row and refuses (23505). This one is checked when the statement ends. PostgreSQL takes no such key for ON CONFLICT or for a foreign key " +
				"(55000), so that none can name it.",
		},
		{
			Choice: "the group's row is updated first",
			Why: "a move reads the order and writes it; two at once would each write what follows from the old one. The UPDATE of one row, in a statement of its " +
				"own ahead of the move, makes the second one wait and then read what the first one left. REPEATABLE READ and SERIALIZABLE get 40001.",
		},
		{
			Choice: "at the end",
			Why: "a trigger puts a row that comes without a position behind the last one, for every client, and one that goes to another " + group +
				" too, unless it is given a position there. A DELETE leaves a gap, which the next move of the group closes: closing it at once would write all rows behind it.",
		},
		{
			Choice: "what it costs",
			Why: "inserts into one " + group + " and moves in it wait for each other until the transaction ends, those in others do not. A move writes the rows " +
				"between the old place and the new one.",
		},
	}
}

// lowerPlacing adds the triggers that put a row at the end.
func (c *compilation) lowerPlacing(t *table, o *ordered, origin ir.Origin) []ir.ObjectID {
	name, what, at := o.name+"_place", "a trigger of ordered "+quote(o.label), o.decl.Header
	if !c.claimName(space{functionSpace, t.ref.Schema, "", name}, what, at) {
		return nil
	}
	c.program.Schema.Functions = append(c.program.Schema.Functions, ir.Function{
		Schema: t.ref.Schema, Name: name, Returns: "trigger", Language: "plpgsql", Body: o.body(t),
		SecurityDefiner: true, SearchPath: []string{"pg_catalog", "pg_temp"}, Origin: origin,
	})
	objects := []ir.ObjectID{{Kind: ir.FunctionObject, Schema: t.ref.Schema, Name: name}}
	position := ir.Ident(o.column.name)
	moved := make([]string, len(o.per))
	for i, col := range o.per {
		moved[i] = changed(col)
	}
	for _, g := range []ir.Trigger{
		{Name: o.name + "_insert", Events: []ir.TriggerEvent{ir.OnInsert}, When: "NEW." + position + " IS NULL"},
		{Name: o.name + "_update", Events: []ir.TriggerEvent{ir.OnUpdate}, When: "(" + strings.Join(moved, " OR ") + ") AND NEW." + position + " = OLD." + position},
	} {
		if !c.claimName(space{triggerSpace, t.ref.Schema, t.ref.Name, g.Name}, what, at) {
			continue
		}
		g.Before, g.FuncSchema, g.FuncName, g.Origin = true, t.ref.Schema, name, origin
		t.schema.Triggers = append(t.schema.Triggers, g)
		objects = append(objects, ir.ObjectID{Kind: ir.TriggerObject, Schema: t.ref.Schema, Table: t.ref.Name, Name: g.Name})
	}
	return objects
}

// body is the function that puts a row behind the last one of its group.
func (o *ordered) body(t *table) string {
	position := ir.Ident(o.column.name)
	var values, match []string
	for _, col := range o.per {
		values = append(values, "NEW."+ir.Ident(col.name))
		match = append(match, "r."+ir.Ident(col.name)+" = NEW."+ir.Ident(col.name))
	}
	return columnsFirst + "BEGIN\n  " + o.take("VALUES ("+strings.Join(values, ", ")+", 1)", "    ") + ";\n" +
		"  NEW." + position + " := (SELECT COALESCE(max(r." + position + "), 0) + 1 FROM " + t.ref.SQL() + " AS r WHERE " + strings.Join(match, " AND ") + ");\n" +
		"  RETURN NEW;\nEND"
}

// take writes the row of a group.
func (o *ordered) take(rows, indent string) string {
	per, changes := ir.Idents(columnList(o.per)), ir.Ident(o.changes())
	return "INSERT INTO " + o.groups.SQL() + " AS g (" + per + ", " + changes + ")\n" + indent + rows + "\n" + indent +
		"ON CONFLICT (" + per + ") DO UPDATE SET " + changes + " = g." + changes + " + 1"
}
