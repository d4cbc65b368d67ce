package verify

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/internal/pgsql"
	"github.com/pawldb/pawl/verify/explore"
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
	tables := []ir.TableRef{a.t}
	guards := a.guards()
	beside := func(label, name string, other func(a adjustment, row fixture.Row, args map[string]*string) actor, mutants ...mutant) {
		m.add(label, name, tables, func(ctx context.Context, s *site) (*scene, error) {
			row, set, args, err := a.last(ctx, s)
			if err != nil {
				return nil, err
			}
			return a.scene(set, row, args, calling(op, args), other(a, row, args))
		}, mutants...)
	}
	beside(op.Name+"-"+op.Name, "two clients "+op.Name+" what only one may", func(_ adjustment, _ fixture.Row, args map[string]*string) actor {
		return calling(op, args)
	}, append(guards, a.readThenWrite(0))...)
	for _, level := range levels {
		beside(op.Name+"-"+word(level), "one of two "+op.Name+" runs in "+string(level), func(_ adjustment, _ fixture.Row, args map[string]*string) actor {
			return callingIn(level, op, args)
		}, guards...)
	}
	beside(op.Name+"-delete", "a raw DELETE takes the row that a client will "+op.Name, func(a adjustment, row fixture.Row, _ map[string]*string) actor {
		return raw("raw DELETE", "", a.deleteSQL(a.t, a.identify(a.t, row.Values)))
	}, withoutRowCount(op))
	beside(op.Name+"-truncate", "a raw TRUNCATE takes the row that a client will "+op.Name, func(a adjustment, _ fixture.Row, _ map[string]*string) actor {
		return raw("raw TRUNCATE", "", "TRUNCATE "+a.t.SQL()+" CASCADE")
	}, withoutRowCount(op))
	if checks := a.checks(); len(checks) > 0 {
		beside(op.Name+"-raw", "a raw UPDATE takes the rest beside a "+op.Name, func(a adjustment, row fixture.Row, args map[string]*string) actor {
			return raw("raw UPDATE", "", a.updateByFormula(row, args))
		}, allOf(checks)...)
	}
}

// adjustment is one adjust and its operation.
type adjustment struct {
	*index
	rule *ir.Adjust
	op   *ir.Operation
	t    ir.TableRef
}

// args are the operation's own arguments: small numbers, so that a row can be
// found which is enough for one of them and not for two.
func (a adjustment) args() map[string]*string {
	args := map[string]*string{}
	for _, f := range a.op.Args {
		args[f.Name] = sampleOf(f.Type, 0)
	}
	return args
}

func (a adjustment) types() map[string]ir.Type {
	types := map[string]ir.Type{}
	for _, f := range a.op.Args {
		types[f.Name] = f.Type
	}
	return types
}

// last is a row on which the change fits once and, where checks bound it, not
// twice.
func (a adjustment) last(ctx context.Context, s *site) (fixture.Row, *fixture.Set, map[string]*string, error) {
	args := a.args()
	once, twice, err := a.steps(args)
	if err != nil {
		return fixture.Row{}, nil, nil, err
	}
	set := s.maker.Set(s.conn)
	want := fixture.Want{Where: once}
	if twice != "" {
		want.Where = all(once, not(twice))
	}
	row, err := set.Add(ctx, a.t, want)
	if err != nil && twice != "" {
		want.Where = once
		row, err = set.Add(ctx, a.t, want)
	}
	for name, v := range pick(row.Values, a.key(a.t)) {
		args[name] = v
	}
	return row, set, args, err
}

// steps are the conditions under which the change fits once, and twice.
func (a adjustment) steps(args map[string]*string) (once, twice string, err error) {
	set, err := a.formulas(args)
	if err != nil {
		return "", "", err
	}
	var first, second []string
	for _, c := range a.rule.Checks {
		e, parseErr := parsed(c.Expr)
		if parseErr != nil {
			return "", "", parseErr
		}
		filled, fillErr := fill(e, args, a.types())
		if fillErr != nil {
			return "", "", fillErr
		}
		first = append(first, "("+filled.SQL()+") IS NOT FALSE")
		second = append(second, "("+filled.Substitute(set).SQL()+") IS NOT FALSE")
	}
	if a.rule.Guard != "" {
		guard, guardErr := qualified(a.rule.Guard, "", args, a.types())
		if guardErr != nil {
			return "", "", guardErr
		}
		first = append(first, guard)
	}
	for _, name := range sortedKeys(set) {
		first = append(first, ir.Ident(name)+" IS NOT NULL")
	}
	if len(second) > 0 {
		twice = all(second...)
	}
	return all(first...), twice, nil
}

// formulas are the new values of the assigned columns.
func (a adjustment) formulas(args map[string]*string) (map[string]*pgsql.Expr, error) {
	set := map[string]*pgsql.Expr{}
	for _, s := range a.rule.Set {
		e, err := parsed(s.Expr)
		if err != nil {
			return nil, err
		}
		if set[s.Column], err = fill(e, args, a.types()); err != nil {
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
	for _, name := range sortedKeys(formulas) {
		same = append(same, fmt.Sprintf("n.%s IS NOT DISTINCT FROM (%s)::%s",
			ir.Ident(name), formulas[name].Qualify("o").SQL(), a.column(a.t, name).Type.SQL()))
	}
	return &scene{
		fixture: script(set, a.t), row: row.Values, actors: actors, violators: violators(&a.rule.Base),
		effects: []rule{{"a change is not what the formula makes of the row before it: an update was lost", "c.op <> 'UPDATE' OR " + all(same...)}},
	}, nil
}

// checks are the constraints that say the same as the guards.
func (a adjustment) checks() []mutant {
	return mutantWithout(a.index, a.rule.Base.Objects, "check")
}

// guards are the mutants of the statement. The check constraint says the same as
// a derived guard, so both go together; alone, the guard turns an error of the
// server into an answer.
func (a adjustment) guards() []mutant {
	constraint := allOf(a.checks())
	var list []mutant
	for _, g := range slices.Concat(withoutGuards(a.op, ir.MainStatement, a.key(a.t)), guardsAskedApart(a.op, ir.MainStatement, a.key(a.t))) {
		if !a.aboutRow(g) {
			continue
		}
		for _, c := range constraint {
			g = g.and(c)
		}
		list = append(list, g)
	}
	return append(list, withoutRowCount(a.op))
}

// aboutRow leaves out conditions over arguments alone: Go has asked them before.
func (a adjustment) aboutRow(m mutant) bool {
	columns := make([]string, 0, len(a.rule.Set))
	for _, s := range a.rule.Set {
		columns = append(columns, s.Column)
	}
	return slices.ContainsFunc(m.diff, func(line string) bool {
		return strings.HasPrefix(line, "-") && slices.ContainsFunc(columns, func(c string) bool { return strings.Contains(line, c) })
	})
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
	for _, name := range sortedKeys(formulas) {
		set = append(set, ir.Ident(name)+" = "+formulas[name].SQL())
	}
	return "UPDATE " + a.t.SQL() + " SET " + strings.Join(set, ", ") + " WHERE " + a.pairs(a.t, a.identify(a.t, row.Values), " AND ")
}

// readThenWrite is a client that reads the row, computes, and writes what it
// computed: the mistake that an adjust is there to prevent.
func (a adjustment) readThenWrite(place int) mutant {
	m := mutant{
		id: "read-then-write", name: "with the new value computed from a row read before",
		diff: []string{" /* " + a.op.Address + " */", "-UPDATE … SET column = formula", "+SELECT formula …; UPDATE … SET column = what was read"},
	}
	m.actors = map[int]func(context.Context, *explore.Conn, *variant) (any, error){}
	m.actors[place] = func(ctx context.Context, conn *explore.Conn, v *variant) (any, error) {
		return a.stale(ctx, conn, v)
	}
	return m
}

func (a adjustment) stale(ctx context.Context, conn *explore.Conn, v *variant) (any, error) {
	formulas, err := a.formulas(a.args())
	if err != nil {
		return nil, err
	}
	names := sortedKeys(formulas)
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = "(" + formulas[name].SQL() + ")::text"
	}
	where := " WHERE " + a.pairs(a.t, a.identify(a.t, v.scene.row), " AND ")
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
	return rawAnswer(conn.Exec(ctx, "UPDATE "+a.t.SQL()+" SET "+a.pairs(a.t, set, ", ")+where))
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
