package pgsql_test

import (
	"testing"

	"github.com/pawldb/pawl/internal/pgsql"
)

func TestNullFrom(t *testing.T) {
	for sql, want := range map[string]string{
		"a":                                     "a",
		"b":                                     "",
		`"A b"`:                                 "A b",
		"t.a":                                   "a",
		"lower(a)":                              "a",
		"b || lower(a)":                         "a",
		"a + @n":                                "a",
		"-a":                                    "a",
		"b + @n":                                "",
		"a::text":                               "a",
		"coalesce(a, '')":                       "",
		"coalesce(a::text, ''::text)":           "",
		"coalesce(a, c)":                        "a",
		"coalesce(a, b)":                        "",
		"coalesce(a, NULL)":                     "a",
		"lower(coalesce(a, c))":                 "a",
		"coalesce(a, 0) + c":                    "c",
		"greatest(a, 0)":                        "",
		"a IS NULL":                             "",
		"a IS NOT DISTINCT FROM 1":              "",
		"nullif(b, c)":                          "c",
		"CASE WHEN a IS NULL THEN 1 ELSE 2 END": "",
		"CASE WHEN b > 0 THEN a ELSE 2 END":     "a",
		"CASE WHEN a > 0 THEN 1 END":            "a",
		"ARRAY[a, b]":                           "",
		"a[1]":                                  "a",
	} {
		e, err := pgsql.ParseExpr(sql, pgsql.Options{})
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		got := e.NullFrom(func(name string) bool { return name == "a" || name == "c" || name == "A b" })
		if got != want {
			t.Errorf("%s: %q, want %q", sql, got, want)
		}
	}
}
