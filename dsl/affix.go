package dsl

import (
	"strings"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// affixFunctions tell how a text starts and ends, as Terraform's do; the
// standard library of cty has none.
func affixFunctions() map[string]function.Function {
	return map[string]function.Function{
		"startswith": affixFunction("prefix", strings.HasPrefix),
		"endswith":   affixFunction("suffix", strings.HasSuffix),
	}
}

func affixFunction(name string, has func(text, affix string) bool) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "text", Type: cty.String}, {Name: name, Type: cty.String}},
		Type:   function.StaticReturnType(cty.Bool),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			return cty.BoolVal(has(args[0].AsString(), args[1].AsString())), nil
		},
	})
}
