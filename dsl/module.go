package dsl

import (
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/pawldb/pawl/internal/diag"
)

const moduleType = "module"

// maxModules bounds how deep modules use modules. Links between directories can
// make a chain of them that never ends.
const maxModules = 20

var sourceAttr = attrSchema{Name: "source", Kind: stringKind, Required: true, Doc: "the directory, from this one: \"./modules/log\""}

// moduleSchema takes any attribute: those that are not its own are variables of
// the module.
var moduleSchema = blockSchema{
	Type: moduleType, Label: "the name of the use", Open: true, NoAllow: true, Doc: "the declarations of another directory",
	Attrs: []attrSchema{sourceAttr},
}

// ownBlocks stand in the project's own directory alone.
var ownBlocks = []string{"pawl", "generate", "target"}

// call is a use of a module.
type call struct {
	block *hclsyntax.Block
	from  *project
}

// stack tells how the module came to be used, the innermost use first.
func (p *project) stack() []diag.Related {
	var uses []diag.Related
	for m := p.module; m.call != nil; m = m.call.from.module {
		uses = append(uses, diag.Related{Range: m.call.block.DefRange(), Text: "used here as " + strings.TrimSuffix(m.address, ".")})
	}
	return uses
}

// decodeModule decodes the declarations of every use that the block makes.
func (p *project) decodeModule(block *hclsyntax.Block) {
	p.plain().open(block, &moduleSchema)
	if len(block.Labels) == 0 {
		return
	}
	uses, _ := p.usesOf(block, labelRange(block))
	for _, used := range uses {
		used.evaluateLocals()
		used.decode()
	}
}

// usesOf makes the uses of a module block: one, or one for each value of its
// for_each. It is false when there is none because of an error.
func (p *project) usesOf(block *hclsyntax.Block, from hcl.Range) ([]*project, bool) {
	label := labelText(block)
	_, ok := p.node("module."+label, from, func() (cty.Value, bool) {
		dir, ok := p.source(block)
		if !ok {
			return cty.NilVal, false
		}
		rounds := p.rounds(block, &moduleSchema)
		for _, q := range rounds {
			used, ok := q.use(block, dir)
			if !ok {
				return cty.NilVal, false
			}
			p.uses[label] = append(p.uses[label], used)
		}
		return cty.True, rounds != nil
	})
	return p.uses[label], ok
}

// source finds the directory of a module.
func (p *project) source(block *hclsyntax.Block) (string, bool) {
	attr := block.Body.Attributes[sourceAttr.Name]
	if attr == nil {
		return "", false // reported where the block is decoded
	}
	d := diag.Diagnostic{Code: diag.ModuleSource, Subject: attr.Expr.Range(), Help: "write a path to a directory: source = \"./modules/NAME\""}
	v, diags := attr.Expr.Value(nil)
	if diags.HasErrors() || v.IsNull() || v.Type() != cty.String {
		d.Detail = "The source of a module is a text, without names and functions: what is read does not depend on values."
		p.report(d)
		return "", false
	}
	source := v.AsString()
	dir := path.Join(p.dir, source)
	switch info, err := fs.Stat(p.fsys, dir); {
	case !strings.HasPrefix(source, "./") && !strings.HasPrefix(source, "../"):
		d.Detail = "The source of a module begins with ./ or ../: it is a local directory."
	case !fs.ValidPath(dir):
		d.Detail = "The directory " + quote(source) + " is outside of the project."
		d.Consequence = "The project could not be moved, nor checked out alone."
		d.Help = "put the module into the project's directory"
	case err != nil || !info.IsDir():
		d.Detail = "There is no directory " + quote(p.displayName(source)) + "."
	default:
		return dir, p.noCircle(block, dir)
	}
	p.report(d)
	return "", false
}

// noCircle refuses a module that uses itself.
func (p *project) noCircle(block *hclsyntax.Block, dir string) bool {
	depth := 0
	names := []string{"module." + labelText(block)}
	for m := p.module; ; m = m.call.from.module {
		if m.dir == dir {
			slices.Reverse(names)
			p.report(diag.Diagnostic{
				Code:    diag.Cycle,
				Detail:  "The directory " + quote(dir) + " uses itself: " + strings.Join(names, " → ") + ".",
				Subject: block.Body.Attributes[sourceAttr.Name].Expr.Range(),
				Help:    "remove one of the module blocks",
			})
			return false
		}
		if m.call == nil {
			break
		}
		names = append(names, "module."+labelText(m.call.block))
		depth++
	}
	if depth >= maxModules {
		p.report(tooLarge(block.DefRange(), "Modules use modules more than "+strconv.Itoa(maxModules)+" deep.", "use the inner ones directly"))
		return false
	}
	return true
}

// use prepares one use of a module: its declarations are known, and its
// variables have the expressions of the block.
func (p *project) use(block *hclsyntax.Block, dir string) (*project, bool) {
	b := Block{Name: Name{Text: labelText(block)}, Key: p.keyOf(block)}
	address := p.address + "module." + b.ID() + "."
	if !hclsyntax.ValidIdentifier(b.Name.Text) {
		address = p.address + "module" + b.ID() + "."
	}
	used := p.newModule(dir, address, &call{block: block, from: p})
	used.read()
	if used.files == 0 && !used.incomplete {
		p.report(diag.Diagnostic{
			Code:    diag.ModuleSource,
			Detail:  "The directory " + quote(used.displayName(".")) + " holds no *.hcl file.",
			Subject: block.Body.Attributes[sourceAttr.Name].Expr.Range(),
			Help:    "name the directory of a module",
		})
		return nil, false
	}
	used.declare()
	used.collectLocals()
	used.takeInputs(block, p)
	p.spec.Modules = append(p.spec.Modules, &Module{
		Address: strings.TrimSuffix(address, "."), Dir: used.displayName("."), Header: block.DefRange(), Stack: used.stack(),
	})
	return used, true
}

// takeInputs hands the attributes of a module block to the variables.
func (p *project) takeInputs(block *hclsyntax.Block, caller *project) {
	for _, attr := range sortedAttributes(block.Body) {
		if attr.Name == sourceAttr.Name || attr.Name == forEachAttr.Name {
			continue
		}
		p.given[attr.Name] = givenValue{expr: attr.Expr, caller: caller}
		if p.declared["variable"][attr.Name] == nil && !p.incomplete {
			caller.report(diag.Diagnostic{
				Code:    diag.UnknownVariable,
				Detail:  "The module " + quote(labelText(block)) + " declares no variable " + quote(attr.Name) + ".",
				Subject: attr.NameRange,
				Help:    p.variableHelp(attr.Name),
			})
		}
	}
}

// moduleRoots are the words that a reference into a module may go on with.
var moduleRoots = []string{dataType, "domain", "enum", "module", "table", "transaction"}

// resolveModule knows module.NAME, and what the module declares behind it:
// module.log["orders"].table.log.
func (p *project) resolveModule(r *reference) (cty.Value, bool) {
	name, ok := r.next()
	if !ok {
		return p.indexedRoot(r)
	}
	block := p.declared[moduleType][name]
	if block == nil {
		return p.undeclared(r, moduleType, name)
	}
	uses, ok := p.usesOf(block, r.place())
	if !ok {
		return cty.NilVal, false
	}
	if block.Body.Attributes[forEachAttr.Name] != nil && !r.named() {
		all := make(map[string]cty.Value, len(uses))
		for _, used := range uses {
			v, ok := used.wholeUse(r.below())
			if !ok {
				return cty.NilVal, false
			}
			all[used.call.from.each.key] = v
		}
		return cty.ObjectVal(all), true
	}
	used, ok := p.usedAs(r, block, uses)
	if !ok {
		return cty.NilVal, false
	}
	return p.declaredBy(used, r)
}

// declaredBy evaluates a use of a module, or what a reference names in it.
func (p *project) declaredBy(used *project, r *reference) (cty.Value, bool) {
	if !r.named() {
		return used.wholeUse(r)
	}
	word, _ := r.next()
	if !slices.Contains(moduleRoots, word) {
		p.report(diag.Diagnostic{
			Code:    diag.UnknownReference,
			Detail:  "A reference into a module goes on with " + list(moduleRoots) + ".",
			Subject: r.all.SourceRange(),
			Help:    "name what the module declares: " + used.address + "table.NAME",
		})
		return cty.NilVal, false
	}
	if !r.named() {
		return used.wholeWord(r, word)
	}
	return used.find(word, r)
}

// usedAs picks the use that a reference names.
func (p *project) usedAs(r *reference, block *hclsyntax.Block, uses []*project) (*project, bool) {
	if block.Body.Attributes[forEachAttr.Name] == nil {
		return uses[0], true
	}
	rounds := make([]*project, len(uses))
	for i, used := range uses {
		rounds[i] = used.call.from
	}
	q, ok := p.pick(r, block, rounds)
	if !ok {
		return nil, false
	}
	return uses[slices.Index(rounds, q)], true
}
