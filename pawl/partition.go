package pawl

import (
	"context"
	"errors"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// constraintName is a constraint as an error names it. Constraint is empty where
// the server names none, for a missing value.
type constraintName struct{ schema, table, constraint string }

func nameOf(e *pgconn.PgError) constraintName {
	return constraintName{e.SchemaName, e.TableName, e.ConstraintName}
}

// ancestors remembers what the constraints of partitions belong to. Partitions
// come and go, but a name does not change what it is a partition of.
type ancestors struct{ known sync.Map } // constraintName to []constraintName

// ancestorsSQL names what a partition's constraint was made from, and its table's
// ancestors. An index has a name of its own in each partition; a CHECK keeps its
// name, as does what a trigger reports; a foreign key keeps it where it is free.
const ancestorsSQL = `WITH RECURSIVE reported AS (
  SELECT t.oid FROM pg_catalog.pg_class t JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
  WHERE n.nspname = $1::text AND t.relname = $2::text
), made_from AS (
  SELECT c.conparentid AS oid FROM pg_catalog.pg_constraint c JOIN reported ON c.conrelid = reported.oid
  WHERE c.conname = $3::text AND c.conparentid <> 0
  UNION
  SELECT c.conparentid FROM pg_catalog.pg_constraint c JOIN made_from ON c.oid = made_from.oid
  WHERE c.conparentid <> 0
), named AS (
  SELECT a.relid AS "table", $3::text AS "constraint"
  FROM reported, pg_catalog.pg_partition_ancestors(reported.oid) a
  UNION
  SELECT p.indrelid, pi.relname::text
  FROM reported JOIN pg_catalog.pg_index x ON x.indrelid = reported.oid
  JOIN pg_catalog.pg_class i ON i.oid = x.indexrelid AND i.relname = $3::text,
    pg_catalog.pg_partition_ancestors(i.oid) a
  JOIN pg_catalog.pg_index p ON p.indexrelid = a.relid JOIN pg_catalog.pg_class pi ON pi.oid = a.relid
  UNION
  SELECT c.conrelid, c.conname::text FROM made_from JOIN pg_catalog.pg_constraint c ON c.oid = made_from.oid
)
SELECT n.nspname::text, t.relname::text, named."constraint"
FROM named JOIN pg_catalog.pg_class t ON t.oid = named."table" JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace`

// trace completes an error about a constraint that is not declared: PostgreSQL
// reports a partition by its own name and that of its own constraint, and only the
// catalog knows which declared constraint that is. It is asked once for each name
// that it knows.
//
// Inside a transaction that has failed nothing can be asked: another connection of
// the pool is, if one is free. If none is, the error keeps the partition's names
// until the transaction or the savepoint has been rolled back.
func (s *Session) trace(ctx context.Context, err error) {
	if err == nil {
		return // before v is made, which escapes
	}
	var v *violation
	if !errors.As(err, &v) || len(v.untraced) == 0 || v.cause.TableName == "" {
		return
	}
	name := nameOf(v.cause)
	names, known := s.root.ancestors.known.Load(name)
	if !known {
		db := s.catalog()
		if db == nil {
			return
		}
		found, err := ancestorsOf(ctx, db, name)
		if err != nil {
			return // the error that there is says more than this one
		}
		// Nothing is not remembered: a table that is no partition may become one.
		if names = found; len(found) > 0 {
			s.root.ancestors.known.Store(name, found)
		}
	}
	for _, ancestor := range names.([]constraintName) {
		reported := *v.cause
		reported.SchemaName, reported.TableName, reported.ConstraintName = ancestor.schema, ancestor.table, ancestor.constraint
		if c := find(v.untraced, &reported); c != nil {
			v.constraint, v.limit = c, exceeded(c, v.cause)
			break
		}
	}
	v.untraced = nil
}

// ancestorsOf asks the catalog, on a context of its own: the caller's may end, and
// pgx would close the connection with it.
func ancestorsOf(ctx context.Context, db DB, name constraintName) ([]constraintName, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackTimeout)
	defer cancel()
	// In a batch, since one mode of pgx describes a query in one message and runs it
	// in the next, which behind a pooler may meet another server.
	var b pgx.Batch
	b.Queue(ancestorsSQL, name.schema, name.table, name.constraint)
	results := db.SendBatch(ctx, &b)
	found, err := readNames(results)
	return found, errors.Join(err, results.Close())
}

func readNames(results pgx.BatchResults) ([]constraintName, error) {
	rows, err := results.Query()
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var found []constraintName
	for rows.Next() {
		var a constraintName
		if err := rows.Scan(&a.schema, &a.table, &a.constraint); err != nil {
			return nil, err
		}
		found = append(found, a)
	}
	return found, rows.Err()
}

// catalog returns what a question to the catalog can be put to now without
// waiting for anybody; nil when there is nothing.
func (s *Session) catalog() DB {
	if !s.InTransaction() {
		return s.db
	}
	if conn, ok := connOf(s.db); ok && !conn.IsClosed() && conn.PgConn().TxStatus() == inTransaction {
		return s.db
	}
	pool, ok := s.root.db.(interface{ Stat() *pgxpool.Stat })
	if !ok {
		return nil
	}
	// A caller that holds a connection and waits for a second one can wait for
	// itself.
	if stat := pool.Stat(); stat.AcquiredConns()+stat.ConstructingConns() >= stat.MaxConns() {
		return nil
	}
	return s.root.db
}
