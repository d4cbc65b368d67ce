// Package diff compares two schemas: what a database has and what a program
// wants. It is pure, it never sees a database.
//
// Objects are the same object when their identity is: schema, table and name,
// never their place in a list. They are equal when what PostgreSQL prints for
// them is, so both schemas must carry prints: inspection and normalisation in
// package migrate fill them. The schema that is had holds what pawl may change
// or drop; package migrate leaves everything else out of it.
//
// An object that has to be made anew appears as its drop directly followed by
// its creation. Package migrate decides how to do that without a moment in
// which the guarantee is gone.
package diff
