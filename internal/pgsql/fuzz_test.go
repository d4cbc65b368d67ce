package pgsql

import (
	"testing"

	pg "github.com/pganalyze/pg_query_go/v5"
)

// FuzzParseExpr looks for a text that gets more than one expression through, for
// errors that point outside of the text, and for panics.
func FuzzParseExpr(f *testing.F) {
	for _, seed := range []string{
		"stock - @qty >= 0", "1; DROP TABLE x", "a) , (b", "1) UNION SELECT (2", "'a' -- ' ; DROP TABLE x", "/* ; */ 1",
		"$$ ; $$ || @x", "\"a;b\" = 1", "a >=@b", "a <@b", "é = 'ü' AND @ö > 1", "(SELECT 1; SELECT 2)", "x = NULL",
		"CASE WHEN a THEN b END", "a[1:2]", "f(VARIADIC @xs)", "E'\\'; DROP TABLE x; --'", "'a'\n'b'", "U&'\\0041'", "a = @U&'x'",
		"N'x' || x'41'", "1--\x00); DROP TABLE x", "(WITH d AS (DELETE FROM x RETURNING 1) SELECT 1 FROM d)",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parsed = cache{} // else the fuzzer sees other code run the second time
		e, err := ParseExpr(text, Options{})
		if err != nil {
			if err.Offset < 0 || err.Length < 0 || err.Offset+err.Length > len(text) || err.Message == "" {
				t.Fatalf("%q: bad error %+v", text, err)
			}
			return
		}
		offsetsAreInside(t, text, e)
		sql := e.WithParams(func(string) (int, string) { return 1, "" })
		mustBeOneExpression(t, text, sql)
		mustBeOneExpression(t, text, IsNotFalse(Not(e)).WithParams(func(string) (int, string) { return 1, "int" }))
		again, err := ParseExpr(e.SQL(), Options{})
		if err != nil {
			t.Fatalf("%q gave %q, which does not parse: %v", text, e, err)
		}
		if again.SQL() != e.SQL() {
			t.Fatalf("%q gave %q, and that gave %q", text, e, again)
		}
		if len(again.Columns()) != len(e.Columns()) || len(again.Args()) != len(e.Args()) {
			t.Fatalf("%q and %q mention different things", text, e)
		}
	})
}

func offsetsAreInside(t *testing.T, text string, e *Expr) {
	for _, c := range e.Columns() {
		if c.Offset < 0 || c.Length <= 0 || c.Offset+c.Length > len(text) {
			t.Fatalf("%q: column %+v", text, c)
		}
	}
	for _, a := range e.Args() {
		if text[a.Offset:a.Offset+a.Length] != "@"+a.Name {
			t.Fatalf("%q: argument %+v", text, a)
		}
	}
	for _, c := range e.Conjuncts() {
		if c.Offset() < 0 || c.Offset() >= len(text) || c.SQL() == "" {
			t.Fatalf("%q: conjunct %q at %d", text, c, c.Offset())
		}
	}
}

// mustBeOneExpression parses what would be sent, between two other expressions:
// whatever escapes changes the number of targets or statements.
func mustBeOneExpression(t *testing.T, text, sql string) {
	result, err := pg.Parse("SELECT 1, (" + sql + "), 3 FROM t WHERE (" + sql + ")")
	if err != nil {
		t.Fatalf("%q gave %q, which PostgreSQL does not read: %v", text, sql, err)
	}
	if len(result.Stmts) != 1 {
		t.Fatalf("%q gave %d statements: %q", text, len(result.Stmts), sql)
	}
	s := result.Stmts[0].Stmt.GetSelectStmt()
	if s == nil || len(s.TargetList) != 3 || len(s.FromClause) != 1 || s.WhereClause == nil || s.Op > pg.SetOperation_SETOP_NONE ||
		len(s.SortClause)+len(s.GroupClause)+len(s.LockingClause) > 0 || s.IntoClause != nil {
		t.Fatalf("%q escaped: %q", text, sql)
	}
}
