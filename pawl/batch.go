package pawl

import (
	"encoding/binary"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// columns spells the values of a batch, column by column: a list of texts for each
// of types, which are named as pgx names them. As text every type travels in every
// execution mode, lists and ranges included. values gives those of the n-th row.
func (s *Session) columns(types []string, n int, values func(i int) []any) ([]any, error) {
	m := s.typeMap()
	oids := make([]uint32, len(types))
	columns := make([][]*string, len(types))
	for k, name := range types {
		oids[k] = pgtype.TextOID
		if known, ok := m.TypeForName(name); ok {
			oids[k] = known.OID
		}
		columns[k] = make([]*string, n)
	}
	for i := range n {
		for k, value := range values(i) {
			// Into a buffer, since an empty text would be a NULL without one.
			text, err := m.Encode(oids[k], pgx.TextFormatCode, value, []byte{})
			if err != nil {
				return nil, &misfitError{row: i, argument: k, value: value, typ: types[k]}
			}
			if text != nil {
				columns[k][i] = new(string(text))
			}
		}
	}
	args := make([]any, len(columns))
	for k := range columns {
		args[k] = columns[k]
	}
	return args, nil
}

// typeMap is that of the session's connection, where it has one by itself.
func (s *Session) typeMap() *pgtype.Map {
	if conn, ok := connOf(s.db); ok {
		return conn.TypeMap()
	}
	return pgtype.NewMap()
}

// misfitError is a value that cannot be written as its column's type. Its text, and
// what it wraps, leave the value out.
type misfitError struct {
	row, argument int // 0 is the first
	column        string
	value         any
	typ           string
}

func (e *misfitError) Error() string {
	if e.column != "" {
		return fmt.Sprintf("%v: row %d, column %s: a %T cannot be written", ErrBadInput, e.row+1, e.column, e.value)
	}
	return fmt.Sprintf("%v: row %d, argument %d: %T is no %s", ErrBadInput, e.row+1, e.argument+1, e.value, e.typ)
}

func (e *misfitError) Is(target error) bool { return target == ErrBadInput }

// position reads a bigint in either format: the position of a row in its batch.
func position(value []byte, format int16) (int, error) {
	if format == pgx.BinaryFormatCode && len(value) == 8 {
		return int(binary.BigEndian.Uint64(value)), nil
	}
	return strconv.Atoi(string(value))
}
