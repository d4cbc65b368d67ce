package explore

import (
	"errors"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// rows are the rows of an answer that has been read to its end. They implement
// pgx.Rows.
type rows struct {
	types  *pgtype.Map
	fields []pgconn.FieldDescription
	values [][][]byte
	tag    pgconn.CommandTag
	err    error // the server's, or that of a failed Scan

	at     int // 1 based: the row that Next has moved to
	closed bool
}

// readRows reads what pgx.Conn.Query returned.
func readRows(from pgx.Rows, err error) *rows {
	if err != nil {
		return failedRows(err)
	}
	r := &rows{types: from.TypeMap()}
	for from.Next() {
		raw := from.RawValues()
		kept := make([][]byte, len(raw))
		for i, value := range raw {
			kept[i] = slices.Clone(value) // the buffer is pgx's; nil stays nil
		}
		r.values = append(r.values, kept)
		if r.fields == nil {
			r.fields = slices.Clone(from.FieldDescriptions())
		}
	}
	if r.fields == nil {
		r.fields = slices.Clone(from.FieldDescriptions())
	}
	from.Close()
	r.tag, r.err = from.CommandTag(), from.Err()
	return r
}

func failedRows(err error) *rows { return &rows{err: err, closed: true} }

// answer is what the timeline says about r.
func (r *rows) answer() answer {
	columns, texts := tableText(r.types, r.fields, r.values)
	return answer{tag: tagUnless(r.err, r.tag.String()), columns: columns, rows: texts, err: r.err}
}

// answerOfResults is what the timeline says about the answers to a script.
func answerOfResults(types *pgtype.Map, results []*pgconn.Result, err error) answer {
	a := answer{err: err}
	for _, result := range results {
		if columns, texts := tableText(types, result.FieldDescriptions, result.Rows); columns != nil {
			a.columns, a.rows = columns, texts
		}
		if result.Err == nil && err == nil {
			a.tag = result.CommandTag.String()
		}
	}
	return a
}

func (r *rows) Close() { r.closed = true }

func (r *rows) Err() error { return r.err }

func (r *rows) CommandTag() pgconn.CommandTag { return r.tag }

func (r *rows) FieldDescriptions() []pgconn.FieldDescription { return r.fields }

func (r *rows) Next() bool {
	if r.closed || r.at >= len(r.values) {
		r.closed = true
		return false
	}
	r.at++
	return true
}

func (r *rows) Scan(dest ...any) error {
	if r.closed || r.at == 0 {
		return r.fail(errors.New("Scan without a row: Next was not called, or said that there is none"))
	}
	if len(dest) == 1 {
		if scanner, ok := dest[0].(pgx.RowScanner); ok {
			return r.fail(scanner.ScanRow(r))
		}
	}
	return r.fail(pgx.ScanRow(r.types, r.fields, r.RawValues(), dest...))
}

// fail closes r with an error, as pgx does, and returns it.
func (r *rows) fail(err error) error {
	if err != nil {
		r.closed = true
		if r.err == nil {
			r.err = err
		}
	}
	return err
}

func (r *rows) Values() ([]any, error) {
	raw := r.RawValues()
	if r.closed || raw == nil {
		return nil, errors.New("Values without a row: Next was not called, or said that there is none")
	}
	values := make([]any, len(raw))
	for i, value := range raw {
		v, err := decoded(r.types, r.fields[i], value)
		if err != nil {
			return nil, r.fail(err)
		}
		values[i] = v
	}
	return values, nil
}

func (r *rows) RawValues() [][]byte {
	if r.at == 0 {
		return nil
	}
	return r.values[r.at-1]
}

// Conn returns nil: code that used the connection would run past the gate.
func (r *rows) Conn() *pgx.Conn { return nil }

func (r *rows) TypeMap() *pgtype.Map { return r.types }

// row is the first of some rows. It implements pgx.Row.
type row struct{ rows *rows }

func (r row) Scan(dest ...any) error {
	defer r.rows.Close()
	if err := r.rows.Err(); err != nil {
		return err
	}
	if !r.rows.Next() {
		return pgx.ErrNoRows
	}
	return r.rows.Scan(dest...)
}
