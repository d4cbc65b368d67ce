package dsl

import (
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// named reports whether the reference goes on with a name, and not with an index
// that is computed, or not at all.
func (r *reference) named() bool {
	if len(r.rest) == 0 {
		return false
	}
	_, static := stepName(r.rest[0])
	return static
}

// below is a reference to something in what this one names, as if the text went
// on with it.
func (r *reference) below(names ...string) *reference {
	all := slices.Clone(r.all[:len(r.all)-len(r.rest)])
	at := stepRange(all[len(all)-1])
	below := &reference{all: all, path: slices.Clone(r.path), want: r.want}
	for _, name := range names {
		step := hcl.TraverseAttr{Name: name, SrcRange: at}
		below.all, below.rest = append(below.all, step), append(below.rest, step)
	}
	return below
}

// ofRounds evaluates what a repeated block declares: the one that the reference
// names, or all of them as an object by key. Of a block that is not repeated it
// is that one.
func (p *project) ofRounds(r *reference, block *hclsyntax.Block, s *blockSchema, one func(*project, *reference) (cty.Value, bool)) (cty.Value, bool) {
	if block.Body.Attributes[forEachAttr.Name] == nil || r.named() {
		q, ok := p.roundOf(r, block, s)
		if !ok {
			return cty.NilVal, false
		}
		return one(q, r)
	}
	rounds, ok := p.knownRounds(block, s, r.place())
	if !ok {
		return cty.NilVal, false
	}
	all := make(map[string]cty.Value, len(rounds))
	for _, q := range rounds {
		v, ok := one(q, r.below())
		if !ok {
			return cty.NilVal, false
		}
		all[q.each.key] = v
	}
	return cty.ObjectVal(all), true
}

// wholeUse is all that a use of a module declares: module.log as a value.
func (p *project) wholeUse(r *reference) (cty.Value, bool) {
	words := make(map[string]cty.Value)
	for _, word := range moduleRoots {
		behind := r.below(word)
		behind.next()
		v, ok := p.wholeWord(behind, word)
		if !ok {
			return cty.NilVal, false
		}
		words[word] = v
	}
	return cty.ObjectVal(words), true
}

// wholeWord is what a use of a module declares behind one word: module.log.table.
func (p *project) wholeWord(r *reference, word string) (cty.Value, bool) {
	labels := make(map[string]cty.Value)
	for _, label := range slices.Sorted(maps.Keys(p.declared[word])) {
		names := []string{label}
		if word == dataType {
			names = []string{"table", label}
		}
		v, ok := p.find(word, r.below(names...))
		if !ok {
			return cty.NilVal, false
		}
		labels[label] = v
	}
	if word == dataType {
		return cty.ObjectVal(map[string]cty.Value{"table": cty.ObjectVal(labels)}), true
	}
	return cty.ObjectVal(labels), true
}
