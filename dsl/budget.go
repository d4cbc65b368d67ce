package dsl

import (
	"errors"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// maxWork bounds one evaluation: the bytes and elements of all that its loops
// and functions make. Loops in loops multiply, and HCL's evaluator cannot be
// stopped from outside.
const maxWork = 1 << 19

// budget is what is left of the work of one evaluation.
type budget struct {
	left     int
	exceeded bool
}

func newBudget() *budget { return &budget{left: maxWork} }

// spend takes a value's size off the budget and reports whether it was there.
func (b *budget) spend(size int) bool {
	b.left -= size
	b.exceeded = b.exceeded || b.left < 0
	return !b.exceeded
}

// bound makes the loops of an expression spend the budget.
func (b *budget) bound(expr hclsyntax.Expression) {
	_ = hclsyntax.VisitAll(expr, func(n hclsyntax.Node) hcl.Diagnostics {
		if loop, ok := n.(*hclsyntax.ForExpr); ok {
			loop.KeyExpr, loop.ValExpr, loop.CondExpr = b.counted(loop.KeyExpr), b.counted(loop.ValExpr), b.counted(loop.CondExpr)
		}
		return nil
	})
}

// counted is a part of a loop that is evaluated once a round.
type counted struct {
	hclsyntax.Expression
	budget *budget
}

func (b *budget) counted(expr hclsyntax.Expression) hclsyntax.Expression {
	switch expr := expr.(type) {
	case nil:
		return nil
	case *counted: // the text is evaluated again
		return &counted{expr.Expression, b}
	}
	return &counted{expr, b}
}

// Value evaluates the part while there is work left. What it gives after that is
// thrown away with the whole evaluation.
func (c *counted) Value(ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	if c.budget.exceeded {
		return cty.DynamicVal, nil
	}
	v, diags := c.Expression.Value(ctx)
	if c.budget.exceeded || !c.budget.spend(1+sizeOf(v)) {
		return cty.DynamicVal, nil // or the loops around it would measure what is too large
	}
	return v, diags
}

var errTooLarge = errors.New("the result would be larger than 64 kilobytes")

// limited makes a function spend the budget, and refuse results that are too
// large before they are made.
func (b *budget) limited(name string, f function.Function) function.Function {
	spec := &function.Spec{
		Params:   f.Params(),
		VarParam: f.VarParam(),
		Type:     f.ReturnTypeForValues,
	}
	spec.Impl = func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		if resultOf(name, args) > maxValue {
			return cty.NilVal, errTooLarge
		}
		size := 1
		for _, arg := range args {
			size += sizeOf(arg)
		}
		if !b.spend(size) {
			return cty.NilVal, errTooLarge
		}
		v, err := f.Call(args)
		if err == nil && !b.spend(sizeOf(v)) {
			return cty.NilVal, errTooLarge
		}
		return v, err
	}
	return function.New(spec)
}

// resultOf estimates how large the result of a function is that can make much
// out of little; 0 for the others.
func resultOf(name string, args []cty.Value) int {
	switch name {
	case "replace":
		s, old, with := args[0].AsString(), args[1].AsString(), args[2].AsString()
		if len(old) > 1 && strings.HasPrefix(old, "/") && strings.HasSuffix(old, "/") {
			return (len(s) + 1) * (len(with) + 1)
		}
		return strings.Count(s, old) * len(with)
	case "join":
		n := 0
		for _, list := range args[1:] {
			n += list.LengthInt()
		}
		return n * len(args[0].AsString())
	case "format", "formatlist":
		return formatted(args)
	case "indent":
		n, whole := wholeNumber(args[0])
		if !whole || n > maxValue {
			return maxValue + 1
		}
		return int(n) * (1 + strings.Count(args[1].AsString(), "\n"))
	case "setproduct":
		n := 1
		for _, set := range args {
			if set.CanIterateElements() {
				n = min(n*set.LengthInt(), maxValue+1)
			}
		}
		return n
	}
	return 0
}

// formatted estimates the result of format: of its widths, and for formatlist of
// the text once for each element.
func formatted(args []cty.Value) int {
	text := args[0].AsString()
	size, width := len(text), 0
	for _, r := range text {
		if r < '0' || r > '9' {
			size, width = size+width, 0
			continue
		}
		width = min(width*10+int(r-'0'), maxValue+1)
	}
	rounds := 1
	for _, arg := range args[1:] {
		if t := arg.Type(); !arg.IsNull() && (t.IsListType() || t.IsSetType() || t.IsTupleType()) {
			rounds = max(rounds, arg.LengthInt())
		}
	}
	return min(size, maxValue+1) * rounds
}
