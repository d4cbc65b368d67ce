// Package golang turns an [ir.Program] into Go source: typed repositories over
// the runtime library, package pawl.
//
// [Generate] is pure: it returns files and problems, and touches no disk. It
// works in two passes. The first resolves every Go name of the output (file
// names.go and its neighbours): types, fields, constants, methods, variables,
// parameters. What cannot be told apart is a [Problem] at the place in the
// specification that can change it. The second pass prints, and asks for names
// only from the first, so no name is ever invented while writing.
//
// A file is written line by line through [writer.P]. Identifiers of other
// packages register their import as they are printed, so imports are exactly
// what is used. go/format has the last word over layout.
//
// Nothing is decided here: SQL, locks, isolation and error tables come from the
// program as they are.
package golang
