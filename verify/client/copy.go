package client

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/compiler/ir"
)

// copyOne sends one row through the COPY of an insert of many rows: the arguments
// are the row, and what is missing is NULL.
func (c *run) copyOne(ctx context.Context) (Outcome, error) {
	s := c.Operation.Statement(ir.MainStatement)
	row := CopyRow(c.Operation.Columns, c.Args)
	copied := func(db DB) error {
		conn := connOf(db)
		if conn == nil {
			return errors.New("COPY needs a connection, and this has none to give")
		}
		_, err := conn.PgConn().CopyFrom(ctx, strings.NewReader(row), s.SQL)
		return err
	}
	err := c.retried(ctx, func() error {
		if c.begin == nil || c.level() == pgx.ReadCommitted {
			return copied(c.db)
		}
		return c.within(ctx, c.level(), func(tx pgx.Tx) error { return copied(tx) })
	})
	if err != nil {
		return Outcome{}, err
	}
	return Outcome{Answer: OK}, nil
}

// CopyRow spells a row for the text format of COPY, in the order of the columns; a
// value that is missing is NULL.
func CopyRow(columns []string, values map[string]*string) string {
	var row strings.Builder
	for i, name := range columns {
		if i > 0 {
			row.WriteByte('\t')
		}
		if value := values[name]; value == nil {
			row.WriteString(`\N`)
		} else {
			row.WriteString(copyEscapes.Replace(*value))
		}
	}
	row.WriteByte('\n')
	return row.String()
}

// copyEscapes spell what would end a value or a row of COPY's text format.
var copyEscapes = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)

func connOf(db DB) *pgx.Conn {
	switch db := db.(type) {
	case *pgx.Conn:
		return db
	case interface{ Conn() *pgx.Conn }:
		return db.Conn()
	}
	return nil
}
