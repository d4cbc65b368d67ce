// Package diag holds everything pawl says about a spec: the list of
// diagnostic codes, the diagnostics themselves and the renderers that print
// them for people, for programs and for GitHub.
//
// A Diagnostic is about a mistake in the user's files. Its Code names the class
// and gives it a fixed summary; Detail and Label name the values of this one
// case; Consequence tells what would go wrong at run time; Help is text that
// can be pasted. Findings are collected in a List, sorted and printed once by
// the command:
//
//	var list diag.List
//	list.Add(diag.Diagnostic{Code: diag.UnknownColumn, Subject: rng, Label: `no column "statsu"`})
//	list.Sort()
//	err := diag.Text{Sources: sources}.List(os.Stderr, list)
//
// Two other shapes exist because the reader must act differently: Bug (pawl
// itself is wrong, please report it) and Outage (the database cannot be
// reached). All renderers print all three.
//
// Every code stands in a table with an explanation and a wrong example; a test
// compiles the examples, so the explanations cannot rot. The tables are split by
// who finds the mistake: codes_syntax.go holds those of the HCL library,
// codes_sql.go those of package pgsql, codes_language.go those of package dsl, and
// so on.
package diag
