package compiler

import (
	"slices"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
	"github.com/pawldb/pawl/internal/pgsql"
)

// serializableReason is why a write of what a rule looks at is serializable.
func serializableReason(names []string) ir.Reason {
	return ir.Reason{
		Choice: "SERIALIZABLE",
		Why: "it writes what " + and(names) + " looks at, and a trigger refuses that at a weaker level (PW007). A serialization failure (40001) is tried again. " +
			"Inside a caller's transaction that one has to be serializable.",
	}
}

// ruleOperations adds the operations of all rules, to the tables that they write.
func (c *compilation) ruleOperations() {
	for _, r := range c.ruleSet {
		made := ir.Rule{Address: r.address, Name: r.goName(), Doc: r.facts.Promise, Pos: r.facts.Pos}
		for _, decl := range r.decl.Operations {
			if t, op, w, ok := c.ruleOperation(r, decl); ok {
				t.addOperation(op, w)
				made.Operations = append(made.Operations, op.Address)
			}
		}
		c.program.Rules = append(c.program.Rules, made)
	}
}

func (r *rule) goName() string {
	if r.decl.Scope != "" || r.decl.Key != nil {
		return r.name
	}
	return r.label
}

// ruleOperation compiles one operation block.
func (c *compilation) ruleOperation(r *rule, decl *dsl.RuleOperation) (t *table, op ir.Operation, w write, ok bool) {
	src := decl.Run
	if src == nil || src.Text == "" && src.Range.Filename == "" {
		return nil, op, w, false
	}
	const what = "run of an operation"
	run, wrong := pgsql.ParseWrite(src.Text, pgsql.Options{What: what})
	if wrong != nil {
		c.reportRuleSQL(*src, what, wrong)
		return nil, op, w, false
	}
	tables, ok := c.mentioned(*src, what, run.Tables())
	if !ok {
		return nil, op, w, false
	}
	for _, m := range tables {
		if m.Offset == run.Target().Offset {
			t = m.table
		}
	}
	given, ok := c.ruleInput(r, decl, t, run)
	if !ok || !c.ruleWrites(r, decl, t, run, tables) {
		return nil, op, w, false
	}
	addr := under(r.address, decl.Name.Text) + roundOf(decl.Block)
	p := newParameters(r.args, given)
	op = ir.Operation{
		Address: addr, Name: nameOf(decl.Name, decl.Rename), Kind: ir.RuleOp,
		Key: r.args, Args: given, Lock: ir.RowWriteLock, Isolation: ir.Serializable, Transaction: c.transactionOf(decl.Transaction),
		Doc: "runs " + oneLine(run.SQL()) + " in a serializable transaction, which is tried again when another one came in between. " +
			"When the rule would not hold afterwards nothing is written. A statement that changes no row is not found.",
		Reasons: []ir.Reason{
			serializableReason([]string{"the rule " + r.label}),
			{
				Choice: "what the rule looks at is read first",
				Why: "in the same round trip: of two writers who meet, one gets 40001, which is tried again, before it gets the error of a key that the other has " +
					"taken, which is not.",
			},
		},
		Internal: true, Pos: pos(decl.Header),
	}
	reads := newParameters(r.args)
	op.Statements = []ir.Statement{{
		Role: ir.ReadStatement, SQL: comment(addr) + "SELECT (" + r.query.WithParams(reads.bind) + ") AS holds", Args: reads.fields,
		Results: []ir.Field{{Name: "holds", Type: ir.Type{Name: "bool"}, Null: true}}, Rows: ir.ReturnsOne,
	}, {
		Role: ir.MainStatement, SQL: comment(addr) + run.WithTables(spellTable(tables)).WithParams(p.bind), Args: p.fields, Rows: ir.ReturnsNone,
	}}
	w = write{facts: r.facts}
	switch run.Verb {
	case "INSERT":
		w.inserts = true
	case "DELETE":
		w.deletes = true
	default:
		w.updates = run.Sets()
	}
	return t, op, w, true
}

// oneLine spells a statement on one line, for a sentence.
func oneLine(sql string) string { return strings.Join(strings.Fields(sql), " ") }

// ruleInput reads the arguments: those of the rule come first and are not declared
// again, and one that is named like a column of the written table has its type.
func (c *compilation) ruleInput(r *rule, decl *dsl.RuleOperation, t *table, run *pgsql.Write) ([]ir.Field, bool) {
	var given []ir.Field
	declared := make([]dsl.Arg, len(r.decl.Args)) // those of the rule stand elsewhere
	ok := true
	for _, a := range decl.Args {
		if slices.ContainsFunc(r.args, func(f ir.Field) bool { return f.Name == a.Name.Text }) {
			c.report(diag.Diagnostic{
				Code: diag.ArgumentName, Subject: a.Name.Range, Label: "the rule has it",
				Detail:      "The argument " + quote(a.Name.Text) + " is one of the rule, which the operation takes already.",
				Consequence: "One name would stand for two values.", Help: "leave it out of the operation's args",
			})
			ok = false
			continue
		}
		typ, known := c.resolveType(a.Type)
		ok = ok && known && a.Name.Text != ""
		given, declared = append(given, ir.Field{Name: a.Name.Text, Type: typ}), append(declared, a)
	}
	for _, ref := range run.Args() {
		named := slices.ContainsFunc(slices.Concat(r.args, given), func(f ir.Field) bool { return f.Name == ref.Name })
		if col := t.byName[ref.Name]; !named && col != nil {
			given = append(given, col.field())
			declared = append(declared, dsl.Arg{Name: dsl.Name{Text: ref.Name, Range: c.within(*decl.Run, ref.Offset, ref.Length)}})
		}
	}
	return given, ok && c.ruleArguments(*decl.Run, "run", run.Args(), slices.Concat(r.args, given), declared, "it names the rows that are meant")
}

// ruleWrites checks what an operation does.
func (c *compilation) ruleWrites(r *rule, decl *dsl.RuleOperation, t *table, run *pgsql.Write, tables []mention) bool {
	src := *decl.Run
	d := diag.Diagnostic{Code: diag.RuleWrite, Subject: src.Range}
	target := run.Target()
	offset, length, conflicts := run.OnConflict()
	switch {
	case r.ruled(t) == nil:
		d.Subject = c.within(src, target.Offset, target.Length)
		d.Detail = "The operation writes " + quote(t.label) + ", which the rule does not look at."
		d.Consequence = "It can do nothing to the rule, and would be serializable for nothing."
		d.Help = "write one of " + or(quoted(r.onLabels())) + ", or use an operation of the table"
	case conflicts:
		d.Subject = c.within(src, offset, length)
		d.Detail = "ON CONFLICT decides by a row that it finds."
		d.Consequence = "PostgreSQL does not track rows that were seen through ON CONFLICT alone: two serializable transactions could each decide on what the other " +
			"one changes, and both commit."
		d.Help = "read it: INSERT INTO … SELECT … WHERE NOT EXISTS (SELECT FROM …), or use an upsert of the table, which reads its key first"
	case run.Verb == "UPDATE" && t.version != nil && !slices.Contains(run.Sets(), t.version.name):
		d.Detail = "The operation does not raise the version " + quote(t.version.name) + " of " + quote(t.label) + "."
		d.Consequence = "An update by a caller who read the row before would undo this one without knowing."
		d.Help = "SET …, " + t.version.name + " = " + t.version.name + " + 1"
	default:
		return c.ruleTargets(decl, t, run) && c.ruleMeans(src, run, tables)
	}
	c.report(d)
	return false
}

// ruleTargets checks the columns that are written.
func (c *compilation) ruleTargets(decl *dsl.RuleOperation, t *table, run *pgsql.Write) bool {
	for _, name := range run.Sets() {
		col := t.byName[name]
		if col == nil {
			c.report(diag.Diagnostic{
				Code: diag.UnknownColumn, Subject: decl.Run.Range, Label: "no such column",
				Detail: "The table " + quote(t.label) + " has no column " + quote(name) + ".", Consequence: "PostgreSQL would refuse the statement.",
				Help: didYouMean(name, t.columnNames(), "declare it: column "+quote(name)+" { type = bigint }"),
			})
			return false
		}
		if run.Verb == "UPDATE" && c.writesFrozen(t, col, decl.Run.Range, "operation") {
			return false
		}
	}
	return true
}

// ruleMeans checks that every name is a column of a table that the text names.
func (c *compilation) ruleMeans(src dsl.SQL, run *pgsql.Write, tables []mention) bool {
	for _, ref := range run.Columns() {
		found := slices.Contains(run.Names(), ref.Name) || ref.Qualifier != "" && slices.Contains(run.Names(), ref.Qualifier)
		for i := range tables {
			found = found || (ref.Qualifier == "" || tables[i].is(ref.Qualifier)) && tables[i].table.byName[ref.Name] != nil
		}
		if !found {
			c.unknownInRule(c.within(src, ref.Offset, ref.Length), tables, ref)
			return false
		}
	}
	return true
}
