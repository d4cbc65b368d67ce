package dsl

import (
	"maps"
	"slices"
	"testing"
)

// typeOfColumn loads a table with one column of a type.
func typeOfColumn(t *testing.T, expr string) Type {
	t.Helper()
	spec, list := Load(files("main.hcl", "enum \"e\" { values = [\"a\"] }\ntable \"t\" {\n  column \"c\" { type = "+expr+" }\n}\n"), Options{})
	if list.HasErrors() {
		requireNone(t, spec, list)
	}
	return spec.Tables[0].Columns[0].Type
}

func TestTypes(t *testing.T) {
	for expr, want := range map[string]Type{
		"bigint": {Name: "int8"}, "int8": {Name: "int8"}, "integer": {Name: "int4"}, "int": {Name: "int4"}, "smallint": {Name: "int2"},
		"real": {Name: "float4"}, "double_precision": {Name: "float8"}, "boolean": {Name: "bool"}, "bool": {Name: "bool"},
		"text": {Name: "text"}, "varchar": {Name: "varchar"}, "varchar(40)": {Name: "varchar", Mods: []int{40}},
		"char": {Name: "bpchar", Mods: []int{1}}, "char(3)": {Name: "bpchar", Mods: []int{3}},
		"numeric": {Name: "numeric"}, "decimal(4)": {Name: "numeric", Mods: []int{4, 0}},
		"numeric(12, 2)": {Name: "numeric", Mods: []int{12, 2}}, "numeric(3, -2)": {Name: "numeric", Mods: []int{3, -2}},
		"time(3)": {Name: "time", Mods: []int{3}}, "timestamptz": {Name: "timestamptz"}, "timestamptz(0)": {Name: "timestamptz", Mods: []int{0}},
		"varbit(8)": {Name: "varbit", Mods: []int{8}}, "bit": {Name: "bit", Mods: []int{1}}, "bit(4)": {Name: "bit", Mods: []int{4}},
		"uuid": {Name: "uuid"}, "jsonb": {Name: "jsonb"}, "tstzrange": {Name: "tstzrange"}, "daterange": {Name: "daterange"},
		"int4range": {Name: "int4range"}, "datemultirange": {Name: "datemultirange"}, "path": {Name: "path"},
		"list(text)": {Elem: &Type{Name: "text"}}, "list(numeric(4, 1))": {Elem: &Type{Name: "numeric", Mods: []int{4, 1}}},
		"list(enum.e)": {Elem: &Type{Enum: "e"}}, "enum.e": {Enum: "e"}, `enum["e"]`: {Enum: "e"},
		`type("ltree")`: {Other: "ltree"}, `type("public.geometry(Point, 4326)")`: {Other: "public.geometry(Point, 4326)"},
		`list(type("citext"))`: {Elem: &Type{Other: "citext"}},
		"(bigint)":             {Name: "int8"}, "true ? text : bigint": {Name: "text"},
	} {
		requireSame(t, typeOfColumn(t, expr), want)
	}
}

// TestEveryTypeNameWorks: each name of the table of types is a type, and no
// modifier belongs to a type that is not there.
func TestEveryTypeNameWorks(t *testing.T) {
	for name, want := range baseTypes {
		if got := typeOfColumn(t, name); got.Name != want.Name {
			t.Errorf("%s: got %q, want %q", name, got.Name, want.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(typeModifiers)) {
		if _, ok := baseTypes[name]; !ok {
			t.Errorf("%s has modifiers and is no type", name)
		}
	}
}

// TestSerial: the word makes the column an identity column, unless the column
// says something else.
func TestSerial(t *testing.T) {
	for attrs, want := range map[string]string{
		"type = serial":                            "int4 by default",
		"type = bigserial":                         "int8 by default",
		"type = smallserial":                       "int2 by default",
		"type = serial\n    identity = \"always\"": "int4 always",
		"type = serial\n    default = 1":           "int4 ",
		"type = integer":                           "int4 ",
	} {
		spec, list := Load(files("main.hcl", "table \"t\" {\n  column \"c\" {\n    "+attrs+"\n  }\n}\n"), Options{})
		if list.HasErrors() {
			requireNone(t, spec, list)
		}
		c := spec.Tables[0].Columns[0]
		if got := c.Type.Name + " " + c.Identity.V; got != want {
			t.Errorf("%s: got %q, want %q", attrs, got, want)
		}
	}
}

// TestTypeNamesAreNothingElse: type("…") goes into statements as it is.
func TestTypeNamesAreNothingElse(t *testing.T) {
	for name, want := range map[string]bool{
		"ltree": true, "public.citext": true, "geometry(Point, 4326)": true, "vector(3)": true, "_int4": true, "a1$": true,
		"": false, "1a": false, "a b": false, "a;b": false, "a--": false, "a/*": false, "a'": false, `"a"`: false, "a()": false,
		"a(1": false, "a)1(": false, "a(1)b": false, "a(b(1))": false, "(1)": false, "a(';')": false, "ä": false, "a\nb": false,
	} {
		if got := isTypeName(name); got != want {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
	}
}
