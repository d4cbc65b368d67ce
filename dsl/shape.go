package dsl

import (
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/pawldb/pawl/internal/diag"
)

// shapeWord is the first word of a variable's type.
type shapeWord string

const (
	untyped      shapeWord = ""
	stringShape  shapeWord = "string"
	numberShape  shapeWord = "number"
	boolShape    shapeWord = "bool"
	anyShape     shapeWord = "any"
	tableShape   shapeWord = "table"
	typeShape    shapeWord = "type"
	listShape    shapeWord = "list"
	setShape     shapeWord = "set"
	mapShape     shapeWord = "map"
	objectShape  shapeWord = "object"
	optionalPart           = "optional" // of an object's member: optional(number)
)

// shapeWords are the words that a type may begin with.
var shapeWords = []string{"string", "number", "bool", "list", "set", "map", "object", "table", "type", "any"}

// shape is the type of a variable: what values it takes. PostgreSQL's types are
// something else; they are values here.
type shape struct {
	kind     shapeWord
	elem     *shape           // of list, set and map
	members  map[string]shape // of object
	optional bool             // of an object's member
	absent   cty.Value        // what stands for an optional member that is absent; NilVal for null
}

// String spells a shape as a variable's type is written.
func (s shape) String() string {
	switch {
	case s.elem != nil:
		return string(s.kind) + "(" + s.elem.String() + ")"
	case s.kind == objectShape:
		var members []string
		for _, name := range slices.Sorted(maps.Keys(s.members)) {
			member := s.members[name].String()
			if s.members[name].optional {
				member = optionalPart + "(" + member + ")"
			}
			members = append(members, name+" = "+member)
		}
		return "object({ " + strings.Join(members, ", ") + " })"
	}
	return string(s.kind)
}

// phrase names the values of a shape in a message.
func (s shape) phrase() string {
	switch s.kind {
	case untyped, anyShape:
		return "a value"
	case boolShape:
		return "true or false"
	case stringShape:
		return "a text"
	case typeShape:
		return "a type of PostgreSQL"
	case objectShape:
		return "an object"
	}
	return "a " + s.String()
}

// shapeOf reads the type of a variable, and reports one that is none. The
// untyped shape stands for that of the default.
func (p *project) shapeOf(block *hclsyntax.Block) (shape, bool) {
	attr := block.Body.Attributes["type"]
	if attr == nil {
		return shape{}, true
	}
	return p.shape(attr.Expr)
}

func (p *project) shape(expr hclsyntax.Expression) (shape, bool) {
	if word, ok := singleWord(expr); ok {
		if slices.Contains(shapeWords, word) && !slices.Contains([]string{"list", "set", "map", "object"}, word) {
			return shape{kind: shapeWord(word)}, true
		}
		p.report(wrongShape(word, expr.Range()))
		return shape{}, false
	}
	call, ok := expr.(*hclsyntax.FunctionCallExpr)
	if !ok {
		p.report(wrongShape("", expr.Range()))
		return shape{}, false
	}
	switch kind := shapeWord(call.Name); {
	case kind == objectShape && len(call.Args) == 1:
		return p.objectShape(call.Args[0])
	case (kind == listShape || kind == setShape || kind == mapShape) && len(call.Args) == 1:
		elem, ok := p.shape(call.Args[0])
		return shape{kind: kind, elem: &elem}, ok
	}
	p.report(wrongShape(call.Name, expr.Range()))
	return shape{}, false
}

// objectShape reads the members of object({ … }).
func (p *project) objectShape(expr hclsyntax.Expression) (shape, bool) {
	object, ok := expr.(*hclsyntax.ObjectConsExpr)
	if !ok {
		p.report(wrongShape("object", expr.Range()))
		return shape{}, false
	}
	s := shape{kind: objectShape, members: make(map[string]shape)}
	for _, item := range object.Items {
		name := hcl.ExprAsKeyword(item.KeyExpr)
		if name == "" {
			p.report(wrongShape("object", item.KeyExpr.Range()))
			return shape{}, false
		}
		member, ok := p.memberShape(item.ValueExpr)
		if !ok {
			return shape{}, false
		}
		s.members[name] = member
	}
	return s, true
}

// memberShape reads the type of one member, which may be optional(TYPE) or
// optional(TYPE, DEFAULT).
func (p *project) memberShape(expr hclsyntax.Expression) (shape, bool) {
	call, ok := expr.(*hclsyntax.FunctionCallExpr)
	if !ok || call.Name != optionalPart || len(call.Args) == 0 || len(call.Args) > 2 {
		return p.shape(expr)
	}
	s, ok := p.shape(call.Args[0])
	s.optional = true
	if !ok || len(call.Args) == 1 {
		return s, ok
	}
	v, ok := p.value(call.Args[1], nil)
	if !ok {
		return s, false
	}
	v, wrong := s.take(v)
	if wrong != nil {
		p.report(wrong.diagnostic(call.Args[1].Range(), "write a default of the member's type"))
		return s, false
	}
	s.absent = v
	return s, true
}

// wrongShape reports what is no type of a variable.
func wrongShape(word string, at hcl.Range) diag.Diagnostic {
	d := diag.Diagnostic{
		Code:    diag.InvalidChoice,
		Detail:  "The type of a variable is one of " + list(shapeWords) + ", without quotes.",
		Subject: at,
		Help:    "write type = string",
	}
	if near, close := diag.Suggest(word, shapeWords); close && near != word {
		d.Help = "did you mean " + near + "?"
	} else if _, known := baseTypes[word]; known {
		d.Help = "a type of PostgreSQL is for columns; a variable that holds one says type = type"
	} else if example := shapeExamples[shapeWord(word)]; example != "" {
		d.Detail = "The type " + quote(word) + " says in parentheses what is in it."
		d.Help = "write type = " + example
	}
	return d
}

var shapeExamples = map[shapeWord]string{
	listShape: "list(string)", setShape: "set(string)", mapShape: "map(string)", objectShape: "object({ name = string, size = optional(number) })",
}

// mismatch is a value that a shape does not take.
type mismatch struct {
	path string // inside the value: [0], .name
	want string
	got  string
}

func (m *mismatch) diagnostic(at hcl.Range, help string) diag.Diagnostic {
	subject := "This"
	if m.path != "" {
		subject = m.path + " in it"
	}
	return diag.Diagnostic{
		Code:    diag.WrongType,
		Detail:  subject + " must be " + m.want + ", and it is " + m.got + ".",
		Subject: at,
		Help:    help,
	}
}

// inside puts a step before the path of a mismatch.
func (m *mismatch) inside(step string) *mismatch {
	m.path = step + m.path
	return m
}

// take brings a value into the form of the shape. Null is taken by all of them,
// as in Terraform: it leaves out the attribute that uses it.
func (s shape) take(v cty.Value) (cty.Value, *mismatch) {
	if v.IsNull() {
		return v, nil
	}
	switch s.kind {
	case untyped, anyShape:
		return v, nil
	case listShape, setShape, mapShape:
		return s.takeMany(v)
	case objectShape:
		return s.takeObject(v)
	}
	t := v.Type()
	fits := map[shapeWord]bool{
		stringShape: t == cty.String, numberShape: t == cty.Number, boolShape: t == cty.Bool, typeShape: isType(v),
		tableShape: t.IsObjectType() && t.HasAttribute(referenceMember) && t.HasAttribute("column"),
	}
	if !fits[s.kind] {
		return v, &mismatch{want: s.phrase(), got: describe(v)}
	}
	return v, nil
}

// takeMany takes a list, set or map. Where its elements have types of their own,
// as tables do, it stays a tuple or object.
func (s shape) takeMany(v cty.Value) (cty.Value, *mismatch) {
	t := v.Type()
	keyed := t.IsMapType() || t.IsObjectType() && !t.HasAttribute(referenceMember)
	listed := t.IsTupleType() || t.IsListType() || t.IsSetType()
	if s.kind == mapShape && !keyed || s.kind != mapShape && !listed {
		return v, &mismatch{want: s.phrase(), got: describe(v)}
	}
	var values []cty.Value
	byKey := make(map[string]cty.Value)
	for it := v.ElementIterator(); it.Next(); {
		key, e := it.Element()
		e, wrong := s.elem.take(e)
		if wrong != nil {
			return v, wrong.inside("[" + keyText(key) + "]")
		}
		values = append(values, e)
		if keyed {
			byKey[key.AsString()] = e
		}
	}
	same := len(values) > 0 && !slices.ContainsFunc(values, func(e cty.Value) bool { return !e.Type().Equals(values[0].Type()) })
	switch {
	case s.kind == mapShape && same:
		return cty.MapVal(byKey), nil
	case s.kind == mapShape:
		return cty.ObjectVal(byKey), nil
	case s.kind == setShape && same:
		return cty.SetVal(values), nil
	case same:
		return cty.ListVal(values), nil
	}
	return cty.TupleVal(values), nil
}

// keyText is the key of an element in a message.
func keyText(key cty.Value) string {
	if key.Type() == cty.Number {
		return numberText(key)
	}
	if key.Type() == cty.String {
		return quote(key.AsString())
	}
	return "…" // the key of a set is its element
}

func (s shape) takeObject(v cty.Value) (cty.Value, *mismatch) {
	t := v.Type()
	if !t.IsObjectType() && !t.IsMapType() || t.IsObjectType() && t.HasAttribute(referenceMember) {
		return v, &mismatch{want: s.phrase(), got: describe(v)}
	}
	given := v.AsValueMap()
	members := make(map[string]cty.Value)
	for _, name := range slices.Sorted(maps.Keys(s.members)) {
		member := s.members[name]
		e, written := given[name]
		switch {
		case !written && !member.optional:
			return v, &mismatch{want: "an object with the member " + quote(name), got: "one without"}
		case !written && member.absent == cty.NilVal:
			members[name] = cty.NullVal(member.absentType())
			continue
		case member.absent != cty.NilVal && (!written || e.IsNull()):
			members[name] = member.absent
			continue
		}
		e, wrong := member.take(e)
		if wrong != nil {
			return v, wrong.inside("." + name)
		}
		members[name] = e
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if _, known := s.members[name]; !known {
			return v, &mismatch{want: "an object with the members " + list(slices.Sorted(maps.Keys(s.members))), got: "one with " + quote(name)}
		}
	}
	return cty.ObjectVal(members), nil
}

// absentType is the type of the null that stands for an absent member.
func (s shape) absentType() cty.Type {
	switch s.kind {
	case stringShape:
		return cty.String
	case numberShape:
		return cty.Number
	case boolShape:
		return cty.Bool
	}
	return cty.DynamicPseudoType
}
