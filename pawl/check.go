package pawl

import (
	"context"
	"fmt"
	"strings"
)

// Promise is an object of the database that generated code relies on.
type Promise struct {
	Address string // where the specification declares it
	Kind    string // constraint, index, trigger, column, table
	Schema  string
	Table   string // of a domain's check: the domain
	Name    string // of the constraint, index, trigger or column
	Hash    string // fingerprint of its definition
}

// Problem is a promise that the database does not hold.
type Problem struct {
	Promise Promise
	// State is missing, invalid, disabled, changed (applied from another
	// specification), unrecorded (there, but not applied by pawl), forbidden (this
	// role may not read the table) or unknown (the record cannot be read).
	State string
}

// String says what is wrong with what.
func (p Problem) String() string {
	if p.Promise.Name == "" {
		return p.Promise.Address + ": " + p.text()
	}
	return fmt.Sprintf("%s: %s %s on %s.%s %s", p.Promise.Address, p.Promise.Kind, p.Promise.Name, p.Promise.Schema, p.Promise.Table, p.text())
}

func (p Problem) text() string {
	switch p.State {
	case "forbidden":
		return fmt.Sprintf("belongs to a table that this role may not read: GRANT USAGE ON SCHEMA and SELECT, with what else the service does, on %s.%s to it",
			p.Promise.Schema, p.Promise.Table)
	case "missing":
		return "is missing; run pawl apply"
	case "invalid":
		return "is there but not valid, so it holds for new rows at most; run pawl apply"
	case "disabled":
		return "is disabled, so it holds for nobody; enable it or run pawl apply"
	case "changed":
		return "was applied from another version of the specification; apply this one, or deploy the code that belongs to it"
	case "unrecorded":
		return "is not recorded in pawl.object, so it is not known to be the declared one; run pawl apply"
	}
	return "cannot be compared with the specification: " + p.State
}

// CheckError lists every promise that the database does not hold.
type CheckError struct{ Problems []Problem }

// Error lists the problems, one a line.
func (e *CheckError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "the database does not hold %d of the promises this code relies on:", len(e.Problems))
	for _, p := range e.Problems {
		b.WriteString("\n  ")
		b.WriteString(p.String())
	}
	return b.String()
}

// recordSQL asks whether pawl.object is there and may be read. It is a query of
// its own because a statement that names a missing table fails as a whole
// (42P01) before it can say so, and to_regclass fails where USAGE is missing.
const recordSQL = `/* pawl check */ SELECT pg_catalog.has_schema_privilege(n.oid, 'USAGE') AND pg_catalog.has_table_privilege(c.oid, 'SELECT')
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = 'pawl' AND c.relname = 'object'`

// checkSQL returns the promises that are not held: their position and state.
// $1 are the kinds, $2 schemas, $3 tables, $4 names, $5 addresses, $6 hashes, $7 the project.
const checkSQL = `/* pawl check */ WITH promise AS (
  SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
    WITH ORDINALITY AS p(kind, schema_name, table_name, object_name, address, hash, n)
), found AS (
  SELECT p.*, rel.oid AS rel,
    rel.oid IS NULL OR pg_catalog.has_schema_privilege(ns.oid, 'USAGE') AND pg_catalog.has_any_column_privilege(rel.oid, 'SELECT') AS readable,
    CASE p.kind
      WHEN 'constraint' THEN (SELECT CASE WHEN k.convalidated THEN 'held' ELSE 'invalid' END
        FROM pg_catalog.pg_constraint k WHERE (k.conrelid = rel.oid OR k.contypid = dom.oid) AND k.conname = p.object_name)
      WHEN 'index' THEN (SELECT CASE WHEN i.indisvalid AND i.indisready THEN 'held' ELSE 'invalid' END
        FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class x ON x.oid = i.indexrelid
        WHERE i.indrelid = rel.oid AND x.relname = p.object_name)
      WHEN 'trigger' THEN (SELECT CASE WHEN t.tgenabled IN ('O', 'A') THEN 'held' ELSE 'disabled' END
        FROM pg_catalog.pg_trigger t WHERE t.tgrelid = rel.oid AND t.tgname = p.object_name)
      WHEN 'column' THEN (SELECT 'held'
        FROM pg_catalog.pg_attribute a WHERE a.attrelid = rel.oid AND a.attname = p.object_name AND a.attnum > 0 AND NOT a.attisdropped)
      WHEN 'table' THEN CASE WHEN rel.oid IS NOT NULL THEN 'held' END
      ELSE 'held'
    END AS state
  FROM promise p
  LEFT JOIN (pg_catalog.pg_class rel JOIN pg_catalog.pg_namespace ns ON ns.oid = rel.relnamespace)
    ON ns.nspname = p.schema_name AND rel.relname = p.table_name AND rel.relkind IN ('r', 'p')
  LEFT JOIN (pg_catalog.pg_type dom JOIN pg_catalog.pg_namespace ds ON ds.oid = dom.typnamespace)
    ON ds.nspname = p.schema_name AND dom.typname = p.table_name AND dom.typtype = 'd'
), judged AS (
  SELECT f.n, CASE
      WHEN f.state IS NULL THEN 'missing'
      WHEN f.state <> 'held' THEN f.state
      WHEN f.hash = '' THEN NULL
      WHEN o.spec_hash IS NULL THEN 'unrecorded'
      WHEN o.spec_hash <> f.hash THEN 'changed'
    END AS state
  FROM found f
  LEFT JOIN pawl.object o ON o.project = $7::text AND o.kind = f.kind AND o.schema_name = f.schema_name
    AND o.table_name = f.table_name AND o.object_name = f.object_name
)
SELECT n, state FROM judged WHERE state IS NOT NULL
UNION ALL (SELECT DISTINCT ON (rel) n, 'forbidden' FROM found WHERE NOT readable ORDER BY rel, n)
ORDER BY n`

// Check compares the database with the promises that generated code relies on
// and returns a *CheckError that names each constraint, index, trigger or column
// that is missing, not valid, disabled or of another specification, and one
// promise of each table that this role may not read. It is a catalog query of a
// few milliseconds: call it at start and in a readiness probe.
//
// It looks at names and at what pawl recorded. A definition that somebody has
// replaced under the same name, the body of a function too, is drift: pawl plan
// compares definitions, and shows it.
func Check(ctx context.Context, s *Session, project string, promises []Promise) error {
	ask := Operation{Name: "check", SQL: recordSQL, ReadOnly: true}
	readable, err := QueryAll(ctx, s, &ask, func(b *bool) []any { return []any{b} })
	if err != nil {
		return err
	}
	if len(readable) == 0 || !readable[0] {
		return &CheckError{Problems: []Problem{unreadableRecord(len(readable) > 0)}}
	}
	look := Operation{Name: "check", SQL: checkSQL, ReadOnly: true}
	findings, err := QueryAll(ctx, s, &look, (*finding).dest, append(columnsOf(promises), project)...)
	if err != nil || len(findings) == 0 {
		return err
	}
	failed := &CheckError{}
	for _, f := range findings {
		failed.Problems = append(failed.Problems, Problem{Promise: promises[f.n-1], State: f.state})
	}
	return failed
}

// finding is a promise's position, 1 for the first, and what is wrong with it.
type finding struct {
	n     int64
	state string
}

func (f *finding) dest() []any { return []any{&f.n, &f.state} }

// columnsOf turns promises into an array for each field.
func columnsOf(promises []Promise) []any {
	columns := make([][]string, 6)
	for i := range columns {
		columns[i] = make([]string, 0, len(promises))
	}
	for _, p := range promises {
		for i, v := range []string{p.Kind, cutName(p.Schema), cutName(p.Table), cutName(p.Name), p.Address, p.Hash} {
			columns[i] = append(columns[i], v)
		}
	}
	args := make([]any, len(columns))
	for i := range columns {
		args[i] = columns[i]
	}
	return args
}

func unreadableRecord(exists bool) Problem {
	p := Problem{Promise: Promise{Address: "pawl.object", Kind: "table"}, State: "there is no table pawl.object: this database was never applied to; run pawl apply"}
	if exists {
		p.State = "this role may not read pawl.object; GRANT USAGE ON SCHEMA pawl and SELECT ON pawl.object to it"
	}
	return p
}
