package dsl

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// evaluate runs the HCL evaluator on an expression, spending the budget. For as
// long as that takes, the parts of loops and of operators in it are replaced by
// ones that look at each value. They do not stay: HCL finds the names and the
// functions of an expression by its own types of nodes alone.
func (b *budget) evaluate(expr hclsyntax.Expression, ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	var loops []*hclsyntax.ForExpr
	var operators []*hclsyntax.BinaryOpExpr
	_ = hclsyntax.VisitAll(expr, func(n hclsyntax.Node) hcl.Diagnostics {
		switch n := n.(type) {
		case *hclsyntax.ForExpr:
			loops = append(loops, n)
		case *hclsyntax.BinaryOpExpr:
			operators = append(operators, n)
		}
		return nil
	})
	for _, loop := range loops {
		was := *loop
		defer func() { *loop = was }()
		b.watchLoop(loop)
	}
	for _, op := range operators {
		was := *op
		defer func() { *op = was }()
		b.watchOperator(op)
	}
	return expr.Value(ctx)
}

// watched is a part of an expression whose values are looked at.
type watched struct {
	hclsyntax.Expression
	value func(hclsyntax.Expression, *hcl.EvalContext) (cty.Value, hcl.Diagnostics)
}

// Value evaluates the part.
func (w *watched) Value(ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	return w.value(w.Expression, ctx)
}

// watchLoop makes the rounds of a loop spend the budget. After a round with an
// error the others are not evaluated: they would say the same a thousand times.
func (b *budget) watchLoop(loop *hclsyntax.ForExpr) {
	failed := false
	loop.CollExpr = &watched{loop.CollExpr, func(expr hclsyntax.Expression, ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
		failed = false // the loop begins anew
		return expr.Value(ctx)
	}}
	// What a round gives after the budget is spent is thrown away with the whole
	// evaluation.
	round := func(expr hclsyntax.Expression, ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
		if b.exceeded || failed {
			return cty.DynamicVal, nil
		}
		v, diags := expr.Value(ctx)
		failed = diags.HasErrors()
		if b.exceeded || !b.spend(roundWork+sizeOf(v)) {
			return cty.DynamicVal, nil // or the loops around it would measure what is too large
		}
		return v, diags
	}
	for _, part := range []*hclsyntax.Expression{&loop.KeyExpr, &loop.ValExpr, &loop.CondExpr} {
		if *part != nil {
			*part = &watched{*part, round}
		}
	}
}

// watchOperator looks at the operands of an operator. Numbers with a large
// exponent take no memory until one is written out, or divided; and to compare a
// type with something else is a mistake wherever it is done.
func (b *budget) watchOperator(op *hclsyntax.BinaryOpExpr) {
	operand := func(expr hclsyntax.Expression, ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
		if b.exceeded {
			return cty.DynamicVal, nil
		}
		v, diags := expr.Value(ctx)
		if digitsOfValue(v) > maxValue || !b.spend(sizeOf(v)) {
			b.exceeded = true
			return cty.DynamicVal, nil
		}
		return v, diags
	}
	if op.Op != hclsyntax.OpEqual && op.Op != hclsyntax.OpNotEqual {
		op.LHS, op.RHS = &watched{op.LHS, operand}, &watched{op.RHS, operand}
		return
	}
	var left cty.Value
	op.LHS = &watched{op.LHS, func(expr hclsyntax.Expression, ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
		v, diags := operand(expr, ctx)
		left = v
		return v, diags
	}}
	at := op.Range()
	op.RHS = &watched{op.RHS, func(expr hclsyntax.Expression, ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
		right, diags := operand(expr, ctx)
		if b.mismatch == nil && !diags.HasErrors() && left.IsKnown() && right.IsKnown() && isType(left) != isType(right) {
			b.mismatch = &at
		}
		return right, diags
	}}
}

// digitsOfValue is about how many digits a number has when it is written out.
// A text counts as the number that an operator would make of it.
func digitsOfValue(v cty.Value) int {
	if v.IsNull() || !v.IsKnown() {
		return 0
	}
	if v.Type() == cty.String {
		n, err := cty.ParseNumberVal(v.AsString())
		if err != nil {
			return 0
		}
		v = n
	}
	if v.Type() != cty.Number {
		return 0
	}
	n := v.AsBigFloat()
	if n.IsInf() { // what overflowed; HCL cannot calculate with it
		return maxValue + 1
	}
	exponent := n.MantExp(nil) // of 2
	return max(exponent, -exponent) * 3 / 10
}
