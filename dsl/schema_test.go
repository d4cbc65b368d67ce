package dsl

import (
	"strings"
	"testing"
)

// eachSchema visits every block type that works, generate's both kinds included.
func eachSchema(visit func(path string, s *blockSchema)) {
	var walk func(string, []*blockSchema)
	walk = func(path string, blocks []*blockSchema) {
		for _, s := range blocks {
			if s.Later != "" {
				continue
			}
			visit(path+s.Type, s)
			walk(path+s.Type+".", s.Blocks)
		}
	}
	walk("", projectSchema.Blocks)
	walk("", commonBlocks)
	walk("go:", []*blockSchema{&generateGoSchema})
	walk("sql:", []*blockSchema{&generateSQLSchema})
}

// TestSchemasAreWhole: an index of attributes can be made of them.
func TestSchemasAreWhole(t *testing.T) {
	seen := 0
	eachSchema(func(path string, s *blockSchema) {
		seen++
		if s.Doc == "" {
			t.Errorf("%s has no description", path)
		}
		names := make(map[string]bool)
		for _, a := range s.Attrs {
			if names[a.Name] {
				t.Errorf("%s has two attributes %s", path, a.Name)
			}
			names[a.Name] = true
			if a.Doc == "" || strings.HasSuffix(a.Doc, ".") {
				t.Errorf("%s.%s is described as %q", path, a.Name, a.Doc)
			}
			if (a.Kind == choiceKind || a.Kind == choicesKind || a.Kind == wordKind) != (len(a.Choices) > 0) {
				t.Errorf("%s.%s has choices %v", path, a.Name, a.Choices)
			}
			if a.Kind == intKind && a.Min >= a.Max {
				t.Errorf("%s.%s has no bounds", path, a.Name)
			}
			if sample(&a) == "" {
				t.Errorf("%s.%s has no sample", path, a.Name)
			}
		}
		for _, b := range s.Blocks {
			if names[b.Type] {
				t.Errorf("%s has two things named %s", path, b.Type)
			}
			names[b.Type] = true
		}
	})
	if seen < 20 {
		t.Errorf("only %d block types were seen", seen)
	}
}

// TestLaterWordsSayWhatWorksToday: every word that is reserved has help.
func TestLaterWordsSayWhatWorksToday(t *testing.T) {
	for _, blocks := range []map[string]string{laterBlocks, laterTableBlocks} {
		for word, today := range blocks {
			if today == "" {
				t.Errorf("%s: nothing is said of what works today", word)
			}
		}
	}
}
