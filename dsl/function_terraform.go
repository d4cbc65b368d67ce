package dsl

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// terraformFunctions are those of Terraform's functions that cty's library does
// not have.
func terraformFunctions() map[string]function.Function {
	return map[string]function.Function{
		"length":     lengthFunction(),
		"startswith": testOfTexts("prefix", strings.HasPrefix), "endswith": testOfTexts("suffix", strings.HasSuffix),
		"strcontains": testOfTexts("substring", strings.Contains),
		"basename":    ofText(path.Base), "dirname": ofText(path.Dir),
		"urlencode":    ofText(url.QueryEscape),
		"base64encode": ofText(func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }),
		"base64decode": base64DecodeFunction(),
		"md5":          ofText(func(s string) string { sum := md5.Sum([]byte(s)); return hex.EncodeToString(sum[:]) }),
		"sha1":         ofText(func(s string) string { sum := sha1.Sum([]byte(s)); return hex.EncodeToString(sum[:]) }),
		"sha256":       ofText(func(s string) string { sum := sha256.Sum256([]byte(s)); return hex.EncodeToString(sum[:]) }),
		"sha512":       ofText(func(s string) string { sum := sha512.Sum512([]byte(s)); return hex.EncodeToString(sum[:]) }),
		"base64sha256": ofText(func(s string) string {
			sum := sha256.Sum256([]byte(s))
			return base64.StdEncoding.EncodeToString(sum[:])
		}),
		"base64sha512": ofText(func(s string) string {
			sum := sha512.Sum512([]byte(s))
			return base64.StdEncoding.EncodeToString(sum[:])
		}),
		"alltrue": allFunction(true), "anytrue": allFunction(false),
		"sum": sumFunction(), "one": oneFunction(), "index": indexFunction(), "matchkeys": matchKeysFunction(),
		"transpose": transposeFunction(),
	}
}

func ofText(f func(string) string) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "text", Type: cty.String}},
		Type:   function.StaticReturnType(cty.String),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			return cty.StringVal(f(args[0].AsString())), nil
		},
	})
}

// timeCompareFunction is -1, 0 or 1 for a time before, at or after another one.
func timeCompareFunction() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "a", Type: cty.String}, {Name: "b", Type: cty.String}},
		Type:   function.StaticReturnType(cty.Number),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			var at [2]time.Time
			for i, arg := range args {
				t, err := time.Parse(time.RFC3339, arg.AsString())
				if err != nil {
					return cty.NilVal, function.NewArgErrorf(i, "a time is needed: \"2026-01-31T12:00:00Z\"")
				}
				at[i] = t
			}
			return cty.NumberIntVal(int64(at[0].Compare(at[1]))), nil
		},
	})
}

func testOfTexts(second string, f func(a, b string) bool) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "text", Type: cty.String}, {Name: second, Type: cty.String}},
		Type:   function.StaticReturnType(cty.Bool),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			return cty.BoolVal(f(args[0].AsString(), args[1].AsString())), nil
		},
	})
}

func base64DecodeFunction() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "text", Type: cty.String}},
		Type:   function.StaticReturnType(cty.String),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			raw, err := base64.StdEncoding.DecodeString(args[0].AsString())
			if err != nil {
				return cty.NilVal, function.NewArgErrorf(0, "this is no base64")
			}
			return cty.StringVal(string(raw)), nil
		},
	})
}

// lengthFunction is that of a text, in characters, as well as of a collection.
func lengthFunction() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "value", Type: cty.DynamicPseudoType}},
		Type:   function.StaticReturnType(cty.Number),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			if args[0].Type() == cty.String {
				return stdlib.Strlen(args[0])
			}
			if !args[0].CanIterateElements() || args[0].Type().IsObjectType() && args[0].Type().HasAttribute(referenceMember) {
				return cty.NilVal, function.NewArgErrorf(0, "a text, a list, a set, a map or an object is needed")
			}
			return cty.NumberIntVal(int64(args[0].LengthInt())), nil
		},
	})
}

// ofList makes a function of one list, set or tuple.
func ofList(f func(elements []cty.Value) (cty.Value, error)) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "list", Type: cty.DynamicPseudoType}},
		Type:   func(args []cty.Value) (cty.Type, error) { v, err := overElements(args[0], f); return v.Type(), err },
		Impl:   func(args []cty.Value, _ cty.Type) (cty.Value, error) { return overElements(args[0], f) },
	})
}

func overElements(v cty.Value, f func([]cty.Value) (cty.Value, error)) (cty.Value, error) {
	elements, err := elementsOf(v)
	if err != nil {
		return cty.DynamicVal, err
	}
	out, err := f(elements)
	if err != nil {
		return cty.DynamicVal, err
	}
	return out, nil
}

func elementsOf(v cty.Value) ([]cty.Value, error) {
	t := v.Type()
	if !t.IsListType() && !t.IsSetType() && !t.IsTupleType() {
		return nil, function.NewArgErrorf(0, "a list is needed")
	}
	return v.AsValueSlice(), nil
}

// allFunction is alltrue, and anytrue when it looks for false ones.
func allFunction(want bool) function.Function {
	return ofList(func(elements []cty.Value) (cty.Value, error) {
		for _, e := range elements {
			if e.IsNull() || e.Type() != cty.Bool {
				return cty.NilVal, function.NewArgErrorf(0, "a list of true and false is needed")
			}
			if e.True() != want {
				return cty.BoolVal(!want), nil
			}
		}
		return cty.BoolVal(want), nil
	})
}

func sumFunction() function.Function {
	return ofList(func(elements []cty.Value) (cty.Value, error) {
		total := cty.Zero
		for _, e := range elements {
			if e.IsNull() || e.Type() != cty.Number {
				return cty.NilVal, function.NewArgErrorf(0, "a list of numbers is needed")
			}
			total = total.Add(e)
		}
		return total, nil
	})
}

// oneFunction is the only element, or null when there is none.
func oneFunction() function.Function {
	return ofList(func(elements []cty.Value) (cty.Value, error) {
		switch len(elements) {
		case 0:
			return cty.NullVal(cty.DynamicPseudoType), nil
		case 1:
			return elements[0], nil
		}
		return cty.NilVal, function.NewArgErrorf(0, "a list with one element or none is needed")
	})
}

func indexFunction() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "list", Type: cty.DynamicPseudoType}, {Name: "value", Type: cty.DynamicPseudoType}},
		Type:   function.StaticReturnType(cty.Number),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			elements, err := elementsOf(args[0])
			if err != nil {
				return cty.NilVal, err
			}
			for i, e := range elements {
				if e.RawEquals(args[1]) {
					return cty.NumberIntVal(int64(i)), nil
				}
			}
			return cty.NilVal, errors.New("the value is not in the list")
		},
	})
}

// matchKeysFunction keeps the values whose key is among those searched.
func matchKeysFunction() function.Function {
	texts := cty.List(cty.String)
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "values", Type: texts}, {Name: "keys", Type: texts}, {Name: "searched", Type: texts}},
		Type:   function.StaticReturnType(texts),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			values, keys := args[0].AsValueSlice(), args[1].AsValueSlice()
			if len(values) != len(keys) {
				return cty.NilVal, errors.New("values and keys differ in length")
			}
			searched := make(map[string]bool)
			for _, e := range args[2].AsValueSlice() {
				searched[keyText(e)] = true
			}
			var kept []cty.Value
			for i, key := range keys {
				if searched[keyText(key)] {
					kept = append(kept, values[i])
				}
			}
			if len(kept) == 0 {
				return cty.ListValEmpty(cty.String), nil
			}
			return cty.ListVal(kept), nil
		},
	})
}

// transposeFunction swaps keys and values of a map of lists.
func transposeFunction() function.Function {
	t := cty.Map(cty.List(cty.String))
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "map", Type: t}},
		Type:   function.StaticReturnType(t),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			lists := make(map[string][]cty.Value)
			for it := args[0].ElementIterator(); it.Next(); {
				key, values := it.Element()
				for _, v := range values.AsValueSlice() {
					lists[v.AsString()] = append(lists[v.AsString()], key)
				}
			}
			if len(lists) == 0 {
				return cty.MapValEmpty(cty.List(cty.String)), nil
			}
			out := make(map[string]cty.Value, len(lists))
			for key, values := range lists {
				out[key] = cty.ListVal(values)
			}
			return cty.MapVal(out), nil
		},
	})
}
