// Package compiler turns a [dsl.Spec] into an [ir.Program]: it finds out what
// every name means, refuses what cannot be promised, and decides how each
// promise is kept.
//
// The decisions are made here and nowhere else: which mechanism a promise
// rests on, which lock an operation takes, at which isolation level it runs,
// which errors can come back. Each is written into the program as data beside
// its reason, and final SQL is written there too; back ends print.
//
// [Compile] is the list of phases. A phase lives in the file named after what
// it is about (duplicates.go, overlap.go, transitions.go, …), from its checks
// down to the SQL of its operations, so that one file tells the whole story of
// one construct.
package compiler
