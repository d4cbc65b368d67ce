package dsl

import (
	"maps"
	"reflect"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
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

// envFunction reads the environment. Only the default of a variable may: what
// else a project makes is the same everywhere.
const envFunction = "env"

// readingFunctions read files, or the environment. The others depend on their
// arguments alone.
var readingFunctions = append([]string{envFunction, "file", "fileexists", "fileset", "templatefile"}, digesting...)

// called are the functions that an expression calls, spending a budget.
func (p *project) called(expr hclsyntax.Expression, b *budget) map[string]function.Function {
	calls := make(map[string]function.Function)
	_ = hclsyntax.VisitAll(expr, func(n hclsyntax.Node) hcl.Diagnostics {
		call, ok := n.(*hclsyntax.FunctionCallExpr)
		if !ok || calls[call.Name] != (function.Function{}) {
			return nil
		}
		f, known := functions[call.Name]
		_, typed := typeModifiers[call.Name]
		switch {
		case known && (typed || call.Name == sqlFunction || call.Name == "list" || call.Name == "type"):
			calls[call.Name] = f // the result is as small as the text
		case known:
			calls[call.Name] = b.limited(call.Name, f)
		case call.Name == envFunction:
			calls[call.Name] = p.environmentFunction()
		case slices.Contains(readingFunctions, call.Name):
			calls[call.Name] = b.limited(call.Name, p.fileFunctions(b)[call.Name])
		}
		return nil
	})
	return calls
}

// environmentFunction is env("NAME", default).
func (p *project) environmentFunction() function.Function {
	text := function.Parameter{Name: "name", Type: cty.String}
	otherwise := function.Parameter{Name: "default", Type: cty.DynamicPseudoType, AllowNull: true}
	return function.New(&function.Spec{
		Params:   []function.Parameter{text},
		VarParam: &otherwise,
		Type: func(args []cty.Value) (cty.Type, error) {
			v, err := p.environmentValue(args)
			return v.Type(), err
		},
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) { return p.environmentValue(args) },
	})
}

func (p *project) environmentValue(args []cty.Value) (cty.Value, error) {
	value, set := p.environment(args[0].AsString())
	switch {
	case len(args) > 2:
		return cty.DynamicVal, function.NewArgErrorf(2, "env takes a name and a default")
	case set:
		return cty.StringVal(value), nil
	case len(args) == 2:
		return args[1], nil
	}
	return cty.DynamicVal, function.NewArgErrorf(0, "%s is not set in the environment, and there is no default", args[0].AsString())
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
		"lower": stdlib.LowerFunc, "replace": stdlib.ReplaceFunc, "indent": stdlib.IndentFunc,
		"regex": stdlib.RegexFunc, "regexall": stdlib.RegexAllFunc,
		"split": stdlib.SplitFunc, "strrev": stdlib.ReverseFunc, "substr": stdlib.SubstrFunc, "title": stdlib.TitleFunc,
		"trim": stdlib.TrimFunc, "trimprefix": stdlib.TrimPrefixFunc, "trimspace": stdlib.TrimSpaceFunc,
		"trimsuffix": stdlib.TrimSuffixFunc, "upper": stdlib.UpperFunc,
		// numbers
		"abs": stdlib.AbsoluteFunc, "ceil": stdlib.CeilFunc, "floor": stdlib.FloorFunc, "max": stdlib.MaxFunc, "min": stdlib.MinFunc,
		"log": stdlib.LogFunc, "parseint": stdlib.ParseIntFunc, "pow": stdlib.PowFunc, "signum": stdlib.SignumFunc,
		// collections
		"chunklist": stdlib.ChunklistFunc, "coalesce": stdlib.CoalesceFunc, "coalescelist": stdlib.CoalesceListFunc,
		"compact": stdlib.CompactFunc, "concat": stdlib.ConcatFunc, "contains": stdlib.ContainsFunc, "distinct": stdlib.DistinctFunc,
		"element": stdlib.ElementFunc, "flatten": stdlib.FlattenFunc, "keys": stdlib.KeysFunc, "range": stdlib.RangeFunc, "setproduct": stdlib.SetProductFunc,
		"lookup": stdlib.LookupFunc, "merge": stdlib.MergeFunc, "reverse": stdlib.ReverseListFunc, "setunion": stdlib.SetUnionFunc,
		"setintersection": stdlib.SetIntersectionFunc, "setsubtract": stdlib.SetSubtractFunc, "slice": stdlib.SliceFunc,
		"sort": stdlib.SortFunc, "values": stdlib.ValuesFunc, "zipmap": stdlib.ZipmapFunc,
		// times that are given
		"formatdate": stdlib.FormatDateFunc, "timeadd": stdlib.TimeAddFunc, "timecmp": timeCompareFunction(),
		// conversions
		"tobool": stdlib.MakeToFunc(cty.Bool), "tonumber": stdlib.MakeToFunc(cty.Number), "tostring": stdlib.MakeToFunc(cty.String),
		"tolist": stdlib.MakeToFunc(cty.List(cty.DynamicPseudoType)), "toset": stdlib.MakeToFunc(cty.Set(cty.DynamicPseudoType)),
		"try": tryFunction(), "can": canFunction(), "uuidv5": uuidFunction(),
		"jsonencode": stdlib.JSONEncodeFunc, "jsondecode": stdlib.JSONDecodeFunc, "csvdecode": stdlib.CSVDecodeFunc,
		"tomap": stdlib.MakeToFunc(cty.Map(cty.DynamicPseudoType)),
	}
	maps.Copy(fs, affixFunctions())
	maps.Copy(fs, typeFunctions())
	maps.Copy(fs, terraformFunctions())
	maps.Copy(fs, networkFunctions())
	maps.Copy(fs, yamlFunctions())
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
