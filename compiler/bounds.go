package compiler

import (
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// boundsCheck is the condition that closes the holes of an exclusion
// constraint: ranges that conflict with nothing, or not with what they touch.
func (s *span) boundsCheck() string {
	if s.column == nil {
		return s.pairCheck()
	}
	r := ir.Ident(s.column.name)
	var parts []string
	unless := ""
	if !s.decl.AllowEmpty.V {
		parts = append(parts, "NOT isempty("+r+")")
	} else {
		unless = "isempty(" + r + ") OR "
	}
	infinite := s.decl.AllowInfinite.V
	add := func(open, condition string) {
		if infinite {
			condition = open + " OR " + condition
		}
		if unless != "" || infinite {
			condition = "(" + unless + condition + ")"
		}
		parts = append(parts, condition)
	}
	if !s.discrete {
		add("lower_inf("+r+")", "lower_inc("+r+")")
		if s.bounds == "[)" {
			parts = append(parts, "NOT upper_inc("+r+")")
		} else {
			add("upper_inf("+r+")", "upper_inc("+r+")")
		}
	}
	if !infinite {
		parts = append(parts, "NOT lower_inf("+r+")", "NOT upper_inf("+r+")")
		if families[s.bound].infinite {
			parts = append(parts, s.finite("lower("+r+")", ">", "-infinity"), s.finite("upper("+r+")", "<", "infinity"))
		}
	}
	return strings.Join(parts, " AND ")
}

// pairCheck is the same for a range from two columns.
func (s *span) pairCheck() string {
	from, to := ir.Ident(s.from.name), ir.Ident(s.to.name)
	op := " < "
	if s.bounds == "[]" || s.decl.AllowEmpty.V {
		op = " <= "
	}
	parts := []string{from + op + to}
	if !s.decl.AllowInfinite.V && families[s.bound].infinite {
		parts = append(parts, s.finite(from, ">", "-infinity"), s.finite(to, "<", "infinity"))
	}
	return strings.Join(parts, " AND ")
}

func (s *span) finite(value, op, limit string) string {
	return value + " " + op + " " + ir.Literal(limit) + "::" + ir.Type{Name: s.bound}.SQL()
}

// lowerBounds adds the check that closes the holes.
func (c *compilation) lowerBounds(t *table, s *span, origin ir.Origin) []ir.ObjectID {
	name := s.name + "_bounds"
	what := "the bounds check of no_overlap " + quote(s.label)
	if !c.claimConstraint(t, name, what, s.decl.Header, false) {
		return nil
	}
	sql := s.boundsCheck()
	if sql == "" {
		return nil
	}
	origin.Why = "an empty, NULL or unbounded range is in conflict with nothing, or with everything"
	t.addCheck(&check{
		name: name, label: s.label + "_bounds", expr: s.where.unlessOlder(built(sql)), address: s.address,
		doc: "the range is empty, not " + s.bounds + ", or has no finite bound",
	}, origin)
	return []ir.ObjectID{{Kind: ir.ConstraintObject, Schema: t.ref.Schema, Table: t.ref.Name, Name: name}}
}
