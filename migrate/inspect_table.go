package migrate

import (
	"github.com/pawldb/pawl/compiler/ir"
)

func (r *reader) tables() error {
	type row struct {
		OID                   uint32
		Schema, Name, Comment string
		Rows                  float32
		Bytes                 int64
		Partitioned, Forces   bool
		Inherits              bool
	}
	r.byOID = map[uint32]int{}
	return each(r, `
SELECT c.oid, n.nspname::text, c.relname::text, COALESCE(obj_description(c.oid, 'pg_class'), ''),
       c.reltuples, c.relpages::bigint * current_setting('block_size')::bigint, c.relkind = 'p', c.relrowsecurity AND c.relforcerowsecurity,
       c.relkind <> 'p' AND EXISTS (SELECT FROM pg_inherits i WHERE c.oid IN (i.inhrelid, i.inhparent))
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p') AND n.nspname = ANY ($1::text[]) ORDER BY 2, 3`,
		func(t *row) {
			r.byOID[t.OID] = len(r.schema.Tables)
			r.schema.Tables = append(r.schema.Tables, ir.Table{
				Schema: t.Schema, Name: t.Name, Comment: t.Comment, Rows: int64(t.Rows), Bytes: t.Bytes,
				Partitioned: t.Partitioned, Inherits: t.Inherits, ForcesRowSecurity: t.Forces,
			})
		})
}

// columns reads columns. Since PostgreSQL 18, NOT NULL can stand without having
// been proved: such a column may hold NULL, and is read as one that may.
func (r *reader) columns() error {
	type row struct {
		Table              uint32
		Name, Type         string
		NotNull, Unproven  bool
		Default, Identity  string
		Generated, Comment string
		Collation          string
	}
	return each(r, `
SELECT a.attrelid, a.attname::text, format_type(a.atttypid, a.atttypmod), a.attnotnull,
       EXISTS (SELECT FROM pg_constraint k WHERE k.conrelid = a.attrelid AND k.contype = 'n' AND k.conkey[1] = a.attnum AND NOT k.convalidated),
       COALESCE(pg_get_expr(d.adbin, d.adrelid), ''), a.attidentity::text, a.attgenerated::text,
       COALESCE(col_description(a.attrelid, a.attnum), ''), COALESCE(l.collname::text, '')
FROM pg_attribute a
JOIN pg_type t ON t.oid = a.atttypid
LEFT JOIN pg_collation l ON l.oid = a.attcollation AND a.attcollation <> t.typcollation
JOIN pg_class c ON c.oid = a.attrelid AND c.relkind IN ('r', 'p')
JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = ANY ($1::text[])
LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
WHERE a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attrelid, a.attnum`,
		func(c *row) {
			t := r.table(c.Table)
			if t == nil {
				return
			}
			column := ir.Column{
				Name: c.Name, Type: ir.Type{Kind: ir.OtherType, Name: c.Type}, Null: !c.NotNull || c.Unproven,
				Default: c.Default, Identity: identities[c.Identity], Comment: c.Comment,
				Collation: c.Collation,
			}
			if c.Generated != "" {
				column.Default, column.Generated = "", c.Default
			}
			column.Printed = declaredPrint(column)
			if c.Generated == virtual {
				column.Printed.Default += " VIRTUAL"
			}
			t.Columns = append(t.Columns, column)
		})
}

// virtual is attgenerated of a column that is computed when it is read, since
// PostgreSQL 18. pawl declares none.
const virtual = "v"

var identities = map[string]ir.Identity{"a": ir.IdentityAlways, "d": ir.IdentityByDefault}
