package dsl

import (
	"errors"
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"

	"github.com/pawldb/pawl/internal/diag"
)

// maxValue bounds the size of one evaluated value, in bytes of its strings plus
// its elements: a few locals that each double the last would fill the memory.
const maxValue = 1 << 16

// shortNumber is how many digits of a number count as nothing: a cty.Number
// holds 154.
const shortNumber = 160

// value evaluates an expression. It is false when there is no value; the reason
// has then been reported, here or where the cause is, and the caller stays
// silent. The schema tells what the attribute takes, for the help of messages;
// it may be nil.
func (p *project) value(expr hclsyntax.Expression, want *attrSchema) (cty.Value, bool) {
	if isConstant(expr) {
		v, diags := expr.Value(nil)
		return p.finish(expr, v, diags)
	}
	if call, ok := expr.(*hclsyntax.FunctionCallExpr); ok && call.Name == sqlFunction && len(call.Args) == 1 {
		text, ok := p.sqlText(call.Args[0], want)
		if !ok {
			return cty.NilVal, false
		}
		return cty.CapsuleVal(sqlCapsule, &text), true
	}
	if p.work < 0 {
		return cty.NilVal, false // reported where it was spent
	}
	b := p.newBudget()
	ctx, ok := p.context(expr, want, b)
	if !ok {
		return cty.NilVal, false
	}
	v, diags := b.evaluate(expr, ctx)
	if d := b.refusal(expr.Range()); d != nil {
		p.report(*d)
		return cty.NilVal, false
	}
	return p.finish(expr, v, diags)
}

// finish reports what the evaluator says, and refuses what no attribute can use.
func (p *project) finish(expr hclsyntax.Expression, v cty.Value, diags hcl.Diagnostics) (cty.Value, bool) {
	if diags.HasErrors() {
		for _, d := range diags {
			hidePanic(d)
		}
		p.reportAll(diag.FromHCL(diags))
		return cty.NilVal, false
	}
	if sizeOf(v) > maxValue {
		p.report(tooLarge(expr.Range(), "The value is larger than 64 kilobytes.", "make it smaller"))
		return cty.NilVal, false
	}
	return v, true
}

// refusal says what is wrong with an evaluation beside what the evaluator says;
// nil when nothing is.
func (b *budget) refusal(at hcl.Range) *diag.Diagnostic {
	switch {
	case *b.total < 0:
		d := tooLarge(at, "The expressions of the project make more than 8 megabytes of values on their way.", "loop over fewer values")
		return &d
	case b.exceeded:
		d := tooLarge(at, "The expression makes more than 512 kilobytes of values on its way.", "loop over fewer values")
		return &d
	case b.mismatch != nil:
		return &diag.Diagnostic{
			Code:        diag.WrongType,
			Detail:      "A type is compared with something that is no type.",
			Subject:     *b.mismatch,
			Consequence: "The comparison would be false for every type.",
			Help:        "write the type without quotes: … == bigint",
		}
	}
	return nil
}

// hidePanic rewrites the message of a library function that gave up on its
// arguments: it holds a stack trace.
func hidePanic(d *hcl.Diagnostic) {
	call, ok := d.Extra.(hclsyntax.FunctionCallDiagExtra)
	if !ok {
		return
	}
	var broken function.PanicError
	if errors.As(call.FunctionCallError(), &broken) {
		d.Detail = "The function " + call.CalledFunctionName() + "() cannot work with these arguments."
	}
}

// isConstant reports whether an expression names nothing: most attributes are
// plain strings, numbers and booleans.
func isConstant(expr hclsyntax.Expression) bool {
	switch e := expr.(type) {
	case *hclsyntax.LiteralValueExpr:
		return true
	case *hclsyntax.TemplateExpr:
		for _, part := range e.Parts {
			if _, ok := part.(*hclsyntax.LiteralValueExpr); !ok {
				return false
			}
		}
		return true
	}
	return false
}

// context builds what an expression may name, and no more. Every reference is
// checked before the evaluator sees it, so that messages are ours.
func (p *project) context(expr hclsyntax.Expression, want *attrSchema, b *budget) (*hcl.EvalContext, bool) {
	if !p.callsAreKnown(expr, want) {
		return nil, false
	}
	names := make(tree)
	whole := true
	maybe := tried(expr)
	for _, traversal := range expr.Variables() {
		path, v, ok := p.resolve(traversal, want, covered(traversal.SourceRange(), maybe))
		if !ok {
			whole = false
			continue
		}
		names.set(path, v)
	}
	if !whole {
		return nil, false
	}
	return &hcl.EvalContext{Variables: names.values(), Functions: p.called(expr, b)}, true
}

// callsAreKnown reports calls of functions that have a meaning elsewhere only.
func (p *project) callsAreKnown(expr hclsyntax.Expression, want *attrSchema) bool {
	known := true
	_ = hclsyntax.VisitAll(expr, func(n hclsyntax.Node) hcl.Diagnostics {
		call, ok := n.(*hclsyntax.FunctionCallExpr)
		if !ok {
			return nil
		}
		if slices.Contains(readingFunctions, call.Name) {
			known = p.mayRead(call, want) && known
			return nil
		}
		if _, key := keyFunctions[call.Name]; key {
			p.report(diag.Diagnostic{
				Code:    diag.FunctionCall,
				Detail:  "The function " + call.Name + "() has a meaning in a key list only.",
				Subject: call.NameRange,
				Help:    "use it in `columns` of an index or a no_duplicates: columns = [" + call.Name + "(…)]",
			})
			known = false
		} else if _, exists := functions[call.Name]; !exists {
			p.report(unknownFunction(call))
			known = false
		}
		return nil
	})
	return known
}

// mayRead refuses env where what is made would depend on it.
func (p *project) mayRead(call *hclsyntax.FunctionCallExpr, want *attrSchema) bool {
	if call.Name != envFunction || readsEnvironment(want) {
		return true
	}
	p.report(diag.Diagnostic{
		Code:        diag.FunctionCall,
		Detail:      "The function env() works in a target and in the default of a variable only.",
		Subject:     call.NameRange,
		Consequence: "What the project makes would depend on the machine, at a place that nobody looks at.",
		Help:        "declare variable \"NAME\" { default = env(…) }, and write var.NAME here",
	})
	return false
}

// unknownFunction reports a call of a function that does not exist. Most often
// one of PostgreSQL was meant.
func unknownFunction(call *hclsyntax.FunctionCallExpr) diag.Diagnostic {
	d := diag.Diagnostic{
		Code:    diag.UnknownFunction,
		Detail:  "There is no function " + call.Name + "().",
		Subject: call.NameRange,
		Help:    "a function of PostgreSQL is SQL text: sql(\"" + call.Name + "(…)\")",
	}
	if _, known := baseTypes[call.Name]; known {
		d.Detail = "The type " + call.Name + " takes nothing in parentheses."
		d.Help = "write " + call.Name
	} else if near, ok := diag.Suggest(call.Name, slices.Sorted(maps.Keys(functions))); ok && len(call.Name) > 3 { // now() is no pow()
		d.Help = "did you mean " + near + "?"
	}
	return d
}

// sizeOf adds up the elements and the bytes of strings in a value. A number with
// a large exponent counts as its text.
func sizeOf(v cty.Value) int {
	switch {
	case v.IsNull() || !v.IsKnown():
		return 1
	case v.Type() == cty.String:
		return 1 + len(v.AsString())
	case v.Type() == cty.Number:
		if n := digitsOfValue(v); n > shortNumber {
			return n
		}
	case v.CanIterateElements():
		size := 1
		for it := v.ElementIterator(); it.Next(); {
			_, e := it.Element()
			size += sizeOf(e)
		}
		return size
	}
	return 1
}

// tree is the names of an evaluation: maps down to values.
type tree map[string]any

// set puts a value at a path. A whole object replaces what is known of its
// members.
func (t tree) set(path []string, v cty.Value) {
	for _, name := range path[:len(path)-1] {
		inner, ok := t[name].(tree)
		if !ok {
			if _, whole := t[name]; whole {
				return
			}
			inner = make(tree)
			t[name] = inner
		}
		t = inner
	}
	t[path[len(path)-1]] = v
}

// values turns the tree into the variables of an evaluation.
func (t tree) values() map[string]cty.Value {
	vars := make(map[string]cty.Value, len(t))
	for name, v := range t {
		switch v := v.(type) {
		case cty.Value:
			vars[name] = v
		case tree:
			vars[name] = cty.ObjectVal(v.values())
		}
	}
	return vars
}
