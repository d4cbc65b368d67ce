package migrate

import (
	"strings"

	"github.com/pawldb/pawl/codegen/postgres"
	"github.com/pawldb/pawl/compiler/ir"
)

// constraintRow is a row of pg_constraint. What the printed form of a
// constraint hides stands in columns of its own.
type constraintRow struct {
	Table                          uint32
	Name, Kind                     string
	Deferrable, Deferred           bool
	Validated, NoInherit, Enforced bool
	Columns                        []string
	Expr                           string
	RefSchema, RefTable            string
	RefColumns                     []string
	OnUpdate, OnDelete, Match      string
	SetColumns                     []string
	Period                         bool
}

// constraints reads checks and foreign keys; those that an index stands behind
// come with the indexes. NOT NULL constraints, rows of pg_constraint since
// PostgreSQL 18, are a property of their columns.
func (r *reader) constraints() error {
	return each(r, `
SELECT k.conrelid, k.conname::text, k.contype::text, k.condeferrable, k.condeferred, k.convalidated, k.connoinherit,
       COALESCE((to_jsonb(k) ->> 'conenforced')::boolean, true),
       ARRAY(SELECT a.attname::text FROM unnest(k.conkey) WITH ORDINALITY u(num, n)
             JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = u.num ORDER BY u.n),
       COALESCE(pg_get_expr(k.conbin, k.conrelid), ''),
       COALESCE(fn.nspname::text, ''), COALESCE(fc.relname::text, ''),
       ARRAY(SELECT a.attname::text FROM unnest(k.confkey) WITH ORDINALITY u(num, n)
             JOIN pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = u.num ORDER BY u.n),
       k.confupdtype::text, k.confdeltype::text, k.confmatchtype::text,
       ARRAY(SELECT a.attname::text FROM jsonb_array_elements_text(
               CASE jsonb_typeof(to_jsonb(k) -> 'confdelsetcols') WHEN 'array' THEN to_jsonb(k) -> 'confdelsetcols' ELSE '[]' END
             ) WITH ORDINALITY u(num, n)
             JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = u.num::smallint ORDER BY u.n),
       COALESCE((to_jsonb(k) ->> 'conperiod')::boolean, false)
FROM pg_constraint k
JOIN pg_class c ON c.oid = k.conrelid AND c.relkind IN ('r', 'p')
JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = ANY ($1::text[])
LEFT JOIN pg_class fc ON fc.oid = k.confrelid
LEFT JOIN pg_namespace fn ON fn.oid = fc.relnamespace
WHERE k.contype IN ('c', 'f') ORDER BY k.conrelid, k.conname`,
		func(k *constraintRow) {
			t := r.table(k.Table)
			switch {
			case t == nil:
			case k.Kind == "c":
				t.Checks = append(t.Checks, k.check())
			default:
				t.ForeignKeys = append(t.ForeignKeys, k.foreignKey())
			}
		})
}

func (k *constraintRow) check() ir.Check {
	c := ir.Check{Name: k.Name, Expr: k.Expr, Invalid: !k.Validated && k.Enforced}
	c.Printed = postgres.Definition(c) + k.extras()
	return c
}

func (k *constraintRow) foreignKey() ir.ForeignKey {
	f := ir.ForeignKey{
		Name: k.Name, Columns: k.Columns, RefSchema: k.RefSchema, RefTable: k.RefTable, RefColumns: k.RefColumns,
		OnDelete: actions[k.OnDelete], OnUpdate: actions[k.OnUpdate], Invalid: !k.Validated && k.Enforced,
	}
	f.Printed = postgres.Definition(f) + k.extras()
	return f
}

// extras are the properties that ir has no field for: no declaration asks for
// them, so a constraint that has one is never equal to a wanted one.
func (k *constraintRow) extras() string {
	var list []string
	add := func(has bool, text string) {
		if has {
			list = append(list, text)
		}
	}
	add(k.Deferrable, " DEFERRABLE")
	add(k.Deferred, " INITIALLY DEFERRED")
	add(k.NoInherit && k.Kind == "c", " NO INHERIT")
	add(!k.Enforced, " NOT ENFORCED")
	add(k.Match == "f", " MATCH FULL")
	add(k.Match == "p", " MATCH PARTIAL")
	add(len(k.SetColumns) > 0, " SET COLUMNS "+ir.Idents(k.SetColumns))
	add(k.Period, " PERIOD")
	return strings.Join(list, "")
}

// actions are the codes of pg_constraint.confdeltype and confupdtype.
var actions = map[string]ir.Action{
	"a": ir.NoAction, "r": ir.Restrict, "c": ir.Cascade, "n": ir.SetNull, "d": ir.SetDefault,
}
