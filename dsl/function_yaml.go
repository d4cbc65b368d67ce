package dsl

import (
	"errors"
	"regexp"
	"strings"

	yaml "github.com/zclconf/go-cty-yaml"
	"github.com/zclconf/go-cty/cty/function"
)

func yamlFunctions() map[string]function.Function {
	return map[string]function.Function{"yamldecode": yaml.YAMLDecodeFunc, "yamlencode": yaml.YAMLEncodeFunc}
}

// The two marks of a text that says a part of itself again.
var (
	yamlAnchor = regexp.MustCompile(`(^|[\s\[{,:-])&[^\s\[\]{},]`)
	yamlAlias  = regexp.MustCompile(`(^|[\s\[{,:-])\*[^\s\[\]{},]`)
)

// admitYAML refuses a text that little of makes much, or that nests without
// end.
func admitYAML(text string) error {
	switch {
	case len(text) > maxValue:
		return errors.New("the text is larger than 64 kilobytes")
	case yamlAnchor.MatchString(text) && yamlAlias.MatchString(text):
		return errors.New("anchors and aliases (&x, *x) do not work here: write the value out")
	case depthOf(text) > maxDepth || yamlIndent(text) > 2*maxDepth:
		return errors.New("the text is nested too deep")
	}
	return nil
}

// yamlIndent returns how far the text is indented, at most. A level of a block
// takes a column, or a dash that begins an element.
func yamlIndent(text string) int {
	deepest := 0
	for line := range strings.Lines(text) {
		deepest = max(deepest, len(line)-len(strings.TrimLeft(line, " \t-?:")))
	}
	return deepest
}
