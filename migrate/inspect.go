package migrate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/compiler/ir"
)

// Inspect reads the named schemas from the catalog, all in one snapshot, and
// every extension of the database. Each object carries its definition as the
// server prints it, in fields and as a whole in Printed; names in those prints
// are qualified, whatever the session's settings are. A schema that does not
// exist is no error and not in the result.
//
// conn must not be inside a transaction.
func Inspect(ctx context.Context, conn *pgx.Conn, schemas []string) (*ir.Schema, error) {
	var s *ir.Schema
	err := snapshot(ctx, conn, func(tx pgx.Tx) error {
		var err error
		s, err = readSchema(ctx, tx, schemas)
		return err
	})
	return s, err
}

// printing pins every setting that changes how the server prints a definition,
// and spares catalog queries the compiler, which takes longer than they do.
// pg_temp stands last: a temporary table must not hide a catalog of its name.
const printing = `
SET LOCAL search_path = pg_catalog, pg_temp;
SET LOCAL TimeZone = 'UTC';
SET LOCAL DateStyle = 'ISO, MDY';
SET LOCAL IntervalStyle = 'postgres';
SET LOCAL quote_all_identifiers = off;
SET LOCAL standard_conforming_strings = on;
SET LOCAL extra_float_digits = 1;
SET LOCAL bytea_output = 'hex';
SET LOCAL jit = off`

// snapshot runs fn in a read-only transaction with one snapshot and pinned
// settings. It waits ten seconds at most for a table that someone else has
// locked: to print an expression, the server has to open its table.
func snapshot(ctx context.Context, conn *pgx.Conn, fn func(pgx.Tx) error) error {
	options := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	return pgx.BeginTxFunc(ctx, conn, options, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, printing+"; SET LOCAL lock_timeout = '10s'"); err != nil {
			return fmt.Errorf("pinning the session's settings: %w", err)
		}
		return fn(tx)
	})
}

// readSchema reads everything in the given schemas. The settings must be pinned.
func readSchema(ctx context.Context, tx pgx.Tx, schemas []string) (*ir.Schema, error) {
	r := reader{ctx: ctx, tx: tx, schemas: schemas, schema: &ir.Schema{}}
	for _, kind := range []struct {
		name string
		read func() error
	}{
		{"schemas", r.namespaces},
		{"extensions", r.extensions},
		{"enums", r.enums},
		{"domains", r.domains},
		{"functions", r.functions},
		{"tables", r.tables},
		{"columns", r.columns},
		{"constraints", r.constraints},
		{"indexes", r.indexes},
		{"triggers", r.triggers},
	} {
		if err := kind.read(); err != nil {
			return nil, fmt.Errorf("inspecting %s: %w", kind.name, err)
		}
	}
	return r.schema, nil
}

// reader fills a schema, one query for each kind of object.
type reader struct {
	ctx     context.Context
	tx      pgx.Tx
	schemas []string
	schema  *ir.Schema
	byOID   map[uint32]int // a table's place in schema.Tables
}

// each runs a query whose only argument is the list of schemas.
func each[T any](r *reader, sql string, use func(*T)) error {
	rows, err := r.tx.Query(r.ctx, sql, r.schemas)
	if err != nil {
		return err
	}
	list, err := pgx.CollectRows(rows, pgx.RowToAddrOfStructByPos[T])
	for _, row := range list {
		use(row)
	}
	return err
}

// table is the table with an oid; nil when it is not among those read.
func (r *reader) table(oid uint32) *ir.Table {
	i, ok := r.byOID[oid]
	if !ok {
		return nil
	}
	return &r.schema.Tables[i]
}

func (r *reader) namespaces() error {
	type row struct{ Name string }
	return each(r, `
SELECT nspname::text FROM pg_namespace WHERE nspname = ANY ($1::text[]) ORDER BY nspname`,
		func(n *row) { r.schema.Namespaces = append(r.schema.Namespaces, ir.Namespace{Name: n.Name}) })
}

func (r *reader) extensions() error {
	type row struct{ Name, Schema string }
	return each(r, `
SELECT e.extname::text, n.nspname::text
FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
WHERE $1::text[] IS NOT NULL ORDER BY e.extname`,
		func(e *row) {
			r.schema.Extensions = append(r.schema.Extensions, ir.Extension{Name: e.Name, Schema: e.Schema})
		})
}

func (r *reader) enums() error {
	type row struct {
		Schema, Name string
		Values       []string
		Comment      string
	}
	return each(r, `
SELECT n.nspname::text, t.typname::text,
       ARRAY(SELECT e.enumlabel::text FROM pg_enum e WHERE e.enumtypid = t.oid ORDER BY e.enumsortorder),
       COALESCE(obj_description(t.oid, 'pg_type'), '')
FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace
WHERE t.typtype = 'e' AND n.nspname = ANY ($1::text[]) ORDER BY 1, 2`,
		func(e *row) {
			r.schema.Enums = append(r.schema.Enums, ir.Enum{Schema: e.Schema, Name: e.Name, Values: e.Values, Comment: e.Comment})
		})
}

func (r *reader) functions() error {
	type row struct {
		Schema, Name, Returns, Language, Body string
		Definer                               bool
		Settings                              []string
	}
	return each(r, `
SELECT n.nspname::text, p.proname::text, format_type(p.prorettype, NULL), l.lanname::text, p.prosrc, p.prosecdef,
       COALESCE(p.proconfig, '{}')
FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace JOIN pg_language l ON l.oid = p.prolang
WHERE p.pronargs = 0 AND p.prorettype = 'trigger'::regtype AND n.nspname = ANY ($1::text[]) ORDER BY 1, 2`,
		func(f *row) {
			function := ir.Function{
				Schema: f.Schema, Name: f.Name, Returns: f.Returns, Language: f.Language,
				Body: f.Body, SecurityDefiner: f.Definer,
			}
			function.Printed = printFunction(function, f.Settings)
			r.schema.Functions = append(r.schema.Functions, function)
		})
}

// printFunction is what two functions of one name are compared by.
func printFunction(f ir.Function, settings []string) string {
	definer := ""
	if f.SecurityDefiner {
		definer = "SECURITY DEFINER"
	}
	return strings.Join(slices.Concat([]string{f.Returns, f.Language, definer, f.Body}, slices.Sorted(slices.Values(settings))), "\x00")
}
