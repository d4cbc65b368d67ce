// Package migrate brings a database to the schema that a program wants: it
// inspects, plans and applies.
//
// The database is the state. The table pawl.object in it says which objects
// belong to which project, and only those are ever changed or dropped; whatever
// else stands there is shown and left alone.
//
//   - [Inspect] reads a schema from pg_catalog.
//   - [NewPlan] reads what is there, lets the server print what is wanted
//     (normalise.go), compares the two with package diff and turns each change
//     into steps that spare a table in use: built concurrently, added NOT VALID
//     and validated later, under a short lock timeout.
//   - [Plan.Apply] runs the steps in one session under an advisory lock. It can
//     be killed at any point: the next plan starts from what stands there.
//
// All DDL is spelled by package codegen/postgres. Nothing here prints: progress
// goes to [ApplyOptions.Observe] and results are plain data.
package migrate
