package pawl

import (
	"reflect"

	"github.com/jackc/pgx/v5"
)

// pgx prepares a statement that is new to a connection in a round trip of its
// own, ahead of the batch. Preparing takes the tables' locks, and the batch's
// lock_timeout is not set yet: behind a DDL statement that wait would end with
// the context at best. So the first run of a statement on a connection goes
// through a transaction that has its limits from the start, and the connection
// remembers that it has met the statement.

// acquaintance is what this package keeps on a connection.
type acquaintance struct {
	mode pgx.QueryExecMode
	met  map[string]struct{} // by SQL
}

// acquaintanceKey is the import path, so that a copy of this package in the same
// program keeps its own.
var acquaintanceKey = reflect.TypeFor[acquaintance]().PkgPath()

// acquaintanceOf returns what is kept on db's connection; nil when db does not
// show one.
func acquaintanceOf(db DB) *acquaintance {
	conn, ok := connOf(db)
	if !ok || conn.IsClosed() {
		return nil
	}
	data := conn.PgConn().CustomData()
	a, ok := data[acquaintanceKey].(*acquaintance)
	if !ok {
		a = &acquaintance{mode: conn.Config().DefaultQueryExecMode, met: make(map[string]struct{})}
		data[acquaintanceKey] = a
	}
	return a
}

// batches reports whether sql can go out in a batch without being prepared first.
func (a *acquaintance) batches(sql string) bool {
	if a == nil {
		return true
	}
	switch a.mode {
	case pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe:
		_, met := a.met[sql]
		return met
	case pgx.QueryExecModeDescribeExec:
		return false
	}
	return true
}

// note remembers a statement that worked, and forgets one that failed: pgx drops
// it from its cache then, and prepares it again.
func (a *acquaintance) note(sql string, err error) {
	if a == nil {
		return
	}
	if err != nil {
		delete(a.met, sql)
		return
	}
	a.met[sql] = struct{}{}
}
