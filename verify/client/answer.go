package client

import (
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/pawldb/pawl/compiler/ir"
)

// answer is what a statement returned, as text.
type answer struct {
	columns []string
	rows    [][]*string
	tag     pgconn.CommandTag
	returns bool // whether the statement returns rows at all
}

// count is how many rows were returned, or changed by a statement that returns
// none.
func (a *answer) count() int64 {
	if !a.returns {
		return a.tag.RowsAffected()
	}
	return int64(len(a.rows))
}

// maps are the rows by column.
func (a *answer) maps() []map[string]*string {
	list := make([]map[string]*string, len(a.rows))
	for i, row := range a.rows {
		list[i] = make(map[string]*string, len(row))
		for j, v := range row {
			list[i][a.columns[j]] = v
		}
	}
	return list
}

// read reads all rows of a statement's answer and closes it.
func read(rows pgx.Rows, s *ir.Statement) (*answer, error) {
	defer rows.Close()
	found := &answer{returns: s.Rows != ir.ReturnsNone}
	for rows.Next() {
		fields, raw := rows.FieldDescriptions(), rows.RawValues()
		if len(fields) != len(raw) {
			return nil, fmt.Errorf("the answer has %d values in %d columns", len(raw), len(fields))
		}
		if found.columns == nil {
			found.columns = columnsOf(fields, s)
		}
		row := make([]*string, len(raw))
		for i := range raw {
			value, err := text(&fields[i], raw[i])
			if err != nil {
				return nil, err
			}
			row[i] = value
		}
		found.rows = append(found.rows, row)
	}
	rows.Close()
	found.tag = rows.CommandTag()
	return found, rows.Err()
}

// columnsOf names the columns as the declaration does: the server cuts long names.
func columnsOf(fields []pgconn.FieldDescription, s *ir.Statement) []string {
	names := make([]string, len(fields))
	for i := range fields {
		names[i] = fields[i].Name
		if len(s.Results) == len(fields) {
			names[i] = s.Results[i].Name
		}
	}
	return names
}

// text is a value as text. A batch takes the format of each column from the
// connection, which prefers binary for types that pgx knows.
func text(field *pgconn.FieldDescription, raw []byte) (*string, error) {
	if raw == nil {
		return nil, nil
	}
	if field.Format == pgx.TextFormatCode {
		value := string(raw)
		return &value, nil
	}
	m := pgtype.NewMap()
	known, ok := m.TypeForOID(field.DataTypeOID)
	if !ok {
		return nil, fmt.Errorf("column %s: the server sent a value in binary of a type that is not known (OID %d)", field.Name, field.DataTypeOID)
	}
	decoded, err := known.Codec.DecodeValue(m, field.DataTypeOID, pgx.BinaryFormatCode, raw)
	if err != nil {
		return nil, fmt.Errorf("column %s: %w", field.Name, err)
	}
	encoded, err := m.Encode(field.DataTypeOID, pgx.TextFormatCode, decoded, nil)
	if err == nil && encoded == nil {
		err = errors.New("a value became NULL")
	}
	if err != nil {
		return nil, fmt.Errorf("column %s: %w", field.Name, err)
	}
	value := string(encoded)
	return &value, nil
}
