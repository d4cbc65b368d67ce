package dsl

import (
	"slices"
	"strconv"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/pawldb/pawl/internal/diag"
)

// Moved is a moved block: what was declared under one address is declared under
// another one now.
type Moved struct {
	Block
	From, To *Address // nil when refused
}

// Address is the address of a declaration, which need not exist: of one that was.
type Address struct {
	Text   string // table.bookings.column.room_id, with the module before it
	Type   string // of what it names: column
	Within string // what that stands in: table.bookings; empty for a block of a module
	Label  string // the label of what it names; of an enum's value the value
	Range  hcl.Range
}

var movedSchema = blockSchema{
	Type: "moved", NoAllow: true, Doc: "a new address of what is declared already: how a rename is told",
	Attrs: []attrSchema{
		{Name: "from", Kind: addressKind, Required: true, Doc: "the address that it had"},
		{Name: "to", Kind: addressKind, Required: true, Doc: "the address that it has"},
	},
}

func (p *project) decodeMoved(block *hclsyntax.Block) {
	b := p.open(block, &movedSchema)
	p.spec.Moved = append(p.spec.Moved, &Moved{Block: b.block, From: b.address("from", addressable), To: b.address("to", addressable)})
}

// enumValue is the word before a value in the address of an enum's value.
const enumValue = "value"

// address reads an attribute that is an address. It is not evaluated: what it
// names may be gone. inner says what has an address in what.
func (b *body) address(name string, inner addressing) *Address {
	expr, s := b.attr(name)
	if expr == nil {
		return nil
	}
	t, diags := hcl.AbsTraversalForExpr(expr)
	if diags.HasErrors() {
		b.p.report(diag.Diagnostic{
			Code:    diag.WrongType,
			Detail:  quote(s.Name) + " is an address.",
			Subject: expr.Range(),
			Help:    "write it without quotes: " + s.Name + " = " + sample(s),
		})
		return nil
	}
	r := addressReader{p: b.p, inner: inner, rest: t, out: Address{Text: b.p.address, Range: expr.Range()}}
	if !r.read() {
		return nil
	}
	return &r.out
}

// addressing finds the type of a block in one of another type; nil for one that
// has no address.
type addressing func(s *blockSchema, typ string) *blockSchema

// addressReader takes an address apart, step by step.
type addressReader struct {
	p     *project
	inner addressing
	rest  hcl.Traversal
	out   Address
}

// read takes modules, then a block of a module, then a block in that one.
func (r *addressReader) read() bool {
	s := &projectSchema
	for {
		typ := stepText(r.rest[0])
		inner := r.inner(s, typ)
		if inner != nil && inner.Label == "" && len(r.rest) == 1 && typ != enumValue && typ != moduleType {
			r.out.Type, r.out.Text = typ, r.out.Text+typ
			return true
		}
		if inner == nil || len(r.rest) < 2 {
			return r.refuse(s)
		}
		label, named := stepName(r.rest[1])
		if !named {
			return r.refuse(s)
		}
		r.out.Type, r.out.Label = typ, label
		r.out.Text += typ + labelStep(label)
		r.rest = r.rest[2:]
		r.key()
		if len(r.rest) == 0 {
			return true
		}
		if typ != moduleType {
			r.out.Within = r.out.Text
			s = inner
		}
		r.out.Text += "."
		if _, word := r.rest[0].(hcl.TraverseAttr); !word {
			return r.refuse(s)
		}
	}
}

// key takes the key of a block that for_each repeats.
func (r *addressReader) key() {
	if len(r.rest) == 0 {
		return
	}
	if _, index := r.rest[0].(hcl.TraverseIndex); !index {
		return
	}
	if key, ok := stepName(r.rest[0]); ok {
		r.out.Text += "[" + strconv.Quote(key) + "]"
		r.rest = r.rest[1:]
	}
}

func (r *addressReader) refuse(s *blockSchema) bool {
	at, word := r.out.Range, r.out.Text
	if len(r.rest) > 0 {
		at, word = stepRange(r.rest[0]), stepText(r.rest[0])
	}
	var words []string
	for _, b := range s.Blocks {
		switch found := r.inner(s, b.Type); {
		case found == nil:
		case found.Label == "" && b.Type != moduleType:
			words = append(words, b.Type)
		default:
			words = append(words, b.Type+".NAME")
		}
	}
	if s.Type == enumSchema.Type && r.inner(s, enumValue) != nil {
		words = append(words, enumValue+".VALUE")
	}
	slices.Sort(words)
	d := diag.Diagnostic{
		Code: diag.UnknownReference, Detail: quote(word) + " leads to no address of something that stands in the database.", Subject: at,
		Help: "what may stand here: " + list(words),
	}
	if len(words) == 0 {
		d.Help = "stop before it: what stands in " + an(s.Type) + " has no address of its own"
	}
	r.p.report(d)
	return false
}

// stepText is the word of a step, or "".
func stepText(step hcl.Traverser) string {
	name, _ := stepName(step)
	return name
}

// addressable finds the type of a block that stands in the database under a
// label, or a module; nil when there is none.
func addressable(s *blockSchema, typ string) *blockSchema {
	if s.Type == enumSchema.Type && typ == enumValue {
		return &blockSchema{Type: enumValue}
	}
	b := ownBlockOf(s, typ)
	if b == nil || b.Later != "" || !b.Object && typ != moduleType || typ == domainSchema.Type {
		return nil
	}
	return b
}

// labelStep spells a label behind its type.
func labelStep(label string) string {
	if PlainLabel(label) {
		return "." + label
	}
	return "[" + strconv.Quote(label) + "]"
}

// PlainLabel reports whether an address has a label behind a dot. Any other stands
// in brackets and quotes.
func PlainLabel(s string) bool {
	for i, r := range s {
		letter := r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		if !letter && (i == 0 || r != '-' && (r < '0' || r > '9')) {
			return false
		}
	}
	return s != ""
}
