package migrate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/codegen/postgres"
	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/migrate/diff"
)

// relocate gives everything that was read the identity that moved blocks give
// it, so that the rest of the planning sees the database as the first steps of the
// plan will leave it.
func (p *planning) relocate() error {
	p.all = states(p.have)
	p.objects = p.want.Objects()
	p.plan.fingerprint = fingerprint(p.all, p.ledger, p.objects)
	r, err := relocate(p.program, p.have, p.ledger, p.all)
	if err != nil {
		return err
	}
	p.moves = r
	if r.empty() {
		return nil
	}
	n := normaliser{ctx: p.ctx, conn: p.conn, path: p.plan.path, types: r.typeStatements()}
	texts, err := n.reread(p.have, r)
	if err != nil {
		return err
	}
	p.have = r.schema(p.have, texts)
	p.all = states(p.have)
	p.ledger = r.ledger(p.ledger)
	p.names = r.relations(p.names)
	return nil
}

// typeStatements spell the new names of types and labels: what a definition has
// to be read under.
func (r *relocation) typeStatements() []string {
	var list []string
	for _, old := range slices.SortedFunc(maps.Keys(r.to), compareIDs) {
		if old.Kind == ir.EnumObject {
			list = append(list, postgres.MoveType(old, r.to[old])...)
		}
	}
	for _, enum := range slices.SortedFunc(maps.Keys(r.labels), compareIDs) {
		for _, label := range r.labels[enum] {
			list = append(list, postgres.RenameLabel(enum.Schema, enum.Name, label[0], label[1]))
		}
	}
	return list
}

// reread lets the server print what stands on tables whose columns or types get
// another name, as it will print it then. The result holds tables under their old
// names, with the new names of columns; none where the server cannot be asked, or
// nothing of the kind changes.
func (n *normaliser) reread(have *ir.Schema, r *relocation) (map[ir.TableRef]ir.Table, error) {
	printed := map[ir.TableRef]ir.Table{}
	columns := map[ir.TableRef][]string{}
	for _, old := range slices.SortedFunc(maps.Keys(r.to), compareIDs) {
		if old.Kind == ir.ColumnObject && old.Name != r.to[old].Name {
			t := ir.TableRef{Schema: old.Schema, Name: old.Table}
			temporary := ir.TableRef{Schema: "pg_temp", Name: old.Table}
			columns[t] = append(columns[t], postgres.RenameColumn(temporary, old.Name, r.to[old].Name))
		}
	}
	if len(columns) == 0 && len(n.types) == 0 {
		return printed, nil
	}
	if why, err := n.scratchless(); err != nil || why != "" {
		return printed, err
	}
	var tables []ir.Table
	for i := range have.Tables {
		if t := &have.Tables[i]; len(n.types) > 0 || columns[t.Ref()] != nil {
			everything := map[ir.ObjectID]bool{}
			for _, o := range t.Objects() {
				everything[o.ID] = true
			}
			part, _ := partOf(t, everything)
			tables = append(tables, part)
		}
	}
	for _, batch := range batches(tables) {
		read, err := n.printBatch(batch, func(tx pgx.Tx) error {
			statements := slices.Clone(n.types)
			for i := range batch {
				statements = append(statements, columns[batch[i].Ref()]...)
			}
			_, err := n.attempt(tx, statements...)
			return err
		})
		if err != nil {
			return nil, err
		}
		for _, t := range read {
			printed[t.Ref()] = t
		}
	}
	return printed, nil
}

// schema is an inspected schema after the renames.
func (r *relocation) schema(have *ir.Schema, texts map[ir.TableRef]ir.Table) *ir.Schema {
	s := clone(have)
	s.Enums = slices.Clone(s.Enums)
	for i := range s.Enums {
		e := &s.Enums[i]
		id := r.id(ir.ObjectID{Kind: ir.EnumObject, Schema: e.Schema, Name: e.Name})
		e.Schema, e.Name, e.Values = id.Schema, id.Name, slices.Clone(e.Values)
		for _, label := range r.labels[id] {
			e.Values[slices.Index(e.Values, label[0])] = label[1]
		}
	}
	for i := range s.Functions {
		f := &s.Functions[i]
		id := r.id(ir.ObjectID{Kind: ir.FunctionObject, Schema: f.Schema, Name: f.Name})
		f.Schema, f.Name = id.Schema, id.Name
	}
	for i := range s.Tables {
		t := &s.Tables[i]
		if read, ok := texts[t.Ref()]; ok {
			r.retext(t, &read)
		}
		r.rename(t)
	}
	return s
}

// retext takes over the texts in which a table's columns and types have their new
// names. What the server would not print again keeps its old text, and will look
// changed.
func (r *relocation) retext(t, read *ir.Table) {
	for i := range t.Columns {
		c := &t.Columns[i]
		j := slices.IndexFunc(read.Columns, func(d ir.Column) bool { return d.Name == r.column(t.Ref(), c.Name) })
		if j >= 0 && (read.Columns[j].Default != "" || c.Default == "") {
			c.Type, c.Default, c.Printed = read.Columns[j].Type, read.Columns[j].Default, read.Columns[j].Printed
		}
	}
	for i := range t.Excludes {
		e := &t.Excludes[i]
		if now, ok := find(read.Excludes, func(x ir.Exclude) bool { return x.Name == e.Name }); ok {
			extras := strings.TrimPrefix(e.Printed, postgres.Definition(*e))
			e.Elements, e.Where, e.Printed = now.Elements, now.Where, now.Printed+extras
		}
	}
	for i := range t.Checks {
		c := &t.Checks[i]
		if now, ok := find(read.Checks, func(x ir.Check) bool { return x.Name == c.Name }); ok {
			extras := strings.TrimPrefix(c.Printed, postgres.Definition(*c))
			c.Expr, c.Printed = now.Expr, now.Printed+extras
		}
	}
	for i := range t.Indexes {
		x := &t.Indexes[i]
		if now, ok := find(read.Indexes, func(y ir.Index) bool { return y.Name == x.Name }); ok {
			x.Parts, x.Include, x.Where, x.Printed = now.Parts, now.Include, now.Where, now.Printed
		}
	}
	for i := range t.Triggers {
		g := &t.Triggers[i]
		if now, ok := find(read.Triggers, func(h ir.Trigger) bool { return h.Name == g.Name }); ok && g.Printed == printTrigger(*g) {
			g.When = now.When
			g.Printed = printTrigger(*g)
		}
	}
}

func find[T any](list []T, is func(T) bool) (T, bool) {
	if i := slices.IndexFunc(list, is); i >= 0 {
		return list[i], true
	}
	var none T
	return none, false
}

// rename gives a table and what stands on it new names, wherever names stand by
// themselves.
func (r *relocation) rename(t *ir.Table) {
	ref := t.Ref()
	constraint := func(name string) string { return r.id(t.ID(ir.ConstraintObject, name)).Name }
	if k := t.PrimaryKey; k != nil {
		respell(&k.Printed, k, func() { k.Name, k.Columns = constraint(k.Name), r.columns(ref, k.Columns) })
	}
	for i := range t.Uniques {
		u := &t.Uniques[i]
		respell(&u.Printed, u, func() { u.Name, u.Columns = constraint(u.Name), r.columns(ref, u.Columns) })
	}
	for i := range t.ForeignKeys {
		k := &t.ForeignKeys[i]
		target := ir.TableRef{Schema: k.RefSchema, Name: k.RefTable}
		respell(&k.Printed, k, func() {
			k.Name, k.Columns, k.RefColumns = constraint(k.Name), r.columns(ref, k.Columns), r.columns(target, k.RefColumns)
			k.RefSchema, k.RefTable = r.table(target).Schema, r.table(target).Name
		})
	}
	for i := range t.Excludes {
		t.Excludes[i].Name = constraint(t.Excludes[i].Name)
	}
	for i := range t.Checks {
		t.Checks[i].Name = constraint(t.Checks[i].Name)
	}
	for i := range t.Indexes {
		t.Indexes[i].Name = r.id(t.ID(ir.IndexObject, t.Indexes[i].Name)).Name
	}
	for i := range t.Triggers {
		g := &t.Triggers[i]
		plain := g.Printed == printTrigger(*g)
		function := r.id(ir.ObjectID{Kind: ir.FunctionObject, Schema: g.FuncSchema, Name: g.FuncName})
		g.Name = r.id(t.ID(ir.TriggerObject, g.Name)).Name
		g.FuncSchema, g.FuncName = function.Schema, function.Name
		if plain {
			g.Printed = printTrigger(*g)
		}
	}
	for i := range t.Columns {
		t.Columns[i].Name = r.column(ref, t.Columns[i].Name)
	}
	now := r.table(ref)
	t.Schema, t.Name = now.Schema, now.Name
}

// respell prints a key of columns again, under its new names, and keeps what its
// print says beyond its definition.
func respell[C ir.Constraint](printed *string, c *C, change func()) {
	extras := strings.TrimPrefix(*printed, postgres.Definition(*c))
	change()
	*printed = postgres.Definition(*c) + extras
}

func (r *relocation) columns(t ir.TableRef, names []string) []string {
	now := make([]string, len(names))
	for i, name := range names {
		now[i] = r.column(t, name)
	}
	return now
}

// ledger is what will be recorded after the renames. Records of what stands no
// more on a table that moves are left behind.
func (r *relocation) ledger(l *ledger) *ledger {
	now := *l
	now.mine = map[ir.ObjectID]record{}
	for id, was := range l.mine {
		if _, tableMoves := r.to[tableID(ir.TableRef{Schema: id.Schema, Name: id.Table})]; !tableMoves {
			now.mine[id] = was
		}
	}
	for old, id := range r.to {
		delete(now.mine, old)
		if was, mine := l.mine[old]; mine {
			was.ID = id
			now.mine[id] = was
		}
	}
	for id, moved := range r.records {
		moved.CatalogHash = now.mine[id].CatalogHash
		now.mine[id] = moved
	}
	return &now
}

// relations is which relation will have which name.
func (r *relocation) relations(names relations) relations {
	now := relations{}
	for _, id := range names {
		at := id
		switch id.Kind {
		case ir.IndexObject:
			at = r.id(id)
			if constraint := id; at == id || at.Name == id.Name {
				constraint.Kind = ir.ConstraintObject
				at = r.id(constraint)
				at.Kind = ir.IndexObject
			}
		case ir.TableObject:
			at = r.id(tableID(ir.TableRef{Schema: id.Schema, Name: id.Name}))
			at.Table = id.Table
		}
		now[[2]string{at.Schema, at.Name}] = at
	}
	return now
}

// uses is which columns what stands will mention.
func (r *relocation) uses(uses diff.Uses) diff.Uses {
	now := diff.Uses{}
	for id, columns := range uses {
		for _, column := range columns {
			now[r.id(id)] = append(now[r.id(id)], r.id(column))
		}
	}
	return now
}

// renameTitle says a rename in words.
func renameTitle(kind string, old, now ir.ObjectID) string {
	to := ir.Ident(now.Name)
	if old.Schema != now.Schema {
		to = ir.Qualified(now.Schema, now.Name)
	}
	return fmt.Sprintf("rename %s %s to %s", kind, old.SQL(), to)
}
