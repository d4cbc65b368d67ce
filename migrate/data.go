package migrate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/compiler/ir"
)

// DataError says that tables which the program reads and does not own are not
// there, or not as it declares them. pawl neither makes nor changes them.
type DataError struct{ Faults []DataFault }

// DataFault is one difference between a data block and the database.
type DataFault struct {
	Origin ir.Origin // of the block, or of the column or key in it
	Text   string
}

// Error lists the differences, each with the line that says otherwise.
func (e *DataError) Error() string {
	lines := make([]string, len(e.Faults))
	for i, f := range e.Faults {
		lines[i] = where(f.Origin) + ": " + f.Text
	}
	return strings.Join(lines, "\n") +
		"\npawl reads these tables and leaves them alone: whoever owns them changes them, or the block is corrected."
}

// checkData compares the tables that the program reads with the catalog.
func (p *planning) checkData() error {
	if len(p.program.Data) == 0 {
		return nil
	}
	found := make([]*dataTable, len(p.program.Data))
	err := snapshot(p.ctx, p.conn, func(tx pgx.Tx) error {
		for i := range p.program.Data {
			var err error
			if found[i], err = readData(p.ctx, tx, p.program.Data[i].Ref()); err != nil {
				return fmt.Errorf("looking at %s: %w", p.program.Data[i].Ref().SQL(), err)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	e := &DataError{}
	for i := range p.program.Data {
		want := &p.program.Data[i]
		faults := found[i].compare(want)
		if found[i].exists() {
			types, err := p.compareTypes(want, found[i])
			if err != nil {
				return err
			}
			faults = append(faults, types...)
		}
		e.Faults = append(e.Faults, faults...)
	}
	if len(e.Faults) > 0 {
		return e
	}
	return nil
}

// dataTable is what the catalog says of a table that the program reads.
type dataTable struct {
	kind    string // pg_class.relkind; empty for none of the name
	columns []dataColumn
	keys    [][]string // columns of unique indexes that a foreign key can rest on, sorted
}

type dataColumn struct {
	Name, Type string
	NotNull    bool
}

func (t *dataTable) exists() bool { return t.kind == "r" || t.kind == "p" }

// readData reads what a data block can say. As a foreign key does, it looks for
// unique indexes of all rows that are checked at once; whether a constraint stands
// behind one matters to neither.
func readData(ctx context.Context, tx pgx.Tx, ref ir.TableRef) (*dataTable, error) {
	t := &dataTable{}
	var oid uint32
	err := tx.QueryRow(ctx, `
SELECT c.oid, c.relkind::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = $1 AND c.relname = $2`, ref.Schema, ref.Name).Scan(&oid, &t.kind)
	if errors.Is(err, pgx.ErrNoRows) {
		return t, nil
	}
	if err != nil {
		return nil, err
	}
	rows, err := tx.Query(ctx, `
SELECT attname::text, format_type(atttypid, atttypmod), attnotnull FROM pg_attribute
WHERE attrelid = $1 AND attnum > 0 AND NOT attisdropped ORDER BY attnum`, oid)
	if err != nil {
		return nil, err
	}
	if t.columns, err = pgx.CollectRows(rows, pgx.RowToStructByPos[dataColumn]); err != nil {
		return nil, err
	}
	rows, err = tx.Query(ctx, `
SELECT ARRAY(SELECT a.attname::text FROM pg_attribute a
             WHERE a.attrelid = i.indrelid AND a.attnum = ANY ((i.indkey::int2[])[0:i.indnkeyatts - 1]))
FROM pg_index i
WHERE i.indrelid = $1 AND i.indisunique AND i.indimmediate AND i.indisvalid AND i.indpred IS NULL AND i.indexprs IS NULL`, oid)
	if err != nil {
		return nil, err
	}
	if t.keys, err = pgx.CollectRows(rows, pgx.RowTo[[]string]); err != nil {
		return nil, err
	}
	for _, key := range t.keys {
		slices.Sort(key)
	}
	return t, nil
}

// compare lists what is missing. Types are for the server to compare.
func (t *dataTable) compare(want *ir.Table) (faults []DataFault) {
	note := func(at ir.Origin, format string, args ...any) {
		faults = append(faults, DataFault{at, fmt.Sprintf(format, args...)})
	}
	switch {
	case t.kind == "":
		note(want.Origin, "there is no table %s in the database", want.Ref().SQL())
		return faults
	case !t.exists():
		note(want.Origin, "%s is no table in the database: no foreign key can refer to it", want.Ref().SQL())
		return faults
	}
	for i := range want.Columns {
		c := &want.Columns[i]
		have, ok := t.column(c.Name)
		switch {
		case !ok:
			note(c.Origin, "the table %s has no column %s", want.Ref().SQL(), ir.Ident(c.Name))
		case !have.NotNull && !c.Null:
			note(c.Origin, "the column %s of %s may be NULL in the database, and the block does not say null = true", ir.Ident(c.Name), want.Ref().SQL())
		}
	}
	key := func(columns []string, at ir.Origin) {
		if !slices.ContainsFunc(t.keys, func(have []string) bool { return coversKey(have, columns) }) {
			note(at, "no unique constraint of %s covers exactly (%s): PostgreSQL refuses foreign keys to it (42830)", want.Ref().SQL(), ir.Idents(columns))
		}
	}
	if want.PrimaryKey != nil {
		key(want.PrimaryKey.Columns, want.PrimaryKey.Origin)
	}
	for _, u := range want.Uniques {
		key(u.Columns, u.Origin)
	}
	return faults
}

func (t *dataTable) column(name string) (dataColumn, bool) {
	i := slices.IndexFunc(t.columns, func(c dataColumn) bool { return c.Name == name })
	if i < 0 {
		return dataColumn{}, false
	}
	return t.columns[i], true
}

func coversKey(sorted, columns []string) bool {
	return slices.Equal(sorted, slices.Sorted(slices.Values(columns)))
}

// compareTypes compares the types of the columns that are there. Where the texts
// differ the server is asked how it prints the wanted one.
func (p *planning) compareTypes(want *ir.Table, have *dataTable) ([]DataFault, error) {
	open := ir.Table{Schema: want.Schema, Name: want.Name}
	for _, c := range want.Columns {
		if there, ok := have.column(c.Name); ok && there.Type != c.Type.SQL() {
			open.Columns = append(open.Columns, ir.Column{Name: c.Name, Type: c.Type, Null: true, Origin: c.Origin})
		}
	}
	if len(open.Columns) == 0 {
		return nil, nil
	}
	n := normaliser{ctx: p.ctx, conn: p.conn, path: p.plan.path}
	why, err := n.scratchless()
	if err != nil {
		return nil, err
	}
	printed := map[string]string{}
	if why == "" {
		scratch, err := n.print(&ir.Schema{Tables: []ir.Table{open}})
		if err != nil {
			return nil, err
		}
		for _, t := range scratch.Tables {
			for _, c := range t.Columns {
				printed[c.Name] = c.Printed.Type
			}
		}
	}
	var faults []DataFault
	for _, c := range open.Columns {
		there, _ := have.column(c.Name)
		text := fmt.Sprintf("the column %s of %s is %s in the database, and %s in the block", ir.Ident(c.Name), want.Ref().SQL(), there.Type, c.Type.SQL())
		switch {
		case why != "":
			p.plan.Hazards = append(p.plan.Hazards, Hazard{
				Kind: HazardUnproven, Address: c.Origin.Address, Pos: c.Origin.Pos, Rows: -1, Text: text + ", which may be the same: " + why,
			})
		case printed[c.Name] != there.Type:
			faults = append(faults, DataFault{c.Origin, text})
		}
	}
	return faults, nil
}
