package compiler

import (
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/internal/pgsql"
)

// arm is one answer of an explain statement.
type arm struct {
	verdict ir.Verdict
	when    func(p *parameters) string
	subject func(p *parameters) string
	uses    []*pgsql.Expr // what `when` mentions, for the arguments
}

// verdictFields are the two columns behind the row.
var verdictFields = []ir.Field{{Name: "verdict", Type: ir.Type{Name: "text"}}, {Name: "subject", Type: ir.Type{Name: "text"}}}

// explainStatement builds the second look at a row that the main statement did
// not touch: the row as it is now, and the first arm that applies. Where none
// does, nothing stands in the way any more: the race is over, and the main
// statement may be tried again.
func (t *table) explainStatement(addr string, args []ir.Field, arms []arm) ir.Statement {
	var uses []*pgsql.Expr
	for _, a := range arms {
		uses = append(uses, a.uses...)
	}
	p := newParameters(t.keyFields(), only(args, uses))
	verdict, subject := verdictOf(p, arms)
	return ir.Statement{
		Role: ir.ExplainStatement,
		SQL: comment(addr) + "SELECT " + t.rowList() + ",\n  " + verdict + " AS verdict,\n  " + subject + " AS subject\nFROM " +
			t.ref.SQL() + "\nWHERE " + t.keyEquals(p),
		Args:    p.fields,
		Results: append(t.rowFields(), verdictFields...),
		Rows:    ir.ReturnsOne,
	}
}

// verdictOf spells the first arm that applies, and what it is about.
func verdictOf(p *parameters, arms []arm) (verdict, subject string) {
	if len(arms) == 0 { // nothing stands in the way, and a CASE needs one
		return ir.Literal(string(ir.VerdictAgain)), "''"
	}
	verdict, subject = "CASE\n", "CASE\n"
	for _, a := range arms {
		when := a.when(p)
		verdict += "    WHEN " + when + " THEN " + ir.Literal(string(a.verdict)) + "\n"
		subject += "    WHEN " + when + " THEN " + a.subject(p) + "\n"
	}
	return verdict + "    ELSE " + ir.Literal(string(ir.VerdictAgain)) + "\n  END", subject + "    ELSE ''\n  END"
}

// about is a subject that is the same for every row.
func about(text string) func(*parameters) string {
	return func(*parameters) string { return ir.Literal(text) }
}

// guardArms are the arms for a guard and for derived checks.
func guardArms(guard *expression, checks []derived) []arm {
	var arms []arm
	if guard != nil {
		arms = append(arms, arm{
			verdict: ir.VerdictGuard, subject: about("guard"), uses: []*pgsql.Expr{guard.Expr},
			when: func(p *parameters) string { return "(" + p.sql(guard.Expr) + ") IS NOT TRUE" },
		})
	}
	for _, d := range checks {
		arms = append(arms, arm{
			verdict: ir.VerdictGuard, subject: about(d.check.name), uses: []*pgsql.Expr{d.expr},
			when: func(p *parameters) string { return "(" + p.sql(d.expr) + ") IS FALSE" },
		})
	}
	return arms
}

// guardConditions are the same as conditions of the main statement.
func guardConditions(p *parameters, guard *expression, checks []derived) []string {
	var list []string
	if guard != nil {
		list = append(list, "("+p.sql(guard.Expr)+")")
	}
	for _, d := range checks {
		list = append(list, "("+p.sql(d.expr)+") IS NOT FALSE")
	}
	return list
}

// updateStatement builds the conditional UPDATE of one row.
func (t *table) updateStatement(addr string, p *parameters, set []assignment, conditions []string) ir.Statement {
	conditions = append([]string{t.keyEquals(p)}, conditions...)
	return ir.Statement{
		Role: ir.MainStatement,
		SQL: comment(addr) + "UPDATE " + t.ref.SQL() + "\nSET " + setSQL(p, set) + t.raiseVersion() + "\nWHERE " + strings.Join(conditions, "\n  AND ") +
			"\nRETURNING " + t.rowList(),
		Args:    p.fields,
		Results: t.rowFields(),
		Rows:    ir.ReturnsOne,
	}
}
