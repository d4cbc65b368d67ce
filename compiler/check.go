package compiler

import (
	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/internal/diag"
	"github.com/pawldb/pawl/internal/pgsql"
)

// check is a CHECK of a table: written down, or added for another promise.
type check struct {
	name    string
	label   string
	expr    *pgsql.Expr
	columns []string
	address string
	doc     string
	domain  *domain // whose check it is; nil for one of the table
	counts  *limit  // that asked for it; nil for any other
}

// checks reads the check blocks of a table.
func (c *compilation) checks(t *table) {
	for _, decl := range t.decl.Checks {
		e := c.parse(&decl.Expr, "check", row{table: t, changing: pgsql.Stable})
		if e == nil {
			continue
		}
		if len(e.Columns()) == 0 {
			c.report(diag.Diagnostic{
				Code:        diag.CheckWithoutColumn,
				Detail:      "The check " + quote(decl.Name.Text) + " mentions no column.",
				Subject:     decl.Expr.Range,
				Label:       "no column in it",
				Consequence: "It is the same for every row: either it guards nothing, or no row can be written.",
				Help:        "name a column of table " + quote(t.label) + ", or remove the check",
			})
			continue
		}
		if e.Volatility() == pgsql.Stable {
			c.warnChangingCheck(decl.Allow, e)
		}
		since, readable := c.since(t, decl.Block, decl.Since)
		if !readable {
			continue
		}
		doc := "a row breaks the check " + e.SQL()
		if since != nil {
			doc += ", and " + since.SQL() + " holds of it"
		}
		name := derivedName(t.ref.Name, decl.Name.Text, decl.Rename)
		if !c.claimConstraint(t, name, "check "+quote(decl.Name.Text), decl.Header, false) {
			continue
		}
		t.addCheck(&check{
			name: name, label: labelOf(decl.Block, decl.Rename), expr: since.unlessOlder(e.Expr),
			address: inside(t.address, "check", decl.Block),
			doc:     doc,
		}, ir.Origin{Address: inside(t.address, "check", decl.Block), Pos: pos(decl.Header)})
	}
}

// addCheck puts a check on the table.
func (t *table) addCheck(k *check, origin ir.Origin) {
	k.columns = columnsOf(k.expr)
	t.checks = append(t.checks, k)
	t.schema.Checks = append(t.schema.Checks, ir.Check{Name: k.name, Expr: k.expr.SQL(), Origin: origin})
}
