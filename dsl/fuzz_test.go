package dsl

import (
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/hashicorp/hcl/v2"
)

// FuzzLoad: no text makes the loader panic, and whatever is said about it has a
// code, says something and lies within the text.
func FuzzLoad(f *testing.F) {
	for _, seed := range specFiles(f) {
		src, err := os.ReadFile(seed)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src)
	}
	for _, src := range slices.Concat(hardTexts(), uglyTexts()) {
		f.Add([]byte(src))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		spec, list := Load(fstest.MapFS{"f.hcl": {Data: src}}, Options{Version: "0.1.0", Vars: map[string]string{"lease": "1m"}})
		if spec == nil {
			t.Fatal("no spec")
		}
		for _, d := range list {
			if d.Code == "" || d.Detail+d.Label == "" {
				t.Errorf("says nothing: %+v", d)
			}
			if d.Subject != (hcl.Range{}) && (d.Subject.Start.Byte < 0 || d.Subject.End.Byte > len(src)) {
				t.Errorf("lies outside of %d bytes: %+v", len(src), d)
			}
			if said := d.Detail + d.Help; strings.Contains(said, "goroutine ") || strings.Contains(said, "panic") {
				t.Errorf("a Go error reached the user: %+v", d)
			}
		}
	})
}

// hardTexts are inputs that are meant to break a reader.
func hardTexts() []string {
	many := func(s string, n int) string { return strings.Repeat(s, n) }
	locals := func(s string) string { return "locals {\n  a = " + s + "\n}\n" }
	return []string{
		"", "\x00", "\xff\xfe", "\ufeffpawl {}", "pawl", "pawl {", "a = <<EOF\n", "a = \"${", "locals { a = \"\\u0000\" }",
		many("{", 3000), many("[", 3000), "a = " + many("(", 3000), "a = " + many("!", 3000), "a = " + many("-", 3000),
		locals(many("(", 50) + "1" + many(")", 50)), locals("1" + many(" + 1", 3000)), locals("a" + many("[0]", 3000)),
		locals("a" + many(".b", 3000)), locals(many("true ? 1 : ", 3000) + "1"), locals("(" + many("1\n+", 5000) + "1)"),
		locals("\"" + many("${", 3000)), locals("\"" + many("%{if true}", 3000) + "\""), locals("\"" + many("%{if true}", 900) + many("%{endif}", 900) + "\""),
		locals("1e999999999"), locals("\"${1e4000 * 1e4000}\""), locals("[for i in [1,2]: [for j in [i]: j]]"),
		locals("[1,2,3][*].x"), locals("{(null) = 1}"), locals("{ \"a\" = 1, a = 2 }[\"a\"]"), locals("substr(\"abc\", -10, 30000000)"),
		locals("format(\"%*d\", 1)"), locals("slice([1], 5, 2)"), locals("element([], 1)"), locals("chunklist([1], 0)"), locals("zipmap([1], [])"),
		locals("merge(null)"), locals("coalesce()"), locals("table.a == bigint"), locals("list(null)"), locals("numeric(null)"), locals("sql(null)"),
		locals("var[0]"), locals("enum[*]"), locals("table.x[0].y"), locals("path[\"module\"]"), locals("1 / 0"), locals("-bigint"), locals("bigint...."),
		"table \"a\" { column \"b\" { type = bigint } }\n" + locals("table.a[\"(reference)\"]"),
		"table \"a\" { name = table.a.name }", "variable \"a\" { default = var.a }", "enum \"a\" { values = [for x in [1]: x] }",
		"table \"a\" {\n  index \"i\" { columns = [desc(desc(desc()))] }\n  go {}\n  go {}\n}", "generate \"go\" \"sql\" {}",
		"module \"a\" { source = \".\" }", "module \"a\" { source = \"../../../../etc\" }", "module \"a\" { source = \"\\u0000\" }", "module \"a\" {\n  source   = \"./m\"\n  for_each = { (null) = 1 }\n}",
		"table \"a\" { for_each = toset([null]) }", "table \"a\" {\n  for_each = { a = each.key }\n  name     = each.value\n}", "enum \"a\" {\n  for_each = [[[]]]\n  values   = each.value\n}",
		"moved {\n  from = table.a\n  to   = table.a\n}", "moved {\n  from = 1\n  to   = self\n}", "removed {\n  from    = table[\"a\"]\n  destroy = null\n}", "lifecycle {}",
		"data \"table\" \"a\" {}", "data \"b\" \"a\" \"c\" {}", "target \"a\" { url = env(env(\"A\")) }", "domain \"a\" { type = domain.a }", "domain \"a\" {\n  type = domain.b\n}\ndomain \"b\" {\n  type = domain.a\n}",
		"policy \"a\" {\n  each    = columns\n  when    = each\n  require = each.name.x[0]\n  message = \"${each}\"\n}", "variable \"a\" {\n  default = [1, \"a\"]\n  type    = list(map(any))\n  validation {\n    condition     = var.a\n    error_message = var.b\n  }\n}",
		locals("file(\"/etc/passwd\")"), locals("file(\"../x\")"), locals("fileset(\".\", \"**/[\")"), locals("templatefile(\"f.hcl\", {})"), locals("env(\"PATH\")"), locals("regexall(\"(a*)*$\", \"aaaaaaaaaaaaaaaaaaaaaaaa!\")"),
		locals("range(0, 1e9)"), locals("join(\"\", [for i in range(1000): join(\"\", [for j in range(1000): \"x\"])])"), locals("setproduct([1, 2], [3], [])"),
		"table \"a\" { allow = { (1) = 2 } }", "queue \"a\" { lease = \"" + many("9", 400) + "d\" }", "singleton \"a\" { key = 1e400 }",
	}
}

// TestHardTexts runs them where nothing fuzzes.
func TestHardTexts(t *testing.T) {
	for _, src := range hardTexts() {
		if spec, list := Load(fstest.MapFS{"f.hcl": {Data: []byte(src)}}, Options{}); spec == nil || len(list) == 0 {
			t.Errorf("%.60q: nothing is said", src)
		}
	}
}

// TestLongChains: one value may need another, but not without end.
func TestLongChains(t *testing.T) {
	var b strings.Builder
	b.WriteString("locals {\n  v0 = 1\n")
	for i := 1; i < 3000; i++ {
		b.WriteString("  v" + intText(int64(i)) + " = local.v" + intText(int64((i+1)%3000)) + "\n")
	}
	b.WriteString("}\n")
	list := refused(t, b.String(), Options{})
	if len(list) != 1 || list[0].Code != "too-large" {
		t.Errorf("want one too-large, got %d: %+v", len(list), list[0])
	}
}
