package dsl

import (
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/pawldb/pawl/internal/diag"
)

// maxName is PostgreSQL's limit for identifiers, in bytes.
const maxName = 63

// labelText is a block's first label, or "".
func labelText(b *hclsyntax.Block) string {
	if len(b.Labels) == 0 {
		return ""
	}
	return b.Labels[0]
}

// labelRange is the place of a block's first label, or of its type.
func labelRange(b *hclsyntax.Block) hcl.Range {
	if len(b.LabelRanges) == 0 {
		return b.TypeRange
	}
	return b.LabelRanges[0]
}

// label checks a block's labels and returns the one it has.
func (p *project) label(b *hclsyntax.Block, s *blockSchema) Name {
	want := 0
	if s.Label != "" {
		want = 1
	}
	if len(b.Labels) != want {
		p.report(wrongLabels(b, s))
	}
	if want == 0 || len(b.Labels) == 0 {
		return Name{Range: b.DefRange()}
	}
	name := Name{Text: b.Labels[0], Range: b.LabelRanges[0]}
	if s.Object {
		p.checkIdentifier(name, s.Label)
	} else if name.Text == "" {
		p.report(emptyName(name.Range, s.Label))
	}
	return name
}

func wrongLabels(b *hclsyntax.Block, s *blockSchema) diag.Diagnostic {
	d := diag.Diagnostic{Code: diag.BlockLabels, Subject: b.DefRange()}
	switch {
	case s.Label == "":
		d.Detail = capital(an(s.Type)) + " block has no label."
		d.Subject = b.LabelRanges[0]
		d.Help = "write " + s.Type + " { … }"
	case len(b.Labels) == 0:
		d.Detail = capital(an(s.Type)) + " block needs one label: " + s.Label + "."
		d.Help = "write " + example(s)
	default:
		d.Detail = capital(an(s.Type)) + " block has one label: " + s.Label + "."
		d.Subject = b.LabelRanges[1]
		d.Help = "remove what follows " + quote(b.Labels[0])
	}
	return d
}

// checkIdentifier reports a name that PostgreSQL would refuse or cut.
func (p *project) checkIdentifier(n Name, what string) {
	switch {
	case n.Text == "":
		p.report(emptyName(n.Range, what))
	case strings.ContainsRune(n.Text, 0):
		p.report(diag.Diagnostic{
			Code:    diag.InvalidName,
			Detail:  capital(what) + " holds a NUL character, which PostgreSQL cannot store.",
			Subject: n.Range,
			Help:    "remove the escape \\u0000",
		})
	case len(n.Text) > maxName:
		p.report(diag.Diagnostic{
			Code:    diag.NameTooLong,
			Detail:  capital(what) + " has " + strconv.Itoa(len(n.Text)) + " bytes; PostgreSQL keeps " + strconv.Itoa(maxName) + ".",
			Subject: n.Range,
			Help:    "choose a shorter name",
		})
	}
}

func emptyName(at hcl.Range, what string) diag.Diagnostic {
	return diag.Diagnostic{
		Code:    diag.InvalidName,
		Detail:  capital(what) + " is empty.",
		Subject: at,
		Help:    "write a name between the quotes",
	}
}
