package dsl

import (
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/pawldb/pawl/internal/diag"
)

// givenValue is the value of a variable from outside: a text from the command
// line or the environment, or an expression of a file.
type givenValue struct {
	text string
	from string // --var, or PAWL_VAR_ in the environment
	expr hclsyntax.Expression

	caller *project // who gives expr to a module; nil for a file, which names nothing
}

// place is where the value stands, or the variable when it stands in no file.
func (g givenValue) place(block *hclsyntax.Block) hcl.Range {
	if g.expr != nil {
		return g.expr.Range()
	}
	return labelRange(block)
}

// setVariables collects the values from outside: the environment, then files,
// then the command line, each of which wins over the ones before. It reports
// values for variables that do not exist.
func (p *project) setVariables() {
	for name := range p.declared["variable"] {
		if text, set := p.environment(envPrefix + name); set {
			p.given[name] = givenValue{text: text, from: envPrefix + name}
		}
	}
	for _, file := range p.options.VarFiles {
		p.readVarFile(file)
	}
	for _, name := range slices.Sorted(maps.Keys(p.options.Vars)) {
		p.given[name] = givenValue{text: p.options.Vars[name], from: "--var " + name}
		if p.declared["variable"][name] != nil || p.incomplete {
			continue
		}
		p.report(diag.Diagnostic{
			Code:   diag.UnknownVariable,
			Detail: "--var " + name + "=… sets a variable that the project does not declare.",
			Help:   p.variableHelp(name),
		})
	}
}

// envPrefix makes the name of a variable of the environment from one of the
// project.
const envPrefix = "PAWL_VAR_"

func (p *project) environment(name string) (string, bool) {
	if p.options.Env == nil {
		return "", false
	}
	return p.options.Env(name)
}

// variableHelp suggests what was meant instead of an unknown variable.
func (p *project) variableHelp(name string) string {
	names := slices.Sorted(maps.Keys(p.declared["variable"]))
	return didYouMean(name, names, "declare it: variable "+quote(name)+" { type = string }")
}

// readVarFile takes the values of one --var-file.
func (p *project) readVarFile(file VarFile) {
	p.spec.Sources[file.Name] = file.Source
	for _, body := range p.parseWhole(file.Source, file.Name) {
		for _, b := range body.Blocks {
			p.report(diag.Diagnostic{
				Code:    diag.UnknownBlock,
				Detail:  "A file of variables holds attributes alone, and this is a block.",
				Subject: b.DefRange(),
				Help:    "write NAME = VALUE, with the name of a variable",
			})
		}
		for _, attr := range sortedAttributes(body) {
			p.given[attr.Name] = givenValue{expr: attr.Expr}
			if p.declared["variable"][attr.Name] == nil && !p.incomplete {
				p.report(diag.Diagnostic{
					Code:    diag.UnknownVariable,
					Detail:  "The project declares no variable " + quote(attr.Name) + ".",
					Subject: attr.NameRange,
					Help:    p.variableHelp(attr.Name),
				})
			}
		}
	}
}

// value converts a given value to what the variable holds.
func (g givenValue) value(p *project, name string, s shape, block *hclsyntax.Block) (cty.Value, bool) {
	if g.expr != nil {
		return p.givenExpression(g.expr, g.caller, s)
	}
	if s.kind == stringShape || s.kind == untyped {
		return cty.StringVal(g.text), true
	}
	if v, ok := parseGiven(g.text); ok {
		if v, wrong := s.take(v); wrong == nil && !v.IsNull() {
			return v, true
		}
	}
	detail := g.from + "=" + g.text + " must be " + s.phrase() + "."
	sample := map[shapeWord]string{
		numberShape: "5", boolShape: "true", listShape: `'["a", "b"]'`, setShape: `'["a", "b"]'`, mapShape: `'{ a = "b" }'`,
		objectShape: `'{ name = "a" }'`,
	}[s.kind]
	help := "give it as " + g.from + "=" + sample
	if sample == "" {
		help = "a text from outside cannot name " + s.phrase() + ": give the variable a default"
	}
	p.report(diag.Diagnostic{Code: diag.WrongType, Detail: detail, Subject: labelRange(block), Help: help})
	return cty.NilVal, false
}

// givenExpression evaluates the value of a file of variables, which names
// nothing, or of a module block, with the names of its surroundings.
func (p *project) givenExpression(expr hclsyntax.Expression, caller *project, s shape) (cty.Value, bool) {
	if caller != nil {
		p = caller
	}
	v, ok := p.givenValueOf(expr, caller)
	if !ok {
		return cty.NilVal, false
	}
	v, wrong := s.take(v)
	if wrong != nil {
		p.report(wrong.diagnostic(expr.Range(), "give a value of the variable's type"))
		return cty.NilVal, false
	}
	return v, true
}

func (p *project) givenValueOf(expr hclsyntax.Expression, caller *project) (cty.Value, bool) {
	if caller != nil {
		return p.value(expr, nil)
	}
	v, diags := expr.Value(nil)
	if diags.HasErrors() {
		p.report(diag.Diagnostic{
			Code:    diag.NotConstant,
			Detail:  "A file of variables holds values alone: no names, no functions.",
			Subject: expr.Range(),
			Help:    "write the value out",
		})
		return cty.NilVal, false
	}
	return p.finish(expr, v, nil)
}

// parseGiven reads a text from outside as a value of the language: 5, true,
// ["a"].
func parseGiven(text string) (cty.Value, bool) {
	if v, err := cty.ParseNumberVal(text); err == nil { // -5 and +5, which HCL has as operators
		return v, digitsOf(text) <= maxDigits
	}
	const name = "value"
	tokens, diags := hclsyntax.LexExpression([]byte(text), name, hcl.InitialPos)
	if _, tooDeep, _ := nestingLimit(tokens); tooDeep || diags.HasErrors() {
		return cty.NilVal, false
	}
	expr, diags := hclsyntax.ParseExpression([]byte(text), name, hcl.InitialPos)
	if diags.HasErrors() {
		return cty.NilVal, false
	}
	v, diags := expr.Value(nil)
	return v, !diags.HasErrors()
}
