// Package ir is pawl's narrow waist: the compiled program that every front end
// produces and every back end reads.
//
// It is plain data and imports only the standard library. Two halves meet in
// [Program]:
//
//   - [Schema] says what has to stand in the database: tables, constraints,
//     indexes, triggers. The same type describes what inspection found there,
//     so a diff is a function of two Schemas that returns [Change] values.
//   - [Repository], [Operation] and [Statement] say what generated code does:
//     final SQL with $n, argument and result types, the lock, the isolation
//     level, the constraints that can be reported, and the reason for each
//     choice as text.
//
// Decisions are made once, in package compiler, and recorded here with their
// [Reason]. Back ends print what they find; a back end that has to decide
// something has found a hole in this package.
package ir
