package pawl

import (
	"bytes"
	"context"
	"database/sql/driver"
	"errors"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// CopyTarget is where Copy writes. Its SQL is the COPY of all Columns.
type CopyTarget struct {
	Operation
	Into    pgx.Identifier
	Columns []string
	// Defaults are the positions in Columns (0 is the first) of those that have a
	// default: a row that leaves one out is copied without it.
	Defaults []int
}

// Copy inserts rows through COPY, all or none, and returns how many. values gives
// a row's values in the order of the target's columns. Outside a transaction it
// runs in one of its own, which is retried like any other.
//
// Rows that leave out the same columns go together, in the order in which the
// first of each kind comes; COPY has one list of columns, and a default holds only
// where the column is not in it.
//
// The values travel as text. The binary form that pgx's CopyFrom sends needs every
// type to be known to the connection, which enums are not, and a description of
// the table in a round trip of its own.
func Copy[T any](ctx context.Context, s *Session, target *CopyTarget, rows []T, values func(*T) []any) (int64, error) {
	c := s.call(&target.Operation)
	if len(rows) == 0 {
		return 0, nil
	}
	var batches []*copyBatch
	var n int64
	err := c.multi(ctx, func(ctx context.Context, tx *Session) error {
		conn, ok := connOf(tx.db)
		if !ok {
			return errNoConn
		}
		if batches == nil { // once for all attempts; it takes a connection to know the types
			var err error
			if batches, err = target.encode(conn.TypeMap(), len(rows), func(i int) []any { return values(&rows[i]) }); err != nil {
				return err
			}
		}
		n = 0
		for _, b := range batches {
			sent, err := b.send(ctx, conn, target)
			if err != nil {
				return tx.tx.note(err)
			}
			n += sent
		}
		return nil
	})
	if err != nil {
		n = 0
	}
	return n, c.done(ctx, "", n, err)
}

// errNoConn is a wrapped DB that hides its connection, which COPY needs.
var errNoConn = errors.New("COPY needs the connection: a wrapper of pgx's types has to have their method Conn")

// copyBatch is the rows that leave out the same columns.
type copyBatch struct {
	given []int // positions in the target's columns
	rows  int64
	data  bytes.Buffer
}

// encode spells rows in COPY's text format.
func (t *CopyTarget) encode(types *pgtype.Map, rows int, values func(i int) []any) ([]*copyBatch, error) {
	var list []*copyBatch
	byColumns := map[string]*copyBatch{}
	texts := make([][]byte, len(t.Columns))
	for i := range rows {
		mask := make([]byte, len(t.Columns))
		for k, v := range values(i) {
			text, err := copyText(types, v)
			if err != nil {
				return nil, &misfitError{row: i, column: t.Columns[k], value: v}
			}
			texts[k] = text
			if text == nil && slices.Contains(t.Defaults, k) {
				mask[k] = 1
			}
		}
		b := byColumns[string(mask)]
		if b == nil {
			b = &copyBatch{}
			for k, left := range mask {
				if left == 0 {
					b.given = append(b.given, k)
				}
			}
			byColumns[string(mask)] = b
			list = append(list, b)
		}
		b.add(texts)
	}
	return list, nil
}

// add appends a row. NULL is \N, and what would end a value or a row is escaped.
func (b *copyBatch) add(texts [][]byte) {
	b.rows++
	for i, k := range b.given {
		if i > 0 {
			b.data.WriteByte('\t')
		}
		if texts[k] == nil {
			b.data.WriteString(`\N`)
			continue
		}
		for _, c := range texts[k] {
			switch c {
			case '\\':
				b.data.WriteString(`\\`)
			case '\n':
				b.data.WriteString(`\n`)
			case '\r':
				b.data.WriteString(`\r`)
			case '\t':
				b.data.WriteString(`\t`)
			default:
				b.data.WriteByte(c)
			}
		}
	}
	b.data.WriteByte('\n')
}

// send copies the batch. The data stays, for another attempt.
func (b *copyBatch) send(ctx context.Context, conn *pgx.Conn, t *CopyTarget) (int64, error) {
	if len(b.given) == 0 { // COPY has no way to say that
		tag, err := conn.Exec(ctx, b.sql(t))
		return tag.RowsAffected(), err
	}
	tracer, traced := conn.Config().Tracer.(pgx.CopyFromTracer)
	if traced {
		columns := make([]string, len(b.given))
		for i, k := range b.given {
			columns[i] = t.Columns[k]
		}
		ctx = tracer.TraceCopyFromStart(ctx, conn, pgx.TraceCopyFromStartData{TableName: t.Into, ColumnNames: columns})
	}
	tag, err := conn.PgConn().CopyFrom(ctx, bytes.NewReader(b.data.Bytes()), b.sql(t))
	if traced {
		tracer.TraceCopyFromEnd(ctx, conn, pgx.TraceCopyFromEndData{CommandTag: tag, Err: err})
	}
	return tag.RowsAffected(), err
}

// sql is the statement of the batch: the operation's own where no row leaves
// anything out.
func (b *copyBatch) sql(t *CopyTarget) string {
	if len(b.given) == len(t.Columns) {
		return t.SQL
	}
	address := "/* " + t.Name + " */ "
	if len(b.given) == 0 {
		return address + "INSERT INTO " + t.Into.Sanitize() + " SELECT FROM generate_series(1, " + strconv.FormatInt(b.rows, 10) + ")"
	}
	columns := make([]string, len(b.given))
	for i, k := range b.given {
		columns[i] = pgx.Identifier{t.Columns[k]}.Sanitize()
	}
	return address + "COPY " + t.Into.Sanitize() + " (" + strings.Join(columns, ", ") + ") FROM STDIN"
}

// copyText is a value as PostgreSQL reads it from text; nil is NULL. As in
// pgx's exec mode the Go type decides, so that a type of the database need not be
// known to the connection.
func copyText(types *pgtype.Map, value any) ([]byte, error) {
	buf := []byte{} // an empty text is not NULL
	if isNil(value) {
		return nil, nil
	}
	if t, ok := types.TypeForValue(value); ok {
		return types.Encode(t.OID, pgtype.TextFormatCode, value, buf)
	}
	if valuer, ok := value.(driver.Valuer); ok {
		inner, err := valuer.Value()
		if err != nil {
			return nil, err
		}
		return copyText(types, inner)
	}
	if v := reflect.ValueOf(value); v.Kind() == reflect.Pointer {
		return copyText(types, v.Elem().Interface())
	}
	return types.Encode(pgtype.TextOID, pgtype.TextFormatCode, value, buf)
}

func isNil(value any) bool {
	if value == nil {
		return true
	}
	switch v := reflect.ValueOf(value); v.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface:
		return v.IsNil()
	}
	return false
}
