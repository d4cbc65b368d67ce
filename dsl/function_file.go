package dsl

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// fileFunctions are the functions that read the project's directory, with paths
// from there. They are those of one evaluation, whose budget a template spends.
func (p *project) fileFunctions(b *budget) map[string]function.Function {
	functions := map[string]function.Function{
		"file": ofPath(cty.String, func(name string) (cty.Value, error) {
			text, err := p.readText(name)
			return cty.StringVal(text), err
		}),
		"fileexists": ofPath(cty.Bool, func(name string) (cty.Value, error) {
			if !fs.ValidPath(path.Clean(name)) {
				return cty.NilVal, outside(name)
			}
			info, err := fs.Stat(p.fsys, path.Clean(name))
			return cty.BoolVal(err == nil && info.Mode().IsRegular()), nil
		}),
		"fileset":      p.fileSetFunction(),
		"templatefile": p.templateFunction(b),
	}
	maps.Copy(functions, p.digestFunctions())
	return functions
}

func ofPath(result cty.Type, f func(name string) (cty.Value, error)) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "path", Type: cty.String}},
		Type:   function.StaticReturnType(result),
		Impl:   func(args []cty.Value, _ cty.Type) (cty.Value, error) { return f(args[0].AsString()) },
	})
}

// outside refuses a path that leads out of the project: what the project makes
// would depend on the machine.
func outside(name string) error {
	return function.NewArgErrorf(0, "%q is outside of the project's directory", name)
}

// readText reads a file of the project, or with --allow-outside any.
func (p *project) readText(name string) (string, error) {
	src, err := p.readSmall(name)
	switch {
	case err != nil:
		return "", err
	case len(src) > maxValue:
		return "", tooLargeFile(name)
	case !utf8.Valid(src):
		return "", function.NewArgErrorf(0, "the file %q is no text in UTF-8", name)
	}
	return string(src), nil
}

func tooLargeFile(name string) error {
	return function.NewArgErrorf(0, "the file %q is larger than 64 kilobytes", name)
}

func (p *project) readSmall(name string) ([]byte, error) {
	clean := path.Clean(name)
	if !fs.ValidPath(clean) {
		if p.options.Outside == nil {
			return nil, function.NewArgErrorf(0, "%q is outside of the project's directory; --allow-outside lets the spec read it", name)
		}
		src, err := p.options.Outside(name)
		if err != nil {
			return nil, function.NewArgErrorf(0, "the file %q cannot be read", name)
		}
		return src, nil
	}
	info, err := fs.Stat(p.fsys, clean)
	switch {
	case err != nil:
		return nil, function.NewArgErrorf(0, "the file %q cannot be read: paths are those from the project's directory", name)
	case !info.Mode().IsRegular():
		return nil, function.NewArgErrorf(0, "%q is no regular file", name)
	case info.Size() > maxValue:
		return nil, tooLargeFile(name)
	}
	return fs.ReadFile(p.fsys, clean)
}

// templateFunction is templatefile(path, { name = value }). A template has all
// functions but itself.
func (p *project) templateFunction(b *budget) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "path", Type: cty.String}, {Name: "values", Type: cty.DynamicPseudoType}},
		Type:   function.StaticReturnType(cty.String),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			name, values := args[0].AsString(), args[1]
			if t := values.Type(); !t.IsObjectType() && !t.IsMapType() {
				return cty.NilVal, function.NewArgErrorf(1, "an object is needed: { name = value }")
			}
			text, err := p.readText(name)
			if err != nil {
				return cty.NilVal, err
			}
			return p.renderTemplate(name, text, values.AsValueMap(), b)
		},
	})
}

func (p *project) renderTemplate(name, text string, values map[string]cty.Value, b *budget) (cty.Value, error) {
	tokens, _ := hclsyntax.LexTemplate([]byte(text), name, hcl.InitialPos)
	if _, tooDeep, _ := nestingLimit(tokens); tooDeep {
		return cty.NilVal, function.NewArgErrorf(0, "the template %q is nested too deep", name)
	}
	expr, diags := hclsyntax.ParseTemplate([]byte(text), name, hcl.InitialPos)
	if diags.HasErrors() {
		return cty.NilVal, templateError(diags)
	}
	for _, t := range expr.Variables() {
		if _, given := values[t.RootName()]; !given {
			return cty.NilVal, function.NewArgErrorf(1, "the template %q uses %q, which is not among the values", name, t.RootName())
		}
	}
	calls := p.called(expr, b)
	delete(calls, "templatefile")
	v, diags := b.evaluate(expr, &hcl.EvalContext{Variables: values, Functions: calls})
	switch {
	case b.exceeded:
		return cty.NilVal, errTooLarge
	case diags.HasErrors():
		return cty.NilVal, templateError(diags)
	case v.IsNull() || v.Type() != cty.String:
		return cty.NilVal, function.NewArgErrorf(0, "the template %q gives no text", name)
	case len(v.AsString()) > maxValue:
		return cty.NilVal, errTooLarge
	}
	return v, nil
}

// templateError tells the first mistake in a template with its place, which is
// in another file than the call.
func templateError(diags hcl.Diagnostics) error {
	d := diags[0]
	return fmt.Errorf("%s: %s", d.Subject, d.Detail)
}

// maxFiles bounds how many entries of directories fileset looks at.
const maxFiles = 100000

// fileSetFunction is fileset(directory, pattern), the files below a directory
// whose paths from there match: * stands within a name, ** for any directories.
// Links to directories are not followed.
func (p *project) fileSetFunction() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "directory", Type: cty.String}, {Name: "pattern", Type: cty.String}},
		Type:   function.StaticReturnType(cty.Set(cty.String)),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			dir := path.Clean(args[0].AsString())
			if !fs.ValidPath(dir) {
				return cty.NilVal, outside(args[0].AsString())
			}
			pattern := strings.Split(args[1].AsString(), "/")
			if slices.Contains(pattern, "..") {
				return cty.NilVal, function.NewArgErrorf(1, "a pattern has no .. in it")
			}
			names, err := p.matching(dir, pattern)
			if err != nil || len(names) == 0 {
				return cty.SetValEmpty(cty.String), err
			}
			return cty.SetVal(names), nil
		},
	})
}

func (p *project) matching(dir string, pattern []string) ([]cty.Value, error) {
	var names []cty.Value
	seen := 0
	err := fs.WalkDir(p.fsys, dir, func(name string, entry fs.DirEntry, err error) error {
		if seen++; seen > maxFiles {
			return function.NewArgErrorf(0, "there are more than %d files below it", maxFiles)
		}
		if err != nil || entry.IsDir() {
			return err
		}
		below := strings.TrimPrefix(strings.TrimPrefix(name, dir), "/")
		if matches(pattern, strings.Split(below, "/")) {
			names = append(names, cty.StringVal(below))
		}
		return nil
	})
	return names, err
}

// matches compares the parts of a path with those of a pattern. It keeps the
// set of parts of the pattern that may come next, so that many ** cost no more
// than their number.
func matches(pattern, parts []string) bool {
	next := make([]bool, len(pattern)+1)
	next[0] = true
	spread(pattern, next)
	for _, part := range parts {
		after := make([]bool, len(next))
		for i, word := range pattern {
			if !next[i] {
				continue
			}
			if word == "**" {
				after[i] = true
			} else if same, err := path.Match(word, part); err == nil && same {
				after[i+1] = true
			}
		}
		spread(pattern, after)
		next = after
	}
	return next[len(pattern)]
}

// spread lets each ** stand for no directory at all.
func spread(pattern []string, next []bool) {
	for i, word := range pattern {
		next[i+1] = next[i+1] || next[i] && word == "**"
	}
}
