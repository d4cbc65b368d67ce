package migrate

import (
	"slices"
	"strings"

	"github.com/pawldb/pawl/codegen/postgres"
	"github.com/pawldb/pawl/compiler/ir"
)

// indexRow is a row of pg_index, with the constraint that it stands behind when
// there is one.
type indexRow struct {
	Table                uint32
	Name, Method         string
	Unique, Usable       bool
	NullsNotDistinct     bool
	Constraint           string // name
	Kind                 string // contype, "" for none
	Deferrable, Deferred bool
	Period               bool
	Columns              []string // "" where the key is an expression
	Exprs                []string // every key as printed
	OpClasses            []string // "" for the default of its type
	Collations           []string // "" for that of the column
	Options              []int16  // 1 descending, 2 nulls first
	Include              []string
	Where                string
	Operators            []string // of an exclusion constraint
}

// indexes reads indexes and the constraints that one stands behind. The parts
// are printed one by one: the whole definition hides what it is the index of,
// and whether it is valid.
func (r *reader) indexes() error {
	return each(r, `
SELECT i.indrelid, c.relname::text, am.amname::text, i.indisunique, i.indisvalid AND i.indisready,
       COALESCE((to_jsonb(i) ->> 'indnullsnotdistinct')::boolean, false),
       COALESCE(k.conname::text, ''), COALESCE(k.contype::text, ''),
       COALESCE(k.condeferrable, false), COALESCE(k.condeferred, false),
       COALESCE((to_jsonb(k) ->> 'conperiod')::boolean, false),
       ARRAY(SELECT COALESCE((SELECT a.attname::text FROM pg_attribute a
                              WHERE a.attrelid = i.indrelid AND a.attnum = i.indkey[p.n - 1]), '')
             FROM generate_series(1, i.indnkeyatts) p(n) ORDER BY p.n),
       ARRAY(SELECT pg_get_indexdef(i.indexrelid, p.n, false) FROM generate_series(1, i.indnkeyatts) p(n) ORDER BY p.n),
       ARRAY(SELECT CASE WHEN o.opcdefault THEN '' ELSE quote_ident(s.nspname::text) || '.' || quote_ident(o.opcname::text) END
             FROM generate_series(1, i.indnkeyatts) p(n)
             JOIN pg_opclass o ON o.oid = i.indclass[p.n - 1] JOIN pg_namespace s ON s.oid = o.opcnamespace ORDER BY p.n),
       ARRAY(SELECT CASE WHEN l.oid IS NULL OR l.oid IN (x.attcollation, 100) THEN ''
                         ELSE quote_ident(s.nspname::text) || '.' || quote_ident(l.collname::text) END
             FROM generate_series(1, i.indnkeyatts) p(n)
             LEFT JOIN pg_collation l ON l.oid = i.indcollation[p.n - 1] LEFT JOIN pg_namespace s ON s.oid = l.collnamespace
             LEFT JOIN pg_attribute x ON x.attrelid = i.indrelid AND x.attnum = i.indkey[p.n - 1] ORDER BY p.n),
       ARRAY(SELECT i.indoption[p.n - 1] FROM generate_series(1, i.indnkeyatts) p(n) ORDER BY p.n),
       ARRAY(SELECT a.attname::text FROM generate_series(i.indnkeyatts + 1, i.indnatts) p(n)
             JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[p.n - 1] ORDER BY p.n),
       COALESCE(pg_get_expr(i.indpred, i.indrelid), ''),
       ARRAY(SELECT CASE s.nspname WHEN 'pg_catalog' THEN o.oprname::text
                    ELSE 'OPERATOR(' || quote_ident(s.nspname::text) || '.' || o.oprname::text || ')' END
             FROM unnest(k.conexclop) WITH ORDINALITY u(oid, n)
             JOIN pg_operator o ON o.oid = u.oid JOIN pg_namespace s ON s.oid = o.oprnamespace ORDER BY u.n)
FROM pg_index i
JOIN pg_class c ON c.oid = i.indexrelid
JOIN pg_am am ON am.oid = c.relam
JOIN pg_class t ON t.oid = i.indrelid AND t.relkind IN ('r', 'p')
JOIN pg_namespace n ON n.oid = t.relnamespace AND n.nspname = ANY ($1::text[])
LEFT JOIN pg_constraint k ON k.conindid = i.indexrelid AND k.conrelid = i.indrelid AND k.contype IN ('p', 'u', 'x')
WHERE i.indislive ORDER BY i.indrelid, c.relname`,
		func(i *indexRow) {
			if t := r.table(i.Table); t != nil {
				i.addTo(t)
			}
		})
}

func (i *indexRow) addTo(t *ir.Table) {
	switch i.Kind {
	case "p":
		k := ir.PrimaryKey{Name: i.Constraint, Columns: i.Columns}
		k.Printed = postgres.Definition(k) + i.extras()
		t.PrimaryKey = &k
	case "u":
		u := ir.Unique{
			Name: i.Constraint, Columns: i.Columns, NullsNotDistinct: i.NullsNotDistinct,
			Deferrable: i.Deferrable, Deferred: i.Deferred,
		}
		u.Printed = postgres.Definition(u) + i.extras()
		t.Uniques = append(t.Uniques, u)
	case "x":
		e := ir.Exclude{Name: i.Constraint, Method: i.Method, Where: i.Where, Elements: i.elements()}
		e.Printed = postgres.Definition(e) + i.extras()
		t.Excludes = append(t.Excludes, e)
	default:
		t.Indexes = append(t.Indexes, i.index())
	}
}

func (i *indexRow) index() ir.Index {
	index := ir.Index{
		Name: i.Name, Unique: i.Unique, NullsNotDistinct: i.NullsNotDistinct, Method: i.Method,
		Parts: i.parts(), Include: i.Include, Where: i.Where, Invalid: !i.Usable,
	}
	index.Printed = printIndex(index)
	return index
}

// printIndex is what two indexes of one name are compared by.
func printIndex(i ir.Index) string {
	if i.Unique {
		return "UNIQUE " + postgres.IndexDefinition(i)
	}
	return postgres.IndexDefinition(i)
}

func (i *indexRow) parts() []ir.IndexPart {
	parts := make([]ir.IndexPart, len(i.Columns))
	for n, column := range i.Columns {
		descending, nullsFirst := i.Options[n]&1 != 0, i.Options[n]&2 != 0
		parts[n] = ir.IndexPart{
			Column: column, OpClass: i.OpClasses[n], Desc: descending,
			NullsFirst: nullsFirst && !descending, NullsLast: !nullsFirst && descending,
		}
		if column == "" {
			parts[n].Expr = i.Exprs[n]
		}
		if collation := i.Collations[n]; collation != "" {
			parts[n].OpClass = strings.TrimSpace("COLLATE " + collation + " " + parts[n].OpClass)
		}
	}
	return parts
}

func (i *indexRow) elements() []ir.ExcludeElement {
	elements := make([]ir.ExcludeElement, len(i.Columns))
	for n, column := range i.Columns {
		elements[n] = ir.ExcludeElement{Column: column, Operator: i.Operators[n]}
		if column == "" {
			elements[n].Expr = i.Exprs[n]
		}
	}
	return elements
}

// extras are the properties of a constraint that ir has no field for; see the
// extras of a constraintRow.
func (i *indexRow) extras() string {
	text := ""
	if i.Kind != "u" && i.Deferrable {
		text += " DEFERRABLE"
	}
	if i.Kind != "u" && i.Deferred {
		text += " INITIALLY DEFERRED"
	}
	if len(i.Include) > 0 {
		text += " INCLUDE " + ir.Idents(i.Include)
	}
	if i.Period {
		text += " WITHOUT OVERLAPS"
	}
	special := func(name string) bool { return name != "" }
	if slices.ContainsFunc(i.OpClasses, special) || slices.ContainsFunc(i.Collations, special) {
		text += " OPERATOR CLASSES " + strings.Join(slices.Concat(i.OpClasses, i.Collations), ", ")
	}
	if !i.Usable {
		text += " INVALID"
	}
	return text
}
