package compiler

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
)

// TestMistakesInModules: what is found in a module tells who uses it, once for
// all uses of one block.
func TestMistakesInModules(t *testing.T) {
	spec, list := dsl.Load(fstest.MapFS{
		"main.hcl": {Data: []byte(`pawl { project = "p" }
module "one" {
  source   = "./log"
  for_each = toset(["a", "b"])
  name     = each.key
}
module "two" {
  source = "./log"
  name   = "c"
}
`)},
		"log/main.hcl": {Data: []byte(`variable "name" {}
table "log" {
  name = var.name
  column "id" { type = bigint }
  primary_key { columns = [ident] }
}
`)},
	}, dsl.Options{})
	if list.HasErrors() {
		t.Fatalf("%+v", list)
	}
	_, list = Compile(spec)
	if len(list) != 1 || list[0].Code != diag.UnknownColumn {
		t.Fatalf("got %+v", list)
	}
	var uses []string
	for _, r := range list[0].Related {
		uses = append(uses, r.Text)
	}
	if got, want := strings.Join(uses, ", "), `used here as module.one["a"], used here as module.two`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestModulesThatMeet: two uses that declare one table are refused, and none of
// the two is lost without a word.
func TestModulesThatMeet(t *testing.T) {
	for _, declared := range []string{
		"table \"log\" {\n  column \"id\" { type = bigint }\n  primary_key { columns = [id] }\n}\n",
		"queue \"log\" { lease = \"5m\" }\n",
		"enum \"log\" { values = [\"x\"] }\n",
	} {
		spec, list := dsl.Load(fstest.MapFS{
			"main.hcl":     {Data: []byte("pawl { project = \"p\" }\nmodule \"m\" {\n  source   = \"./log\"\n  for_each = toset([\"a\", \"b\"])\n}\n")},
			"log/main.hcl": {Data: []byte(declared)},
		}, dsl.Options{})
		if list.HasErrors() {
			t.Fatalf("%+v", list)
		}
		_, list = Compile(spec)
		if len(list) != 1 || list[0].Code != diag.DuplicateName {
			t.Errorf("%s: got %+v", declared, list)
		}
	}
}

// TestPolicyShowsTheUseItMeans: a policy judges each use of a module by itself.
func TestPolicyShowsTheUseItMeans(t *testing.T) {
	spec, list := dsl.Load(fstest.MapFS{
		"main.hcl": {Data: []byte(`pawl { project = "p" }
module "log" {
  source   = "./log"
  for_each = toset(["a", "b"])
  name     = each.key
}
policy "not_b" {
  each    = tables
  require = each.name != "b"
  message = "no b"
}
`)},
		"log/main.hcl": {Data: []byte(`variable "name" {}
table "log" {
  name = var.name
  column "id" { type = bigint }
  primary_key { columns = [id] }
}
`)},
	}, dsl.Options{})
	if list.HasErrors() {
		t.Fatalf("%+v", list)
	}
	_, list = Compile(spec)
	if len(list) != 1 || list[0].Code != diag.PolicyBroken {
		t.Fatalf("got %+v", list)
	}
	var uses []string
	for _, r := range list[0].Related {
		if strings.HasPrefix(r.Text, "used here") {
			uses = append(uses, r.Text)
		}
	}
	if got, want := strings.Join(uses, ", "), `used here as module.log["b"]`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
