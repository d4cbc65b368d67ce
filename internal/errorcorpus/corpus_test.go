package errorcorpus

import (
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"

	"github.com/pawldb/pawl/internal/diag"
)

func at(line int, d diag.Diagnostic) diag.Diagnostic {
	d.Subject = hcl.Range{Filename: "a.hcl", Start: hcl.Pos{Line: line, Column: 1}}
	return d
}

const file = `one # ERROR cycle "needs \"b\""
two
three # ERROR(-1) unknown-type "bigint" WARNING discouraged-type ` + "`trap`" + `
# ERROR(nowhere) missing-block "pawl"
`

func found() diag.List {
	return diag.List{
		at(1, diag.Diagnostic{Code: diag.Cycle, Detail: `a needs "b"`}),
		at(2, diag.Diagnostic{Code: diag.UnknownType, Help: "did you mean bigint?"}),
		at(3, diag.Diagnostic{Code: diag.DiscouragedType, Severity: diag.Warning}),
		{Code: diag.MissingBlock, Detail: "no pawl block"},
	}
}

func TestCompare(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(diag.List) diag.List
		want   string // in the first problem; empty for none
	}{
		{"as expected", func(l diag.List) diag.List { return l }, ""},
		{"missing", func(l diag.List) diag.List { return l[1:] }, "missing in line 1: error[cycle]"},
		{"extra", func(l diag.List) diag.List { return append(l, l[0]) }, "unexpected at a.hcl:1:1"},
		{"other line", func(l diag.List) diag.List { l[0].Subject.Start.Line = 9; return l }, "unexpected at a.hcl:9:1"},
		{"other file", func(l diag.List) diag.List { l[0].Subject.Filename = "b.hcl"; return l }, "unexpected at b.hcl:1:1"},
		{"other code", func(l diag.List) diag.List { l[0].Code = diag.TooLarge; return l }, "unexpected at a.hcl:1:1: error[too-large]"},
		{"other severity", func(l diag.List) diag.List { l[2].Severity = diag.Error; return l }, "unexpected at a.hcl:3:1: error"},
		{"other text", func(l diag.List) diag.List { l[1].Help = "no idea"; return l }, "unexpected at a.hcl:2:1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			want, err := parseExpectations(file)
			if err != nil {
				t.Fatal(err)
			}
			problems := compare(want, test.change(found()), "a.hcl")
			if test.want == "" && len(problems) > 0 || test.want != "" && (len(problems) == 0 || !strings.Contains(problems[0], test.want)) {
				t.Errorf("want %q, got %q", test.want, problems)
			}
		})
	}
}

func TestMalformedExpectations(t *testing.T) {
	for _, line := range []string{
		`x # ERROR`, `x # ERROR cycle`, `x # ERROR cycle "`, `x # ERROR cycle "("`, `x # ERROR(up) cycle "x"`,
		`x # ERROR cycle "x" ERROR`,
	} {
		if _, err := parseExpectations(line); err == nil {
			t.Errorf("%s: no error", line)
		}
	}
}

func TestProjectGetsAPawlBlock(t *testing.T) {
	for src, want := range map[string]bool{
		"locals {}\n":                       true,
		"pawl {}\n":                         false,
		"# no pawl block\nlocals {}\n":      false,
		"locals {\n  pawl = 1\n}\n# pawl\n": true,
	} {
		_, err := project("a.hcl", []byte(src)).Open("zz_pawl.hcl")
		if got := err == nil; got != want {
			t.Errorf("%q: a second file %v, want %v", src, got, want)
		}
	}
}
