// Package cli is pawl's command line.
//
// A command is one file with three parts: an arguments struct that holds what
// the user asked for, the work, and a call of the view that says how it went
// (package view, which has a form for people, one for programs and one for
// GitHub). The work returns an error; this package turns it into one of the
// exit codes of exit.go. Nothing below it reads the environment, writes files
// or knows about stdout: parsers, compiler and generators take and return data.
//
// Start reading at [run].
package cli
