package dsl

import (
	"testing"

	"github.com/pawldb/pawl/internal/diag"
)

func TestRequiredVersion(t *testing.T) {
	for _, test := range []struct {
		tool, required string
		code           diag.Code // empty when it fits
	}{
		{"0.1.0", ">= 0.1.0", ""},
		{"0.1.0", "0.1.0", ""},
		{"v0.1.0", "= 0.1", ""},
		{"0.1.0-dev", ">=0.1.0", ""},
		{"0.0.9", ">= 0.1.0", diag.ToolVersion},
		{"1.9.0", "~> 1.2", ""},
		{"2.0.0", "~> 1.2", diag.ToolVersion},
		{"1.2.9", "~> 1.2.3", ""},
		{"1.3.0", "~> 1.2.3", diag.ToolVersion},
		{"1.2.2", "~> 1.2.3", diag.ToolVersion},
		{"3.0.0", "~> 2", diag.ToolVersion},
		{"0.2.0", ">= 0.1.0, < 0.2", diag.ToolVersion},
		{"0.2.0", "> 0.1.0, <= 0.2, != 0.3", ""},
		{"0.3.0", "!= 0.3", diag.ToolVersion},
		{"10.0.0", "> 9.0.0", ""},
		{"", ">= 99", ""},
		{"(devel)", ">= 99", ""},
		{"0.1.0", "latest", diag.InvalidVersion},
		{"0.1.0", ">= 0.1.0,", diag.InvalidVersion},
		{"0.1.0", "", diag.InvalidVersion},
		{"0.1.0", ">= 1.2.3.4", diag.InvalidVersion},
		{"", ">> 1", diag.InvalidVersion},
	} {
		src := "pawl {\n  project = \"p\"\n  required_version = " + quote(test.required) + "\n}\n"
		_, list := Load(files("pawl.hcl", src), Options{Version: test.tool})
		var got diag.Code
		if len(list) > 0 {
			got = list[0].Code
		}
		if got != test.code || len(list) > 1 {
			t.Errorf("%q by %q: got %+v, want %q", test.required, test.tool, list, test.code)
		}
	}
}
