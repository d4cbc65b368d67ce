package compiler_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pawldb/pawl/compiler"
	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
)

// Each rule over groups of rows, and each upsert, says in its explanation what it
// costs and who waits for whom; the golden folders hold the words.
func TestExplanationsNameTheCost(t *testing.T) {
	names := map[string]string{ // what somebody waits for or on, by kind
		"limit": "row of", "at_most_one": "waits until", "at_least_one": "row of", "exactly_one": "wait", "sequence": "last number",
		"ordered": "wait for each other", "upsert": "wait", "immutable": "nobody waits", "append_only": "nobody waits",
	}
	seen := map[string]bool{}
	for _, folder := range []string{"limit", "at-most-one", "at-least-one", "sequence", "ordered", "immutable", "append-only", "upsert"} {
		spec, _ := dsl.Load(os.DirFS(filepath.Join("../testdata/cases", folder)), dsl.Options{})
		p, diags := compiler.Compile(spec)
		if p == nil {
			t.Fatalf("%s: %+v", folder, diags)
		}
		for _, invariant := range p.Invariants {
			f := invariant.Facts()
			words, one := names[f.Kind]
			if !one {
				continue
			}
			seen[f.Kind] = true
			i := slices.IndexFunc(f.Reasons, func(r ir.Reason) bool { return r.Choice == "what it costs" || r.Choice == "plain INSERT" })
			if i < 0 || !strings.Contains(f.Reasons[i].Why, words) {
				t.Errorf("%s does not say what it costs, with %q: %+v", f.Address, words, f.Reasons)
			}
		}
	}
	for kind := range names {
		if !seen[kind] {
			t.Errorf("no %s was looked at", kind)
		}
	}
}
