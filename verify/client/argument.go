package client

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"

	"github.com/pawldb/pawl/compiler/ir"
)

// value is what a statement's argument takes: the call's value, or what a
// generated method would add by itself.
func (c *run) value(name string) *string {
	if v, ok := c.Args[name]; ok {
		return v
	}
	if c.repository == nil || c.repository.Queue == nil {
		return nil
	}
	var own string
	switch kind := c.Operation.Kind; {
	case name == "lease" && (kind == ir.ClaimOp || kind == ir.HeartbeatOp):
		own = strconv.FormatInt(c.repository.Queue.Lease.Microseconds(), 10)
	case name == "token" && kind == ir.ClaimOp:
		if c.token == "" {
			c.token = strconv.FormatInt(rand.Int64(), 10)
		}
		own = c.token
	case name == "jitter" && kind == ir.FailOp:
		own = "0"
	default:
		return nil
	}
	return &own
}

// arguments are the values of a statement in the order of its parameters. They
// are strings or nil, which travel in text format whatever the parameter's type.
func (c *run) arguments(s *ir.Statement) []any {
	list := make([]any, len(s.Args))
	for i, f := range s.Args {
		if v := c.value(f.Name); v != nil {
			list[i] = *v
		}
	}
	return list
}

// badArgument names an argument that a generated method refuses before it sends
// anything; empty when there is none.
func (c *run) badArgument() string {
	main := c.Operation.Statement(ir.MainStatement)
	if main == nil {
		return ""
	}
	switch c.Operation.Kind {
	case ir.AdjustOp, ir.MoveOp:
		for _, f := range main.Args {
			if v := c.value(f.Name); v != nil && f.Positive && !f.Null && !f.Optional && number(f.Type) && !positive(*v) {
				return f.Name
			}
		}
	case ir.ListOp, ir.ClaimOp:
		name := "limit"
		if c.Operation.Kind == ir.ListOp && len(main.Args) > 0 {
			name = main.Args[len(main.Args)-1].Name // a column may be called limit
		}
		if v := c.value(name); v != nil {
			if n, err := strconv.ParseInt(*v, 10, 64); err == nil && n < 0 {
				return name
			}
		}
	}
	return ""
}

// number reports whether a type is one that generated code checks as a number.
func number(t ir.Type) bool {
	switch base := t.Base(); base.Name {
	case "int2", "int4", "int8", "float4", "float8", "numeric":
		return base.Kind == ir.BaseType
	}
	return false
}

// positive reports whether a number is finite and above zero. What is no number
// passes: the server says so.
func positive(text string) bool {
	if n, ok := new(big.Rat).SetString(text); ok {
		return n.Sign() > 0
	}
	f, err := strconv.ParseFloat(text, 64)
	return err != nil || f > 0 && !math.IsInf(f, 1)
}
