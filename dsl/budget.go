package dsl

import (
	"errors"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// Bounds of the work of evaluations: the bytes and elements of all that their
// loops and functions make. Loops in loops multiply, and HCL's evaluator cannot
// be stopped from outside.
const (
	maxWork  = 1 << 19 // of one evaluation
	maxTotal = 1 << 23 // of all evaluations of a project
	// roundWork is what a round of a loop costs beside what it makes: the
	// evaluator keeps a scope and a value for it.
	roundWork = 32
)

// budget is what is left of the work of one evaluation. It is taken off that of
// the whole project as well, so that many expressions make no more than one.
type budget struct {
	left     int
	exceeded bool
	total    *int // left of the project's

	// mismatch is the place of the first comparison of a type with something
	// else.
	mismatch *hcl.Range
}

func (l *shared) newBudget() *budget { return &budget{left: maxWork, total: &l.work} }

// spend takes a value's size off the budget and reports whether it was there.
func (b *budget) spend(size int) bool {
	b.left -= size
	*b.total -= size
	b.exceeded = b.exceeded || b.left < 0 || *b.total < 0
	return !b.exceeded
}

var errTooLarge = errors.New("the result would be larger than 64 kilobytes")

// limited makes a function spend the budget, and refuse arguments and results
// that are too large before they are made.
func (b *budget) limited(name string, f function.Function) function.Function {
	return function.New(&function.Spec{
		Params:   f.Params(),
		VarParam: f.VarParam(),
		Type: func(args []cty.Value) (cty.Type, error) { // it may do all the work, as that of jsondecode
			if err := b.admit(name, args); err != nil {
				return cty.DynamicPseudoType, err
			}
			return f.ReturnTypeForValues(args)
		},
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			v, err := f.Call(args)
			if err == nil && (b.exceeded || !b.spend(sizeOf(v))) {
				return cty.NilVal, errTooLarge
			}
			return v, err
		},
	})
}

// admit says why a function may not be called.
func (b *budget) admit(name string, args []cty.Value) error {
	size, known := roundWork, true
	for _, arg := range args {
		size += sizeOf(arg)
		known = known && arg.IsWhollyKnown() && !arg.IsNull()
	}
	switch {
	case !b.spend(size), known && resultOf(name, args) > maxValue:
		return errTooLarge
	case !known:
		return nil
	case name == "jsondecode" && depthOf(args[0].AsString()) > maxDepth:
		return errors.New("the text is nested too deep")
	case name == "yamldecode":
		return admitYAML(args[0].AsString())
	case name == "distinct" && !b.spend(args[0].LengthInt()*args[0].LengthInt()/4): // it compares each with each
		return errors.New("the list is too long")
	}
	return nil
}

// depthOf returns how many brackets are open at once in a JSON text, at most.
func depthOf(text string) int {
	deepest, open := 0, 0
	quoted, escaped := false, false
	for _, r := range text {
		switch {
		case escaped:
			escaped = false
		case quoted && r == '\\':
			escaped = true
		case r == '"':
			quoted = !quoted
		case quoted:
		case r == '[' || r == '{':
			open++
			deepest = max(deepest, open)
		case r == ']' || r == '}':
			open--
		}
	}
	return deepest
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
