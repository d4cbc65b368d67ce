package migrate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/compiler/ir"
)

// CollationError says that columns have collations which the database does not
// have. Which there are depends on its encoding, its ICU and its system.
type CollationError struct{ Columns []CollatedColumn }

// CollatedColumn is one column with a collation that is not there.
type CollatedColumn struct {
	Origin            ir.Origin
	Column, Collation string
}

// Error lists the columns, each with its place in the specification.
func (e *CollationError) Error() string {
	lines := make([]string, len(e.Columns))
	for i, c := range e.Columns {
		lines[i] = where(c.Origin) + ": the column " + c.Column + " has the collation " + ir.Ident(c.Collation) + ", which the database does not have"
	}
	return strings.Join(lines, "\n") + "\nSELECT collname FROM pg_collation lists those that it has; CREATE COLLATION makes another one."
}

// checkCollations refuses columns with collations that the database does not have,
// before anything is done.
func (p *planning) checkCollations() error {
	var wanted []CollatedColumn
	var names []string
	for i := range p.program.Schema.Tables {
		for _, c := range p.program.Schema.Tables[i].Columns {
			if c.Collation != "" {
				wanted = append(wanted, CollatedColumn{c.Origin, c.Name, c.Collation})
				names = append(names, c.Collation)
			}
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	e := &CollationError{}
	err := snapshot(p.ctx, p.conn, func(tx pgx.Tx) error {
		rows, err := tx.Query(p.ctx, `
SELECT DISTINCT l.collname::text
FROM pg_collation l JOIN pg_namespace n ON n.oid = l.collnamespace
JOIN pg_database d ON d.datname = current_database() AND l.collencoding IN (-1, d.encoding)
WHERE l.collname = ANY ($1::text[]) AND n.nspname = ANY ($2::text[])`, names, p.plan.path)
		if err != nil {
			return err
		}
		there, err := pgx.CollectRows(rows, pgx.RowTo[string])
		e.Columns = slices.DeleteFunc(wanted, func(c CollatedColumn) bool { return slices.Contains(there, c.Collation) })
		return err
	})
	switch {
	case err != nil:
		return fmt.Errorf("looking for collations: %w", err)
	case len(e.Columns) > 0:
		return e
	}
	return nil
}
