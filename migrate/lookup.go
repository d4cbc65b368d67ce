package migrate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/compiler/ir"
)

// lookup adds to the search path the schemas in which the extensions stand whose
// types the wanted columns have, and those that the program asks for, wherever
// they were installed. Their operators stand there too: without them a check on a
// citext would compare as text, and say nothing.
func (p *planning) lookup() error {
	var types, extensions []string
	for i := range p.want.Tables {
		for _, c := range p.want.Tables[i].Columns {
			types = append(types, baseName(c.Type))
		}
	}
	for _, e := range p.want.Extensions {
		extensions = append(extensions, e.Name)
	}
	return snapshot(p.ctx, p.conn, func(tx pgx.Tx) error {
		rows, err := tx.Query(p.ctx, `
SELECT n.nspname::text
FROM pg_depend d JOIN pg_type t ON t.oid = d.objid JOIN pg_namespace n ON n.oid = t.typnamespace
WHERE d.classid = 'pg_type'::regclass AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
  AND t.typname = ANY ($1::text[])
UNION
SELECT n.nspname::text FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
WHERE e.extname = ANY ($2::text[]) ORDER BY 1`, types, extensions)
		if err != nil {
			return fmt.Errorf("looking for the schemas of extensions: %w", err)
		}
		schemas, err := pgx.CollectRows(rows, pgx.RowTo[string])
		for _, schema := range schemas {
			if !slices.Contains(p.plan.path, schema) {
				p.plan.path = append(p.plan.path, schema)
			}
		}
		return err
	})
}

// baseName is the name of what an array holds or a domain is made of. That of a
// type that only the server knows may carry modifiers, as in "vector(3)[]".
func baseName(t ir.Type) string {
	for t.Elem != nil {
		t = *t.Elem
	}
	if i := strings.IndexAny(t.Name, "(["); i >= 0 && t.Kind == ir.OtherType {
		return strings.TrimSpace(t.Name[:i])
	}
	return t.Name
}
