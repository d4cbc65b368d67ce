package dsl

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hashicorp/hcl/v2"

	"github.com/pawldb/pawl/internal/diag"
)

func TestFormat(t *testing.T) {
	for name, c := range map[string]struct{ src, want string }{
		"empty":      {"", ""},
		"blank":      {"\n\n  \n", ""},
		"alignment":  {"pawl{\nproject=\"a\"\n   postgres   =  14\n}", "pawl {\n  project  = \"a\"\n  postgres = 14\n}\n"},
		"one line":   {"enum \"e\" {values=[\"a\",\"b\"]}\n", "enum \"e\" { values = [\"a\", \"b\"] }\n"},
		"types":      {"locals{m=numeric( 12,2 )}\n", "locals { m = numeric(12, 2) }\n"},
		"blank ones": {"\n\na {\n\n\n  x = 1\n\n\n\n  y = 2\n\n}\n\n\n\nb {\n}\n\n", "a {\n  x = 1\n\n  y = 2\n}\n\nb {\n}\n"},
		"comments":   {"# one\n\n\n\n# two\na { # three\n\n  # four\n\n}\n", "# one\n\n# two\na { # three\n\n  # four\n}\n"},
		"returns":    {"a {\r\n  x = 1 # one\r\n\r\n\r\n  y = 2\r\n}\r\n", "a {\n  x = 1 # one\n\n  y = 2\n}\n"},
		"order mark": {"\ufeffa {}\n", "a {}\n"},
		"heredoc":    {"a {\n    x = <<-SQL\n      SELECT\n\n\n        1\n    SQL\n}\n", "a {\n  x = <<-SQL\n      SELECT\n\n\n        1\n    SQL\n}\n"},
		"wrapped":    {"a {\n  columns=[\"${x}\",x]\n}\n", "a {\n  columns = [\"${x}\", x]\n}\n"},
		"list":       {"a {\n  x = [\n\n\"a\",\n\n\n\n\"b\"\n\n]\n}\n", "a {\n  x = [\n\n    \"a\",\n\n    \"b\"\n\n  ]\n}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, list := Format([]byte(c.src), "a.hcl")
			if len(list) > 0 {
				t.Fatalf("refused: %+v", list)
			}
			if diff := cmp.Diff(c.want, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			checkFormatted(t, []byte(c.src))
		})
	}
}

// TestFormatKeepsMeaning looks at the specs of this repository, all of which
// load to the same when they are squeezed first.
func TestFormatKeepsMeaning(t *testing.T) {
	for _, file := range specFiles(t) {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		checkFormatted(t, src)
		checkFormatted(t, bytes.ReplaceAll(src, []byte("  "), []byte(" ")))
		checkFormatted(t, bytes.ReplaceAll(src, []byte("\n"), []byte("\n\n\n")))
	}
}

// TestExamplesAreFormatted: what people copy is as fmt would write it.
func TestExamplesAreFormatted(t *testing.T) {
	for _, pattern := range []string{"../examples/*/*.hcl", "../testdata/cases/*/*.hcl", "../cmd/pawl/internal/cli/scaffold/*.hcl"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s matches nothing", pattern)
		}
		for _, file := range files {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got, _ := Format(src, file); !bytes.Equal(got, src) {
				t.Errorf("%s (-have +formatted):\n%s", file, cmp.Diff(string(src), string(got)))
			}
		}
	}
}

func TestFormatRefusesWhatCannotBeRead(t *testing.T) {
	for _, src := range []string{"a {", "a = = 1\n", "a = \"${\"\n", strings.Repeat("[", 3000)} {
		got, list := Format([]byte(src), "a.hcl")
		if !list.HasErrors() || list[0].Subject.Filename != "a.hcl" {
			t.Errorf("%.20q: got %+v", src, list)
		}
		if string(got) != src {
			t.Errorf("%.20q: changed", src)
		}
	}
}

// FuzzFormat: formatting twice is formatting once, and what loads loads to the
// same afterwards.
func FuzzFormat(f *testing.F) {
	for _, file := range specFiles(f) {
		src, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src)
	}
	for _, src := range append(hardTexts(), uglyTexts()...) {
		f.Add([]byte(src))
	}
	f.Fuzz(func(t *testing.T, src []byte) { checkFormatted(t, src) })
}

// uglyTexts are right, and hard to format.
func uglyTexts() []string {
	return []string{
		"a = 1 /* b */ + /* c\n d */ 2 // e\nbb = 3 # f\n", "a{b=<<E\n${ \"x\" }\nE\n}\n", "a{b=<<-E\n  x\n ${y}z\n  E\nc=1}\n",
		"a = { b = [ {c=1}, ], }\n", "a = [\n1\n,2]\n", "a = - 1\nb=!x\nc = a-b - -c\n", "a = x . y [ 0 ] . *\n", "a = f ( x... )\n",
		"a = [for x in[1]:x if x>1]\n", "a = \"%{ if x }${ y }%{ else }z%{ endif }\"\n", "/*\n\n\n*/\n\n\n\na = 1", "a=1\r\n\r\n\r\nb=<<E\r\nx\r\nE\r\n",
		"a \"b\" c {}\n\n\n\n# d", "a = {\n\n  # b\n\n}\n", "a = (\n1\n\n\n+ 2)\n", "a {\n# b\n}\n", "a = provider::f::g(1)\n", "\t\ta\t=\t1\t#b\t\n",
	}
}

// checkFormatted fails when formatting changes what a text means, or when
// formatting the result changes it again.
func checkFormatted(t *testing.T, src []byte) {
	t.Helper()
	once, list := Format(src, "a.hcl")
	if list.HasErrors() {
		if !bytes.Equal(once, src) {
			t.Errorf("refused and changed: %q", src)
		}
		return
	}
	twice, list := Format(once, "a.hcl")
	if len(list) > 0 || !bytes.Equal(once, twice) {
		t.Errorf("formatting %q gives %q, and then %q %+v", src, once, twice, list)
	}
	before, after := meaningOf(src), meaningOf(once)
	if diff := cmp.Diff(before, after, cmpopts.IgnoreTypes(hcl.Range{}), cmpopts.IgnoreFields(Spec{}, "Sources"), judged); diff != "" {
		t.Errorf("formatting %q changes what it means:\n%s", src, diff)
	}
}

// judged compares functions of policies by whether there is one.
var judged = cmp.Comparer(func(a, b func(Element) (Verdict, diag.List)) bool { return (a == nil) == (b == nil) })

// meaning is what a text loads to, and what is said about it.
type meaning struct {
	Spec *Spec
	Said []string
}

func meaningOf(src []byte) meaning {
	spec, list := Load(fstest.MapFS{"a.hcl": {Data: src}}, Options{})
	codes := []string{}
	for _, d := range list {
		codes = append(codes, string(d.Code))
	}
	return meaning{spec, codes}
}

// specFiles are the specs of this repository, right and wrong ones.
func specFiles(t testing.TB) []string {
	t.Helper()
	var all []string
	for _, pattern := range []string{"testdata/*.hcl", "../examples/*/*.hcl", "../testdata/cases/*/*.hcl", "../testdata/errors/*.hcl"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s matches nothing", pattern)
		}
		all = append(all, files...)
	}
	return all
}
