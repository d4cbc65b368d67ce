package compiler_test

import (
	"fmt"
	"testing"

	"github.com/pawldb/pawl/internal/diag"
)

// Where the DDL may lie beside the Go package.
func TestOutputsApart(t *testing.T) {
	for _, c := range []struct {
		dir, runtime, file string
		fine               bool
	}{
		{"store", "copy", "schema.sql", true},
		{"store", "copy", "store/schema.sql", true},
		{"store", "copy", "../schema.sql", true},
		{"store", "copy", "store.sql", true},
		{"a/store", "copy", "a/b/../store", false},
		{"a/store", "copy", "a", false},
		{"store", "copy", "store/pawl", false},
		{"store", "copy", "store/pawl/explore", false},
		{"store", "copy", "store/pawl/otelpawl", false},
		{"store", "example.com/pawl", "store/pawl/otelpawl", true},
		{"store", "example.com/pawl", "store/pawl/explore", true},
		{"store", "example.com/pawl", "store/pawl", true},
		{"store", "copy", "store/schema.go", false},
		{"store", "copy", "store/sql/", false},
		{".", "copy", "schema.sql", true},
		{".", "copy", "pawl", false},
		{".", "copy", ".", false},
	} {
		_, diags := load(t, fmt.Sprintf("generate \"go\" {\n  out = %q\n  package = \"store\"\n  runtime = %q\n  race_tests = true\n  adapters = [\"otel\"]\n}\ngenerate \"sql\" { out = %q }\n",
			c.dir, c.runtime, c.file))
		if c.fine != !diags.HasErrors() {
			t.Errorf("%s with %s beside %s: %v", c.file, c.runtime, c.dir, diags)
		}
		for _, d := range diags {
			if d.Code != diag.OutputPath {
				t.Errorf("%s beside %s: %s", c.file, c.dir, d.Code)
			}
		}
	}
}
