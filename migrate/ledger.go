package migrate

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pawldb/pawl/codegen/postgres"
	"github.com/pawldb/pawl/compiler/ir"
)

// record is a row of pawl.object: an object that a project created, with what
// was asked for and what the catalog printed for it then. An empty catalog hash
// remembers nothing.
type record struct {
	Project     string
	Address     string
	ID          ir.ObjectID
	SpecHash    string
	CatalogHash string
	// Prevented is where the specification said prevent_destroy when it was applied
	// last; empty when it did not.
	Prevented string
}

// ledger is pawl.object as it was read.
type ledger struct {
	exists bool     // the table
	old    bool     // the table has no column for what must not be dropped
	schema bool     // its schema
	roles  []string // that the project gave grants to
	mine   map[ir.ObjectID]record
	others map[ir.ObjectID]string // another project that has it
}

// ledgerTable is pawl.object, described as any other table. Whoever may see the
// catalog may see it: generated code checks at start that what it relies on
// stands, under whatever role it has.
var ledgerTable = ir.Table{
	Schema: "pawl", Name: "object",
	Comment: "What pawl created in this database, and for which project. Only this is ever changed or dropped by it.",
	Columns: []ir.Column{
		ledgerText("project"), ledgerText("address"), ledgerText("kind"), ledgerText("schema_name"),
		ledgerText("table_name"), ledgerText("object_name"), ledgerText("spec_hash"), ledgerText("catalog_hash"),
		{Name: "applied_at", Type: ir.Type{Name: "timestamptz"}, Default: "now()"},
		preventedColumn,
	},
	PrimaryKey: &ir.PrimaryKey{
		Name: "object_pkey", Columns: []string{"project", "kind", "schema_name", "table_name", "object_name"},
	},
}

// preventedColumn is younger than the tables of databases that were applied to
// before.
var preventedColumn = ir.Column{Name: "prevented", Type: ir.Type{Name: "text"}, Default: "''"}

// upgrade spells what a table of an older version lacks.
func (l *ledger) upgrade() []string {
	if !l.old {
		return nil
	}
	return postgres.Statements(ir.AddColumn{Table: ledgerTable.Ref(), Column: preventedColumn})
}

func ledgerText(name string) ir.Column { return ir.Column{Name: name, Type: ir.Type{Name: "text"}} }

// create spells what the ledger still lacks.
func (l *ledger) create() []string {
	var statements []string
	if !l.schema {
		statements = postgres.Statements(ir.CreateNamespace{Namespace: ir.Namespace{Name: ledgerTable.Schema}})
	}
	if !l.exists {
		statements = append(statements, postgres.Statements(ir.CreateTable{Table: ledgerTable})...)
		statements = append(statements, postgres.GrantRead(ledgerTable.Ref())...)
	}
	return statements
}

// readLedger reads the records of all projects.
func readLedger(ctx context.Context, tx pgx.Tx, project string) (*ledger, error) {
	l := &ledger{mine: map[ir.ObjectID]record{}, others: map[ir.ObjectID]string{}}
	err := tx.QueryRow(ctx, `
SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = 'pawl'),
       c.oid IS NOT NULL, c.oid IS NOT NULL AND a.attnum IS NULL
FROM (VALUES (1)) one
LEFT JOIN (pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = 'pawl') ON c.relname = 'object'
LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'prevented' AND NOT a.attisdropped`).Scan(&l.schema, &l.exists, &l.old)
	if err != nil || !l.exists {
		return l, err
	}
	prevented := preventedColumn.Name
	if l.old {
		prevented = preventedColumn.Default
	}
	rows, err := tx.Query(ctx, `
SELECT project, address, kind, schema_name, table_name, object_name, spec_hash, catalog_hash, `+prevented+` FROM pawl.object`)
	if err != nil {
		return nil, fmt.Errorf("reading pawl.object: %w", err)
	}
	var r record
	_, err = pgx.ForEachRow(rows, []any{
		&r.Project, &r.Address, &r.ID.Kind, &r.ID.Schema, &r.ID.Table, &r.ID.Name, &r.SpecHash, &r.CatalogHash, &r.Prevented,
	}, func() error {
		switch {
		case r.ID.Kind == roleRecord:
			if r.Project == project {
				l.roles = append(l.roles, r.ID.Name)
			}
		case r.Project == project:
			l.mine[r.ID] = r
		default:
			l.others[r.ID] = r.Project
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading pawl.object: %w", err)
	}
	return l, nil
}

// schemas are the schemas in which the project has something.
func (l *ledger) schemas() []string {
	var names []string
	for id := range l.mine {
		if id.Schema != "" && !slices.Contains(names, id.Schema) {
			names = append(names, id.Schema)
		}
	}
	return names
}

// execer runs one statement.
type execer interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// save writes records; what the catalog prints is remembered later, when
// everything stands.
func save(ctx context.Context, db execer, records []record) error {
	if len(records) == 0 {
		return nil
	}
	columns := make([][]string, 9)
	for _, r := range records {
		for i, text := range []string{
			r.Project, r.Address, string(r.ID.Kind), r.ID.Schema, r.ID.Table, r.ID.Name, r.SpecHash, r.CatalogHash, r.Prevented,
		} {
			columns[i] = append(columns[i], text)
		}
	}
	_, err := db.Exec(ctx, `
INSERT INTO pawl.object (project, address, kind, schema_name, table_name, object_name, spec_hash, catalog_hash, prevented)
SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[])
ON CONFLICT (project, kind, schema_name, table_name, object_name) DO UPDATE
SET address = excluded.address, spec_hash = excluded.spec_hash, catalog_hash = excluded.catalog_hash, prevented = excluded.prevented,
    applied_at = now()`,
		columns[0], columns[1], columns[2], columns[3], columns[4], columns[5], columns[6], columns[7], columns[8])
	if err != nil {
		return fmt.Errorf("recording in pawl.object: %w", err)
	}
	return nil
}

// forget deletes the project's records of objects, and of everything on them
// where one is a table.
func forget(ctx context.Context, db execer, project string, ids []ir.ObjectID) error {
	for _, id := range ids {
		sql := `
DELETE FROM pawl.object
WHERE project = $1 AND kind = $2 AND schema_name = $3 AND table_name = $4 AND object_name = $5`
		args := []any{project, string(id.Kind), id.Schema, id.Table, id.Name}
		if id.Kind == ir.TableObject {
			sql = `DELETE FROM pawl.object WHERE project = $1 AND schema_name = $2 AND table_name = $3`
			args = []any{project, id.Schema, id.Table}
		}
		if _, err := db.Exec(ctx, sql, args...); err != nil {
			return fmt.Errorf("recording in pawl.object: %w", err)
		}
	}
	return nil
}
