package dsl

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"

	"github.com/pawldb/pawl/internal/diag"
)

// typeValue is a type as a value of an expression.
type typeValue struct {
	Type
	serial bool // serial is a type and a default in one word
}

// typeCapsule makes types values. Two are equal when PostgreSQL prints them the
// same; where they were written does not matter.
var typeCapsule = cty.CapsuleWithOps("type", reflect.TypeFor[typeValue](), &cty.CapsuleOps{
	TypeGoString: func(reflect.Type) string { return "type" },
	GoString:     func(v any) string { return spell(v.(*typeValue).Type) },
	Equals: func(a, b any) cty.Value {
		return cty.BoolVal(spell(a.(*typeValue).Type) == spell(b.(*typeValue).Type))
	},
	RawEquals: func(a, b any) bool {
		return spell(a.(*typeValue).Type) == spell(b.(*typeValue).Type)
	},
	HashKey: func(v any) string { return spell(v.(*typeValue).Type) },
})

func (t typeValue) capsule() cty.Value { return cty.CapsuleVal(typeCapsule, &t) }

// isType reports whether a value is a type.
func isType(v cty.Value) bool { return v.Type().Equals(typeCapsule) && !v.IsNull() }

// spell writes a type so that equal types have equal texts.
func spell(t Type) string {
	switch {
	case t.Elem != nil:
		return "list(" + spell(*t.Elem) + ")"
	case t.Enum != "":
		return "enum." + t.Enum
	case t.Domain != "":
		return "domain." + t.Domain
	case t.Other != "":
		return "type(" + quote(t.Other) + ")"
	case len(t.Mods) == 0:
		return t.Name
	}
	return t.Name + fmt.Sprint(t.Mods)
}

// baseTypes are the types by the names that a project uses. Each has
// PostgreSQL's internal name, and often the SQL standard's as well.
var baseTypes = makeBaseTypes()

func makeBaseTypes() map[string]typeValue {
	names := map[string]string{
		"bigint": "int8", "integer": "int4", "int": "int4", "smallint": "int2",
		"real": "float4", "double_precision": "float8", "numeric": "numeric", "decimal": "numeric",
		"boolean": "bool", "char": "bpchar", "varchar": "varchar",
	}
	for _, same := range []string{
		"int2", "int4", "int8", "float4", "float8", "bool", "text", "bpchar", "bytea", "uuid", "json", "jsonb", "xml", "money",
		"date", "time", "timetz", "timestamp", "timestamptz", "interval", "bit", "varbit", "oid", "name", "pg_lsn",
		"inet", "cidr", "macaddr", "macaddr8", "point", "line", "lseg", "box", "path", "polygon", "circle",
		"tsvector", "tsquery", "jsonpath", "xid8",
		"int4range", "int8range", "numrange", "tsrange", "tstzrange", "daterange",
		"int4multirange", "int8multirange", "nummultirange", "tsmultirange", "tstzmultirange", "datemultirange",
	} {
		names[same] = same
	}
	types := make(map[string]typeValue, len(names))
	for name, internal := range names {
		types[name] = typeValue{Type: Type{Name: internal}}
	}
	types["char"] = typeValue{Type: Type{Name: "bpchar", Mods: []int{1}}}
	types["bit"] = typeValue{Type: Type{Name: "bit", Mods: []int{1}}}
	for name, internal := range map[string]string{"serial": "int4", "bigserial": "int8", "smallserial": "int2"} {
		types[name] = typeValue{Type: Type{Name: internal}, serial: true}
	}
	return types
}

// modifier bounds one number in the parentheses of a type.
type modifier struct {
	name     string
	min, max int64
}

// typeModifiers are the types that take numbers.
var typeModifiers = map[string][]modifier{
	"numeric":     {{"precision", 1, 1000}, {"scale", -1000, 1000}},
	"decimal":     {{"precision", 1, 1000}, {"scale", -1000, 1000}},
	"varchar":     {{"length", 1, 10485760}},
	"char":        {{"length", 1, 10485760}},
	"bpchar":      {{"length", 1, 10485760}},
	"bit":         {{"length", 1, 83886080}},
	"varbit":      {{"length", 1, 83886080}},
	"time":        {{"precision", 0, 6}},
	"timetz":      {{"precision", 0, 6}},
	"timestamp":   {{"precision", 0, 6}},
	"timestamptz": {{"precision", 0, 6}},
	"interval":    {{"precision", 0, 6}},
}

// typeFunctions are the functions that make types.
func typeFunctions() map[string]function.Function {
	fs := map[string]function.Function{"list": listFunction(), "type": otherTypeFunction()}
	for name, mods := range typeModifiers {
		fs[name] = modifiedType(baseTypes[name].Name, mods)
	}
	return fs
}

// modifiedType makes numeric(12, 2). Of several modifiers the first is needed.
func modifiedType(internal string, mods []modifier) function.Function {
	spec := function.Spec{
		Params: []function.Parameter{{Name: mods[0].name, Type: cty.Number}},
		Type:   function.StaticReturnType(typeCapsule),
	}
	if len(mods) > 1 {
		spec.VarParam = &function.Parameter{Name: mods[1].name, Type: cty.Number}
	}
	spec.Impl = func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		if len(args) > len(mods) {
			return cty.NilVal, function.NewArgErrorf(len(mods), "%s takes at most %d numbers", internal, len(mods))
		}
		t := Type{Name: internal}
		for i, arg := range args {
			n, exact := wholeNumber(arg)
			if !exact || n < mods[i].min || n > mods[i].max {
				return cty.NilVal, function.NewArgErrorf(i, "a whole number from %d to %d", mods[i].min, mods[i].max)
			}
			t.Mods = append(t.Mods, int(n))
		}
		if internal == "numeric" && len(t.Mods) == 1 {
			t.Mods = append(t.Mods, 0) // PostgreSQL prints numeric(12) so
		}
		return typeValue{Type: t}.capsule(), nil
	}
	return function.New(&spec)
}

// listFunction makes list(text), an array.
func listFunction() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "element", Type: typeCapsule}},
		Type:   function.StaticReturnType(typeCapsule),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			elem := args[0].EncapsulatedValue().(*typeValue)
			if elem.serial {
				return cty.NilVal, function.NewArgErrorf(0, "serial makes a column's default; a list has elements of type integer or bigint")
			}
			if elem.Elem != nil {
				return cty.NilVal, function.NewArgErrorf(0, "PostgreSQL's arrays have no lists in them: list(text) takes any number of dimensions")
			}
			t := elem.Type
			return typeValue{Type: Type{Elem: &t}}.capsule(), nil
		},
	})
}

// otherTypeFunction makes type("ltree"), a type that pawl does not know.
func otherTypeFunction() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "name", Type: cty.String}},
		Type:   function.StaticReturnType(typeCapsule),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			name := args[0].AsString()
			if !isTypeName(name) {
				return cty.NilVal, function.NewArgErrorf(0, "the name of a type, such as ltree, public.citext or geometry(Point, 4326)")
			}
			return typeValue{Type: Type{Other: name}}.capsule(), nil
		},
	})
}

// isTypeName reports whether a text is one type name as SQL writes it: words
// with a schema before them and modifiers behind, and nothing that could end
// the name, since it goes into statements as it is.
func isTypeName(s string) bool {
	name, mods := s, ""
	for i, r := range s {
		if r == '(' {
			name, mods = s[:i], s[i:]
			break
		}
	}
	return isWords(name, "_$.", true) && (mods == "" ||
		len(mods) > 2 && mods[len(mods)-1] == ')' && isWords(mods[1:len(mods)-1], "_, -", false))
}

// isWords reports whether a text consists of letters, digits and the given
// signs. A name starts with a letter.
func isWords(s, signs string, name bool) bool {
	for i, r := range s {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_'
		digit := r >= '0' && r <= '9'
		if i == 0 && name && !letter {
			return false
		}
		if !letter && !digit && !slices.Contains([]rune(signs), r) {
			return false
		}
	}
	return s != ""
}

// unknownType reports a name that is no type.
func unknownType(name string, at hcl.Range) diag.Diagnostic {
	d := diag.Diagnostic{
		Code:    diag.UnknownType,
		Detail:  "There is no type " + quote(name) + ".",
		Subject: at,
		Help: didYouMean(name, slices.Sorted(maps.Keys(baseTypes)),
			"a type of an extension is written type("+quote(name)+"), an enum enum."+name+", a domain domain."+name),
	}
	if better, ok := variableTypes[name]; ok {
		d.Detail = quote(name) + " is a variable's type; a column has a type of PostgreSQL."
		d.Help = "write " + better
	}
	return d
}

// variableTypes are the types of variables, with the column types that people
// mean by them.
var variableTypes = map[string]string{
	"string": "text", "number": "bigint, numeric(12, 2) or double_precision",
	"map": "jsonb", "object": "jsonb", "set": "list(text)", "any": "jsonb",
}

// discouraged are types with a trap, each with a better one.
var discouraged = map[string]struct{ why, better string }{
	"money":     {"What it prints depends on a setting of the server, and so does what it reads.", "numeric(14, 2)"},
	"bpchar":    {"It pads with spaces, which comparisons then ignore and LIKE does not.", "text, with a check on its length"},
	"timetz":    {"An offset without a date cannot follow daylight saving time.", "timestamptz, or time"},
	"timestamp": {"It forgets the time zone: one value means another moment in every session.", "timestamptz"},
	"json":      {"It has no equality, so that no key, no DISTINCT and no comparison works.", "jsonb"},
}

// warnOfType tells of a type with a trap, unless the block allows it.
func (b *body) warnOfType(t typeValue) {
	base := t.Type
	if base.Elem != nil {
		base = *base.Elem
	}
	trap, bad := discouraged[base.Name]
	name := base.Name
	if t.serial {
		bad, name = true, "serial"
		trap.why = "Its sequence has grants of its own, and an insert with a number does not move it."
		trap.better = cmp.Or(map[string]string{"int8": "bigint", "int2": "smallint"}[base.Name], "integer") + ", with identity = \"always\""
	}
	if others := b.schema == &dataColumnSchema; !bad || others || b.allows(diag.DiscouragedType) {
		return
	}
	b.p.report(diag.Diagnostic{
		Severity:    diag.Warning,
		Code:        diag.DiscouragedType,
		Detail:      "The type " + quote(displayType(name)) + " has a trap.",
		Subject:     t.Range,
		Consequence: trap.why,
		Help:        "write type = " + trap.better,
	})
}

// displayType is the name of an internal type that a project uses.
func displayType(internal string) string {
	if internal == "bpchar" {
		return "char"
	}
	return internal
}

// wholeNumber returns a number that fits an int64, and whether it is whole.
func wholeNumber(v cty.Value) (int64, bool) {
	f := v.AsBigFloat()
	if !f.IsInt() {
		return 0, false
	}
	n, accuracy := f.Int64()
	return n, accuracy == 0
}

// numberText writes a number without an exponent, as SQL takes it.
func numberText(v cty.Value) string { return v.AsBigFloat().Text('f', -1) }

// intText is a number in a message.
func intText(n int64) string { return strconv.FormatInt(n, 10) }
