package verify

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/internal/pgsql"
	"github.com/pawldb/pawl/verify/fixture"
)

// adjust: two changes of one row of which the checks allow only one, and the
// same beside clients that know nothing of it.
func (m *model) adjust(i *ir.Adjust) {
	var op *ir.Operation
	for _, o := range m.made(&i.Base) {
		if o.Kind == ir.AdjustOp {
			op = o
		}
	}
	if op == nil {
		return
	}
	a := adjustment{m.index, i, op, i.Base.Table}
	bounds := []int{unbounded}
	if n := len(i.Checks); n > 0 {
		bounds = bounds[:0]
		for k := range n {
			bounds = append(bounds, k)
		}
	}
	for _, bound := range bounds {
		label, what := op.Name+"-"+op.Name, "one row"
		if bound != unbounded {
			what = "what " + i.Checks[bound].Constraint + " allows once"
		}
		if bound > 0 {
			label += "-" + strconv.Itoa(bound+1)
		}
		m.adjustTogether(a, bound, label, "two clients "+op.Name+" "+what, slices.Concat(bounded(a.guards(bound)), bounded([]mutant{withoutRowCount(op)}), []mutant{a.readThenWrite(0)}),
			func(_ fixture.Row, args map[string]*string) actor { return calling(op, args) })
	}
	for _, level := range levels {
		m.adjustTogether(a, bounds[0], op.Name+"-"+word(level), "one of two "+op.Name+" runs in "+string(level), bounded(append(a.guards(bounds[0]), withoutRowCount(op))),
			func(_ fixture.Row, args map[string]*string) actor { return callingIn(level, op, args) })
	}
	m.adjustTogether(a, bounds[0], op.Name+"-delete", "a raw DELETE takes the row that a client will "+op.Name, []mutant{withoutRowCount(op)},
		func(row fixture.Row, _ map[string]*string) actor {
			return raw("raw DELETE", "", a.deleteSQL(a.t, a.identify(a.t, row.Values)))
		})
	m.adjustTogether(a, bounds[0], op.Name+"-truncate", "a raw TRUNCATE takes the row that a client will "+op.Name, []mutant{withoutRowCount(op)},
		func(fixture.Row, map[string]*string) actor {
			return raw("raw TRUNCATE", "", "TRUNCATE "+a.t.SQL()+" CASCADE")
		})
	if many := m.manyOf(&i.Base, op); many != nil {
		m.together(manyRows{m.index, many, a.t, &i.Base, func(ctx context.Context, s *site) (*fixture.Set, [2]fixture.Row, map[string]*string, bool, error) {
			return a.two(ctx, s, bounds[0])
		}})
	}
	if bounds[0] != unbounded {
		m.adjustTogether(a, bounds[0], op.Name+"-raw", "a raw UPDATE takes the rest beside a "+op.Name, bounded(a.constraint(bounds[0])),
			func(row fixture.Row, args map[string]*string) actor {
				return raw("raw UPDATE", "", a.updateByFormula(row, args))
			})
	}
}

// unbounded stands for the check of an adjust that no constraint bounds.
const unbounded = -1

// adjustTogether is an adjust beside another client, on a row where one of the
// checks allows the change once.
func (m *model) adjustTogether(a adjustment, bound int, label, name string, mutants []mutant, other func(row fixture.Row, args map[string]*string) actor) {
	m.add(label, name, []ir.TableRef{a.t}, func(ctx context.Context, s *site) (*scene, error) {
		row, set, args, free, err := a.last(ctx, s, bound)
		if err != nil {
			return nil, err
		}
		sc, err := a.scene(set, row, args, calling(a.op, args), other(row, args))
		if err == nil {
			sc.unbounded = bound == unbounded || free
			switch {
			case strings.HasSuffix(label, "-truncate"): // which does not say how many rows it took
			case sc.unbounded, strings.HasSuffix(label, "-delete"):
				sc.winners = &winners{1, 2}
			default:
				sc.winners = &winners{1, 1}
			}
		}
		return sc, err
	}, mutants...)
}

// adjustment is one adjust and its operation.
type adjustment struct {
	*index
	rule *ir.Adjust
	op   *ir.Operation
	t    ir.TableRef
}

// args are the operation's own arguments: small numbers, so that a row can be
// found which is enough for one of them and not for two. Where the sign decides
// which check bounds the change, both are tried.
func (a adjustment) args(sign string) map[string]*string {
	args := map[string]*string{}
	for _, f := range a.op.Args {
		v := sampleOf(f.Type, 0)
		if *v == "1" && !f.Positive {
			v = ptr(sign + *v)
		}
		args[f.Name] = v
	}
	return args
}

// bounded marks mutants that show only on a row which bounds the change.
func bounded(list []mutant) []mutant {
	for i := range list {
		list[i].bounded = true
	}
	return list
}

// last is a row on which the change fits once and, where a check bounds it, not
// twice. Free says that there is no such row: the change goes away from the
// bound, and fits as often as one likes.
func (a adjustment) last(ctx context.Context, s *site, bound int) (row fixture.Row, set *fixture.Set, args map[string]*string, free bool, err error) {
	type try struct {
		sign   string
		bound  int
		others bool
	}
	for _, t := range []try{{"", bound, true}, {"", bound, false}, {"-", bound, true}, {"-", bound, false}, {"", unbounded, false}} {
		args, set, free = a.args(t.sign), s.maker.Set(s.conn), t.bound != bound
		var where string
		if where, err = a.steps(args, t.bound, t.others); err != nil {
			break
		}
		if row, err = set.Add(ctx, a.t, fixture.Want{Where: where}); err == nil {
			for name, v := range pick(row.Values, a.key(a.t)) {
				args[name] = v
			}
			break
		}
	}
	return row, set, args, free, err
}

// two are a row on which the change fits once, where a check bounds it, and another
// one on which it fits.
func (a adjustment) two(ctx context.Context, s *site, bound int) (set *fixture.Set, rows [2]fixture.Row, args map[string]*string, once bool, err error) {
	row, set, args, free, err := a.last(ctx, s, bound)
	if err != nil {
		return nil, rows, nil, false, err
	}
	rows[0] = row
	where, err := a.steps(args, unbounded, false)
	if err != nil {
		return nil, rows, nil, false, err
	}
	rows[1], err = set.Add(ctx, a.t, fixture.Want{Where: where, Vary: a.key(a.t)})
	return set, rows, args, bound != unbounded && !free, err
}

// steps are the condition under which the change fits once, and not twice
// because of the bound; others says that no other check may be in the way.
func (a adjustment) steps(args map[string]*string, bound int, others bool) (string, error) {
	set, err := a.formulas(args)
	if err != nil {
		return "", err
	}
	var conditions []string
	for i, c := range a.rule.Checks {
		once, err := parsed(c.Expr)
		if err == nil {
			once, err = fill(once, args, fieldTypes(a.op))
		}
		if err != nil {
			return "", err
		}
		twice := "(" + once.Substitute(set).SQL() + ") IS NOT FALSE"
		conditions = append(conditions, "("+once.SQL()+") IS NOT FALSE")
		switch {
		case i == bound:
			conditions = append(conditions, not(twice))
		case others:
			conditions = append(conditions, twice)
		}
	}
	if a.rule.Guard != "" {
		guard, err := qualified(a.rule.Guard, "", args, fieldTypes(a.op))
		if err != nil {
			return "", err
		}
		conditions = append(conditions, guard)
	}
	for _, name := range slices.Sorted(maps.Keys(set)) {
		conditions = append(conditions, ir.Ident(name)+" IS NOT NULL")
	}
	return all(conditions...), nil
}

// formulas are the new values of the assigned columns.
func (a adjustment) formulas(args map[string]*string) (map[string]*pgsql.Expr, error) {
	set := map[string]*pgsql.Expr{}
	for _, s := range a.rule.Set {
		e, err := parsed(s.Expr)
		if err != nil {
			return nil, err
		}
		if set[s.Column], err = fill(e, args, fieldTypes(a.op)); err != nil {
			return nil, err
		}
	}
	return set, nil
}

// scene demands that each change is what the formula makes of the row before it:
// a lost update is one that is not.
func (a adjustment) scene(set *fixture.Set, row fixture.Row, args map[string]*string, actors ...actor) (*scene, error) {
	formulas, err := a.formulas(args)
	if err != nil {
		return nil, err
	}
	same := make([]string, 0, len(formulas))
	for _, name := range slices.Sorted(maps.Keys(formulas)) {
		same = append(same, fmt.Sprintf("n.%s IS NOT DISTINCT FROM (%s)::%s",
			ir.Ident(name), formulas[name].Qualify("o").SQL(), asked(a.column(a.t, name).Type).SQL()))
	}
	sc := &scene{
		fixture: script(set, a.t), row: row.Values, args: args, actors: actors, violators: violators(&a.rule.Base),
		effects: []rule{{"a change is not what the formula makes of the row before it: an update was lost", "c.op <> 'UPDATE' OR " + all(same...)}},
	}
	sc.holdingRow(a.t, a.index)
	return sc, nil
}

// constraint is the check that says the same as a derived guard.
func (a adjustment) constraint(bound int) []mutant {
	if bound == unbounded {
		return nil
	}
	list := a.withoutCheck(a.t, a.rule.Checks[bound].Constraint)
	if every := a.everyConstraint(); len(every) > 0 {
		for i := range list {
			list[i].backup = &every[0]
		}
	}
	return list
}

// everyConstraint drops all checks that guards were derived from.
func (a adjustment) everyConstraint() []mutant {
	return allOf(mutantWithout(a.index, a.rule.Base.Objects, "check"))
}

// guards are the mutants of the statement. The check constraint says the same as
// a derived guard, so both go together; alone, the guard turns an error of the
// server into an answer.
func (a adjustment) guards(bound int) []mutant {
	if bound == unbounded {
		return nil
	}
	columns := a.sources(a.t, columnsOf(a.rule.Checks[bound].Expr)...)
	slices.Sort(columns)
	backup, ok := withoutAnyGuard(a.op, ir.MainStatement, a.key(a.t))
	for _, c := range a.everyConstraint() {
		backup = backup.and(c)
	}
	var list []mutant
	for _, g := range slices.Concat(withoutGuards(a.op, ir.MainStatement, a.key(a.t)), guardsAskedApart(a.op, ir.MainStatement, a.key(a.t))) {
		if g.err != nil {
			list = append(list, g)
			continue
		}
		if !slices.Equal(slices.Sorted(slices.Values(g.columns)), columns) {
			continue
		}
		for _, c := range a.constraint(bound) {
			g = g.and(c)
		}
		g.backup = nil
		if ok {
			g.backup = &backup
		}
		list = append(list, g)
	}
	return list
}

// allOf makes one mutant of several.
func allOf(list []mutant) []mutant {
	if len(list) < 2 {
		return list
	}
	one := list[0]
	for _, m := range list[1:] {
		one = one.and(m)
	}
	return []mutant{one}
}

// updateByFormula is the change as a client writes it who forgot the guard.
func (a adjustment) updateByFormula(row fixture.Row, args map[string]*string) string {
	formulas, err := a.formulas(args)
	if err != nil {
		return "SELECT 1"
	}
	var set []string
	for _, name := range slices.Sorted(maps.Keys(formulas)) {
		set = append(set, ir.Ident(name)+" = "+formulas[name].SQL())
	}
	return "UPDATE " + a.t.SQL() + " SET " + strings.Join(set, ", ") + " WHERE " + a.match(a.t, a.identify(a.t, row.Values))
}

// readThenWrite is a client that reads the row, computes, and writes what it
// computed: the mistake that an adjust is there to prevent.
func (a adjustment) readThenWrite(place int) mutant {
	m := mutant{
		id: "read-then-write", name: "with the new value computed from a row read before",
		diff: []string{" /* " + a.op.Address + " */", "-UPDATE … SET column = formula", "+SELECT formula …; UPDATE … SET column = what was read"},
	}
	m.actors = map[int]func(context.Context, session, *variant) (any, error){}
	m.actors[place] = func(ctx context.Context, conn session, v *variant) (any, error) {
		return a.stale(ctx, conn, v)
	}
	return m
}

func (a adjustment) stale(ctx context.Context, conn session, v *variant) (any, error) {
	formulas, err := a.formulas(v.scene.args)
	if err != nil {
		return nil, err
	}
	names := slices.Sorted(maps.Keys(formulas))
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = "(" + formulas[name].SQL() + ")::text"
	}
	where := " WHERE " + a.match(a.t, a.identify(a.t, v.scene.row))
	values := make([]*string, len(names))
	into := make([]any, len(names))
	for i := range values {
		into[i] = &values[i]
	}
	if err := conn.QueryRow(ctx, "SELECT "+strings.Join(list, ", ")+" FROM "+a.t.SQL()+where).Scan(into...); err != nil {
		return nil, err
	}
	set := map[string]*string{}
	for i, name := range names {
		set[name] = values[i]
	}
	return rawAnswer(conn.Exec(ctx, "UPDATE "+a.t.SQL()+" SET "+a.pairs(a.t, set)+where))
}

// parsed reads an expression that the compiler wrote.
func parsed(expr string) (*pgsql.Expr, error) {
	e, err := pgsql.ParseExpr(expr, pgsql.Options{})
	if err != nil {
		return nil, fmt.Errorf("read the compiled expression %s: %w", expr, err)
	}
	return e, nil
}

// fill puts values in place of arguments.
func fill(e *pgsql.Expr, args map[string]*string, types map[string]ir.Type) (*pgsql.Expr, error) {
	values := map[string]*pgsql.Expr{}
	for name, value := range args {
		v, err := parsed(literal(value, types[name]))
		if err != nil {
			return nil, err
		}
		values[name] = v
	}
	return e.FillArgs(values), nil
}
