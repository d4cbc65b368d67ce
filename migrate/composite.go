package migrate

import (
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/compiler/ir"
)

// CompositeError says that columns have composite types: rows inside a row. Whether
// a type that only the server knows is one, the database tells.
type CompositeError struct{ Columns []CompositeColumn }

// CompositeColumn is one column of a composite type.
type CompositeColumn struct {
	Origin       ir.Origin
	Column, Type string
}

// Error lists the columns, each with its place in the specification.
func (e *CompositeError) Error() string {
	lines := make([]string, len(e.Columns))
	for i, c := range e.Columns {
		lines[i] = where(c.Origin) + ": the column " + c.Column + " has the type " + c.Type + ", which is a composite type"
	}
	return strings.Join(lines, "\n") +
		"\npgx reads and writes such a value only where the type was registered on the connection before, and behind a pooler nowhere: generated code would" +
		"\nfail at run time. Give its fields columns of their own, or keep them in a column of jsonb."
}

// checkComposites refuses columns of composite types.
func (p *planning) checkComposites() error {
	named := map[string][]CompositeColumn{}
	var names []string
	for i := range p.program.Schema.Tables {
		t := &p.program.Schema.Tables[i]
		for _, c := range t.Columns {
			base := c.Type
			for base.Elem != nil {
				base = *base.Elem
			}
			if base.Kind != ir.OtherType {
				continue
			}
			name := baseName(c.Type)
			if named[name] == nil {
				names = append(names, name)
			}
			named[name] = append(named[name], CompositeColumn{c.Origin, c.Name, c.Type.SQL()})
		}
	}
	if len(names) == 0 {
		return nil
	}
	e := &CompositeError{}
	err := snapshot(p.ctx, p.conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(p.ctx, "SELECT set_config('search_path', $1, true)", ir.Idents(p.plan.path)); err != nil {
			return err
		}
		rows, err := tx.Query(p.ctx, "SELECT name FROM unnest($1::text[]) AS name JOIN pg_type t ON t.oid = to_regtype(name) WHERE t.typtype = 'c' ORDER BY 1", names)
		if err != nil {
			return err
		}
		composite, err := pgx.CollectRows(rows, pgx.RowTo[string])
		for _, name := range composite {
			e.Columns = append(e.Columns, named[name]...)
		}
		return err
	})
	switch {
	case err != nil:
		return fmt.Errorf("looking at the types of columns: %w", err)
	case len(e.Columns) > 0:
		return e
	}
	return nil
}
