package dsl

import (
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/pawldb/pawl/internal/diag"
)

// roots are the first words of references.
var roots = []string{dataType, "domain", "each", "enum", "local", "module", "path", "table", "transaction", "var"}

// find evaluates what a reference names behind a first word. Only the block that
// for_each repeats knows each: what is found elsewhere has one value for all.
func (p *project) find(word string, r *reference) (cty.Value, bool) {
	if word == "each" {
		return p.resolveEach(r)
	}
	p = p.plain()
	switch word {
	case "var":
		return p.resolveVariable(r)
	case "local":
		return p.resolveLocal(r)
	case "enum":
		return p.resolveEnum(r)
	case "domain":
		return p.resolveDomain(r)
	case "table":
		return p.resolveTable(r, &tableSchema)
	case dataType:
		return p.resolveData(r)
	case "module":
		return p.resolveModule(r)
	case "transaction":
		return p.resolveTransaction(r)
	}
	return p.resolvePath(r)
}

// reference is a traversal while it is resolved: path holds the names that were
// used up, rest what is left.
type reference struct {
	all  hcl.Traversal
	path []string
	rest hcl.Traversal
	want *attrSchema
}

// next takes the next static name off the reference.
func (r *reference) next() (string, bool) {
	if len(r.rest) == 0 {
		return "", false
	}
	name, ok := stepName(r.rest[0])
	if ok {
		r.path = append(r.path, name)
		r.rest = r.rest[1:]
	}
	return name, ok
}

// place is the range of the name that was taken last.
func (r *reference) place() hcl.Range {
	return stepRange(r.all[len(r.all)-len(r.rest)-1])
}

// stepRange is the place of one name, without its dot.
func stepRange(step hcl.Traverser) hcl.Range {
	rng := step.SourceRange()
	if attr, ok := step.(hcl.TraverseAttr); ok && rng.End.Byte-rng.Start.Byte > len(attr.Name) {
		rng.Start.Byte++
		rng.Start.Column++
	}
	return rng
}

// stepName is the name that one step of a traversal takes: .name or ["name"].
func stepName(step hcl.Traverser) (string, bool) {
	switch s := step.(type) {
	case hcl.TraverseRoot:
		return s.Name, true
	case hcl.TraverseAttr:
		return s.Name, true
	case hcl.TraverseIndex:
		if s.Key.Type() == cty.String && s.Key.IsKnown() && !s.Key.IsNull() {
			return s.Key.AsString(), true
		}
	}
	return "", false
}

// resolve evaluates what a traversal names. The path tells which part of the
// traversal the value stands for; what follows it exists in the value, unless
// it may be missing.
func (p *project) resolve(t hcl.Traversal, want *attrSchema, maybe bool) ([]string, cty.Value, bool) {
	root := t.RootName()
	if typ, ok := baseTypes[root]; ok && len(t) == 1 {
		return []string{root}, typ.capsule(), true
	}
	if !slices.Contains(roots, root) || len(t) == 1 {
		p.reportUnknownRoot(t, want)
		return nil, cty.NilVal, false
	}
	r := &reference{all: t, path: []string{root}, rest: t[1:], want: want}
	v, ok := p.find(root, r)
	if !ok || !maybe && !p.membersExist(v, r) {
		return nil, cty.NilVal, false
	}
	return r.path, v, true
}

// membersExist reports a member that the value does not have.
func (p *project) membersExist(v cty.Value, r *reference) bool {
	path := slices.Clone(r.path)
	for _, step := range r.rest {
		name, static := stepName(step)
		if !static || !v.Type().IsObjectType() || v.IsNull() {
			return true // whether that works is for the evaluator to say
		}
		if !v.Type().HasAttribute(name) {
			p.report(diag.Diagnostic{
				Code:    diag.UnknownReference,
				Detail:  quote(pathText(path)) + " has no member " + quote(name) + ".",
				Subject: stepRange(step),
				Help:    didYouMean(name, visibleMembers(v), ""),
			})
			return false
		}
		path = append(path, name)
		v = v.GetAttr(name)
	}
	return true
}

func (p *project) resolveVariable(r *reference) (cty.Value, bool) {
	name, ok := r.next()
	if !ok {
		return p.indexedRoot(r)
	}
	block := p.declared["variable"][name]
	if block == nil {
		return p.undeclared(r, "variable", name)
	}
	return p.variable(name, block, r.place())
}

func (p *project) resolveLocal(r *reference) (cty.Value, bool) {
	name, ok := r.next()
	if !ok {
		return p.indexedRoot(r)
	}
	if p.locals[name] == nil {
		return p.undeclared(r, "local", name)
	}
	return p.local(name, r.place())
}

func (p *project) resolveEnum(r *reference) (cty.Value, bool) {
	name, ok := r.next()
	if !ok {
		return p.indexedRoot(r)
	}
	block := p.declared["enum"][name]
	if block == nil {
		return p.undeclared(r, "enum", name)
	}
	return p.ofRounds(r, block, &enumSchema, func(q *project, _ *reference) (cty.Value, bool) {
		return typeValue{Type: Type{Enum: q.idOf(block)}}.capsule(), true
	})
}

// resolveDomain gives the domain as a type. What it is made of is no part of
// that, so that nothing is evaluated for it.
func (p *project) resolveDomain(r *reference) (cty.Value, bool) {
	name, ok := r.next()
	if !ok {
		return p.indexedRoot(r)
	}
	block := p.declared["domain"][name]
	if block == nil {
		return p.undeclared(r, "domain", name)
	}
	return p.ofRounds(r, block, &domainSchema, func(q *project, _ *reference) (cty.Value, bool) {
		return typeValue{Type: Type{Domain: q.idOf(block)}}.capsule(), true
	})
}

func (p *project) resolveTransaction(r *reference) (cty.Value, bool) {
	name, ok := r.next()
	if !ok {
		return p.indexedRoot(r)
	}
	block := p.declared["transaction"][name]
	if block == nil {
		return p.undeclared(r, "transaction", name)
	}
	if p.call != nil {
		name = p.idOf(block)
	}
	return cty.CapsuleVal(operationCapsule, &name), true
}

// resolvePath knows path.module: the directory of the module, from the project's,
// which every path in a project is relative to.
func (p *project) resolvePath(r *reference) (cty.Value, bool) {
	name, ok := r.next()
	if !ok || name != "module" {
		p.report(diag.Diagnostic{
			Code:    diag.UnknownReference,
			Detail:  "\"path\" has one member, \"module\".",
			Subject: stepRange(r.all[1]),
			Help:    "write path.module",
		})
		return cty.NilVal, false
	}
	return cty.StringVal(p.dir), true
}

// indexedRoot refuses names that are computed, such as var[local.x].
func (p *project) indexedRoot(r *reference) (cty.Value, bool) {
	root := r.all.RootName()
	p.report(diag.Diagnostic{
		Code:    diag.UnknownReference,
		Detail:  "A name cannot be computed.",
		Subject: r.all.SourceRange(),
		Help:    "write " + root + ".NAME",
	})
	return cty.NilVal, false
}

// undeclared reports a reference to something that nothing declares.
func (p *project) undeclared(r *reference, typ, name string) (cty.Value, bool) {
	if p.incomplete {
		return cty.NilVal, false
	}
	var names []string
	if typ == "local" {
		names = slices.Sorted(maps.Keys(p.locals))
	} else {
		names = slices.Sorted(maps.Keys(p.declared[typ]))
	}
	if typ == dataType {
		typ = "data \"table\""
	}
	how := "declare it: " + typ + " " + quote(name) + " { … }"
	if typ == "local" {
		how = "declare it: locals { " + name + " = … }"
	}
	p.report(diag.Diagnostic{
		Code:    diag.UnknownReference,
		Detail:  "No " + typ + " " + quote(name) + " is declared.",
		Subject: r.place(),
		Help:    didYouMean(name, names, how),
	})
	return cty.NilVal, false
}

// reportUnknownRoot reports a name that is no reference: a misspelt type, a
// text without quotes, a root without a name behind it.
func (p *project) reportUnknownRoot(t hcl.Traversal, want *attrSchema) {
	root := t.RootName()
	d := diag.Diagnostic{
		Code:    diag.UnknownReference,
		Detail:  "Nothing is named " + quote(root) + ".",
		Subject: stepRange(t[0]),
		Help:    didYouMean(root, roots, ""),
	}
	if len(t) == 1 {
		d.Help = "a text stands in quotes: " + quote(root)
	}
	switch {
	case slices.Contains(roots, root):
		d.Detail = quote(root) + " alone is no value."
		d.Help = "name one: " + root + ".NAME"
	case want != nil && want.Kind == typeKind && len(t) == 1:
		d = unknownType(root, d.Subject)
	case want != nil && want.Kind == keysKind:
		d.Help = "an expression over columns is SQL text: sql(\"…\")"
	case want != nil && want.Kind == sqlKind:
		d.Help = "SQL is text: write it in quotes, " + want.Name + " = \"…\""
	case want != nil && len(want.Choices) > 0:
		d.Help = "write one of " + list(quoteAll(want.Choices))
	}
	p.report(d)
}

// pathText spells a path as a reference.
func pathText(path []string) string {
	text := path[0]
	for _, name := range path[1:] {
		if hclsyntax.ValidIdentifier(name) {
			text += "." + name
		} else {
			text += "[" + quote(name) + "]"
		}
	}
	return text
}

// visibleMembers lists the members of an object, without the hidden one.
func visibleMembers(v cty.Value) []string {
	var names []string
	for name := range v.Type().AttributeTypes() {
		if name != referenceMember {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
