package compiler

import (
	"slices"
	"strings"
	"unicode"

	"github.com/hashicorp/hcl/v2"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
	"github.com/pawldb/pawl/internal/pgsql"
)

// brokenRule is the SQLSTATE that our triggers raise when a rule would not hold, and
// weakIsolation the one for a write that is not serializable.
const (
	brokenRule    = "PW006"
	weakIsolation = "PW007"
)

// rule is a rule block after its checks.
type rule struct {
	decl    *dsl.Rule
	label   string
	address string
	name    string // what its objects are named after, and a violation is reported as
	query   *pgsql.Query
	args    []ir.Field
	on      []*ruled
	parent  *table   // nil for none
	key     []string // of the parent, in the order of args
	facts   *ir.Facts
}

// ruled is a table with the columns whose writes can break a rule.
type ruled struct {
	*table
	rule    *rule
	columns []*column
	group   []*column // what the arguments are in a row of it
	// groups says that its rows are the groups themselves: it is the parent, and has
	// its key where other tables have the arguments.
	groups bool
}

// home is the table that a violation is reported of.
func (r *rule) home() *table {
	for _, o := range r.on {
		if !o.groups {
			return o.table
		}
	}
	return r.on[0].table
}

// rules compiles the rule blocks. It runs when all foreign keys are known.
func (c *compilation) rules() {
	for _, decl := range byLabel(c.spec.Rules, func(r *dsl.Rule) string { return r.ID() }) {
		r := &rule{decl: decl, label: labelOf(decl.Block, decl.Rename), address: declared("rule", decl.Block), name: nameOf(decl.Name, decl.Rename)}
		if decl.Name.Text == "" || !c.ruleParts(r) || !c.ruleQuery(r) {
			continue
		}
		c.lowerRule(r)
		c.ruleCascades(r)
		c.ruleIndexes(r)
		c.ruleSet = append(c.ruleSet, r)
	}
}

// ruleParts finds the tables, the arguments in them, and the groups.
func (c *compilation) ruleParts(r *rule) bool {
	ok := true
	for _, a := range r.decl.Args {
		typ, known := c.resolveType(a.Type)
		ok = ok && known && a.Name.Text != ""
		r.args = append(r.args, ir.Field{Name: a.Name.Text, Type: typ})
	}
	if r.decl.Parent != nil {
		r.parent = c.referred(*r.decl.Parent)
		ok = ok && r.parent != nil
	}
	for _, on := range r.decl.On {
		o := c.ruledTable(r, on)
		if o == nil {
			ok = false
			continue
		}
		r.on = append(r.on, o)
	}
	if len(r.decl.On) == 0 {
		return false // dsl has reported it
	}
	return ok && c.ruleParent(r) && c.ruleGroups(r)
}

// ruledTable finds one entry of `on`.
func (c *compilation) ruledTable(r *rule, on dsl.TableColumns) *ruled {
	t := c.ruledBy(r, on.Table.Text)
	if t == nil {
		d := diag.Diagnostic{
			Code: diag.UnknownReference, Detail: "No table " + quote(on.Table.Text) + " is declared.", Subject: on.Table.Range,
			Consequence: "There would be nothing to put the triggers on.",
			Help:        didYouMean(on.Table.Text, c.tableLabels(), "declare it: table "+quote(on.Table.Text)+" { … }"),
		}
		if slices.ContainsFunc(c.data, func(t *table) bool { return t.label == on.Table.Text }) {
			d.Code, d.Detail = diag.RuleOn, "The table "+quote(on.Table.Text)+" belongs to others, and nothing is put on it."
			d.Consequence = "Writes to it would break the rule, and no trigger would see them."
			d.Help = "keep what the rule looks at in a table of the project"
		}
		c.report(d)
		return nil
	}
	columns, ok := c.lookupAll(t, on.Columns)
	if !ok || len(columns) == 0 {
		return nil
	}
	return &ruled{table: t, rule: r, columns: columns}
}

// ruledBy finds a table by its label, or by its name in the database.
func (c *compilation) ruledBy(r *rule, name string) *table {
	if t := c.tablesByName[r.decl.Scope+name]; t != nil {
		return t
	}
	var found *table
	for _, t := range c.tables {
		if t.ref.Name == name {
			if found != nil {
				return nil // of two schemas: their labels tell them apart
			}
			found = t
		}
	}
	return found
}

func (c *compilation) tableLabels() []string {
	labels := make([]string, len(c.tables))
	for i, t := range c.tables {
		labels[i] = t.label
	}
	return labels
}

// ruleParent finds the key of the parent that the arguments are.
func (c *compilation) ruleParent(r *rule) bool {
	if r.parent == nil {
		return true
	}
	d := diag.Diagnostic{Code: diag.GroupParent, Subject: r.decl.Parent.Range}
	names := fieldNames(r.args)
	for _, o := range r.on {
		for _, ref := range o.parents {
			if !r.parent.theirs && ref.parent == r.parent && sameNames(ref.columns, names) {
				for _, name := range names {
					r.key = append(r.key, ref.target[slices.Index(ref.columns, name)])
				}
				return true
			}
		}
	}
	switch {
	case r.parent.theirs:
		d.Detail = "The table " + quote(r.parent.label) + " belongs to others, and nothing is put on it."
		d.Consequence = "A new row of it would be a group that nobody looked at."
		d.Help = "keep the group in a table of the project"
	case len(names) == 0:
		d.Detail = "The rule has a parent and no arguments."
		d.Consequence = "Nothing says which group a row belongs to."
		d.Help = "args = { " + r.parent.label + "_id = bigint }"
	default:
		d.Detail = "No foreign key of " + or(quoted(r.onLabels())) + " leads from " + and(names) + " to " + quote(r.parent.label) + "."
		d.Consequence = "Nothing says which row of " + quote(r.parent.label) + " a group is, and a new one would not wait for its rows."
		d.Help = "declare it: foreign_key \"" + r.parent.label + "\" {\n  columns    = [" + strings.Join(names, ", ") + "]\n  references = table." + r.parent.label + "\n}"
	}
	c.report(d)
	return false
}

func (r *rule) onLabels() []string {
	labels := make([]string, len(r.on))
	for i, o := range r.on {
		labels[i] = o.label
	}
	return labels
}

// ruleGroups finds the arguments in each table: columns of their names, or the key
// of the parent in its own rows.
func (c *compilation) ruleGroups(r *rule) bool {
	ok := true
	for i, o := range r.on {
		o.groups = o.table == r.parent && !slices.ContainsFunc(r.args, func(f ir.Field) bool { return o.byName[f.Name] != nil })
		for k, f := range r.args {
			name := f.Name
			if o.groups {
				name = r.key[k]
			}
			col := o.byName[name]
			d := diag.Diagnostic{Code: diag.RuleOn, Subject: r.decl.Args[k].Name.Range}
			switch {
			case col == nil:
				d.Detail = "The argument " + quote(f.Name) + " is no column of " + quote(o.label) + "."
				d.Related = []diag.Related{{Range: r.decl.On[i].Table.Range, Text: "its writes can break the rule"}}
				d.Consequence = "Of a row of " + quote(o.label) + " nobody could tell which group it belongs to."
				d.Help = "name the argument like the column, have that column in each table of on, or make the table the parent"
			case col.known && !col.typ.Base().Equal(f.Type.Base()):
				d.Detail = "The argument " + quote(f.Name) + " is " + f.Type.SQL() + ", and the column " + quote(o.label+"."+name) + " is " + col.typ.SQL() + "."
				d.Consequence = "The query would be asked for a value that the row does not have."
				d.Help = "write " + f.Name + " = " + col.typ.SQL()
			case !o.groups && !slices.Contains(o.columns, col) && !o.keeps(col):
				d.Subject = r.decl.On[i].Table.Range
				d.Detail = quote(name) + " says which group a row of " + quote(o.label) + " belongs to, and is not among its columns here."
				d.Consequence = "A row could leave its group, and nobody would look."
				d.Help = objectKey(o.label) + " = [" + strings.Join(append([]string{name}, columnList(o.columns)...), ", ") + "]"
			default:
				o.group = append(o.group, col)
				continue
			}
			c.report(d)
			ok = false
		}
	}
	return ok
}

// ruleQuery reads what must hold.
func (c *compilation) ruleQuery(r *rule) bool {
	src := r.decl.Holds
	if src == nil || src.Text == "" && src.Range.Filename == "" {
		return false
	}
	q, wrong := pgsql.ParseSelect(src.Text, pgsql.Options{What: "query of a rule"})
	if wrong != nil {
		c.reportRuleSQL(*src, "query of a rule", wrong)
		return false
	}
	if q.Targets() != 1 {
		c.report(diag.Diagnostic{
			Code: diag.RuleQuery, Subject: src.Range,
			Detail:      "The query of a rule gives one boolean, and this one has " + plural(q.Targets(), "column") + ".",
			Consequence: "Nobody could tell whether the rule holds.",
			Help:        "write one condition: SELECT count(*) >= 1 FROM … WHERE …",
		})
		return false
	}
	tables, ok := c.mentioned(*src, "query of a rule", q.Tables())
	if !ok || !c.ruleArguments(*src, "query of a rule", q.Args(), r.args, r.decl.Args, "ask for it in holds") || !c.ruleNames(r, q) {
		return false
	}
	if !c.ruleReads(r, q, tables) {
		return false
	}
	r.query = q.WithTables(spellTable(tables))
	return true
}

// mention is a table that a text names.
type mention struct {
	pgsql.TableRef
	table *table
}

// is reports whether a qualifier stands for the mention.
func (m *mention) is(qualifier string) bool {
	if m.Alias != "" {
		return qualifier == m.Alias
	}
	return qualifier == m.Name || qualifier == m.table.ref.Schema+"."+m.Name
}

// mentioned finds the tables that a text names.
func (c *compilation) mentioned(src dsl.SQL, what string, refs []pgsql.TableRef) ([]mention, bool) {
	list := make([]mention, 0, len(refs))
	for _, ref := range refs {
		found := c.tablesNamed(ref)
		if len(found) != 1 {
			c.mentionsNone(src, what, ref, found)
			return nil, false
		}
		list = append(list, mention{ref, found[0]})
	}
	return list, true
}

// tablesNamed finds the tables that a mention may mean: one without a schema means the
// table of the default schema, or else whichever there is.
func (c *compilation) tablesNamed(ref pgsql.TableRef) []*table {
	var found []*table
	for _, t := range c.tables {
		switch {
		case t.ref.Name != ref.Name || ref.Schema != "" && t.ref.Schema != ref.Schema:
		case ref.Schema == "" && t.ref.Schema == c.program.DefaultSchema:
			return []*table{t}
		default:
			found = append(found, t)
		}
	}
	return found
}

// mentionsNone reports a name that means no table, or several.
func (c *compilation) mentionsNone(src dsl.SQL, what string, ref pgsql.TableRef, several []*table) {
	d := diag.Diagnostic{
		Code: diag.RuleQuery, Subject: c.within(src, ref.Offset, ref.Length), Label: "no table of the project",
		Detail:      "The " + what + " names " + quote(ref.Name) + ", which is no table of the project.",
		Consequence: "Nothing would see its writes, which can break the rule like any other.",
	}
	labelled := slices.IndexFunc(c.tables, func(t *table) bool { return t.label == ref.Name })
	switch {
	case len(several) > 0:
		d.Label = "of several schemas"
		d.Detail = "The " + what + " names " + quote(ref.Name) + ", and there is one in more than one schema."
		d.Consequence = "The rule would be about whichever comes first."
		d.Help = "write its schema: " + or(sqlNames(several))
	case labelled >= 0:
		d.Label = "not its name in the database"
		d.Detail = "The " + what + " names the table " + quote(ref.Name) + ", which the database knows by another name."
		d.Consequence = "SQL finds a table by that name alone: PostgreSQL would refuse every write."
		d.Help = "write " + c.tables[labelled].ref.SQL()
	default:
		d.Help = didYouMean(ref.Name, sqlNames(c.tables), "declare it: table "+quote(ref.Name)+" { … }")
	}
	c.report(d)
}

// sqlNames are the names by which SQL finds tables.
func sqlNames(tables []*table) []string {
	names := make([]string, len(tables))
	for i, t := range tables {
		names[i] = t.ref.SQL()
	}
	return names
}

// spellTable writes the tables of a text with their schemas, so that no search_path
// decides which they are.
func spellTable(tables []mention) func(pgsql.TableRef) string {
	return func(ref pgsql.TableRef) string {
		for _, m := range tables {
			if m.Offset == ref.Offset {
				return m.table.ref.SQL()
			}
		}
		return ""
	}
}

// ruleArguments demands that a text uses the arguments that there are.
func (c *compilation) ruleArguments(src dsl.SQL, what string, used []pgsql.ArgRef, fields []ir.Field, declared []dsl.Arg, help string) bool {
	ok := true
	for _, ref := range used {
		if !slices.ContainsFunc(fields, func(f ir.Field) bool { return f.Name == ref.Name }) {
			d := diag.Diagnostic{
				Code: diag.UnknownArgument, Subject: c.within(src, ref.Offset, ref.Length), Label: "not declared",
				Detail: "There is no argument @" + ref.Name + ".", Consequence: "PostgreSQL would refuse the statement that this " + what + " becomes a part of.",
				Help: "declare it: args = { " + ref.Name + " = bigint }",
			}
			if near, found := diag.Suggest(ref.Name, fieldNames(fields)); found {
				d.Help = "did you mean @" + near + "?"
			}
			c.report(d)
			ok = false
		}
	}
	for i, f := range fields {
		if !ok || slices.ContainsFunc(used, func(ref pgsql.ArgRef) bool { return ref.Name == f.Name }) {
			continue
		}
		at := src.Range
		if i < len(declared) && declared[i].Name.Range.Filename != "" {
			at = declared[i].Name.Range
		}
		c.report(diag.Diagnostic{
			Code: diag.UnusedArgument, Subject: at, Label: "not used",
			Detail: "The argument " + quote(f.Name) + " is not used in the " + what + ".", Consequence: "Callers would pass a value that changes nothing.",
			Help: "write @" + f.Name + ": " + help + ", or remove it",
		})
		ok = false
	}
	return ok
}

// ruleNames refuses what the function of a trigger, which sees pg_catalog alone,
// would not find, and what gives another answer each time.
func (c *compilation) ruleNames(r *rule, q *pgsql.Query) bool {
	src := *r.decl.Holds
	ok := true
	refuse := func(offset, length int, code diag.Code, detail, why, help string) {
		ok = false
		c.report(diag.Diagnostic{Code: code, Subject: c.within(src, offset, length), Detail: detail, Consequence: why, Help: help})
	}
	for _, f := range q.Functions() {
		switch {
		case f.Volatility == pgsql.Volatile:
			refuse(f.Offset, f.Length, diag.VolatileFunction, f.Name+"() gives another result at each call.",
				"The rule would hold now and then, whatever the rows are.", "leave it out: a rule is about rows")
		case f.Ambient():
			refuse(f.Offset, f.Length, diag.VolatileFunction, f.Name+"() answers by the clock or by who asks, and not by the rows.",
				"The rule is asked when rows are written, and never when time goes by: it would be broken with nobody to hear of it.",
				"store the time in a column, which then stands in on, and compare with that")
		case !f.Known() && f.Schema == "":
			refuse(f.Offset, f.Length, diag.RuleQuery, "The function "+f.Name+"() stands without a schema.",
				"The triggers' function sees pg_catalog alone, so that nobody can put another function in its place: every write would fail (42883).",
				"write its schema: "+c.program.DefaultSchema+"."+f.Name+"(…)")
		}
	}
	for _, l := range q.Labels() {
		if word := momentIn(l.Text); word != "" && r.comparesTime(l) {
			refuse(l.Offset, l.Length, diag.VolatileFunction, "'"+l.Text+"' is the time at which PostgreSQL reads it.",
				"The rule is asked when rows are written, and never when time goes by: it would be broken with nobody to hear of it.",
				"store the time in a column, which then stands in on, and compare with that")
		}
	}
	for _, t := range q.Casts() {
		own := slices.ContainsFunc(c.spec.Enums, func(e *dsl.Enum) bool { return nameOf(e.Name, e.Rename) == t.Name }) ||
			slices.ContainsFunc(c.spec.Domains, func(d *dsl.Domain) bool { return nameOf(d.Name, d.Rename) == t.Name })
		if own {
			refuse(t.Offset, t.Length, diag.RuleQuery, "The type "+t.Name+" stands without a schema.",
				"The triggers' function sees pg_catalog alone: every write would fail (42704).",
				"leave the cast out, since a literal takes the type of the column, or write its schema: "+c.program.DefaultSchema+"."+t.Name)
		}
	}
	return ok
}

// comparesTime reports a literal that is compared with a time.
func (r *rule) comparesTime(l pgsql.LabelRef) bool {
	return slices.Contains(timeTypes, l.Cast) || l.Cast == "" && slices.ContainsFunc(r.on, func(o *ruled) bool {
		col := o.byName[l.Column]
		return col != nil && holdsTime(col.typ)
	})
}

// ruleReads demands that whatever the query looks at stands in `on`.
func (c *compilation) ruleReads(r *rule, q *pgsql.Query, tables []mention) bool {
	src := *r.decl.Holds
	ok := true
	for i := range tables {
		m := &tables[i]
		if r.ruled(m.table) == nil {
			ok = false
			c.report(diag.Diagnostic{
				Code: diag.RuleOn, Subject: c.within(src, m.Offset, m.Length), Label: "not in on",
				Detail:      "The query reads " + quote(m.table.label) + ", and on does not name it.",
				Consequence: "A write to it would break the rule, and nobody would look.",
				Help:        "name it with the columns that the query reads: on = { …, " + objectKey(m.table.label) + " = [COLUMN] }",
			})
		}
	}
	if len(tables) == 0 {
		c.report(diag.Diagnostic{
			Code: diag.RuleQuery, Subject: src.Range, Detail: "The query of a rule reads no table.",
			Consequence: "It would say the same whatever is written.", Help: "SELECT count(*) >= 1 FROM TABLE WHERE …",
		})
		return false
	}
	for _, ref := range q.Columns() {
		if !c.ruleColumn(r, q, tables, ref) {
			ok = false
		}
	}
	return ok
}

// ruled is the entry of a table in `on`.
func (r *rule) ruled(t *table) *ruled {
	for _, o := range r.on {
		if o.table == t {
			return o
		}
	}
	return nil
}

// ruleColumn finds the columns that a name may mean, and demands that `on` has them.
func (c *compilation) ruleColumn(r *rule, q *pgsql.Query, tables []mention, ref pgsql.ColumnRef) bool {
	place := func() hcl.Range { return c.within(*r.decl.Holds, ref.Offset, ref.Length) }
	known := slices.Contains(q.Names(), ref.Name)
	read, outer := readBy(q, tables, ref)
	if outer && !known && ref.Qualifier == "" {
		c.outerInRule(place(), q, tables, ref, read[0])
		return false
	}
	for _, m := range read {
		col := m.table.byName[ref.Name]
		known = true
		o := r.ruled(m.table)
		if o == nil {
			continue // reported
		}
		d := diag.Diagnostic{Code: diag.RuleOn, Subject: place()}
		switch {
		case col.typ.Kind == ir.OtherType:
			d.Code, d.Label = diag.RuleQuery, col.typ.SQL()
			d.Detail = "The column " + quote(col.name) + " of type " + col.typ.SQL() + " stands in the query of a rule."
			d.Consequence = "A trigger's function sees pg_catalog alone, where the type's own operators are not: it would compare otherwise than a query does."
			d.Help = "use a column of a type that pawl knows"
		case slices.Contains(o.columns, col) || slices.Contains(o.group, col) || m.table.keeps(col):
			continue
		default:
			d.Label = "not in on"
			d.Detail = "The query reads " + quote(m.table.label+"."+col.name) + ", and on does not name it."
			d.Consequence = "A write of that column could break the rule, and nobody would look."
			d.Help = objectKey(m.table.label) + " = [" + strings.Join(append(columnList(o.columns), col.name), ", ") + "]"
		}
		c.report(d)
		return false
	}
	if known || ref.Qualifier != "" && slices.Contains(q.Names(), ref.Qualifier) && !slices.ContainsFunc(tables, func(m mention) bool { return m.is(ref.Qualifier) }) {
		return true
	}
	c.unknownInRule(place(), tables, ref)
	return false
}

// readBy finds the tables whose column a name may be. outer says that none of them is
// a table of the sub-select that the name stands in.
func readBy(q *pgsql.Query, tables []mention, ref pgsql.ColumnRef) (read []*mention, outer bool) {
	has := func(m *mention) bool {
		return (ref.Qualifier == "" || m.is(ref.Qualifier)) && m.table.byName[ref.Name] != nil
	}
	source, told := q.SourceOf(ref, func(t pgsql.TableRef) bool {
		i := slices.IndexFunc(tables, func(m mention) bool { return m.Offset == t.Offset })
		return i >= 0 && has(&tables[i])
	})
	for i := range tables {
		m := &tables[i]
		from := func(t pgsql.TableRef) bool { return t.Offset == m.Offset }
		if told && slices.ContainsFunc(source.Tables, from) || !told && has(m) {
			read = append(read, m)
		}
	}
	return read, source.Outer
}

// outerInRule refuses a name that a sub-select takes from the query around it without
// a word.
func (c *compilation) outerInRule(at hcl.Range, q *pgsql.Query, tables []mention, ref pgsql.ColumnRef, from *mention) {
	inner := slices.DeleteFunc(slices.Clone(tables), func(m mention) bool { return !q.Beside(ref, m.TableRef) })
	var labels, names []string
	for _, m := range inner {
		labels, names = append(labels, quote(m.table.label)), append(names, m.table.columnNames()...)
	}
	d := diag.Diagnostic{
		Code: diag.RuleQuery, Subject: at, Label: "of the query around",
		Detail:      quote(ref.Name) + " stands in a sub-select of which no table has such a column: it is that of " + quote(from.table.label) + ", in the query around.",
		Consequence: "A misspelt name would be taken from there without a word, and the condition would be about another row.",
		Help:        "say so: " + from.qualifier() + "." + ir.Ident(ref.Name),
	}
	if len(inner) > 0 {
		d.Detail = quote(ref.Name) + " is no column of " + or(labels) + ", which the sub-select reads: it is that of " + quote(from.table.label) + ", in the query around."
		if near, ok := diag.Suggest(ref.Name, names); ok {
			d.Help = "did you mean " + near + "? Otherwise say so: " + from.qualifier() + "." + ir.Ident(ref.Name)
		}
	}
	c.report(d)
}

// qualifier is how a column of the mention is named where others have it too.
func (m *mention) qualifier() string {
	if m.Alias != "" {
		return ir.Ident(m.Alias)
	}
	return ir.Ident(m.Name)
}

// unknownInRule reports a name that no table of a text has.
func (c *compilation) unknownInRule(at hcl.Range, tables []mention, ref pgsql.ColumnRef) {
	var labels, names []string
	for _, m := range tables {
		labels, names = append(labels, quote(m.table.label)), append(names, m.table.columnNames()...)
	}
	c.report(diag.Diagnostic{
		Code: diag.UnknownColumn, Subject: at, Label: "no such column",
		Detail: "No table here, " + or(labels) + ", has a column " + quote(ref.Name) + ".", Consequence: "PostgreSQL would refuse the statement.",
		Help: didYouMean(ref.Name, names, ""),
	})
}

// reportRuleSQL turns an error of a statement into a diagnostic.
func (c *compilation) reportRuleSQL(src dsl.SQL, what string, wrong *pgsql.Error) {
	d := diag.Diagnostic{
		Code: diag.Code(wrong.Kind), Detail: sentence(wrong.Message), Subject: c.within(src, wrong.Offset, wrong.Length),
		Consequence: "PostgreSQL would refuse the statement that this " + what + " becomes a part of.", Help: wrong.Help,
	}
	switch wrong.Kind {
	case pgsql.Several:
		d.Consequence = "A second statement would run unseen, with the rights of whoever calls or applies this."
	case pgsql.Writes:
		d.Consequence = "It is asked at every COMMIT, and must leave everything as it is."
	case pgsql.NotExpression:
		d.Consequence = "An operation is one write, behind which the rule is asked: nothing else could be tried again as a whole."
		if what == "query of a rule" {
			d.Consequence = "It is asked at every COMMIT, and has to answer with one boolean."
		}
	}
	if d.Help == "" {
		d.Help = "UPDATE TABLE SET COLUMN = … WHERE …"
		if what == "query of a rule" {
			d.Help = "SELECT count(*) >= 1 FROM TABLE WHERE …"
		}
	}
	if !src.Literal {
		d.Detail += " The text after evaluation is: " + src.Text
	}
	c.report(d)
}

// objectKey spells a label as the key of an object in HCL.
func objectKey(label string) string {
	if strings.ContainsFunc(label, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		return quote(label)
	}
	return label
}
