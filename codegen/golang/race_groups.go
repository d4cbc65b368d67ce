package golang

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

const (
	mostFilled = 5 // rows that are put into a group so that one place is left
	arranged   = 3 // rows of a group of which two are picked or moved
)

// groupPairs are the races over the rows of one group: two that come in where a
// limit counts, a trigger gives numbers or positions; two that are picked; two that
// move.
func (r *raceRepository) groupPairs() []pair {
	var pairs []pair
	var joined [][]string // groups that two inserts were written for
	join := func(per []string, filled int) {
		if filled == 0 && slices.ContainsFunc(joined, func(other []string) bool { return slices.Equal(other, per) }) {
			return
		}
		if p, ok := r.joinPair(per, filled); ok {
			pairs, joined = append(pairs, p), append(joined, per)
		}
	}
	for _, invariant := range r.program.Invariants {
		if invariant.Facts().Table != r.table.Ref() {
			continue
		}
		switch rule := invariant.(type) {
		case *ir.Limit:
			filled := 0 // a bound in a column is 1 for the first parent
			if most, err := strconv.Atoi(rule.Max); err == nil && rule.Sum == "" && most <= mostFilled {
				filled = most - 1
			}
			join(rule.Per, filled)
		case *ir.Sequence:
			join(rule.Per, 0)
		case *ir.Ordered:
			join(rule.Per, 0)
			pairs = append(pairs, r.arrangePairs(rule.Base.Operations, ".move_to", rule.Per, "move rows of one group")...)
		case *ir.AtMostOne:
			pairs = append(pairs, r.arrangePairs(rule.Base.Operations, ".set", rule.Per, "pick rows of one group")...)
		default:
		}
	}
	return pairs
}

// member are the lines that make up row n as one of the group of row 1; false when
// an insert gives no value to a column of the group.
func (r *raceRepository) member(variable string, n int, per []string) (lines []string, ok bool) {
	lines = []string{fmt.Sprintf("%s := %s(s, %d)", variable, r.rows[r.index].make, n)}
	for _, column := range per {
		at := slices.IndexFunc(r.ir.Insert, func(f ir.Field) bool { return f.Name == column })
		if at < 0 || !given(r.ir, r.ir.Insert[at]) {
			return nil, false
		}
		if n > 1 {
			lines = append(lines, variable+"."+r.names.fields[column]+" = first."+r.names.fields[column])
		}
	}
	return lines, true
}

// joinPair inserts two rows into one group, beside others that are there already.
func (r *raceRepository) joinPair(per []string, filled int) (pair, bool) {
	o := r.operation(ir.InsertOp)
	p := pair{name: "two inserts with one " + strings.Join(per, ", "), calls: make([]raceCall, 2), gated: true, inserts: true}
	if filled > 0 {
		p.name += " that has " + strconv.Itoa(filled) + " already"
	}
	for i, variable := range []string{"first", "second"} {
		lines, ok := r.member(variable, i+1, per)
		if !ok {
			return p, false
		}
		p.prepare = append(p.prepare, lines...)
		p.calls[i] = raceCall{name: "insert", results: "_, err", call: r.method(o, variable), errors: r.announced(o)}
	}
	for i := range filled {
		variable := "there" + strconv.Itoa(i+1)
		lines, _ := r.member(variable, i+3, per)
		p.prepare = append(append(p.prepare, lines...), r.inserted(o, variable))
	}
	return p, true
}

// inserted is the expression that brings a made-up row into its table.
func (r *raceRepository) inserted(o *ir.Operation, variable string) string {
	return r.w.S("raceMust[", r.in(r.names.row), "](s, ", strconv.Quote("insert "+variable), ")(s.db.", r.names.typ, ".", r.names.methods[o.Address], "(s.ctx, ", variable, "))")
}

// arrangePairs calls an operation for two of three rows of a group.
func (r *raceRepository) arrangePairs(operations []string, part string, per []string, doing string) []pair {
	insert := r.operation(ir.InsertOp)
	var pairs []pair
	for i := range r.ir.Operations {
		o := &r.ir.Operations[i]
		if o.Kind != ir.ArrangeOp || o.Internal || r.tooFull() || !slices.Contains(operations, o.Address) || !strings.HasSuffix(o.Address, part) {
			continue
		}
		p := pair{name: "two of " + o.Name + " " + doing, calls: make([]raceCall, 2)}
		for n, variable := range []string{"first", "second", "third"} {
			lines, ok := r.member(variable, n+1, per)
			if !ok {
				return pairs
			}
			p.prepare = append(append(p.prepare, lines...), "row"+strconv.Itoa(n+1)+" := "+r.inserted(insert, variable))
		}
		for n := range p.calls {
			// The first goes behind the second, and the second to the end.
			arguments, lines := r.arguments(o, "row"+strconv.Itoa(n+1), []string{"one", "other"}[n], n+2)
			p.prepare = append(p.prepare, lines...)
			p.calls[n] = raceCall{name: o.Name, results: "_, err", call: r.method(o, arguments...), errors: r.announced(o, "ErrNotFound")}
		}
		pairs = append(pairs, p)
	}
	return pairs
}

// tooFull reports whether a limit lets fewer rows into a group than are arranged.
func (r *raceRepository) tooFull() bool {
	return slices.ContainsFunc(r.program.Invariants, func(i ir.Invariant) bool {
		rule, ok := i.(*ir.Limit)
		if !ok || rule.Base.Table != r.table.Ref() {
			return false
		}
		most, err := strconv.Atoi(rule.Max)
		return err != nil || most < arranged
	})
}

// upsertPairs runs each upsert against itself: with one row, and with two that have
// one key and differ in what is overwritten.
func (r *raceRepository) upsertPairs() []pair {
	var pairs []pair
	for _, invariant := range r.program.Invariants {
		rule, ok := invariant.(*ir.Upsert)
		if !ok || rule.Base.Table != r.table.Ref() {
			continue
		}
		at := slices.IndexFunc(r.ir.Operations, func(o ir.Operation) bool {
			return o.Kind == ir.UpsertOp && !o.Internal && slices.Contains(rule.Base.Operations, o.Address)
		})
		if at < 0 {
			continue // in the mode reject it is an insert
		}
		o := &r.ir.Operations[at]
		call := func(in string) raceCall {
			return raceCall{name: o.Name, results: "_, outcome, err", value: "outcome", call: r.method(o, in), errors: r.announced(o)}
		}
		in := fmt.Sprintf("in := %s(s, 1)", r.rows[r.index].make)
		pairs = append(pairs, pair{
			name: "two equal " + o.Name, prepare: []string{in}, calls: []raceCall{call("in"), call("in")}, gated: true, inserts: true,
		})
		other := pair{
			name: "two " + o.Name + " of one key", prepare: []string{in, fmt.Sprintf("other := %s(s, 1)", r.rows[r.index].make)},
			calls: []raceCall{call("in"), call("other")}, gated: true, inserts: true,
		}
		changes := 0
		for _, column := range rule.Written() {
			if r.inserts(column) && r.bumps(column) && !r.identifies(column) {
				other.prepare = append(other.prepare, "raceBump(&other."+r.names.fields[column]+", 2)")
				changes++
			}
		}
		if changes > 0 {
			pairs = append(pairs, other)
		}
	}
	return pairs
}

// inserts reports whether made-up rows have a value in a column.
func (r *raceRepository) inserts(column string) bool {
	return slices.ContainsFunc(r.ir.Insert, func(f ir.Field) bool { return f.Name == column && given(r.ir, f) })
}

// identifies reports whether a column stands in a key of the table: changed, the
// row would be another one.
func (r *raceRepository) identifies(column string) bool {
	return slices.ContainsFunc(r.ir.Reported, func(c ir.Reported) bool {
		return c.Kind == ir.Duplicate && !c.Inherited && slices.Contains(c.Columns, column)
	})
}
