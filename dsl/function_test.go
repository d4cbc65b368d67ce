package dsl

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pawldb/pawl/internal/diag"
)

func TestTerraformFunctions(t *testing.T) {
	for expr, want := range map[string]string{
		`"${length("äb")} ${length([1])} ${length({ a = 1 })} ${length(toset(["x"]))}"`:        "2 1 1 1",
		`"${startswith("abc", "ab")} ${endswith("abc", "ab")} ${strcontains("abc", "b")}"`:     "true false true",
		`"${alltrue([true, true])} ${alltrue([true, false])} ${alltrue([])}"`:                  "true false true",
		`"${anytrue([false, true])} ${anytrue([false])} ${anytrue([])}"`:                       "true false false",
		`"${sum([1, 2.5])} ${one(["x"])} ${one([]) == null}"`:                                  "3.5 x true",
		`"${index(["a", "b"], "b")} ${join(",", matchkeys(["a", "b"], ["1", "2"], ["2"]))}"`:   "1 b",
		`join(",", transpose({ a = ["x", "y"], b = ["x"] })["x"])`:                             "a,b",
		`"${basename("a/b")} ${dirname("a/b")} ${urlencode("a b")}"`:                           "b a a+b",
		`base64decode(base64encode("text"))`:                                                   "text",
		`md5("")`:                                                                              "d41d8cd98f00b204e9800998ecf8427e",
		`substr(sha1("a"), 0, 8)`:                                                              "86f7e437",
		`substr(sha256("a"), 0, 8)`:                                                            "ca978112",
		`substr(sha512("a"), 0, 8)`:                                                            "1f40fc92",
		`"${jsonencode({ a = [1] })} ${jsondecode("{\"a\": 2}").a}"`:                           `{"a":[1]} 2`,
		`"${join(",", [for n in range(3) : tostring(n)])} ${pow(2, 8)} ${parseint("ff", 16)}"`: "0,1,2 256 255",
		`"${length(setproduct(["a", "b"], ["c", "d"]))} ${regex("[0-9]+", "ab12")}"`:           "4 12",
		`join(",", [for k, v in { a = 1, b = 2 } : "${k}${v}" if v > 1])`:                      "b2",
		`"%{ for x in ["a", "b"] }${x};%{ endfor }"`:                                           "a;b;",
	} {
		if got := evaluatedText(t, expr, "", Options{}); got != want {
			t.Errorf("%s: got %q, want %q", expr, got, want)
		}
	}
}

// TestFiles reads files of the project.
func TestFiles(t *testing.T) {
	fsys := files(
		"main.hcl", "", "sql/view.sql", "SELECT 1", "sql/deep/er/x.sql", "", "sql/y.txt", "",
		"hello.tpl", "%{ for n in names ~}\n${upper(n)}${mark}\n%{ endfor ~}\n",
		"tables/a.hcl", "variable \"x\" { default = 1 }\n",
	)
	for expr, want := range map[string]string{
		`file("sql/view.sql")`:                                          "SELECT 1",
		`file("./sql/../sql/view.sql")`:                                 "SELECT 1",
		`file("${path.module}/sql/view.sql")`:                           "SELECT 1",
		`templatefile("hello.tpl", { names = ["a", "b"], mark = "!" })`: "A!\nB!\n",
		`join(",", fileset("sql", "*.sql"))`:                            "view.sql",
		`join(",", fileset(".", "sql/**/*.sql"))`:                       "sql/deep/er/x.sql,sql/view.sql",
		`join(",", fileset("sql", "**"))`:                               "deep/er/x.sql,view.sql,y.txt",
		`join(",", fileset("sql", "nothing/*"))`:                        "",
		`"${fileexists("hello.tpl")} ${fileexists("x")}"`:               "true false",
	} {
		src := "table \"t\" {\n  column \"id\" { type = bigint }\n  comment = " + expr + "\n}\n"
		fsys["main.hcl"].Data = []byte(src)
		spec, list := Load(fsys, Options{})
		requireNone(t, spec, list)
		if got := spec.Tables[0].Comment.V; got != want {
			t.Errorf("%s: got %q, want %q", expr, got, want)
		}
	}
}

func TestWrongFiles(t *testing.T) {
	for _, test := range []struct{ expr, text string }{
		{`templatefile("a.tpl", {})`, `uses "name", which is not among the values`},
		{`templatefile("a.tpl", "x")`, "an object is needed"},
		{`templatefile("wrong.tpl", {})`, "wrong.tpl:1,"},
		{`templatefile("again.tpl", {})`, "no function named"},
		{`templatefile("deep.tpl", {})`, "nested too deep"},
		{`templatefile("loops.tpl", { l = range(1000) })`, "512 kilobytes of values"},
		{`file("large")`, "larger than 64 kilobytes"},
		{`file("binary")`, "no text in UTF-8"},
		{`file("")`, "no regular file"},
		{`fileset(".", "../*")`, "no .. in it"},
		{`fileset("gone", "*")`, "gone"},
		{`fileexists("/etc/passwd")`, "outside of the project's directory"},
	} {
		_, list := Load(files(
			"main.hcl", "locals { x = "+test.expr+" }\n", "a.tpl", "${name}", "wrong.tpl", "${", "again.tpl", `${templatefile("again.tpl", {})}`,
			"deep.tpl", strings.Repeat("${[", 10000), "large", strings.Repeat("x", maxValue+1), "binary", "\xff\xfe",
			"loops.tpl", strings.Repeat("%{ for x in l }", 20)+"x"+strings.Repeat("%{ endfor }", 20),
		), Options{})
		if len(list) != 1 || !strings.Contains(list[0].Detail, test.text) {
			t.Errorf("%s: want %q, got %+v", test.expr, test.text, list)
		}
	}
}

// TestOutside: --allow-outside hands reading over to the caller.
func TestOutside(t *testing.T) {
	read := func(name string) ([]byte, error) { return []byte("from " + name), nil }
	if got := evaluatedText(t, `"${file("../x")}, ${file("/y")}"`, "", Options{Outside: read}); got != "from ../x, from /y" {
		t.Errorf("got %q", got)
	}
}

func TestEnvironment(t *testing.T) {
	const declared = "variable \"home\" { default = env(\"HOME\") }\nvariable \"other\" { default = env(\"OTHER\", \"none\") }\n"
	o := Options{Env: environment(map[string]string{"HOME": "/root"})}
	if got := evaluatedText(t, `"${var.home} ${var.other}"`, declared, o); got != "/root none" {
		t.Errorf("got %q", got)
	}
	requireOne(t, refused(t, declared, Options{}), diag.FunctionCall, "HOME is not set in the environment")
}

// TestExplodingExpressions: little text that would make much is refused in time.
func TestExplodingExpressions(t *testing.T) {
	nested := "local.l"
	for range 8 {
		nested = "[for x in local.l : " + nested + "]"
	}
	for _, expr := range []string{
		nested,
		`join("", [for a in local.l : join("", [for b in local.l : join("", [for c in local.l : "x"])])])`,
		`[for a in local.l : length(setproduct(local.l, local.l, local.l))]`,
		`replace(local.s, "x", local.s)`,
		`replace(local.s, "/x/", local.s)`,
		`join(local.s, local.texts)`,
		`format("%999999999d", 1)`,
		`format("%.999999999f", 1)`,
		`formatlist(local.s, local.l)`,
		`indent(999999999, "a\nb")`,
		`setproduct(local.l, local.l)`,
		`[for a in local.l : "${local.s}${a}"]`,
		`"%{ for a in local.l }%{ for b in local.l }%{ for c in local.l }x%{ endfor }%{ endfor }%{ endfor }"`,
		`[for a in local.l : contains(local.l, a) if contains(local.l, a) && length([for b in local.l : [for c in local.l : c]]) > 0]`,
	} {
		start := time.Now()
		list := refused(t, `
locals {
  l     = range(1000)
  texts = [for n in range(1000) : tostring(n)]
  s     = join("", [for n in range(1000) : "xxxxxxxxxxxxxxxxxxxx"])
  bad   = `+expr+"\n}\n", Options{})
		if took := time.Since(start); took > 30*time.Second {
			t.Errorf("%s took %v", expr, took)
		}
		if len(list) != 1 || list[0].Code != diag.TooLarge && !strings.Contains(list[0].Detail, "64 kilobytes") {
			t.Errorf("%s: got %+v", expr, list)
		}
	}
}

func TestMatches(t *testing.T) {
	many := strings.Split(strings.Repeat("**/", 200)+"x", "/")
	if matches(many, strings.Split(strings.Repeat("a/", 2000)+"y", "/")) || !matches(many, []string{"x"}) {
		t.Error("many ** match wrongly")
	}
	for pattern, names := range map[string]map[string]bool{
		"*":       {"a": true, "a/b": false},
		"**/*.go": {"a.go": true, "x/y/a.go": true, "a.md": false},
		"a/**/b":  {"a/b": true, "a/x/b": true, "a/x": false},
		"[":       {"[": false},
	} {
		for name, want := range names {
			if got := matches(strings.Split(pattern, "/"), strings.Split(name, "/")); got != want {
				t.Errorf("%s and %s: %s", pattern, name, strconv.FormatBool(got))
			}
		}
	}
}
