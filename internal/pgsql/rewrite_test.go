package pgsql

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	pg "github.com/pganalyze/pg_query_go/v5"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"pgregory.net/rapid"
)

func TestSubstitute(t *testing.T) {
	columns := map[string]*Expr{
		"stock": parse(t, "stock - @qty"),
		"price": parse(t, "@price"),
		"tags":  parse(t, "'{}'"),
		"total": parse(t, "(a + b)"),
		"note":  parse(t, "lower(note) -- folded"),
		"OK":    parse(t, "true"),
	}
	tests := []struct{ text, want string }{
		{"stock >= 0", "(stock - @qty) >= 0"},
		{"stock*2>=-stock", "(stock - @qty)*2>=-(stock - @qty)"},
		{"items.stock >= 0", "(stock - @qty) >= 0"},
		{"price >= 0", "@price >= 0"},
		{"-price >= 0", "- @price >= 0"},
		{"-/**/price >= 0", "- @price >= 0"},
		{"tags[1] = 'x'", "('{}')[1] = 'x'"},
		{"(tags)[1] = 'x'", "('{}')[1] = 'x'"},
		{"total::int = 1", "(a + b)::int = 1"},
		{"NOT\"OK\"and x", "NOT true and x"},
		{"note = NOTE", "(lower(note)) = (lower(note))"},
		{"stock IN (SELECT stock FROM t)", "(stock - @qty) IN (SELECT stock FROM t)"},
		{"'stock' = \"STOCK\"", "'stock' = \"STOCK\""},
		{"extract(epoch FROM stock)", "extract(epoch FROM (stock - @qty))"},
	}
	for _, tt := range tests {
		got := parse(t, tt.text).Substitute(columns)
		if got.SQL() != tt.want {
			t.Errorf("%q:\n got %q\nwant %q", tt.text, got, tt.want)
		}
		if _, err := ParseExpr(got.SQL(), Options{}); err != nil {
			t.Errorf("%q: %q does not parse: %v", tt.text, got, err)
		}
	}
}

func TestSubstituteKeepsFacts(t *testing.T) {
	e := parse(t, "until > start").Substitute(map[string]*Expr{"start": parse(t, "now() + @wait")})
	if got := e.Volatility(); got != Stable {
		t.Errorf("the result is %s", got)
	}
	if args := e.Args(); len(args) != 1 || args[0].Name != "wait" || args[0].Offset != -1 {
		t.Errorf("the arguments are %+v", args)
	}
	if cols := e.Columns(); len(cols) != 1 || cols[0].Name != "until" {
		t.Errorf("the columns are %+v", cols)
	}
}

func TestQualify(t *testing.T) {
	e := parse(t, `seats.status = 'x'AND"Label"<>lower(stock) AND id IN (SELECT id FROM t)`)
	tests := []struct{ got, want string }{
		{e.Qualify("s").SQL(), `s.status = 'x'AND s."Label"<>lower(s.stock) AND s.id IN (SELECT id FROM t)`},
		{e.Qualify(`"A b"`).SQL(), `"A b".status = 'x'AND"A b"."Label"<>lower("A b".stock) AND "A b".id IN (SELECT id FROM t)`},
		{e.Qualify("").SQL(), `status = 'x'AND"Label"<>lower(stock) AND id IN (SELECT id FROM t)`},
		{e.OverRecord("OLD").Qualify("").SQL(), `status = 'x'AND"Label"<>lower(stock) AND id IN (SELECT id FROM t)`},
		{e.OverRecord("NEW").SQL(), `NEW.status = 'x'AND NEW."Label"<>lower(NEW.stock) AND NEW.id IN (SELECT id FROM t)`},
	}
	for _, tt := range tests {
		// Blanks around names that were tight are allowed, tokens are not changed.
		if a, b := tokens(t, tt.got), tokens(t, tt.want); !slices.Equal(a, b) {
			t.Errorf("\n got %q\nwant %q", tt.got, tt.want)
		}
	}
	if q := e.Qualify(`"A b"`).Columns()[0].Qualifier; q != "A b" {
		t.Errorf("the qualifier is %q", q)
	}
	if q := e.Qualify("OLD").Columns()[0].Qualifier; q != "old" {
		t.Errorf("the qualifier is %q", q)
	}
}

// tokens are the tokens of a text, as the scanner sees them.
func tokens(t *testing.T, text string) []string {
	t.Helper()
	pieces, err := scan(text)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	var out []string
	for _, p := range pieces {
		out = append(out, p.text)
	}
	return out
}

func TestRenameArgs(t *testing.T) {
	e := parse(t, "a>(@x)and @y = @x").RenameArgs(func(name string) string { return "move_" + name })
	if want := "a>(@move_x)and @move_y = @move_x"; e.SQL() != want {
		t.Errorf("got %q, want %q", e, want)
	}
}

func TestComposition(t *testing.T) {
	or, plain := parse(t, "a OR b"), parse(t, "c")
	tests := []struct{ got, want string }{
		{And().SQL(), "true"},
		{And(or).SQL(), "a OR b"},
		{And(or, plain, parse(t, "(d)")).SQL(), "(a OR b) AND c AND (d)"},
		{Not(or).SQL(), "NOT (a OR b)"},
		{Not(plain).SQL(), "NOT c"},
		{IsNotFalse(or).SQL(), "(a OR b) IS NOT FALSE"},
		{IsNotFalse(plain).SQL(), "c IS NOT FALSE"},
		{Not(IsNotFalse(And(or, plain))).SQL(), "NOT (((a OR b) AND c) IS NOT FALSE)"},
		{And(parse(t, "(a) AND (b)"), plain).SQL(), "((a) AND (b)) AND c"},
		{or.SQL(), "a OR b"},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}

func TestConjuncts(t *testing.T) {
	tests := []struct {
		text string
		want []string
	}{
		{"a", []string{"a"}},
		{"a AND b AND c", []string{"a", "b", "c"}},
		{"(a AND (b AND c))", []string{"a", "b", "c"}},
		{"a AND b OR c", []string{"a AND b OR c"}},
		{"a AND (b OR c)", []string{"a", "b OR c"}},
		{"(a) AND (b)", []string{"a", "b"}},
		{"NOT a AND NOT (b AND c)", []string{"NOT a", "NOT (b AND c)"}},
		{"x BETWEEN 1 AND 2 AND y NOT BETWEEN SYMMETRIC 3 AND 4", []string{"x BETWEEN 1 AND 2", "y NOT BETWEEN SYMMETRIC 3 AND 4"}},
		{"CASE WHEN a AND b THEN c ELSE d END AND e", []string{"CASE WHEN a AND b THEN c ELSE d END", "e"}},
		{"CASE WHEN a THEN b END BETWEEN 1 AND 2 AND c", []string{"CASE WHEN a THEN b END BETWEEN 1 AND 2", "c"}},
		{"f(a AND b) AND (ARRAY[c AND d])[1]", []string{"f(a AND b)", "(ARRAY[c AND d])[1]"}},
		{"between = 1 AND b", []string{"between = 1", "b"}},
		{"\"and\" AND \"or\"", []string{"\"and\"", "\"or\""}},
		{"(SELECT a AND b) AND c", []string{"(SELECT a AND b)", "c"}},
		{"((SELECT a AND b))", []string{"((SELECT a AND b))"}},
		{"((SELECT a AND b) AND c)", []string{"(SELECT a AND b)", "c"}},
		{"(a AND b, c)", []string{"(a AND b, c)"}},
		{"EXISTS (SELECT a AND b) AND c IN (1, 2)", []string{"EXISTS (SELECT a AND b)", "c IN (1, 2)"}},
	}
	for _, tt := range tests {
		e, err := ParseExpr(tt.text, Options{})
		if err != nil {
			t.Errorf("%q: %v", tt.text, err)
			continue
		}
		var got []string
		for _, c := range e.Conjuncts() {
			got = append(got, c.SQL())
			if !strings.HasPrefix(tt.text[c.Offset():], c.SQL()) {
				t.Errorf("%q: %q does not stand at %d", tt.text, c, c.Offset())
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%q: got %q, want %q", tt.text, got, tt.want)
		}
	}
}

// expressions generates well-formed texts over the columns a, b, c and the
// arguments @x, @y, with and without blanks and parentheses.
func expressions() *rapid.Generator[string] {
	leaf := rapid.SampledFrom([]string{
		"a", "b", "c", "t.a", `"b"`, "@x", "@y", "1", "2.5", "'s'", "NULL", "true", "now()", "(a)",
	})
	return rapid.Custom(func(t *rapid.T) string { return expression(t, leaf, rapid.IntRange(0, 4).Draw(t, "depth")) })
}

func expression(t *rapid.T, leaf *rapid.Generator[string], depth int) string {
	if depth == 0 {
		return leaf.Draw(t, "leaf")
	}
	form := rapid.SampledFrom([]string{
		"(%s + %s)", "(%s-%s) * 2", "(%s) = (%s)", "(%s = %s) IS NOT FALSE", "((%s) AND (%s))", "(%s OR %s)",
		"f(%s,%s)", "(%s)::int[] || %s", "CASE WHEN (%s) THEN %s END", "(%s) BETWEEN (%s) AND 3", "-(%s)||(%s)",
		"((%s) COLLATE \"C\")<>(%s)", "(%s)[1] = (%s)", "ARRAY[%s,%s]", "NOT (%s)and (%s)", "(%s) IN (%s, 4)",
		"(%s AT TIME ZONE %s)", "-/**/%s + %s", "coalesce(%s, %s)", "(%s IS NULL)::text LIKE (%s)",
	}).Draw(t, "form")
	return fmt.Sprintf(form, expression(t, leaf, depth-1), expression(t, leaf, depth-1))
}

// Substitution on the text must be the same as substitution on the parse tree.
func TestSubstituteIsSubstitutionOnTrees(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		e, err := ParseExpr(expressions().Draw(rt, "expression"), Options{})
		if err != nil {
			rt.Skip(err.Error())
		}
		by, err := ParseExpr(expressions().Draw(rt, "replacement"), Options{})
		if err != nil {
			rt.Skip(err.Error())
		}
		got := e.Substitute(map[string]*Expr{"a": by})
		want := tree(rt, e.SQL())
		substituteInTree(want, tree(rt, by.SQL()))
		if !proto.Equal(normal(tree(rt, got.SQL())), normal(want)) {
			rt.Fatalf("%s with a := %s gave %s", e, by, got)
		}
		// Compositions keep their parts whole, too.
		both := And(Not(e), IsNotFalse(by))
		conj := tree(rt, both.SQL()).GetBoolExpr()
		if conj == nil || len(conj.Args) != 2 {
			rt.Fatalf("%s is no conjunction of two", both)
		}
		if inner := conj.Args[0].GetBoolExpr().GetArgs()[0]; !proto.Equal(normal(inner), normal(tree(rt, e.SQL()))) {
			rt.Fatalf("NOT took a part of %s in %s", e, both)
		}
		if inner := conj.Args[1].GetBooleanTest().GetArg(); !proto.Equal(normal(inner), normal(tree(rt, by.SQL()))) {
			rt.Fatalf("IS NOT FALSE took a part of %s in %s", by, both)
		}
	})
}

// Casting arguments must not change what they are operands of.
func TestWithParamsKeepsTheTree(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		e, err := ParseExpr(expressions().Draw(rt, "expression"), Options{})
		if err != nil {
			rt.Skip(err.Error())
		}
		sql := e.WithParams(func(name string) (int, string) { return len(name), "int" })
		want := tree(rt, strings.NewReplacer("@x", "($1::int)", "@y", "($1::int)").Replace(e.SQL()))
		if !proto.Equal(normal(tree(rt, sql)), normal(want)) {
			rt.Fatalf("%s became %s", e, sql)
		}
	})
}

// tree parses an expression of the test, with columns in place of arguments.
func tree(t *rapid.T, text string) *pg.Node {
	result, err := pg.Parse("SELECT (" + strings.NewReplacer("@x", " \"@x\"", "@y", " \"@y\"").Replace(text) + ")")
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return result.Stmts[0].Stmt.GetSelectStmt().TargetList[0].GetResTarget().Val
}

func substituteInTree(n, by *pg.Node) {
	each(n.ProtoReflect(), func(m protoreflect.Message) bool {
		node, ok := m.Interface().(*pg.Node)
		if !ok {
			return true
		}
		ref := node.GetColumnRef()
		if ref == nil {
			return true
		}
		if fields := ref.Fields; fields[len(fields)-1].GetString_().GetSval() == "a" {
			node.Node = proto.Clone(by).(*pg.Node).Node
		}
		return false
	})
}

// each visits a message and all below it, as long as f returns true.
func each(m protoreflect.Message, f func(protoreflect.Message) bool) {
	if !f(m) {
		return
	}
	m.Range(func(field protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case field.Kind() != protoreflect.MessageKind:
		case field.IsList():
			for i := range v.List().Len() {
				each(v.List().Get(i).Message(), f)
			}
		default:
			each(v.Message(), f)
		}
		return true
	})
}

// normal removes what the parser does not keep the same: locations, the nesting
// of ANDs and ORs in one another, and a minus before a number, which it makes a
// part of the number.
func normal(n *pg.Node) *pg.Node {
	n = proto.Clone(n).(*pg.Node)
	foldMinus(n)
	each(n.ProtoReflect(), func(m protoreflect.Message) bool {
		if f := m.Descriptor().Fields().ByName("location"); f != nil {
			m.Clear(f)
		}
		if b, ok := m.Interface().(*pg.BoolExpr); ok {
			b.Args = flatten(b)
		}
		return true
	})
	return n
}

// foldMinus is doNegate of PostgreSQL's grammar, for a whole tree.
func foldMinus(n *pg.Node) {
	each(n.ProtoReflect(), func(m protoreflect.Message) bool {
		node, ok := m.Interface().(*pg.Node)
		if !ok {
			return true
		}
		minus := node.GetAExpr()
		if minus == nil || minus.Lexpr != nil || minus.Name[0].GetString_().GetSval() != "-" {
			return true
		}
		foldMinus(minus.Rexpr)
		switch v := minus.Rexpr.GetAConst().GetVal().(type) {
		case *pg.A_Const_Ival:
			v.Ival.Ival = -v.Ival.Ival
		case *pg.A_Const_Fval:
			if positive, negative := strings.CutPrefix(v.Fval.Fval, "-"); negative {
				v.Fval.Fval = positive
			} else {
				v.Fval.Fval = "-" + v.Fval.Fval
			}
		default:
			return false
		}
		node.Node = minus.Rexpr.Node
		return false
	})
}

func flatten(b *pg.BoolExpr) []*pg.Node {
	if b.Boolop == pg.BoolExprType_NOT_EXPR {
		return b.Args
	}
	var args []*pg.Node
	for _, a := range b.Args {
		if inner := a.GetBoolExpr(); inner != nil && inner.Boolop == b.Boolop {
			args = append(args, flatten(inner)...)
		} else {
			args = append(args, a)
		}
	}
	return args
}
