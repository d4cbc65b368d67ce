package dsl

import (
	"errors"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/customdecode"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// tryingFunctions evaluate their arguments themselves, and do without one that
// has no value.
var tryingFunctions = map[string]bool{"try": true, "can": true}

// tryFunction is try(a, b, …): the first that has a value. HCL's own evaluates
// each twice, once for its type alone: within one another they would do so
// without end.
func tryFunction() function.Function {
	return function.New(&function.Spec{
		VarParam: &function.Parameter{Name: "expressions", Type: customdecode.ExpressionClosureType},
		Type:     function.StaticReturnType(cty.DynamicPseudoType),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			if len(args) == 0 {
				return cty.NilVal, errors.New("at least one expression is needed")
			}
			var last hcl.Diagnostics
			for _, arg := range args {
				v, diags := customdecode.ExpressionClosureFromVal(arg).Value()
				if !diags.HasErrors() {
					return v, nil
				}
				last = diags
			}
			return cty.NilVal, function.NewArgErrorf(len(args)-1, "none of the expressions has a value; of the last: %s", last[0].Detail)
		},
	})
}

// canFunction is can(a): whether it has a value.
func canFunction() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "expression", Type: customdecode.ExpressionClosureType}},
		Type:   function.StaticReturnType(cty.Bool),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			_, diags := customdecode.ExpressionClosureFromVal(args[0]).Value()
			return cty.BoolVal(!diags.HasErrors()), nil
		},
	})
}

// tried are the places in an expression where a member may be missing: within
// try() and can().
func tried(expr hclsyntax.Expression) []hcl.Range {
	var places []hcl.Range
	_ = hclsyntax.VisitAll(expr, func(n hclsyntax.Node) hcl.Diagnostics {
		if call, ok := n.(*hclsyntax.FunctionCallExpr); ok && tryingFunctions[call.Name] {
			places = append(places, call.Range())
		}
		return nil
	})
	return places
}

// covered reports whether a place is within one of others.
func covered(at hcl.Range, places []hcl.Range) bool {
	for _, place := range places {
		if place.Start.Byte <= at.Start.Byte && at.End.Byte <= place.End.Byte {
			return true
		}
	}
	return false
}
