package dsl

import (
	"maps"
	"reflect"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// sqlFunction is the function that makes SQL text: sql("now()").
const sqlFunction = "sql"

// keyFunctions say how one entry of a key list sorts, or its operator class.
var keyFunctions = map[string]func(*KeyPart){
	"desc":        func(k *KeyPart) { k.Desc = true },
	"nulls_first": func(k *KeyPart) { k.NullsFirst = true },
	"nulls_last":  func(k *KeyPart) { k.NullsLast = true },
	"opclass":     func(*KeyPart) {}, // its second argument is set where it is read
}

// laterFunctions belong to later versions, with what to write today.
var laterFunctions = map[string]string{
	"env":          "give a variable with --var NAME=VALUE",
	"file":         "write the text here, in a heredoc when it is long",
	"templatefile": "write the text here, in a heredoc when it is long",
	"fileset":      "write each block out",
}

var (
	sqlCapsule       = cty.Capsule("SQL text", reflect.TypeFor[SQL]())
	referenceCapsule = cty.Capsule("reference", reflect.TypeFor[Reference]())
	operationCapsule = cty.Capsule("transaction", reflect.TypeFor[string]())
)

// functions are all functions of expressions, by Terraform's names. None of
// them depends on time, chance or the machine.
var functions = makeFunctions()

func makeFunctions() map[string]function.Function {
	fs := map[string]function.Function{
		sqlFunction: sqlTextFunction(),
		// strings
		"chomp": stdlib.ChompFunc, "format": stdlib.FormatFunc, "formatlist": stdlib.FormatListFunc, "join": stdlib.JoinFunc,
		"lower": stdlib.LowerFunc, "replace": stdlib.ReplaceFunc,
		"split": stdlib.SplitFunc, "strrev": stdlib.ReverseFunc, "substr": stdlib.SubstrFunc, "title": stdlib.TitleFunc,
		"trim": stdlib.TrimFunc, "trimprefix": stdlib.TrimPrefixFunc, "trimspace": stdlib.TrimSpaceFunc,
		"trimsuffix": stdlib.TrimSuffixFunc, "upper": stdlib.UpperFunc,
		// numbers
		"abs": stdlib.AbsoluteFunc, "ceil": stdlib.CeilFunc, "floor": stdlib.FloorFunc, "max": stdlib.MaxFunc, "min": stdlib.MinFunc,
		// collections
		"chunklist": stdlib.ChunklistFunc, "coalesce": stdlib.CoalesceFunc, "coalescelist": stdlib.CoalesceListFunc,
		"compact": stdlib.CompactFunc, "concat": stdlib.ConcatFunc, "contains": stdlib.ContainsFunc, "distinct": stdlib.DistinctFunc,
		"element": stdlib.ElementFunc, "flatten": stdlib.FlattenFunc, "keys": stdlib.KeysFunc, "length": stdlib.LengthFunc,
		"lookup": stdlib.LookupFunc, "merge": stdlib.MergeFunc, "reverse": stdlib.ReverseListFunc, "setunion": stdlib.SetUnionFunc,
		"setintersection": stdlib.SetIntersectionFunc, "setsubtract": stdlib.SetSubtractFunc, "slice": stdlib.SliceFunc,
		"sort": stdlib.SortFunc, "values": stdlib.ValuesFunc, "zipmap": stdlib.ZipmapFunc,
		// conversions
		"tobool": stdlib.MakeToFunc(cty.Bool), "tonumber": stdlib.MakeToFunc(cty.Number), "tostring": stdlib.MakeToFunc(cty.String),
		"tolist": stdlib.MakeToFunc(cty.List(cty.DynamicPseudoType)), "toset": stdlib.MakeToFunc(cty.Set(cty.DynamicPseudoType)),
		"tomap": stdlib.MakeToFunc(cty.Map(cty.DynamicPseudoType)),
	}
	maps.Copy(fs, affixFunctions())
	maps.Copy(fs, typeFunctions())
	return fs
}

// sqlTextFunction is sql() inside a larger expression. Where sql("…") stands
// alone it is read as text in place, so that errors point into it.
func sqlTextFunction() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "text", Type: cty.String}},
		Type:   function.StaticReturnType(sqlCapsule),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			return cty.CapsuleVal(sqlCapsule, &SQL{Text: args[0].AsString()}), nil
		},
	})
}
