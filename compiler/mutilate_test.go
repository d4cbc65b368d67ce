package compiler_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pawldb/pawl/compiler"
	"github.com/pawldb/pawl/dsl"
)

// No wrong specification brings the compiler down, and none that dsl accepts
// goes through with an error unsaid: a program comes out exactly when nothing
// was refused.
func TestMutilatedSpecifications(t *testing.T) {
	for _, file := range []string{"../examples/seats/seats.hcl", "testdata/zoo.hcl"} {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, mutant := range mutants(string(src)) {
			spec, _ := dsl.Load(fstest.MapFS{"spec.hcl": {Data: []byte(mutant)}}, dsl.Options{})
			p, diags := compiler.Compile(spec)
			if (p == nil) != diags.HasErrors() {
				t.Errorf("program %v, errors %v, of\n%s", p != nil, diags, mutant)
			}
			for _, d := range diags {
				complete(t, d)
			}
		}
	}
}

var (
	quotedWord = regexp.MustCompile(`"[^"\\]*"`)
	bareWord   = regexp.MustCompile(`\[?\b[a-z_]+\b\]?`)
)

// mutants are a text with one line left out, or one word exchanged.
func mutants(src string) []string {
	var all []string
	lines := strings.SplitAfter(src, "\n")
	others := []string{`"id"`, "[id]", `""`, "true", "enum.mood", `"a > 0 AND"`}
	for i, line := range lines {
		rest := strings.Join(lines[:i], "") + "%" + strings.Join(lines[i+1:], "")
		all = append(all, strings.Replace(rest, "%", "", 1))
		for _, words := range []*regexp.Regexp{quotedWord, bareWord} {
			for _, at := range words.FindAllStringIndex(line, -1) {
				other := others[len(all)%len(others)]
				all = append(all, strings.Replace(rest, "%", line[:at[0]]+other+line[at[1]:], 1))
			}
		}
	}
	return all
}
