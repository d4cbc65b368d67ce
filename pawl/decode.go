package pawl

import (
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// decoder reads the rows of one result into Go values. Unlike Rows.Scan it
// leaves the result open when a value does not fit, so that what follows is still
// read: the further rows, the server's own error, the end of the transaction.
type decoder struct {
	rows    pgx.Rows
	types   *pgtype.Map
	plans   []pgtype.ScanPlan // by column, made for the first row
	failure error             // the first row that did not fit
}

func decode(rows pgx.Rows) *decoder {
	d := &decoder{rows: rows}
	if conn := rows.Conn(); conn != nil {
		d.types = conn.TypeMap()
	} else {
		d.types = pgtype.NewMap() // of a wrapper that shows no connection
	}
	return d
}

// row reads the current row into targets, which are of the same types for each
// row; a target that is nil skips its column.
func (d *decoder) row(targets []any) error {
	columns, values := d.rows.FieldDescriptions(), d.rows.RawValues()
	if len(columns) != len(targets) {
		return &unreadable{what: fmt.Sprintf("the statement returns %d columns and %d are expected; generate again", len(columns), len(targets))}
	}
	if d.plans == nil {
		d.plans = make([]pgtype.ScanPlan, len(columns))
	}
	for i, target := range targets {
		if target == nil {
			continue
		}
		if d.plans[i] == nil {
			d.plans[i] = d.types.PlanScan(columns[i].DataTypeOID, columns[i].Format, target)
		}
		if err := d.plans[i].Scan(values[i], target); err != nil {
			return d.misfit(i, target, err)
		}
	}
	return nil
}

// misfit says which column does not fit which type. The cause's text is not part
// of it, because for some types it quotes the value.
func (d *decoder) misfit(i int, target any, cause error) error {
	column := d.rows.FieldDescriptions()[i]
	typ := fmt.Sprintf("type %d", column.DataTypeOID)
	if known, ok := d.types.TypeForOID(column.DataTypeOID); ok {
		typ = known.Name
	}
	what := "a value"
	if d.rows.RawValues()[i] == nil {
		what = "NULL"
	}
	return &unreadable{what: fmt.Sprintf("%s in column %s (%s) does not fit %T; if the column's type changed, generate again", what, column.Name, typ, target), cause: cause}
}

// keep remembers the first failure; the rows behind it are read all the same.
func (d *decoder) keep(err error) {
	if d.failure == nil {
		d.failure = err
	}
}

// end closes the result. The server's error comes before that of a row: where
// there is one, the statement did nothing.
func (d *decoder) end() error {
	d.rows.Close()
	if err := d.rows.Err(); err != nil {
		return err
	}
	return d.failure
}

// unreadable is a row that arrived and does not fit its Go type. It belongs to
// ErrUnreadable. The statement itself took effect.
type unreadable struct {
	what  string
	cause error // of the driver; nil when the number of columns is wrong
}

func (e *unreadable) Error() string { return ErrUnreadable.Error() + ": " + e.what }

func (e *unreadable) Is(target error) bool { return target == ErrUnreadable }

func (e *unreadable) Unwrap() error { return e.cause }
