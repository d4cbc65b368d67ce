package dsl

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/pawldb/pawl/internal/diag"
)

// ownName reads one column of the own table. A single identifier is a name
// whatever else is called so: a column named `date` needs no quotes. Anything
// else is evaluated and must give a text.
func (p *project) ownName(expr hclsyntax.Expression, s *attrSchema) (Name, bool) {
	if word, ok := singleWord(expr); ok {
		return Name{Text: word, Range: expr.Range()}, true
	}
	if _, ok := expr.(*hclsyntax.TupleConsExpr); ok {
		p.report(diag.Diagnostic{
			Code:    diag.WrongType,
			Detail:  quote(s.Name) + " takes one column here, and this is a list.",
			Subject: expr.Range(),
			Help:    "write the column without brackets: " + s.Name + " = COLUMN",
		})
		return Name{}, false
	}
	v, ok := p.value(expr, s)
	if !ok {
		return Name{}, false
	}
	return p.nameOf(expr, v, "the name of a column of this table", "write the column without quotes: "+sample(s))
}

// singleWord returns the identifier that an expression consists of.
func singleWord(expr hclsyntax.Expression) (string, bool) {
	if t, ok := expr.(*hclsyntax.ScopeTraversalExpr); ok && len(t.Traversal) == 1 {
		return t.Traversal.RootName(), true
	}
	if l, ok := expr.(*hclsyntax.LiteralValueExpr); ok {
		// HCL reads these words as values, also where a column has the name.
		switch word := l.Val; {
		case word.IsNull():
			return "null", true
		case word.Type() == cty.Bool && word.True():
			return "true", true
		case word.Type() == cty.Bool:
			return "false", true
		}
	}
	return "", false
}

// nameOf makes a name of a value.
func (p *project) nameOf(expr hclsyntax.Expression, v cty.Value, what, help string) (Name, bool) {
	if v.Type() != cty.String || v.IsNull() {
		p.report(p.wrongType(expr, v, what, help))
		return Name{}, false
	}
	n := Name{Text: v.AsString(), Range: expr.Range()}
	if n.Text == "" {
		p.report(emptyName(n.Range, "the name"))
		return Name{}, false
	}
	return n, true
}

// name reads an attribute that is one column of the own table. The zero Name
// stands for one that is missing or was refused.
func (b *body) name(attribute string) Name {
	expr, s := b.attr(attribute)
	if expr == nil {
		return Name{}
	}
	n, _ := b.p.ownName(expr, s)
	return n
}

// names reads an attribute that is a list of columns of the own table.
func (b *body) names(attribute string) []Name {
	return readList(b, attribute, b.p.ownName, func(n Name) Name { return n })
}

// readList reads an attribute that is a list, written out or evaluated. Each
// element is read in place, so that a column's name is not evaluated. Of
// elements with one name the second is reported.
func readList[T any](
	b *body, attribute string,
	element func(hclsyntax.Expression, *attrSchema) (T, bool), name func(T) Name,
) []T {
	expr, s := b.attr(attribute)
	if expr == nil {
		return nil
	}
	return readItems(b, expr, s, element, name)
}

// readItems is readList of an expression.
func readItems[T any](
	b *body, expr hclsyntax.Expression, s *attrSchema,
	element func(hclsyntax.Expression, *attrSchema) (T, bool), name func(T) Name,
) []T {
	items, ok := b.p.listItems(expr, s)
	if !ok {
		return nil
	}
	if len(items) == 0 && !s.Empty {
		b.p.report(diag.Diagnostic{
			Code:    diag.EmptyList,
			Detail:  "The list " + quote(s.Name) + " is empty.",
			Subject: expr.Range(),
			Help:    "name at least one, " + s.Name + " = " + sample(s),
		})
	}
	var out []T
	seen := make(map[string]hcl.Range)
	for _, item := range items {
		v, ok := element(item, s)
		if !ok {
			continue
		}
		if n := name(v); n != (Name{}) && !b.p.firstOf(seen, n, "the list "+quote(s.Name)) {
			continue
		}
		out = append(out, v)
	}
	return out
}

// firstOf reports the second of two entries with one name.
func (p *project) firstOf(seen map[string]hcl.Range, n Name, where string) bool {
	first, twice := seen[n.Text]
	if !twice {
		seen[n.Text] = n.Range
		return true
	}
	p.report(diag.Diagnostic{
		Code:    diag.DuplicateName,
		Detail:  capital(where) + " names " + quote(n.Text) + " twice.",
		Subject: n.Range,
		Related: []diag.Related{{Range: first, Text: "named here first"}},
		Help:    "remove one of the two",
	})
	return false
}

// listItems returns the elements of a list as expressions: those of the text,
// or constants when the list is the value of something else.
func (p *project) listItems(expr hclsyntax.Expression, s *attrSchema) ([]hclsyntax.Expression, bool) {
	if tuple, ok := expr.(*hclsyntax.TupleConsExpr); ok {
		return tuple.Exprs, true
	}
	if word, ok := singleWord(expr); ok {
		p.report(diag.Diagnostic{
			Code:    diag.WrongType,
			Detail:  quote(s.Name) + " is a list.",
			Subject: expr.Range(),
			Help:    "write it in brackets: " + s.Name + " = [" + word + "]",
		})
		return nil, false
	}
	v, ok := p.value(expr, s)
	if !ok {
		return nil, false
	}
	t := v.Type()
	if v.IsNull() || !t.IsTupleType() && !t.IsListType() && !t.IsSetType() {
		p.report(p.wrongType(expr, v, "a list", "write it in brackets: "+s.Name+" = "+sample(s)))
		return nil, false
	}
	var items []hclsyntax.Expression
	for it := v.ElementIterator(); it.Next(); {
		_, e := it.Element()
		items = append(items, &evaluated{LiteralValueExpr: hclsyntax.LiteralValueExpr{Val: e, SrcRange: expr.Range()}})
	}
	return items, true
}

// evaluated is an element of a list that an expression gave. It is a kind of
// its own, so that its text is not taken for a word of the project.
type evaluated struct{ hclsyntax.LiteralValueExpr }

// states reads an attribute that is a list of states.
func (b *body) states(attribute string) []Name {
	return readList(b, attribute, b.p.state, func(n Name) Name { return n })
}

// state reads one state: a text, which may be empty, as a value of an enum may.
func (p *project) state(expr hclsyntax.Expression, s *attrSchema) (Name, bool) {
	if word, ok := singleWord(expr); ok {
		p.report(diag.Diagnostic{
			Code:    diag.WrongType,
			Detail:  "This must be a text.",
			Subject: expr.Range(),
			Help:    "write it in quotes: " + quote(word),
		})
		return Name{}, false
	}
	v, ok := p.value(expr, s)
	if !ok {
		return Name{}, false
	}
	text, ok := p.toText(expr, v, s)
	if !ok {
		return Name{}, false
	}
	return Name{Text: text, Range: expr.Range()}, true
}
