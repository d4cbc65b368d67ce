package dsl

import (
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/pawldb/pawl/internal/diag"
)

func TestTerraformFunctions(t *testing.T) {
	for expr, want := range map[string]string{
		`"${length("äb")} ${length([1])} ${length({ a = 1 })} ${length(toset(["x"]))}"`:                                                "2 1 1 1",
		`"${startswith("abc", "ab")} ${endswith("abc", "ab")} ${strcontains("abc", "b")}"`:                                             "true false true",
		`"${alltrue([true, true])} ${alltrue([true, false])} ${alltrue([])}"`:                                                          "true false true",
		`"${anytrue([false, true])} ${anytrue([false])} ${anytrue([])}"`:                                                               "true false false",
		`"${sum([1, 2.5])} ${one(["x"])} ${one([]) == null}"`:                                                                          "3.5 x true",
		`"${index(["a", "b"], "b")} ${join(",", matchkeys(["a", "b"], ["1", "2"], ["2"]))}"`:                                           "1 b",
		`join(",", transpose({ a = ["x", "y"], b = ["x"] })["x"])`:                                                                     "a,b",
		`"${basename("a/b")} ${dirname("a/b")} ${urlencode("a b")}"`:                                                                   "b a a+b",
		`base64decode(base64encode("text"))`:                                                                                           "text",
		`md5("")`:                                                                                                                      "d41d8cd98f00b204e9800998ecf8427e",
		`substr(sha1("a"), 0, 8)`:                                                                                                      "86f7e437",
		`substr(sha256("a"), 0, 8)`:                                                                                                    "ca978112",
		`substr(sha512("a"), 0, 8)`:                                                                                                    "1f40fc92",
		`"${jsonencode({ a = [1] })} ${jsondecode("{\"a\": 2}").a}"`:                                                                   `{"a":[1]} 2`,
		`"${join(",", [for n in range(3) : tostring(n)])} ${pow(2, 8)} ${parseint("ff", 16)}"`:                                         "0,1,2 256 255",
		`"${length(setproduct(["a", "b"], ["c", "d"]))} ${regex("[0-9]+", "ab12")}"`:                                                   "4 12",
		`join(",", [for k, v in { a = 1, b = 2 } : "${k}${v}" if v > 1])`:                                                              "b2",
		`"%{ for x in ["a", "b"] }${x};%{ endfor }"`:                                                                                   "a;b;",
		`"${try(local.o.b, "none")} ${try(local.o.a)} ${try(local.o.b, local.o.c.d, [][0], "last")}"`:                                  "none 1 last",
		`"${can(local.o.b)} ${can(local.o.a)} ${can(regex("^a", "b"))} ${can(tonumber("x"))}"`:                                         "false true false false",
		`join(",", [for m in local.many : try(m.b, "none")])`:                                                                          "none,2",
		`yamldecode("a: [1, 2]\nb: x * y & z\n").b`:                                                                                    "x * y & z",
		`yamlencode({ a = [true] })`:                                                                                                   "\"a\":\n- true\n",
		`"${cidrhost("10.12.112.0/20", 16)} ${cidrhost("10.12.127.9/20", -1)}"`:                                                        "10.12.112.16 10.12.127.255",
		`"${cidrhost("fd00:fd12:3456:7890::/72", 34)} ${cidrnetmask("172.16.0.0/12")}"`:                                                "fd00:fd12:3456:7890::22 255.240.0.0",
		`"${cidrsubnet("172.16.0.0/12", 4, 2)} ${cidrsubnet("fd00:fd12:3456:7890::/56", 16, 162)}"`:                                    "172.18.0.0/16 fd00:fd12:3456:7800:a200::/72",
		`join(" ", cidrsubnets("10.1.0.0/16", 4, 4, 8, 4))`:                                                                            "10.1.0.0/20 10.1.16.0/20 10.1.32.0/24 10.1.48.0/20",
		`join(" ", cidrsubnets("fd00:fd12:3456:7890::/56", 16, 16))`:                                                                   "fd00:fd12:3456:7800::/72 fd00:fd12:3456:7800:100::/72",
		`"${cidrnetmask("0.0.0.0/0")} ${cidrhost("0.0.0.0/0", 1)}"`:                                                                    "0.0.0.0 0.0.0.1",
		`"${formatdate("YYYY-MM-DD", "2026-01-31T12:00:00Z")} ${timeadd("2026-01-31T12:00:00Z", "24h")}"`:                              "2026-01-31 2026-02-01T12:00:00Z",
		`"${timecmp("2026-01-31T12:00:00Z", "2026-01-31T13:00:00+01:00")} ${timecmp("2026-01-31T12:00:00Z", "2026-01-31T12:00:01Z")}"`: "0 -1",
		`substr(base64sha256("a"), 0, 8)`:                                                                                              "ypeBEsob",
		`substr(base64sha512("a"), 0, 8)`:                                                                                              "H0D8ktok",
	} {
		const declared = "locals {\n  o    = { a = 1 }\n  many = [{ a = 1 }, { b = 2 }]\n}\n"
		if got := evaluatedText(t, expr, declared, Options{}); got != want {
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
		`filesha256("sql/view.sql")`:                                    "e004ebd5b5532a4b85984a62f8ad48a81aa3460c1ca07701f386135d72cdecf5",
		`filesha1("sql/view.sql")`:                                      "42364a017b73ef516a0eca9827e6fa00623257ee",
		`filemd5("sql/view.sql")`:                                       "b1698e52a0f16203489454196a0c6307",
		`filebase64("sql/view.sql")`:                                    "U0VMRUNUIDE=",
		`base64sha512(file("sql/view.sql")) == filebase64sha512("sql/view.sql") ? "same" : "other"`: "same",
		`sha512(file("sql/view.sql")) == filesha512("sql/view.sql") ? "same" : "other"`:             "same",
		`base64sha256(file("sql/view.sql")) == filebase64sha256("sql/view.sql") ? "same" : "other"`: "same",
		`uuidv5("dns", "example.com")`:                                  "cfbff0d1-9375-5685-968c-48ce8b15ae17",
		`uuidv5("6ba7b810-9dad-11d1-80b4-00c04fd430c8", "example.com")`: "cfbff0d1-9375-5685-968c-48ce8b15ae17",
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
		{`filesha256("large")`, "larger than 64 kilobytes"},
		{`filemd5("../x")`, "outside of the project's directory"},
		{`uuidv5("nowhere", "x")`, "a name space is"},
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

// TestExplodingExpressions: little text that would make much is refused, with one
// error, before it has made much. What is allocated is measured, and not the
// time: it is the same on every machine.
func TestExplodingExpressions(t *testing.T) {
	nested := "local.l"
	for range 8 {
		nested = "[for x in local.l : " + nested + "]"
	}
	const start = `
locals {
  l     = range(1000)
  texts = [for n in range(1000) : tostring(n)]
  s     = join("", [for n in range(1000) : "xxxxxxxxxxxxxxxxxxxx"])
  deep  = "${replace(local.s, "x", "[")}${replace(local.s, "x", "]")}"
  nines = replace(local.s, "x", "9")
  bad   = `
	for _, expr := range []string{
		nested,
		`join("", [for a in local.l : join("", [for b in local.l : join("", [for c in local.l : "x"])])])`,
		`"%{ for a in local.l }%{ for b in local.l }%{ for c in local.l }x%{ endfor }%{ endfor }%{ endfor }"`,
		`[for a in local.l : contains(local.l, a) if contains(local.l, a) && length([for b in local.l : [for c in local.l : c]]) > 0]`,
		`[for a in local.l : length(setproduct(local.l, local.l, local.l))]`,
		`[for a in local.l : "${local.s}${a}"]`,
		`[for a in local.l : local.l == local.l]`,
		`[for a in local.l : local.l[*]]`,
		`{ for a in local.l : "x${a}" => local.l }`,
		`flatten([for a in local.l : local.l])`,
		`concat([for a in local.l : local.l]...)`,
		`distinct(concat(local.l, local.l))`,
		`setproduct(local.l, local.l)`,
		`replace(local.s, "x", local.s)`,
		`replace(local.s, "/x/", local.s)`,
		`join(local.s, local.texts)`,
		`indent(999999999, "a\nb")`,
		`format("%1000000000s", "x")`,
		`format("%999999999d", 1)`,
		`format("%.999999999f", 1)`,
		`formatlist(local.s, local.l)`,
		`formatlist("%60000s", ["a", "b"])`,
		`regexall("x", "${local.s}${local.s}")`,
		`split("", "${local.s}${local.s}${local.s}${local.s}")`,
		`urlencode("${replace(local.s, "x", "%")}${local.s}")`,
		`base64encode("${local.s}${local.s}${local.s}")`,
		`jsonencode(replace(local.s, "x", "\u0001"))`,
		`jsondecode(local.deep)`,
		`yamldecode(local.deep)`,
		`yamldecode(replace(local.s, "x", "- "))`,
		`try([for a in local.l : [for b in local.l : [for c in local.l : c]]], 1)`,
		`[for a in local.l : [for b in local.l : can([for c in local.l : c])]]`,
		`jsondecode("1e9999999")`,
		`tonumber("1e999999999")`,
		`jsonencode(tonumber("1e99999999"))`,
		`"${"1e99999999" * 1}"`,
		`"1e999999999" % 7`,
		`floor("1e99999999")`,
		`pow(2, 1e308)`,
		`parseint("${local.nines}${local.nines}${local.nines}${local.nines}", 10)`,
		`"${` + strings.Repeat("1e4000 * ", 300) + `1}"`,
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		list := refused(t, start+expr+"\n}\n", Options{})
		runtime.ReadMemStats(&after)
		if made := (after.TotalAlloc - before.TotalAlloc) >> 20; made > 400 {
			t.Errorf("%.100s made %d megabytes", expr, made)
		}
		said := list[0].Detail
		if len(list) != 1 || list[0].Code != diag.TooLarge && !strings.Contains(said, "64 kilobytes") && !strings.Contains(said, "too deep") && !strings.Contains(said, "too long") {
			t.Errorf("%.100s: got %+v", expr, list)
		}
	}
}

// TestManyExplodingExpressions: each spends less than it may, and all together
// spend what the project may.
func TestManyExplodingExpressions(t *testing.T) {
	var src strings.Builder
	src.WriteString("locals {\n  l = range(1000)\n")
	for i := range 2000 {
		src.WriteString("  v" + strconv.Itoa(i) + " = length([for a in range(20) : join(\"\", [for b in local.l : \"x\"])])\n")
	}
	src.WriteString("}\n")
	p := newProject(files("main.hcl", src.String()), Options{})
	p.work /= 16 // of what is allowed, which takes seconds
	p.load()
	requireOne(t, p.diags, diag.TooLarge, "8 megabytes")
}

// TestRoundsAreAlike: a loop finds its names and functions in every round of a
// repeated block, and in every use of a module.
func TestRoundsAreAlike(t *testing.T) {
	spec := load(t, `
table "t" {
  for_each = { a = "x", b = "y" }
  name     = "t_${each.key}"
  comment  = join(",", [for x in ["p", "q"] : each.key if upper(x) == "P" && each.value != "z"])
  column "id" { type = bigint }
}
`)
	for i, want := range []string{"a", "b"} {
		if got := spec.Tables[i].Comment.V; got != want {
			t.Errorf("round %d: got %q, want %q", i, got, want)
		}
	}
}

// TestLoopSaysOnce: a mistake in a loop is one, however many rounds make it; and
// a round that nobody looks at makes none.
func TestLoopSaysOnce(t *testing.T) {
	if list := refused(t, "locals { x = [for a in range(50) : { b = a }.c] }\n", Options{}); len(list) != 1 {
		t.Errorf("said %d times: %+v", len(list), list[0])
	}
	requireOne(t, refused(t, "locals { x = [for a in [bigint, text] : a == \"text\"] }\n", Options{}), diag.WrongType, "A type is compared")
	const fine = `join(",", [for a in [{}, { b = ["x"] }] : "${false && length([for c in a.b : c]) > 0}"])`
	if got := evaluatedText(t, fine, "", Options{}); got != "false,false" {
		t.Errorf("got %q", got)
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

func TestWrongNetworksAndTimes(t *testing.T) {
	for _, test := range []struct{ expr, text string }{
		{`cidrhost("10.0.0.1", 1)`, "a network is needed"},
		{`cidrhost("10.0.0.0/30", 4)`, "has no address 4"},
		{`cidrhost("10.0.0.0/30", -5)`, "has no address -5"},
		{`cidrhost("10.0.0.0/30", 1.5)`, "a whole number is needed"},
		{`cidrnetmask("fd00::/8")`, "a network of IPv4"},
		{`cidrsubnet("10.0.0.0/30", 3, 0)`, "cannot be made 3 bits longer"},
		{`cidrsubnet("10.0.0.0/8", 1, 2)`, "no subnet 2"},
		{`cidrsubnet("10.0.0.0/8", 1, -1)`, "no subnet -1"},
		{`cidrsubnets("10.0.0.0/8", 0)`, "cannot be made 0 bits longer"},
		{`cidrsubnets("10.0.0.0/8", 1, 1, 1)`, "no room for all of them"},
		{`timecmp("today", "2026-01-31T12:00:00Z")`, "a time is needed"},
		{`yamldecode("a: [")`, ""},
		{`yamldecode("a: &x 1\nb: *x\n")`, "anchors and aliases"},
		{`try()`, "at least one expression"},
		{`try(tonumber("x"))`, "none of the expressions has a value"},
		{`try(nothing(), 1)`, "There is no function nothing()"},
		{`try(local.gone, 1)`, "No local \"gone\""},
	} {
		list := refused(t, "locals { x = "+test.expr+" }\n", Options{})
		if len(list) != 1 || !strings.Contains(list[0].Detail, test.text) {
			t.Errorf("%s: want %q, got %+v", test.expr, test.text, list)
		}
	}
}

// TestTryInTry: each argument is evaluated once, however deep it stands.
func TestTryInTry(t *testing.T) {
	expr := strings.Repeat("try(", 50) + "tonumber(\"x\")" + strings.Repeat(", tonumber(\"x\"))", 49) + ", \"end\")"
	if got := evaluatedText(t, expr, "", Options{}); got != "end" {
		t.Errorf("got %q", got)
	}
}
