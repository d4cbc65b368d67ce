package verify

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/internal/pgsql"
	"github.com/pawldb/pawl/verify/fixture"
)

// ruledRows are the rows that one rule is about, as far as they stand in the table
// that its violations are reported of.
type ruledRows struct {
	*index
	rule *ir.SetRule
	t    ir.TableRef
}

// tables are those of the rule, the reported one first.
func (r ruledRows) tables() []ir.TableRef {
	list := []ir.TableRef{r.t}
	for _, o := range r.rule.On {
		if !slices.Contains(list, o.Table) {
			list = append(list, o.Table)
		}
	}
	if r.rule.Parent != (ir.TableRef{}) && !slices.Contains(list, r.rule.Parent) {
		list = append(list, r.rule.Parent)
	}
	return list
}

// columns are the columns of the table that the rule looks at and that make no group.
func (r ruledRows) columns() []string {
	var names []string
	for _, o := range r.rule.On {
		for _, name := range o.Columns {
			if o.Table == r.t && !slices.Contains(r.args(), name) {
				names = append(names, name)
			}
		}
	}
	return names
}

func (r ruledRows) args() []string {
	names := make([]string, len(r.rule.Args))
	for i, f := range r.rule.Args {
		names[i] = f.Name
	}
	return names
}

// maxConditions bounds what rows are tried.
const maxConditions = 16

// conditions tell rows apart by what the rule may count them by: booleans, and values
// of an enum.
func (r ruledRows) conditions() []string {
	list := []string{"true"}
	for _, name := range r.columns() {
		c := r.column(r.t, name)
		var each []string
		switch t := c.Type.Base(); {
		case t.Name == "bool":
			each = []string{ir.Ident(name), "NOT " + ir.Ident(name)}
		case t.Kind == ir.EnumType:
			for _, e := range r.program.Schema.Enums {
				for _, value := range e.Values {
					if e.Schema == t.Schema && e.Name == t.Name {
						each = append(each, ir.Ident(name)+" = "+ir.Literal(value))
					}
				}
			}
		default:
			continue
		}
		var next []string
		for _, before := range list {
			for _, more := range each {
				next = append(next, all(before, more))
			}
		}
		if len(next) > maxConditions {
			break
		}
		list = next
	}
	return list
}

// parents are conditions on the row of the parent: small bounds, where the rule looks
// at a number there.
func (r ruledRows) parents() []string {
	list := []string{""}
	for _, o := range r.rule.On {
		if o.Table != r.rule.Parent || o.Table == r.t {
			continue
		}
		for _, name := range o.Columns {
			if t := r.column(o.Table, name).Type.Base().Name; !slices.Contains(r.rule.Key, name) && (t == "int4" || t == "int8" || t == "int2") {
				list = append(list, ir.Ident(name)+" = 3", ir.Ident(name)+" = 2", ir.Ident(name)+" = 1")
			}
		}
	}
	return list
}

// plan is what a group of rows is like.
type plan struct {
	rows                  int
	where, beside, parent string
}

// group is some rows of one group that meet a condition, and beside them one that
// meets another, unless that is empty.
func (r ruledRows) group(ctx context.Context, s *site, p plan) (*fixture.Set, []fixture.Row, error) {
	set := s.maker.Set(s.conn)
	var rows []fixture.Row
	var link map[string]*string
	n, where, beside := p.rows, p.where, p.beside
	if p.parent != "" {
		above, err := set.Add(ctx, r.rule.Parent, fixture.Want{Where: p.parent})
		if err != nil {
			return nil, nil, err
		}
		link = map[string]*string{}
		for i, name := range r.args() {
			link[name] = above.Values[r.rule.Key[i]]
		}
	}
	for range n {
		row, err := set.Add(ctx, r.t, fixture.Want{Values: link, Where: all(where, r.grouped()), Vary: r.otherUniques(r.t, r.args())})
		if err != nil {
			return nil, nil, err
		}
		link = pick(row.Values, r.args())
		rows = append(rows, row)
	}
	if beside == "" {
		return set, rows, nil
	}
	_, err := set.Add(ctx, r.t, fixture.Want{Values: link, Where: beside, Vary: r.otherUniques(r.t, r.args())})
	return set, rows, err
}

// grouped is the condition that a row belongs to a group.
func (r ruledRows) grouped() string {
	var list []string
	for _, name := range r.args() {
		list = append(list, ir.Ident(name)+" IS NOT NULL")
	}
	return all(list...)
}

// statement is a write that is tried.
type statement struct {
	sql  string
	args []any
}

// called is the statement of an operation on a row, and the arguments. An operation
// that inserts gets those of a new row of the group.
func (r ruledRows) called(ctx context.Context, set *fixture.Set, op *ir.Operation, row fixture.Row) (statement, map[string]*string, error) {
	main := op.Statement(ir.MainStatement)
	needs, err := pgsql.PrivilegesOf(main.SQL)
	if err != nil {
		return statement{}, nil, err
	}
	for _, n := range needs {
		if !n.Insert || n.Schema != r.t.Schema || n.Table != r.t.Name {
			continue
		}
		if row, err = set.Propose(ctx, r.t, fixture.Want{Values: pick(row.Values, r.args()), Vary: r.otherUniques(r.t, r.args())}); err != nil {
			return statement{}, nil, err
		}
	}
	values := map[string]*string{}
	st := statement{sql: main.SQL}
	for _, f := range main.Args {
		v := row.Values[f.Name]
		values[f.Name] = v
		if v == nil {
			st.args = append(st.args, nil)
		} else {
			st.args = append(st.args, *v)
		}
	}
	return st, values, nil
}

// holds reports whether a set of rows with some writes keeps the rule, and each write
// touches a row.
func (r ruledRows) holds(ctx context.Context, s *site, set *fixture.Set, writes ...statement) (kept bool, err error) {
	if _, err := s.conn.Exec(ctx, script(set, r.tables()...), simple); err != nil {
		_, rollback := s.conn.Exec(ctx, "ROLLBACK")
		return false, errors.Join(err, rollback)
	}
	tx, err := s.conn.Begin(ctx)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, tx.Rollback(context.WithoutCancel(ctx))) }()
	if _, err := tx.Exec(ctx, "SET LOCAL session_replication_role = replica"); err != nil {
		return false, err
	}
	for _, w := range writes {
		tag, err := tx.Exec(ctx, w.sql, append([]any{pgx.QueryExecModeExec}, w.args...)...)
		if err != nil || tag.RowsAffected() == 0 {
			return false, nil //nolint:nilerr // a write that another rule refuses shows nothing of this one
		}
	}
	var broken bool
	err = tx.QueryRow(ctx, "SELECT EXISTS ("+r.rule.Base.Violators+")", simple).Scan(&broken)
	return !broken, err
}

// mostRows bounds how many rows a group is tried with.
const mostRows = 3

// plans are the groups that are tried, the small ones first.
func (r ruledRows) plans(least int) []plan {
	var list []plan
	for n := least; n <= mostRows; n++ {
		for _, parent := range r.parents() {
			for _, where := range r.conditions() {
				for _, beside := range append([]string{""}, r.conditions()...) {
					list = append(list, plan{n, where, beside, parent})
				}
			}
		}
	}
	return list
}

// search finds rows of a group on which found says yes.
func (r ruledRows) search(ctx context.Context, s *site, least int, found func(*fixture.Set, []fixture.Row) (bool, error)) (*fixture.Set, []fixture.Row, error) {
	for _, p := range r.plans(least) {
		set, rows, err := r.group(ctx, s, p)
		if errors.As(err, new(*fixture.NotFoundError)) {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		ok, err := found(set, rows)
		if err != nil {
			return nil, nil, err
		}
		if ok {
			return set, rows, nil
		}
	}
	return nil, nil, &fixture.NotFoundError{
		Table: r.t, Constraint: r.rule.Base.Address, Tried: len(r.conditions()),
		Text: fmt.Sprintf("up to %d rows of a group never come near to break the rule", mostRows),
	}
}

// meets reports whether each of two writes keeps the rule and both do not.
func (r ruledRows) meets(ctx context.Context, s *site, set *fixture.Set, one, two statement) (bool, error) {
	for _, writes := range [][]statement{{}, {one}, {two}} {
		if kept, err := r.holds(ctx, s, set, writes...); err != nil || !kept {
			return false, err
		}
	}
	kept, err := r.holds(ctx, s, set, one, two)
	return !kept, err
}
