package golang

import (
	"encoding/hex"
	"fmt"

	"github.com/pawldb/pawl/compiler/ir"
)

// enumLabel is one value of one enum on its way to a constant's name.
type enumLabel struct {
	enum  *ir.Enum
	index int
	typ   string // Go name of the enum
	text  string
}

// resolveLabels names the constants of enum values: the type's name and the
// value's words, BookingStatusHeld.
//
// Values have no go block, so every set of values gets names, and a value's name
// depends on the set of values alone, never on their order: of values that would
// share a name ("visa" and "Visa", "1" and "-1") each is spelled out sign by
// sign after an underscore, BookingStatus_visa; and what is still not told apart
// by that, or meets a type's name, is spelled in hexadecimal.
func (n *names) resolveLabels() {
	var labels []enumLabel
	for i := range n.program.Schema.Enums {
		e := &n.program.Schema.Enums[i]
		key := ir.Qualified(e.Schema, e.Name)
		n.labels[key] = make([]string, len(e.Values))
		for j, text := range e.Values {
			labels = append(labels, enumLabel{enum: e, index: j, typ: n.chosen.enums[key], text: text})
		}
	}
	for _, spell := range []func(enumLabel) string{shortLabel, longLabel, hexLabel} {
		labels = n.claimLabels(labels, spell)
	}
	for _, l := range labels {
		n.problems = append(n.problems, Problem{
			Pos:  l.enum.Origin.Pos,
			Text: fmt.Sprintf("value %q of enum %q has no Go name of its own", l.text, l.enum.Name),
			Help: "is the value, or the enum, declared twice?",
		})
	}
}

// claimLabels gives each label the name that spell makes for it, where that is
// free and nobody else's, and returns the others.
func (n *names) claimLabels(labels []enumLabel, spell func(enumLabel) string) []enumLabel {
	wanted := map[string]int{}
	for _, l := range labels {
		wanted[spell(l)]++
	}
	var left []enumLabel
	for _, l := range labels {
		name := spell(l)
		if wanted[name] > 1 || n.pkg.has(name) {
			left = append(left, l)
			continue
		}
		n.labels[ir.Qualified(l.enum.Schema, l.enum.Name)][l.index] = name
	}
	for name, count := range wanted {
		if count == 1 && !n.pkg.has(name) {
			n.pkg.owners[name] = owner{what: "an enum's value"}
		}
	}
	return left
}

func shortLabel(l enumLabel) string {
	if l.text == "" {
		return l.typ + "Empty"
	}
	return l.typ + camel(l.text)
}

func longLabel(l enumLabel) string { return l.typ + "_" + spellRunes(l.text) }

func hexLabel(l enumLabel) string { return l.typ + "_x" + hex.EncodeToString([]byte(l.text)) }
