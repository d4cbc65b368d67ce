package dsl_test

import (
	"slices"
	"testing"
	"testing/fstest"

	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
)

// TestExamplesOfCodes: where this package refuses the example of a code, it
// refuses it for that.
func TestExamplesOfCodes(t *testing.T) {
	refused := 0
	for _, entry := range diag.Codes() {
		if entry.Example == "" {
			continue
		}
		_, found := dsl.Load(fstest.MapFS{
			"example.hcl": {Data: []byte(entry.Example)},
			"pawl.hcl":    {Data: []byte("pawl { project = \"example\" }\n")},
		}, dsl.Options{Version: "0.1.0"})
		if !found.HasErrors() {
			continue // the compiler's
		}
		refused++
		if !slices.ContainsFunc(found, func(d diag.Diagnostic) bool { return d.Code == entry.Code }) {
			t.Errorf("the example of %s is refused as %+v", entry.Code, found)
		}
	}
	if refused < 25 {
		t.Errorf("only %d examples are refused here", refused)
	}
}
