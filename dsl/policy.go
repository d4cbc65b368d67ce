package dsl

import (
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/pawldb/pawl/internal/diag"
)

var policySchema = blockSchema{
	Type: "policy", Label: "the name of the rule", NoAllow: true, Doc: "a rule of the team, held by everything that the project declares",
	Attrs: []attrSchema{
		{Name: "each", Kind: wordKind, Required: true, Choices: slices.Sorted(maps.Keys(PolicyMembers)), Doc: "what the rule is about"},
		{Name: "when", Kind: boolKind, Doc: "which of them it is about; all when absent"},
		{Name: "require", Kind: boolKind, Required: true, Doc: "what must hold"},
		{Name: "message", Kind: stringKind, Required: true, Doc: "what is said where it does not hold"},
		{Name: "severity", Kind: choiceKind, Choices: []string{"error", "warning"}, Doc: "whether it stops the command; error when absent"},
	},
}

// PolicyMembers are the members of `each` in a policy, by what the policy goes
// over. The caller of [Policy.Judge] gives exactly these.
var PolicyMembers = map[string][]string{
	"tables":     {"address", "name", "schema", "comment", "columns", "primary_key", "invariants"},
	"columns":    {"address", "name", "table", "schema", "comment", "type", "base_type", "null", "default", "identity", "generated", "collation"},
	"invariants": {"address", "kind", "name", "table", "schema", "promise", "mechanism"},
	"queues":     {"address", "name", "schema", "comment", "columns", "lease_seconds", "attempts"},
}

// Element is one thing that a policy judges: text, bool, int64 and lists of
// texts by the names of its members.
type Element map[string]any

// Verdict is what a policy says of one element.
type Verdict struct {
	Broken  bool
	Message string // of a broken one
}

// Policy is a policy block.
type Policy struct {
	Block
	Each     Value[string] // a key of PolicyMembers
	Severity Value[string] // error | warning
	Require  hcl.Range
	// Judge evaluates the policy for one element of the compiled program. The
	// list is not empty when an expression has no value; it would have none for
	// the other elements either. Judge is nil when the block was refused.
	Judge func(Element) (Verdict, diag.List) `json:"-"`
}

func (p *project) decodePolicy(block *hclsyntax.Block) {
	b := p.open(block, &policySchema)
	policy := &Policy{Block: b.block, Each: b.word("each"), Severity: b.choice("severity"), Require: b.rangeOf("require")}
	p.spec.Policies = append(p.spec.Policies, policy)
	if !policy.Each.Set {
		return
	}
	members := PolicyMembers[policy.Each.V]
	when, fine := b.elementwise("when", members)
	require, good := b.elementwise("require", members)
	message, well := b.elementwise("message", members)
	if !fine || !good || !well || require == nil || message == nil {
		return
	}
	policy.Judge = func(e Element) (Verdict, diag.List) { return judge(when, require, message, e) }
}

// elementwise is an expression over `each`, ready to be evaluated for one
// element after another.
type elementwise struct {
	p     *project
	attr  *attrSchema
	expr  hclsyntax.Expression
	names map[string]cty.Value // what it names beside each
}

// elementwise reads an attribute that is evaluated later, and checks now what it
// names. It is nil when the attribute was left out.
func (b *body) elementwise(name string, members []string) (*elementwise, bool) {
	expr, s := b.attr(name)
	if expr == nil {
		return nil, true
	}
	ok := b.p.callsAreKnown(expr, s)
	names := make(tree)
	for _, t := range expr.Variables() {
		if t.RootName() == "each" {
			ok = b.p.memberOfEach(t, members) && ok
			continue
		}
		path, v, found := b.p.resolve(t, nil, false)
		if !found {
			ok = false
			continue
		}
		names.set(path, v)
	}
	return &elementwise{p: b.p, attr: s, expr: expr, names: names.values()}, ok
}

// memberOfEach reports a member that the elements do not have.
func (p *project) memberOfEach(t hcl.Traversal, members []string) bool {
	name := ""
	if len(t) > 1 {
		name, _ = stepName(t[1])
	}
	if slices.Contains(members, name) {
		return true
	}
	d := diag.Diagnostic{
		Code:    diag.UnknownReference,
		Detail:  `"each" alone is no value.`,
		Subject: t.SourceRange(),
		Help:    "name a member: each." + members[0],
	}
	if name != "" {
		d.Detail = `"each" has no member ` + quote(name) + "."
		d.Subject = stepRange(t[1])
		d.Help = didYouMean(name, members, "")
	}
	p.report(d)
	return false
}

// judge evaluates the expressions of a policy for one element.
func judge(when, require, message *elementwise, e Element) (Verdict, diag.List) {
	each := e.value()
	if when != nil {
		applies, list := when.holds(each)
		if len(list) > 0 || !applies {
			return Verdict{}, list
		}
	}
	kept, list := require.holds(each)
	if len(list) > 0 || kept {
		return Verdict{}, list
	}
	text, list := message.text(each)
	return Verdict{Broken: true, Message: text}, list
}

func (x *elementwise) holds(each cty.Value) (bool, diag.List) {
	v, list := x.evaluate(each, cty.Bool, "true or false", "write a condition: each.name == \"…\"")
	return len(list) == 0 && v.True(), list
}

func (x *elementwise) text(each cty.Value) (string, diag.List) {
	v, list := x.evaluate(each, cty.String, "a text", "write it in quotes, with ${each.address} in it")
	if len(list) > 0 {
		return "", list
	}
	return v.AsString(), nil
}

// evaluate gives a value of the type that is wanted, or says why there is none.
func (x *elementwise) evaluate(each cty.Value, want cty.Type, what, help string) (cty.Value, diag.List) {
	work := x.p.newBudget()
	ctx := &hcl.EvalContext{Variables: maps.Clone(x.names), Functions: x.p.called(x.expr, work)}
	ctx.Variables["each"] = each
	v, diags := work.evaluate(x.expr, ctx)
	if d := work.refusal(x.expr.Range()); d != nil {
		return cty.NilVal, diag.List{*d}
	}
	if diags.HasErrors() {
		for _, d := range diags {
			hidePanic(d)
		}
		return cty.NilVal, diag.FromHCL(diags)
	}
	if v.IsNull() || !v.IsKnown() || v.Type() != want {
		return cty.NilVal, diag.List{{
			Code:    diag.WrongType,
			Detail:  quote(x.attr.Name) + " must be " + what + ", and it is " + describe(v) + ".",
			Subject: x.expr.Range(),
			Help:    help,
		}}
	}
	return v, nil
}

// value is the element as expressions see it.
func (e Element) value() cty.Value {
	members := make(map[string]cty.Value, len(e))
	for name, v := range e {
		switch v := v.(type) {
		case string:
			members[name] = cty.StringVal(v)
		case bool:
			members[name] = cty.BoolVal(v)
		case int64:
			members[name] = cty.NumberIntVal(v)
		case []string:
			texts := make([]cty.Value, len(v))
			for i, text := range v {
				texts[i] = cty.StringVal(text)
			}
			members[name] = cty.TupleVal(texts)
		}
	}
	return cty.ObjectVal(members)
}
