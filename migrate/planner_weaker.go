package migrate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

func (p *planner) weakerIndex(c ir.DropIndex) {
	if c.Index.Unique && !c.Index.Invalid && !strings.HasPrefix(c.Index.Name, sparePrefix) {
		p.weaker(c, "duplicates that "+ir.Ident(c.Index.Name)+" refused are accepted from then on")
	}
}

// weakerTrigger is silent where a wanted trigger refuses the same under another
// name: it stands before the old one goes.
func (p *planner) weakerTrigger(c ir.DropTrigger) {
	if want := p.tables[c.Table]; want != nil && slices.ContainsFunc(want.Triggers, func(g ir.Trigger) bool {
		return sameRule(g, c.Trigger)
	}) {
		return
	}
	p.weaker(c, "what the trigger "+ir.Ident(c.Trigger.Name)+" refused is accepted from then on")
}

// sameRule reports whether two triggers fire at the same time for the same rows.
func sameRule(a, b ir.Trigger) bool {
	cut := func(g ir.Trigger) string {
		lines := strings.Split(g.Printed, "\n")
		return strings.Join(lines[:len(lines)-1], "\n") // the last are the arguments, with the name among them
	}
	return a.Printed != "" && cut(a) == cut(b)
}

// narrower notes that a guarantee holds for fewer rows, or for more columns
// together, than the one whose place it takes.
func (p *planner) narrower(drop, create ir.Change) {
	p.looserCheck(drop, create)
	was, now := ruleOf(drop), ruleOf(create)
	if !was.refuses {
		return
	}
	name := ir.Ident(ir.ChangeObject(create).Name)
	switch {
	case !now.refuses:
		p.weaker(create, name+" refuses no duplicates from then on")
	case was.where == "" && now.where != "":
		p.weaker(create, name+" gets weaker: it held for all rows, and from then on only for those with "+now.where)
	case was.where != "" && alsoSays(now.where, was.where) != "":
		p.weaker(create, fmt.Sprintf("%s gets weaker: it held for all rows with %s, and from then on only for those of them with %s",
			name, was.where, alsoSays(now.where, was.where)))
	case was.where != now.where && now.where != "" && alsoSays(was.where, now.where) == "":
		p.weaker(create, fmt.Sprintf("%s may get weaker: it held for rows with %s, and from then on for those with %s", name, was.where, now.where))
	case was.computed || now.computed:
	case len(now.parts) > len(was.parts) && contains(now.parts, was.parts):
		p.weaker(create, fmt.Sprintf("%s gets weaker: rows that are alike in (%s) are accepted from then on when they differ in another of (%s)",
			name, strings.Join(was.parts, ", "), strings.Join(now.parts, ", ")))
	case !contains(was.parts, now.parts):
		p.weaker(create, fmt.Sprintf("%s is about (%s) from then on, and no longer about (%s)",
			name, strings.Join(now.parts, ", "), strings.Join(was.parts, ", ")))
	}
}

// looserCheck notes that a check lets through what some other condition holds of:
// the old check stands behind it, after OR.
func (p *planner) looserCheck(drop, create ir.Change) {
	d, dropped := drop.(ir.DropConstraint)
	c, created := create.(ir.AddConstraint)
	if !dropped || !created {
		return
	}
	was, isCheck := d.Constraint.(ir.Check)
	now, becomesCheck := c.Constraint.(ir.Check)
	if !isCheck || !becomesCheck || was.Invalid {
		return
	}
	if other, ok := unlessBefore(now.Printed, was.Printed, "CHECK ", " OR "); ok {
		which := "not for those with " + other
		if kept, negated := strings.CutPrefix(other, "NOT "); negated {
			which = "only for those with " + unwrapped(kept)
		}
		p.weaker(create, ir.Ident(now.Name)+" gets weaker: it held for all rows, and from then on "+which)
	}
}

// looserTrigger notes that a trigger passes over rows that it looked at: the old
// condition stands behind another one, after AND.
func (p *planner) looserTrigger(drop ir.DropTrigger, create ir.CreateTrigger) {
	if create.Trigger.Before {
		return // it refuses nothing that a constraint does not
	}
	when := func(g ir.Trigger) string {
		const before, behind = 3, 2 // lines of printTrigger around the condition
		lines := strings.Split(g.Printed, "\n")
		if len(lines) <= before+behind {
			return ""
		}
		return strings.Join(lines[before:len(lines)-behind], "\n")
	}
	if other, ok := unlessBefore(when(create.Trigger), when(drop.Trigger), "", " AND "); ok {
		p.weaker(create, "the trigger "+ir.Ident(create.Trigger.Name)+" gets weaker: it looked at all rows, and from then on only at those with "+other)
	}
}

// looserCount notes that a limit counts fewer rows than it did. Of its functions
// the one for new rows is looked at, so that this is told once.
func (p *planner) looserCount(c ir.ReplaceFunction) {
	const rows = " FROM pawl_new WHERE "
	counted := func(f ir.Function) string {
		if strings.Contains(f.Printed, " FROM pawl_old ") {
			return ""
		}
		_, text, _ := strings.Cut(f.Printed, rows)
		text, _, _ = strings.Cut(text, "\n")
		return text
	}
	was, now := counted(c.Was), counted(c.Function)
	name := ir.Ident(c.Function.Name)
	other, narrows := strings.CutPrefix(now, was+" AND ")
	switch {
	case was == "" || now == "" || was == now || strings.HasPrefix(was, now):
	case narrows:
		p.weaker(c, name+" gets weaker: it counted all rows, and from then on only those with "+unwrapped(other))
	default:
		p.weaker(c, fmt.Sprintf("%s may get weaker: it counted rows with %s, and from then on those with %s", name, was, now))
	}
}

// unlessBefore finds what a printed condition says before the whole of another
// one and a word that joins the two; false where it is put together otherwise.
func unlessBefore(now, was, head, word string) (string, bool) {
	now, was = unwrapped(strings.TrimPrefix(now, head)), unwrapped(strings.TrimPrefix(was, head))
	if now == "" || was == "" {
		return "", false
	}
	for _, old := range []string{was, "(" + was + ")"} {
		if before, ok := strings.CutSuffix(now, word+old); ok {
			return unwrapped(before), true
		}
	}
	return "", false
}

// unwrapped takes off the parentheses around the whole of a condition.
func unwrapped(text string) string {
	for strings.HasPrefix(text, "(") && strings.HasSuffix(text, ")") {
		depth, literal := 0, false
		for i, r := range text {
			switch {
			case r == '\'':
				literal = !literal
			case literal:
			case r == '(':
				depth++
			case r == ')':
				depth--
			}
			if depth == 0 && i < len(text)-1 {
				return text
			}
		}
		text = text[1 : len(text)-1]
	}
	return text
}

// alsoSays is what a printed condition says beside the whole of another one, with
// which it begins; empty when it does not.
func alsoSays(long, short string) string {
	long, short = unwrapped(long), unwrapped(short)
	for _, first := range []string{short, "(" + short + ")"} {
		if more, ok := strings.CutPrefix(long, first+" AND "); ok {
			return unwrapped(more)
		}
	}
	return ""
}

// contains reports whether all of part stands in whole.
func contains(whole, part []string) bool {
	return !slices.ContainsFunc(part, func(p string) bool { return !slices.Contains(whole, p) })
}

// rule is what an object refuses two rows for, as far as rules of one kind can
// be compared.
type rule struct {
	refuses  bool
	parts    []string
	computed bool // some part is an expression, which cannot be compared by its text
	where    string
}

func ruleOf(change ir.Change) rule {
	var constraint ir.Constraint
	switch c := change.(type) {
	case ir.DropIndex:
		return indexRule(c.Index)
	case ir.CreateIndex:
		return indexRule(c.Index)
	case ir.DropConstraint:
		constraint = c.Constraint
	case ir.AddConstraint:
		constraint = c.Constraint
	}
	switch c := constraint.(type) {
	case ir.PrimaryKey:
		return rule{refuses: true, parts: c.Columns}
	case ir.Unique:
		return rule{refuses: true, parts: c.Columns}
	case ir.Exclude:
		r := rule{refuses: true, where: printedWhere(c.Printed, c.Where)}
		for _, e := range c.Elements {
			r.parts = append(r.parts, e.Column+" WITH "+e.Operator)
			r.computed = r.computed || e.Column == ""
		}
		return r
	}
	return rule{}
}

func indexRule(i ir.Index) rule {
	r := rule{refuses: i.Unique && !i.Invalid, where: printedWhere(i.Printed, i.Where)}
	for _, part := range i.Parts {
		r.parts = append(r.parts, part.Column)
		r.computed = r.computed || part.Column == ""
	}
	return r
}

// printedWhere is a predicate as the server prints it, so that two spellings of
// one compare as equal; otherwise, where the server was not asked.
func printedWhere(printed, otherwise string) string {
	if _, where, ok := strings.Cut(printed, " WHERE "); ok {
		if strings.HasPrefix(where, "((") && strings.HasSuffix(where, "))") {
			where = where[1 : len(where)-1]
		}
		return where
	}
	return otherwise
}
