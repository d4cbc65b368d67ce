package compiler

import (
	"slices"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/internal/pgsql"
)

// demand is what an argument has to be before an operation computes with it.
// It looks at nothing else, so that a call which breaks it is bad input,
// whatever the row holds.
type demand struct {
	argument string
	kind     demandKind
	expr     *pgsql.Expr
	null     bool // the argument may be NULL
}

type demandKind uint8

// The demands, and how they are spelled.
const (
	abovezero       demandKind = iota
	abovezeroFinite            // of a type that has NaN and infinity
	finite
	notNaN
)

var demandSQL = [...]string{
	abovezero:       "@a > 0",
	abovezeroFinite: "@a > 0 AND @a < 'Infinity'",
	finite:          "abs(@a) < 'Infinity'",
	notNaN:          "@a <> 'NaN'",
}

// demands lists what the numeric arguments have to be. Beside those above zero
// it is about NaN and infinity: PostgreSQL takes NaN for the greatest of all
// numbers, so that it passes NaN > 0 and every lower limit of a CHECK, and a
// column that it or infinity got into never leaves it again by a formula:
// NaN - 1 is NaN. An argument that is stored as it is, and not computed with,
// may be infinite: that can mean "no limit".
func demands(in input, positive []string, set []assignment) []demand {
	var list []demand
	for _, f := range in.fields {
		d := demand{argument: f.Name, null: f.Null}
		switch endless := hasNaN(f.Type); {
		case slices.Contains(positive, f.Name) && endless:
			d.kind, d.null = abovezeroFinite, false
		case slices.Contains(positive, f.Name):
			d.kind, d.null = abovezero, false
		case endless && computedWith(f.Name, set):
			d.kind = finite
		case endless:
			d.kind = notNaN
		default:
			continue
		}
		d.expr = built(demandSQL[d.kind]).RenameArgs(func(string) string { return f.Name })
		list = append(list, d)
	}
	return list
}

// hasNaN reports whether a number type has values that are no numbers.
func hasNaN(t ir.Type) bool {
	f := familyOf(t)
	return f.numeric && !f.integer
}

// computedWith reports whether an argument is more than stored.
func computedWith(name string, set []assignment) bool {
	return slices.ContainsFunc(set, func(a assignment) bool {
		return slices.Contains(argsOf(a.expr), name) && !pgsql.Same(a.expr, argument(name))
	})
}

// sql spells that the demand is met. NULL meets it where it is allowed.
func (d demand) sql(p *parameters) string {
	if d.null {
		return "(" + p.sql(d.expr) + ") IS NOT FALSE"
	}
	return p.sql(d.expr)
}

// demandConditions are the demands as conditions of the main statement.
func demandConditions(p *parameters, list []demand) []string {
	conditions := make([]string, len(list))
	for i, d := range list {
		conditions[i] = d.sql(p)
	}
	return conditions
}

// demandArms are the same as answers of the explain statement.
func demandArms(list []demand) []arm {
	arms := make([]arm, len(list))
	for i, d := range list {
		arms[i] = arm{
			verdict: ir.VerdictInput, subject: about(d.argument), uses: []*pgsql.Expr{d.expr},
			when: func(p *parameters) string {
				if d.null {
					return "(" + p.sql(d.expr) + ") IS FALSE"
				}
				return "(" + p.sql(d.expr) + ") IS NOT TRUE"
			},
		}
	}
	return arms
}

// argumentsOf lists the arguments with one of some demands.
func argumentsOf(list []demand, kinds ...demandKind) []string {
	var names []string
	for _, d := range list {
		if slices.Contains(kinds, d.kind) {
			names = append(names, d.argument)
		}
	}
	return names
}

// numberReason tells why arguments are not NaN.
func numberReason(list []demand) []ir.Reason {
	names := argumentsOf(list, abovezeroFinite, finite, notNaN)
	if len(names) == 0 {
		return nil
	}
	return []ir.Reason{{
		Choice: "no NaN in " + and(names),
		Why: "PostgreSQL takes NaN for the greatest number: it is above zero and passes every CHECK with a lower limit, and a column that holds it, or " +
			"infinity, never leaves it again by a formula.",
	}}
}

// demandDoc are the sentences about them in the method's comment.
func demandDoc(list []demand) string {
	s := ""
	for _, group := range []struct {
		kind demandKind
		must string
	}{
		{abovezero, "must be above zero"},
		{abovezeroFinite, "must be above zero and finite"},
		{finite, "must be finite"},
		{notNaN, "must not be NaN"},
	} {
		if names := argumentsOf(list, group.kind); len(names) > 0 {
			s += and(names) + " " + group.must + ". "
		}
	}
	return s
}
