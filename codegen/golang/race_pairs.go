package golang

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// pair is one race as it is written: what is made first, and the calls, two but
// where a third has to stand in their way.
type pair struct {
	name string
	// prepare are statements of the setup.
	prepare []string
	calls   []raceCall
	// gated stops the statements inside, too; the others are as in the harness.
	gated, exclusive, neverWaits, ownTransactions bool
	// serializable says that a transaction around the calls has to be.
	serializable bool
	// inserts says that the calls themselves insert row 1: it is tried first, because a
	// row that a check refuses is in nobody's way.
	inserts bool
}

// raceCall is a call as it is written.
type raceCall struct {
	name string
	// results spells what the call returns: one word "value, err", "_, err" or "err".
	results string
	call    string
	// value is what the outcome is compared by beside the tables; empty for nothing.
	value  string
	errors []string
}

// emitRepositoryRaces writes the file of one table or queue.
func (t *raceTests) emitRepositoryRaces(index int) {
	r := &raceRepository{raceTests: t, index: index, ir: &t.program.Repositories[index], names: &t.names.repositories[index]}
	r.table = t.tableOf(r.ir)
	r.w = t.file(r.ir.Pos)
	r.emitRows()
	if pairs := r.pairs(); len(pairs) > 0 {
		list := r.rows[index].list
		t.lists = append(t.lists, list)
		r.w.P()
		r.w.Doc(list + " are the races of " + r.ir.Address + ".")
		r.w.P("func ", list, "() []race {")
		r.emitRules()
		r.w.P("return []race{")
		for i := range pairs {
			r.emitPair(&pairs[i])
		}
		r.w.P("}")
		r.w.P("}")
	} else if r.rows[index].make == "" {
		return // nothing to say of it
	}
	t.finish(r.names.file+"_race_test.go", r.w)
}

// emitRules writes what must hold after every COMMIT.
func (r *raceRepository) emitRules() {
	r.w.P("rules := []raceRule{")
	for _, invariant := range r.program.Invariants {
		if facts := invariant.Facts(); facts.Table == r.table.Ref() && facts.Violators != "" {
			r.w.P("{", strconv.Quote(facts.Promise), ", ", strconv.Quote(facts.Violators), "},")
		}
	}
	r.w.P("}")
}

func (r *raceRepository) emitPair(p *pair) {
	w := r.w
	context := w.S("ctx ", ident{"context", "Context"}, ", db *", r.in("Store"))
	w.P("{")
	w.P("name: ", strconv.Quote(r.names.typ+": "+p.name), ",")
	if p.inserts {
		w.P("trial: func(s *raceSetup) { ", r.rows[r.index].row, "(s, 1) },")
	}
	w.P("setup: func(s *raceSetup) []racer {")
	for i, line := range p.prepare {
		w.P(p.assigned(i, line))
	}
	w.P("return []racer{")
	for i, c := range p.calls {
		name := c.name
		if p.calls[0].name == p.calls[1].name {
			name = []string{"first ", "second "}[i] + name
		}
		w.P("{")
		w.P("name: ", strconv.Quote(name), ",")
		w.P("call: func(", context, ") (any, error) {")
		if c.results == "err" {
			w.P("return nil, ", c.call)
		} else {
			w.P(c.results, " := ", c.call)
			value := c.value
			if value == "" {
				value = "nil"
			}
			w.P("return ", value, ", err")
		}
		w.P("},")
		if len(c.errors) > 0 {
			w.P("announced: []error{", strings.Join(c.errors, ", "), "},")
		}
		w.P("},")
	}
	w.P("}")
	w.P("},")
	if p.gated {
		w.P("gates: []string{", strconv.Quote(r.table.Ref().SQL()), "},")
	}
	if p.exclusive {
		w.P("exclusive: true,")
	}
	if len(p.calls) == 2 && p.calls[0].call == p.calls[1].call {
		w.P("equal: true,")
	}
	if p.ownTransactions {
		w.P("ownTransactions: true,")
	}
	if p.serializable || serializable(r.ir) {
		w.P("serializable: true,")
	}
	if p.neverWaits {
		w.P("neverWaits: true,")
	}
	w.P("rules: rules,")
	w.P("},")
}

// assigned is a line of the setup, without its variable when nothing uses that: an
// operation may have no key.
func (p *pair) assigned(i int, line string) string {
	variable, value, ok := strings.Cut(line, " := ")
	if !ok {
		return line
	}
	uses := p.prepare[i+1:]
	for _, c := range p.calls {
		uses = append(uses[:len(uses):len(uses)], c.call)
	}
	for _, text := range uses {
		for _, end := range []string{".", ",", ")"} {
			if strings.Contains(text, " "+variable+end) {
				return line
			}
		}
	}
	return value
}

// pairs are the races of the repository.
func (r *raceRepository) pairs() []pair {
	if r.ir.Queue != nil {
		return r.queuePairs()
	}
	if r.rows[r.index].row == "" {
		return nil // no row can be made
	}
	pairs := slices.Concat(r.insertPairs(), r.parentPairs())
	for _, rule := range r.transitions() {
		pairs = append(pairs, r.movePairs(rule)...)
	}
	return slices.Concat(pairs, r.groupPairs(), r.upsertPairs(), r.adjustPairs(), r.editPairs(), r.lockPairs())
}

// announced spells the errors that an operation may return: its constraints'
// sentinels, then those of its kind.
func (r *raceRepository) announced(o *ir.Operation, kinds ...string) []string {
	var list []string
	for i := range r.ir.Reported {
		if c := &r.ir.Reported[i]; slices.Contains(o.Errors, c.Name) {
			if name := r.emitter.names.sentinels[NameOf(c)]; name != "" {
				list = append(list, r.w.S(r.in(name)))
			}
		}
	}
	for _, kind := range kinds {
		list = append(list, r.w.S(r.pawl(kind)))
	}
	return list
}

// method spells the call of an operation with arguments behind ctx.
func (r *raceRepository) method(o *ir.Operation, arguments ...string) string {
	return "db." + r.names.typ + "." + r.names.methods[o.Address] + "(" + strings.Join(append([]string{"ctx"}, arguments...), ", ") + ")"
}

// rowLine is the statement that makes row n.
func (r *raceRepository) rowLine(variable string, n int) string {
	return fmt.Sprintf("%s := %s(s, %d)", variable, r.rows[r.index].row, n)
}

// insertPairs inserts one row twice, where a key or an overlap forbids it.
func (r *raceRepository) insertPairs() []pair {
	o := r.operation(ir.InsertOp)
	whole := false // a key without a condition forbids it in any case
	conflict := slices.ContainsFunc(r.ir.Reported, func(c ir.Reported) bool {
		if !slices.Contains(o.Errors, c.Name) || c.Kind != ir.Duplicate && c.Kind != ir.Overlap || !r.insertsAll(c.Columns) {
			return false
		}
		whole = whole || r.unconditional(c.Name)
		return true
	})
	if !conflict {
		return nil
	}
	insert := raceCall{name: "insert", results: "_, err", call: r.method(o, "in"), errors: r.announced(o)}
	return []pair{{
		name: "two equal inserts", prepare: []string{fmt.Sprintf("in := %s(s, 1)", r.rows[r.index].make)},
		calls: []raceCall{insert, insert}, gated: true, exclusive: whole, inserts: true,
	}}
}

// insertsAll reports whether made-up rows have a value in each of the columns. What
// the server numbers is never the same.
func (r *raceRepository) insertsAll(columns []string) bool {
	return !slices.ContainsFunc(columns, func(name string) bool { return !r.inserts(name) })
}

// unconditional reports whether a key holds for all rows, whatever is in them.
func (r *raceRepository) unconditional(name string) bool {
	if key := r.table.PrimaryKey; key != nil && key.Name == name {
		return true
	}
	return slices.ContainsFunc(r.table.Uniques, func(u ir.Unique) bool { return u.Name == name }) ||
		slices.ContainsFunc(r.table.Excludes, func(e ir.Exclude) bool { return e.Name == name && e.Where == "" }) ||
		slices.ContainsFunc(r.table.Indexes, func(i ir.Index) bool { return i.Name == name && i.Where == "" })
}

// parentPairs inserts a row while the row that it refers to is deleted.
func (r *raceRepository) parentPairs() []pair {
	var pairs []pair
	insert := r.operation(ir.InsertOp)
	for i := range r.table.ForeignKeys {
		key := &r.table.ForeignKeys[i]
		at := r.parentOf(key)
		if at < 0 || !r.refersTo(key) {
			continue
		}
		parent := &raceRepository{raceTests: r.raceTests, index: at, ir: &r.program.Repositories[at], names: &r.emitter.names.repositories[at], w: r.w}
		o := parent.operation(ir.DeleteOp)
		if o == nil {
			continue
		}
		remove := raceCall{name: "delete of the parent", results: "err", errors: parent.announced(o, "ErrNotFound")}
		if o.Statement(ir.MainStatement).Rows == ir.ReturnsOne {
			remove.results = "_, err"
		}
		arguments, lines := parent.arguments(o, "parent", "key", 1)
		remove.call = parent.method(o, arguments...)
		pairs = append(pairs, pair{
			name: fmt.Sprintf("an insert, and the delete of what %s refers to", strings.Join(key.Columns, ", ")),
			prepare: append([]string{
				fmt.Sprintf("parent := %s(s, 1)", r.rows[at].row),
				fmt.Sprintf("in := %s(s, 1)", r.rows[r.index].make),
			}, lines...),
			calls:     []raceCall{{name: "insert", results: "_, err", call: r.method(insert, "in"), errors: r.announced(insert)}, remove},
			exclusive: key.OnDelete == ir.NoAction || key.OnDelete == ir.Restrict || key.OnDelete == "", inserts: true,
			serializable: serializable(parent.ir),
		})
	}
	return pairs
}

// serializable reports whether an operation of a table is, because of a rule.
func serializable(r *ir.Repository) bool {
	return slices.ContainsFunc(r.Operations, func(o ir.Operation) bool { return o.Isolation == ir.Serializable })
}

// refersTo reports whether a made-up row refers to a parent by a foreign key.
func (r *raceRepository) refersTo(key *ir.ForeignKey) bool {
	for _, column := range key.Columns {
		at := slices.IndexFunc(r.ir.Insert, func(f ir.Field) bool { return f.Name == column })
		if at < 0 {
			return false
		}
		f := r.ir.Insert[at]
		if !given(r.ir, f) || r.parentValue(f, r.plainType(f), "1") == "" {
			return false
		}
	}
	return true
}

// arguments spells what an operation takes beside ctx, in the order of its
// parameters: the key of row, and the n-th made-up values. What they need is made
// by the lines that it returns.
func (r *raceRepository) arguments(o *ir.Operation, row, prefix string, n int) (arguments, lines []string) {
	statement := o.Statement(ir.MainStatement)
	if statement == nil {
		statement = o.Statement(ir.LockStatement) // of an edit
	}
	for _, f := range statement.Args {
		if slices.ContainsFunc(o.Key, func(k ir.Field) bool { return k.Name == f.Name }) {
			arguments = append(arguments, row+"."+r.names.fields[f.Name])
			continue
		}
		name := prefix + strconv.Itoa(len(lines)+1)
		lines = append(lines, name+" := "+r.argumentValue(o, f, strconv.Itoa(n)))
		arguments = append(arguments, name)
	}
	return arguments, lines
}

// argumentValue is a value for an argument. One that is stored in a column of a
// foreign key is the key of a parent.
func (r *raceRepository) argumentValue(o *ir.Operation, f ir.Field, n string) string {
	typ := r.plainType(f)
	value := ""
	for _, rule := range r.transitions() {
		for _, move := range rule.Moves {
			if move.Name != o.Name || !slices.Contains(rule.Base.Operations, o.Address) {
				continue
			}
			for _, set := range move.Set {
				if strings.TrimSpace(set.Expr) == "@"+f.Name {
					value = r.parentValue(ir.Field{Name: set.Column, Type: f.Type}, typ, n)
				}
			}
		}
	}
	if value == "" {
		value = r.value(f.Type, typ, n)
	}
	if f.Null || f.Optional {
		if nullable := typ.orNull(); nullable.prefix != typ.prefix {
			value = "raceRef(" + value + ")"
		}
	}
	return value
}

// adjustPairs runs each adjustment against itself.
func (r *raceRepository) adjustPairs() []pair {
	var pairs []pair
	for i := range r.ir.Operations {
		o := &r.ir.Operations[i]
		if o.Kind != ir.AdjustOp || o.Internal {
			continue
		}
		arguments, lines := r.arguments(o, "row", "by", 1)
		call := raceCall{name: o.Name, results: "_, err", call: r.method(o, arguments...), errors: r.announced(o, "ErrGuard", "ErrNotFound")}
		pairs = append(pairs, pair{
			name: "two of " + o.Name, prepare: append([]string{r.rowLine("row", 1)}, lines...), calls: []raceCall{call, call}, gated: true,
		})
	}
	return pairs
}

// editPairs runs each edit against itself; both change what they read. One that
// does not wait answers busy, which no order of the two does.
func (r *raceRepository) editPairs() []pair {
	var pairs []pair
	for i := range r.ir.Operations {
		o := &r.ir.Operations[i]
		if o.Kind != ir.EditOp || o.Internal || o.NoWait {
			continue
		}
		p := pair{name: "two of " + o.Name, prepare: []string{r.rowLine("row", 1)}, calls: make([]raceCall, 2)}
		changes := 0
		arguments, lines := r.arguments(o, "row", "by", 1)
		p.prepare = append(p.prepare, lines...)
		for k := range p.calls {
			var change strings.Builder
			changes = 0
			for _, column := range o.Columns {
				if r.bumps(column) {
					fmt.Fprintf(&change, "raceBump(&row.%s, %d)\n", r.names.fields[column], k+1)
					changes++
				}
			}
			function := r.w.S("func(_ ", ident{"context", "Context"}, ", row *", r.in(r.names.row), ") error {\n") + change.String() + "return nil\n}"
			p.calls[k] = raceCall{name: o.Name, results: "_, err", call: r.method(o, append(slices.Clone(arguments), function)...), errors: r.announced(o, "ErrNotFound")}
		}
		if changes > 0 {
			pairs = append(pairs, p)
		}
	}
	return pairs
}

// bumps reports whether the harness can change a column's value to one that
// depends on it. A column of a foreign key would have to name another parent.
func (r *raceRepository) bumps(column string) bool {
	for i := range r.table.ForeignKeys {
		if slices.Contains(r.table.ForeignKeys[i].Columns, column) {
			return false
		}
	}
	for _, f := range r.ir.Row {
		if f.Name != column {
			continue
		}
		typ := r.plainType(f)
		if typ.prefix != "" {
			return false
		}
		switch typ.ident {
		case ident{"", "string"}, ident{"", "bool"}, ident{"time", "Time"}, ident{pgtypePath, "Numeric"}:
			return f.Type.Base().Kind == ir.BaseType && f.Type.Name != "macaddr" || typ.ident.name != "string"
		}
		return numberTypes[typ.ident]
	}
	return false
}

// lockPairs locks two rows from both ends.
func (r *raceRepository) lockPairs() []pair {
	o := r.operation(ir.GetManyOp)
	if o == nil || len(o.Key) != 1 {
		return nil
	}
	field := r.names.fields[o.Key[0].Name]
	if field == "" {
		return nil
	}
	store, context := r.w.S(r.in("Store")), r.w.S(ident{"context", "Context"})
	lock := func(name string, rows ...string) raceCall {
		keys := ""
		for _, row := range rows {
			keys += ", " + row + "." + field
		}
		return raceCall{
			name: name, results: "_, err",
			// A deadlock would be tried again, and go unnoticed.
			call: r.w.S(r.in("InTx"), "(ctx, db, func(ctx ", context, ", tx *", store, ") ([]", r.in(r.names.row), ", error) {\n",
				"return tx.", r.names.typ, ".", r.names.methods[o.Address], "(ctx", keys, ")\n",
				"}, ", r.pawl("Retry"), "(", r.pawl("Policy"), "{Attempts: 1}))"),
		}
	}
	return []pair{{
		name: "two rows locked from both ends", prepare: []string{r.rowLine("a", 1), r.rowLine("b", 2)}, ownTransactions: true,
		// Who holds one row makes the others wait in the middle of their statements.
		calls: []raceCall{lock("a, b", "a", "b"), lock("b, a", "b", "a"), lock("b alone", "b")},
	}}
}
