package pgtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// ExtensionsOf are the extensions that a golden folder expects to find in its
// database, named in a comment of its specification: "# extensions: citext, ltree".
// Nothing in the specification creates them.
func ExtensionsOf(t testing.TB, folder string) []string {
	t.Helper()
	specs, err := filepath.Glob(folder + "/*.hcl")
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, file := range specs {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if named, ok := strings.CutPrefix(strings.TrimSpace(line), "# extensions: "); ok {
				list = append(list, strings.Split(named, ", ")...)
			}
		}
	}
	return list
}
