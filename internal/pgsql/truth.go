package pgsql

import (
	pg "github.com/pganalyze/pg_query_go/v5"
)

// truth is the set of values that a condition can have: it stands for every
// combination of TRUE, FALSE and NULL.
type truth uint8

const (
	isTrue truth = 1 << iota
	isFalse
	isNull
	anything = isTrue | isFalse | isNull
)

// NeverTrue reports whether the condition holds for no row at all, as with
// `x = NULL` or `false`. It looks at literals and logic alone: false means that
// nothing is known.
func (e *Expr) NeverTrue() bool {
	return e.values()&isTrue == 0
}

// AlwaysNull reports whether the condition is NULL for every row. A CHECK takes
// that as kept.
func (e *Expr) AlwaysNull() bool {
	return e.values() == isNull
}

// possible works out the values that a condition can have.
func possible(n *pg.Node) truth {
	switch x := n.GetNode().(type) {
	case *pg.Node_AConst:
		return constant(x.AConst)
	case *pg.Node_TypeCast:
		if isNullLiteral(x.TypeCast.Arg) {
			return isNull
		}
	case *pg.Node_AExpr:
		if comparesWithNull(x.AExpr) {
			return isNull
		}
		return compareLiterals(x.AExpr)
	case *pg.Node_BoolExpr:
		return combine(x.BoolExpr)
	case *pg.Node_NullTest:
		return nullTest(x.NullTest)
	}
	return anything
}

func constant(c *pg.A_Const) truth {
	switch {
	case c.Isnull:
		return isNull
	case c.GetBoolval() == nil:
		return anything
	case c.GetBoolval().Boolval:
		return isTrue
	}
	return isFalse
}

func nullTest(t *pg.NullTest) truth {
	if possible(t.Arg) != isNull {
		return anything
	}
	if t.Nulltesttype == pg.NullTestType_IS_NULL {
		return isTrue
	}
	return isFalse
}

// combine works out AND, OR and NOT by trying the possible values of the parts.
func combine(b *pg.BoolExpr) truth {
	if b.Boolop == pg.BoolExprType_NOT_EXPR {
		return negate(possible(b.Args[0]))
	}
	// OR is AND turned inside out: a OR b = NOT (NOT a AND NOT b).
	either := b.Boolop == pg.BoolExprType_OR_EXPR
	result := isTrue
	for _, arg := range b.Args {
		v := possible(arg)
		if either {
			v = negate(v)
		}
		result = and(result, v)
	}
	if either {
		return negate(result)
	}
	return result
}

func negate(v truth) truth {
	out := v & isNull
	if v&isTrue != 0 {
		out |= isFalse
	}
	if v&isFalse != 0 {
		out |= isTrue
	}
	return out
}

// and gives the values of a AND b for all pairs of values.
func and(a, b truth) truth {
	var out truth
	if a&isTrue != 0 && b&isTrue != 0 {
		out |= isTrue
	}
	if (a|b)&isFalse != 0 {
		out |= isFalse
	}
	if a&isNull != 0 && b&(isNull|isTrue) != 0 || b&isNull != 0 && a&isTrue != 0 {
		out |= isNull
	}
	return out
}

// compareLiterals decides 1 = 0 and 'a' <> 'a'.
func compareLiterals(e *pg.A_Expr) truth {
	if e.Kind != pg.A_Expr_Kind_AEXPR_OP {
		return anything
	}
	l, r := e.Lexpr.GetAConst(), e.Rexpr.GetAConst()
	var equal bool
	switch {
	case l.GetIval() != nil && r.GetIval() != nil:
		equal = l.GetIval().Ival == r.GetIval().Ival
	case l.GetSval() != nil && r.GetSval() != nil:
		equal = l.GetSval().Sval == r.GetSval().Sval
	default:
		return anything
	}
	switch op := operator(e); {
	case op == "=" && equal, op == "<>" && !equal:
		return isTrue
	case op == "=", op == "<>":
		return isFalse
	}
	return anything
}

// comparesWithNull reports whether one side of a comparison is the word NULL.
// IS DISTINCT FROM NULL is not such a comparison.
func comparesWithNull(e *pg.A_Expr) bool {
	if e.Kind != pg.A_Expr_Kind_AEXPR_OP || !comparisons[operator(e)] {
		return false
	}
	return isNullLiteral(e.Lexpr) || isNullLiteral(e.Rexpr)
}

// comparisons are the operators that give NULL for NULL, for every type.
var comparisons = map[string]bool{"=": true, "<>": true, "<": true, ">": true, "<=": true, ">=": true}

func isNullLiteral(n *pg.Node) bool {
	switch x := n.GetNode().(type) {
	case *pg.Node_AConst:
		return x.AConst.Isnull
	case *pg.Node_TypeCast:
		return isNullLiteral(x.TypeCast.Arg)
	}
	return false
}

// operator is the operator of an expression, without a schema.
func operator(e *pg.A_Expr) string {
	if len(e.Name) == 0 {
		return ""
	}
	return e.Name[len(e.Name)-1].GetString_().GetSval()
}
