package ir

import (
	"slices"
	"strings"
)

// Moved says that a declaration has another address than it had: what a database
// holds for the old one belongs to the new one, and so does what stands below it.
type Moved struct {
	From, To string // addresses
	// Value is set for the value of an enum, with the labels that it had and has;
	// Enum is then the address of the enum today.
	Value              bool
	Enum               string
	FromLabel, ToLabel string
	Pos                Pos
}

// Address is where what was declared at an old address is declared now: the old
// address itself unless a moved block says otherwise. Moves may follow each
// other, in any order of the blocks.
func (p *Program) Address(old string) string {
	for range p.Moved {
		best := -1
		for i, m := range p.Moved {
			if Below(old, m.From) && (best < 0 || len(m.From) > len(p.Moved[best].From)) {
				best = i
			}
		}
		if best < 0 {
			break
		}
		old = p.Moved[best].To + strings.TrimPrefix(old, p.Moved[best].From)
	}
	return old
}

// MovedBy finds the block that an old address is moved by last, for messages.
func (p *Program) MovedBy(now string) (Moved, bool) {
	i := slices.IndexFunc(p.Moved, func(m Moved) bool { return Below(now, m.To) })
	if i < 0 {
		return Moved{}, false
	}
	return p.Moved[i], true
}

// Label is what a value of an enum is called now.
func (p *Program) Label(enum, label string) string {
	for range p.Moved {
		i := slices.IndexFunc(p.Moved, func(m Moved) bool { return m.Value && m.Enum == enum && m.FromLabel == label })
		if i < 0 {
			break
		}
		label = p.Moved[i].ToLabel
	}
	return label
}

// Below reports whether an address is another one, or of something in it.
func Below(address, of string) bool { return address == of || strings.HasPrefix(address, of+".") }
