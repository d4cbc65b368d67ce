package dsl

import (
	"strconv"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/pawldb/pawl/internal/diag"
)

// maxRepeats bounds what for_each makes in a project: modules that repeat
// modules multiply.
const maxRepeats = 10000

// each is one round of a block that for_each repeats.
type each struct {
	block *hclsyntax.Block
	key   string
	value cty.Value
}

var forEachAttr = attrSchema{Name: "for_each", Kind: anyKind, Doc: "repeats the block: a map, an object, or a set of texts"}

// repeatable reports whether for_each works in blocks of a type: those that
// declare an object or an invariant, and modules.
func (s *blockSchema) repeatable() bool { return s.Object || s.Repeats || s.Type == moduleType }

// plain is the module without the value of a repeated block.
func (p *project) plain() *project { return &project{shared: p.shared, module: p.module} }

// round is the module as one round of a repeated block sees it.
func (p *project) round(e *each) *project {
	return &project{shared: p.shared, module: p.module, each: e}
}

// rounds returns what a block is decoded with: p alone, or p once for each value
// of for_each.
func (p *project) rounds(block *hclsyntax.Block, s *blockSchema) []*project {
	attr := block.Body.Attributes[forEachAttr.Name]
	if attr == nil || !s.repeatable() {
		return []*project{p}
	}
	v, ok := p.value(attr.Expr, &forEachAttr)
	if !ok {
		return nil
	}
	if !p.countRounds(attr, v) {
		return nil
	}
	var rounds []*project
	for it := v.ElementIterator(); it.Next(); {
		key, e := it.Element()
		if v.Type().IsSetType() {
			key = e
		}
		rounds = append(rounds, p.round(&each{block: block, key: key.AsString(), value: e}))
	}
	p.nameOfRounds(block, s, attr)
	return rounds
}

// countRounds checks the value of for_each.
func (p *project) countRounds(attr *hclsyntax.Attribute, v cty.Value) bool {
	t := v.Type()
	keyed := t.IsMapType() || t.IsObjectType() && !t.HasAttribute(referenceMember)
	if v.IsNull() || !keyed && !(t.IsSetType() && (t.ElementType() == cty.String || v.LengthInt() == 0)) {
		help := "write { KEY = VALUE }, or toset([\"a\", \"b\"])"
		if t.IsTupleType() || t.IsListType() {
			help = "a list has no keys that stay when it changes: toset([…]) makes each text its own key"
		}
		p.report(p.wrongType(attr.Expr, v, "a map, an object or a set of texts", help))
		return false
	}
	if this := p.repetition(attr); !p.repeated[this] {
		p.repeated[this] = true
		p.repeats += v.LengthInt()
	}
	if p.repeats > maxRepeats {
		p.report(tooLarge(attr.Expr.Range(), "for_each makes more than "+strconv.Itoa(maxRepeats)+" blocks in the project.", "repeat over fewer values"))
		return false
	}
	return true
}

// repetition is a for_each in one use of a module and one round of the block
// around it.
type repetition struct {
	module *module
	attr   *hclsyntax.Attribute
	outer  string
}

func (p *project) repetition(attr *hclsyntax.Attribute) repetition {
	r := repetition{module: p.module, attr: attr}
	if p.each != nil {
		r.outer = p.each.key
	}
	return r
}

// nameOfRounds reports a repeated declaration whose name does not change with
// the key: a label is never computed, so all would bear one name.
func (p *project) nameOfRounds(block *hclsyntax.Block, s *blockSchema, forEach *hclsyntax.Attribute) {
	if s.Type == moduleType {
		return
	}
	name := block.Body.Attributes["name"]
	switch {
	case name == nil:
		p.report(sameName(s, labelText(block), forEach.NameRange))
	case !mentionsKey(name.Expr):
		p.report(sameName(s, labelText(block), name.Expr.Range()))
	}
}

// requireKeyInName reports a block within a repeated one whose name does not
// change with the key although it has to: the moves of two rounds are methods of
// one table.
func (b *body) requireKeyInName() {
	expr, _ := b.attr("name")
	switch {
	case expr == nil:
		b.p.report(sameName(b.schema, b.block.Name.Text, b.header))
	case !mentionsKey(expr):
		b.p.report(sameName(b.schema, b.block.Name.Text, expr.Range()))
	}
}

func sameName(s *blockSchema, label string, at hcl.Range) diag.Diagnostic {
	d := diag.Diagnostic{
		Code:        diag.RepeatedName,
		Detail:      capital(an(s.Type)) + " block with for_each needs a name that contains each.key.",
		Subject:     at,
		Consequence: "All that the block declares would have one name in the database.",
		Help:        "write name = \"${each.key}_" + label + "\"",
	}
	if !s.repeatable() {
		d.Detail = capital(an(s.Type)) + " block within a block with for_each needs a name that contains each.key."
	}
	if !s.Object {
		d.Consequence = "All that the block declares would have one name in Go."
	}
	return d
}

func mentionsKey(expr hclsyntax.Expression) bool {
	for _, t := range expr.Variables() {
		if t.RootName() != "each" {
			continue
		}
		if name, _ := stepName(t[min(1, len(t)-1)]); name == "key" {
			return true
		}
	}
	return false
}

// resolveEach knows each.key and each.value.
func (p *project) resolveEach(r *reference) (cty.Value, bool) {
	name, _ := r.next()
	switch {
	case p.each == nil:
		p.report(diag.Diagnostic{
			Code:    diag.UnknownReference,
			Detail:  "\"each\" is the value that a block is repeated for, and this is in no block with for_each.",
			Subject: stepRange(r.all[0]),
			Help:    "write for_each = { … } in the block",
		})
	case name == "key":
		return cty.StringVal(p.each.key), true
	case name == "value":
		return p.each.value, true
	default:
		p.report(diag.Diagnostic{
			Code:    diag.UnknownReference,
			Detail:  "\"each\" has the members \"key\" and \"value\".",
			Subject: stepRange(r.all[1]),
			Help:    "write each.key or each.value",
		})
	}
	return cty.NilVal, false
}

// keyOf is the key that a block is repeated with, or nil.
func (p *project) keyOf(block *hclsyntax.Block) *string {
	if p.each == nil || p.each.block != block {
		return nil
	}
	return &p.each.key
}

// ID names a block among all of its type: its label, after the module that it
// stands in and before the key that it is repeated with: rooms,
// module.log["orders"].log, by_day["monday"].
func (b *Block) ID() string { return b.Scope + b.LocalID() }

// LocalID is the ID within the module, which names a block among those of its
// table.
func (b *Block) LocalID() string {
	var id string
	if hclsyntax.ValidIdentifier(b.Name.Text) {
		id += b.Name.Text
	} else {
		id += "[" + quote(b.Name.Text) + "]"
	}
	if b.Key != nil {
		id += "[" + quote(*b.Key) + "]"
	}
	return id
}

// localID is the LocalID of a block before it is decoded.
func (p *project) localID(block *hclsyntax.Block) string {
	b := Block{Name: Name{Text: labelText(block)}, Key: p.keyOf(block)}
	return b.LocalID()
}

// idOf is the ID of a block before it is decoded.
func (p *project) idOf(block *hclsyntax.Block) string {
	return p.address + p.localID(block)
}

// roundOf finds the round of a repeated block that a reference names behind the
// label: table.log["orders"]. Of a block that is not repeated it is p.
func (p *project) roundOf(r *reference, block *hclsyntax.Block, s *blockSchema) (*project, bool) {
	if block.Body.Attributes[forEachAttr.Name] == nil || !s.repeatable() {
		return p, true
	}
	rounds, ok := p.knownRounds(block, s, r.place())
	if !ok {
		return nil, false
	}
	return p.pick(r, block, rounds)
}

// pick takes the key behind a repeated block's name off a reference.
func (p *project) pick(r *reference, block *hclsyntax.Block, rounds []*project) (*project, bool) {
	name := pathText(r.path)
	key, _ := r.next()
	var keys []string
	for _, q := range rounds {
		if q.each.key == key {
			return q, true
		}
		keys = append(keys, name+"["+quote(q.each.key)+"]")
	}
	p.report(diag.Diagnostic{
		Code:    diag.UnknownReference,
		Detail:  name + " has no " + quote(key) + " among the keys of its for_each.",
		Subject: r.place(),
		Related: []diag.Related{{Range: labelRange(block), Text: "repeated here"}},
		Help:    didYouMean(name+"["+quote(key)+"]", keys, "name one: "+name+"[KEY]"),
	})
	return nil, false
}

// knownRounds is rounds, evaluated once for all references.
func (p *project) knownRounds(block *hclsyntax.Block, s *blockSchema, from hcl.Range) ([]*project, bool) {
	name := s.Type + "." + labelText(block)
	_, ok := p.node(name+".for_each", from, func() (cty.Value, bool) {
		p.known[block] = p.rounds(block, s)
		return cty.True, p.known[block] != nil
	})
	return p.known[block], ok
}
