package compiler

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
	"github.com/pawldb/pawl/internal/pgsql"
)

// expression is an SQL text of the specification after it was parsed and
// checked. Its columns stand without a qualifier.
type expression struct {
	*pgsql.Expr
	source dsl.SQL
	since  *pgsql.Expr // the part of it that leaves old rows out; nil for none
}

// row says what an expression may mention.
type row struct {
	table  *table   // nil: no column at all
	domain *domain  // whose value the text is about; nil: of no domain
	args   []string // the declared arguments
	// changing is how much the result may change: immutable by default.
	changing pgsql.Volatility
	// condition is set for predicates and guards, which must be able to hold.
	condition bool
}

// parse reads an SQL text and checks what it mentions. It returns nil when the
// text is not there or was reported; what is the attribute's role in a
// sentence: "guard".
func (c *compilation) parse(src *dsl.SQL, what string, r row) *expression {
	// dsl has reported a text that has no place; an empty one is a mistake like
	// any other, and must not read as if nothing had been declared.
	if src == nil || src.Text == "" && src.Range.Filename == "" {
		return nil
	}
	parsed, wrong := pgsql.ParseExpr(src.Text, pgsql.Options{What: what})
	if wrong != nil {
		c.reportSQL(*src, what, r, wrong)
		return nil
	}
	rules := pgsql.Rules{Args: r.args, Volatility: r.changing, Condition: r.condition}
	if r.table != nil {
		rules.Table, rules.Columns = r.table.ref.Name, r.table.columnNames()
	}
	if r.domain != nil {
		rules.Columns = []string{domainValue}
	}
	if errs := parsed.Check(rules); len(errs) > 0 {
		for _, wrong := range errs {
			c.reportSQL(*src, what, r, wrong)
		}
		return nil
	}
	labels := parsed.Labels() // before the rewrite, which forgets places
	if slices.ContainsFunc(parsed.Columns(), func(col pgsql.ColumnRef) bool { return col.Qualifier != "" }) {
		parsed = parsed.Qualify("")
	}
	e := &expression{Expr: parsed, source: *src}
	c.behindPooler(e, what)
	if r.changing > pgsql.Immutable && c.frozenIn(e, what) {
		return nil
	}
	if r.table != nil && len(labels) > 0 {
		c.compared = append(c.compared, comparison{r.table, what, *src, labels})
	}
	return e
}

// columnsOf lists the columns that an expression mentions, each once.
func columnsOf(e *pgsql.Expr) []string {
	var list []string
	for _, ref := range e.Columns() {
		if !slices.Contains(list, ref.Name) {
			list = append(list, ref.Name)
		}
	}
	return list
}

// argsOf lists the arguments that an expression mentions, each once.
func argsOf(e *pgsql.Expr) []string {
	var list []string
	for _, ref := range e.Args() {
		if !slices.Contains(list, ref.Name) {
			list = append(list, ref.Name)
		}
	}
	return list
}

// mentions reports whether an expression has one of the columns in it.
func mentions(e *pgsql.Expr, columns []string) bool {
	return slices.ContainsFunc(e.Columns(), func(ref pgsql.ColumnRef) bool { return slices.Contains(columns, ref.Name) })
}

// built parses SQL that the compiler wrote itself.
func built(sql string) *pgsql.Expr {
	e, wrong := pgsql.ParseExpr(sql, pgsql.Options{})
	if wrong != nil {
		panic("compiler: it wrote SQL that it cannot read: " + sql + ": " + wrong.Message)
	}
	return e
}

// within leads a place inside an SQL text back to the source.
func (c *compilation) within(src dsl.SQL, offset, length int) hcl.Range {
	if !src.Literal || offset < 0 {
		return src.Range
	}
	at, _ := diag.RangeAt(src.Range, c.spec.Sources[src.Range.Filename], offset, length)
	return at
}

// reportSQL turns an error of an SQL text into a diagnostic.
func (c *compilation) reportSQL(src dsl.SQL, what string, r row, wrong *pgsql.Error) {
	d := diag.Diagnostic{
		Code:        diag.Code(wrong.Kind),
		Detail:      sentence(wrong.Message),
		Subject:     c.within(src, wrong.Offset, wrong.Length),
		Consequence: "PostgreSQL would refuse the statement that this " + what + " becomes a part of.",
		Help:        wrong.Help,
	}
	switch wrong.Kind {
	case pgsql.UnknownColumn:
		c.unknownColumn(&d, wrong, r, what)
	case pgsql.UnknownArgument:
		d.Label = "not declared"
		choices := slices.Clone(r.args)
		if near, ok := diag.Suggest(wrong.Name, choices); ok {
			d.Help = "did you mean @" + near + "?"
		} else {
			d.Help = "declare it: args = { " + wrong.Name + " = bigint }"
		}
		if what == "default" || what == "check" || what == "predicate" {
			d.Help = "a " + what + " has no arguments: write a column or a constant"
		}
	case pgsql.SubSelect, pgsql.Aggregate:
		d.Consequence = manyRows(what)
		if what == "default" {
			d.Help = "write a constant or a function; a value that depends on other rows is for the caller to pass"
			break
		}
		d.Help = "keep the number in a column of this row and test that column; counts and sums over rows are a `limit`, other rules a `rule`"
	case pgsql.ForeignColumn:
		d.Consequence = "The row of another table is not locked and not read again after a wait: the decision could rest on a value that is gone."
		d.Help = "name columns of this table only; a rule over several tables is a `rule` block"
	case pgsql.Several:
		d.Consequence = "A second expression or statement would run unseen, with the rights of whoever calls or applies this."
	case pgsql.NullComparison:
		d.Consequence = neverHolds(what)
	case pgsql.NeverTrue:
		d.Consequence = neverHolds(what)
		if d.Help == "" {
			d.Help = "leave it out, or write a condition that some row meets"
		}
	case pgsql.NotImmutable:
		c.notImmutable(&d, what)
	case pgsql.Syntax, pgsql.Empty, pgsql.NotExpression, pgsql.Writes, pgsql.Parameter, pgsql.ArgumentOperator,
		pgsql.SetReturning, pgsql.StarColumn: // the message and the general consequence say it
	case pgsql.VolatileFunction:
		d.Consequence = "It would be evaluated more than once for one decision, with another result each time."
		d.Help = "pass the value as an argument, or use a function like now(), which stands still within a transaction"
	}
	if text, ok := fixedSQL(src, wrong); ok {
		d.Fix = &diag.Fix{Range: d.Subject, Text: text}
	}
	if !src.Literal {
		d.Detail += " The text after evaluation is: " + src.Text
	}
	if d.Help == "" {
		d.Help = "write one SQL expression over columns of this row, as it would stand behind WHERE"
	}
	c.report(d)
}

// fixedSQL is what certainly belongs in the place of an error.
func fixedSQL(src dsl.SQL, wrong *pgsql.Error) (string, bool) {
	end := wrong.Offset + wrong.Length
	if !src.Literal || wrong.Offset <= 0 || end > len(src.Text) {
		return "", false
	}
	before, text, after := src.Text[:wrong.Offset], src.Text[wrong.Offset:end], src.Text[end:]
	switch wrong.Kind {
	case pgsql.NullComparison:
		is, ok := map[string]string{"=": "IS", "<>": "IS NOT", "!=": "IS NOT"}[text]
		// Only in x = NULL does the operator alone have to change: in NULL = x
		// the sides would, and a cast cannot follow IS NULL.
		null, rest, _ := strings.Cut(strings.TrimLeft(after, " ")+" ", " ")
		if !ok || !strings.EqualFold(strings.TrimRight(null, ")"), "NULL") || strings.HasPrefix(rest, "::") {
			return "", false
		}
		if !strings.HasSuffix(before, " ") {
			is = " " + is
		}
		if !strings.HasPrefix(after, " ") {
			is += " "
		}
		return is, true
	case pgsql.ArgumentOperator:
		operator, name, ok := strings.Cut(text, "@")
		return operator + " @" + name, ok
	}
	return "", false
}

// sentence makes a sentence of a message. A name that it begins with keeps its
// letters.
func sentence(message string) string {
	if word, _, _ := strings.Cut(message, " "); dsl.PlainLabel(word) && strings.ToLower(word) == word {
		message = capital(message)
	}
	return message + "."
}

func (c *compilation) unknownColumn(d *diag.Diagnostic, wrong *pgsql.Error, r row, what string) {
	if r.domain != nil {
		d.Detail = "A domain knows its value alone, and not the column " + quote(wrong.Name) + "."
		d.Label = "a column"
		d.Consequence = "PostgreSQL would refuse the domain: the type has no row."
		d.Help = "write value; a condition over several columns is a check of the table"
		return
	}
	if r.table == nil {
		d.Detail = capital(what) + "s cannot look at columns; this one names " + quote(wrong.Name) + "."
		d.Label = "a column"
		d.Consequence = "PostgreSQL refuses a column in a DEFAULT: the row does not exist yet."
		d.Help = "write a constant in single quotes, or a function: sql(\"now()\")"
		return
	}
	d.Detail = "The table " + quote(r.table.label) + " has no column " + quote(wrong.Name) + "."
	d.Label = "no such column"
	if d.Help != "" {
		return
	}
	if slices.Contains(r.args, wrong.Name) {
		d.Help = "an argument is written with its sign: @" + wrong.Name
		return
	}
	d.Help = didYouMean(wrong.Name, r.table.columnNames(), "declare it: column "+quote(wrong.Name)+" { type = bigint }")
}

// manyRows is what goes wrong with a decision that looks at other rows: a
// race, unless PostgreSQL takes no such text in the first place.
func manyRows(what string) string {
	switch what {
	case "default":
		return "PostgreSQL refuses sub-selects and aggregates in a DEFAULT (0A000): it is a value, and no query."
	case "predicate", "since", "live", "key":
		return "PostgreSQL refuses sub-selects and aggregates in an index (0A000), which keeps the answer from the moment the row was written."
	case "check":
		return "PostgreSQL refuses sub-selects and aggregates in a CHECK; a function that hides one is not run again when other rows change."
	}
	return "Two transactions at the same time do not see each other's rows, so both find the condition met. After a wait PostgreSQL " +
		"checks this row's own columns again, and never a sub-select."
}

func neverHolds(what string) string {
	switch what {
	case "check":
		return "A CHECK that is NULL counts as kept: it would guard nothing."
	case "guard":
		return "The operation would be refused on every call."
	case "predicate", "since", "live":
		return "No row is covered: every duplicate and every overlap would be accepted."
	}
	return "The result is NULL for every row."
}

// notImmutable explains now() by the place where it stands.
func (c *compilation) notImmutable(d *diag.Diagnostic, what string) {
	switch what {
	case "since":
		d.Consequence = "Which rows are covered would change with time, without a write. PostgreSQL refuses that in an index (42P17)."
		d.Help = "write a fixed moment, after which no broken row was added: created_at >= '2026-01-31'"
	case "predicate", "live", "key":
		d.Consequence = "An index keeps the answer from the moment the row was written. Rows would stay covered, or uncovered, although time has " +
			"moved on; PostgreSQL refuses such an index (42P17)."
		d.Help = "keep the fact in a column, such as a status, and let an operation change it"
	default:
		d.Consequence = "It was true when the row was written and need not be later: an unrelated UPDATE of an old row fails, and a restored dump " +
			"does not load."
		d.Help = "store the moment in a column and compare two columns: starts_at > created_at"
	}
}

// implies reports whether one condition is known to hold wherever the other
// does: it looks for each part of the weaker one among the parts of the
// stronger one.
func implies(stronger, weaker *pgsql.Expr) bool {
	parts := stronger.Conjuncts()
	for _, want := range weaker.Conjuncts() {
		if !slices.ContainsFunc(parts, func(have *pgsql.Expr) bool { return pgsql.Same(have, want) }) {
			return false
		}
	}
	return true
}

// argument is the expression @name. A name that cannot be written so stands for
// a column and is bound by the statement all the same.
func argument(name string) *pgsql.Expr {
	return built("@a").RenameArgs(func(string) string { return name })
}

// operand spells an expression so that an operator can stand beside it.
func operand(e *pgsql.Expr) string { return operandSQL(e.SQL()) }

// operandSQL puts parentheses around SQL that is more than one call.
func operandSQL(sql string) string {
	name, rest, call := strings.Cut(sql, "(")
	if call && strings.Index(rest, ")") == len(rest)-1 && dsl.PlainLabel(name) && !strings.EqualFold(name, "not") {
		return sql
	}
	return "(" + sql + ")"
}
