package dsl

import (
	"strings"
	"testing"

	"github.com/pawldb/pawl/internal/diag"
)

// TestShapes: each type takes its values, from a default as from outside.
func TestShapes(t *testing.T) {
	const declared = `
variable "names" {
  type    = list(string)
  default = ["a", "b"]
}
variable "sizes" {
  type    = map(number)
  default = { x = 1 }
}
variable "kinds" {
  type    = set(string)
  default = ["b", "a", "b"]
}
variable "shop" {
  type    = object({ name = string, floors = optional(number), tags = list(string) })
  default = { name = "corner", tags = [] }
}
variable "kept" {
  type    = type
  default = numeric(12, 2)
}
variable "owner" {
  type    = table
  default = table.users
}
variable "owners" {
  type    = list(table)
  default = [table.users, table.t]
}
variable "room" {
  type = object({
    name  = string
    size  = optional(number, 4)
    kind  = optional(type, bigint)
    place = optional(object({ floor = optional(number, 1), wing = optional(string) }), {})
  })
  default = { name = "red" }
}
variable "nothing" {
  type    = string
  default = null
}
variable "untyped" { default = ["x"] }
table "users" {
  column "id" { type = bigint }
}
`
	for expr, test := range map[string]struct {
		want string
		vars map[string]string
	}{
		`join(",", var.names)`:     {"a,b", nil},
		`join(".", var.names)`:     {"q.r", map[string]string{"names": `["q", "r"]`}},
		`tostring(var.sizes["x"])`: {"1", nil},
		`tostring(var.sizes["y"])`: {"-2", map[string]string{"sizes": `{ y = -2 }`}},
		`join(",", var.kinds)`:     {"a,b", nil},
		`"${var.room.size} ${var.room.kind == bigint} ${var.room.place.floor} ${var.room.place.wing == null}"`: {"4 true 1 true", nil},
		`"${var.room.size} ${var.room.place.floor} ${var.room.place.wing}"`: {
			"4 2 east", map[string]string{"room": `{ name = "blue", size = null, place = { floor = 2, wing = "east" } }`},
		},
		`"${var.shop.name} ${var.shop.floors == null}"`: {"corner true", nil},
		`"${var.shop.name} ${var.shop.floors + 1}"`:     {"mall 3", map[string]string{"shop": `{ name = "mall", floors = 2, tags = ["x"] }`}},
		`var.kept == numeric(12, 2) ? "same" : "other"`: {"same", nil},
		`var.owner.name`: {"users", nil},
		`join(",", [for t in var.owners : t.name])`:           {"users,t", nil},
		`var.nothing == null ? "null" : "something"`:          {"null", nil},
		`"${var.untyped[0]}"`:                                 {"x", nil},
		`coalesce(var.nothing, "otherwise")`:                  {"otherwise", nil},
		`"${var.sizes.x}${length(var.names)}${var.names[1]}"`: {"12b", nil},
	} {
		if got := evaluatedText(t, expr, declared, Options{Vars: test.vars}); got != test.want {
			t.Errorf("%s: got %q, want %q", expr, got, test.want)
		}
	}
}

// environment makes a lookup of a map.
func environment(values map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		v, ok := values[name]
		return v, ok
	}
}

// TestPrecedence: the environment, then files in their order, then --var.
func TestPrecedence(t *testing.T) {
	const declared = "variable \"a\" { default = \"default\" }\nvariable \"n\" {\n  type    = number\n  default = 0\n}\n"
	env := environment(map[string]string{"PAWL_VAR_a": "env", "PAWL_VAR_unknown": "x", "PAWL_VAR_n": "1", "a": "bare"})
	first := VarFile{Name: "1.vars", Source: []byte("a = \"first\"\n")}
	second := VarFile{Name: "2.vars", Source: []byte("a = \"second\"\nn = 3\n")}
	for _, test := range []struct {
		o    Options
		want string
	}{
		{Options{}, "default 0"},
		{Options{Env: env}, "env 1"},
		{Options{Env: env, VarFiles: []VarFile{first}}, "first 1"},
		{Options{Env: env, VarFiles: []VarFile{first, second}}, "second 3"},
		{Options{Env: env, VarFiles: []VarFile{second, first}}, "first 3"},
		{Options{Env: env, VarFiles: []VarFile{first, second}, Vars: map[string]string{"a": "flag"}}, "flag 3"},
	} {
		if got := evaluatedText(t, `"${var.a} ${var.n}"`, declared, test.o); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

func TestWrongValuesFromOutside(t *testing.T) {
	const declared = `
variable "n" {
  type    = number
  default = 1
  validation {
    condition     = var.n < 10
    error_message = "${var.n} is too many."
  }
}
variable "names" {
  type    = list(string)
  default = []
}
variable "of" {
  type    = table
  default = table.t
}
table "t" {
  column "id" { type = bigint }
  comment = "${var.n} ${join(",", var.names)} ${var.of.name}"
}
`
	file := func(text string) Options { return Options{VarFiles: []VarFile{{Name: "x.vars", Source: []byte(text)}}} }
	for _, test := range []struct {
		name string
		o    Options
		code diag.Code
		text string
	}{
		{"flag", Options{Vars: map[string]string{"n": "11"}}, diag.InvalidVariable, "11 is too many."},
		{"environment", Options{Env: environment(map[string]string{"PAWL_VAR_n": "12"})}, diag.InvalidVariable, "12 is too many."},
		{"file", file("n = 13\n"), diag.InvalidVariable, "13 is too many."},
		{"file's type", file("n = \"13\"\n"), diag.WrongType, "must be a number, and it is a text"},
		{"file's name", file("nam = 1\n"), diag.UnknownVariable, "write one of n, names or of"},
		{"file's expression", file("n = var.n\n"), diag.NotConstant, "no names, no functions"},
		{"file's block", file("n {}\n"), diag.UnknownBlock, "write NAME = VALUE"},
		{"file's syntax", file("n = \n"), diag.Syntax, ""},
		{"deep file", file("n = " + strings.Repeat("[", 100000) + "\n"), diag.TooLarge, "nested too deep"},
		{"list", Options{Vars: map[string]string{"names": "a,b"}}, diag.WrongType, `--var names='["a", "b"]'`},
		{"list of others", Options{Env: environment(map[string]string{"PAWL_VAR_names": "[1]"})}, diag.WrongType, `PAWL_VAR_names=[1] must be a list(string).`},
		{"deep list", Options{Vars: map[string]string{"names": strings.Repeat("[", 100000)}}, diag.WrongType, "must be a list(string)"},
		{"table", Options{Vars: map[string]string{"of": "t"}}, diag.WrongType, "cannot name a table"},
	} {
		t.Run(test.name, func(t *testing.T) { requireOne(t, refused(t, declared, test.o), test.code, test.text) })
	}
}
