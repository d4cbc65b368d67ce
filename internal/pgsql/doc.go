// Package pgsql reads the SQL texts of a spec with PostgreSQL's own parser. It
// is the only user of pg_query. It reads single expressions (guards, checks,
// predicates, assigned values) and single SELECTs, and it rewrites compiled DML
// statements for those who break them on purpose (Statement); never DDL.
//
// ParseExpr takes a text that a person wrote and gives an Expr, or an Error with
// the byte offset inside that text. A text cannot smuggle anything past it: it is
// one balanced expression, checked on the tokens and again on the parse tree.
//
// Arguments are written @name and stay so inside an Expr; WithParams turns them
// into $n when the final statement is known.
//
// An Expr is immutable, and so are the results of its rewrites (Substitute,
// Qualify, And, ...). It is kept as a list of pieces: the tokens of the text, of
// which column references and arguments are marked with what the parse tree says
// about them. Rewrites exchange pieces and put parentheses around what they put
// in. They do not print the parse tree, because pg_query's deparser loses
// parentheses: (a AND b) IS NULL comes back as a AND b IS NULL. So the SQL that
// pawl emits is the text that the user wrote, without its comments.
//
// Errors are data (Kind, offset, the name in question); the packages that know
// the file turn them into diagnostics.
package pgsql
