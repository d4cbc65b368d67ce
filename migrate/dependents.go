package migrate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/migrate/diff"
)

// readUses asks the catalog which columns the constraints, indexes, triggers and
// generated columns of some schemas mention, whoever made them: as keys, and
// inside expressions and predicates. It is what PostgreSQL itself goes by when a column is dropped
// or gets another type.
func readUses(ctx context.Context, tx pgx.Tx, schemas []string) (diff.Uses, error) {
	rows, err := tx.Query(ctx, `
SELECT CASE WHEN k.oid IS NOT NULL THEN 'constraint' WHEN g.oid IS NOT NULL THEN 'trigger'
            WHEN f.attnum IS NOT NULL THEN 'column' ELSE 'index' END,
       bn.nspname::text, b.relname::text, COALESCE(k.conname, g.tgname, f.attname, x.relname)::text,
       n.nspname::text, t.relname::text, a.attname::text
FROM pg_depend d
JOIN pg_class t ON d.refclassid = 'pg_class'::regclass AND t.oid = d.refobjid AND t.relkind IN ('r', 'p')
JOIN pg_namespace n ON n.oid = t.relnamespace AND n.nspname = ANY ($1::text[])
JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = d.refobjsubid AND a.attnum > 0
LEFT JOIN pg_constraint k ON d.classid = 'pg_constraint'::regclass AND k.oid = d.objid
LEFT JOIN pg_trigger g ON d.classid = 'pg_trigger'::regclass AND g.oid = d.objid AND NOT g.tgisinternal
LEFT JOIN pg_index i ON d.classid = 'pg_class'::regclass AND i.indexrelid = d.objid
LEFT JOIN pg_class x ON x.oid = i.indexrelid
LEFT JOIN pg_attrdef e ON d.classid = 'pg_attrdef'::regclass AND e.oid = d.objid -- the column itself, up to PostgreSQL 14
LEFT JOIN pg_attribute f ON f.attgenerated <> '' AND f.attnum <> a.attnum
  AND (f.attrelid = e.adrelid AND f.attnum = e.adnum OR d.classid = 'pg_class'::regclass AND f.attrelid = d.objid AND f.attnum = d.objsubid)
JOIN pg_class b ON b.oid = COALESCE(k.conrelid, g.tgrelid, i.indrelid, f.attrelid)
JOIN pg_namespace bn ON bn.oid = b.relnamespace`, schemas)
	if err != nil {
		return nil, fmt.Errorf("inspecting what mentions which columns: %w", err)
	}
	uses := diff.Uses{}
	var id ir.ObjectID
	column := ir.ObjectID{Kind: ir.ColumnObject}
	_, err = pgx.ForEachRow(rows, []any{&id.Kind, &id.Schema, &id.Table, &id.Name, &column.Schema, &column.Table, &column.Name}, func() error {
		uses[id] = append(uses[id], column)
		return nil
	})
	return uses, err
}

// carriesOff takes what goes along with a dropped column or table off the list
// of what is left alone, and says in words what that is: PostgreSQL drops
// indexes and constraints with any of their columns, without a word.
func (p *planner) carriesOff(goes func(ir.ObjectID) bool) string {
	var names []string
	p.unmanaged = slices.DeleteFunc(p.unmanaged, func(id ir.ObjectID) bool {
		if !goes(id) {
			return false
		}
		name := "the " + string(id.Kind) + " " + ir.Ident(id.Name)
		if definition := p.definition(id); definition != "" {
			name += " " + definition
		}
		names = append(names, name)
		return true
	})
	if len(names) == 0 {
		return ""
	}
	return "; not managed by pawl and lost with it: " + strings.Join(names, ", ")
}

// definition is what an object that stands says, for a sentence: what nobody
// refuses any more when it goes.
func (p *planner) definition(id ir.ObjectID) string {
	for i := range p.stands.Tables {
		t := &p.stands.Tables[i]
		if t.Schema != id.Schema || t.Name != id.Table {
			continue
		}
		for _, c := range t.Constraints() {
			if id.Kind == ir.ConstraintObject && c.ConstraintName() == id.Name {
				return printOf(c)
			}
		}
		for _, k := range t.ForeignKeys {
			if id.Kind == ir.ConstraintObject && k.Name == id.Name {
				return k.Printed
			}
		}
		for _, x := range t.Indexes {
			if id.Kind == ir.IndexObject && x.Name == id.Name {
				return x.Printed
			}
		}
	}
	return ""
}

// printOf is how the catalog prints a constraint.
func printOf(c ir.Constraint) string {
	switch c := c.(type) {
	case ir.PrimaryKey:
		return c.Printed
	case ir.Unique:
		return c.Printed
	case ir.Exclude:
		return c.Printed
	case ir.Check:
		return c.Printed
	case ir.ForeignKey:
		return c.Printed
	}
	return ""
}
