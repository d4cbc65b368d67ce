// Package postgres spells [ir.Change] values as PostgreSQL DDL. It is the only
// place in pawl where DDL is spelled, and it decides nothing: what changes, in
// which order and how carefully is for packages migrate and diff.
//
// [Statements] is the plain form of a change, good for a table that nobody
// uses yet; [Script] and [Schema] print many of them the way a person would
// write the file. The forms that spare a table in use (CONCURRENTLY, NOT
// VALID, USING INDEX, renames) are functions of their own, in online.go; those
// that let a server print a definition without touching anything are in
// scratch.go. All of it is valid on PostgreSQL 14 to 18.
package postgres
