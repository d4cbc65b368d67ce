package ir

import (
	"slices"
	"strings"
)

// Removed says that a declaration is gone: what a database holds for it, and for
// what stood below it, is dropped or let go.
type Removed struct {
	From string // an address; without the key of a repeated block, all of its rounds
	// Destroy is false for what stays in the database and belongs to pawl no more.
	Destroy bool
	// Objects are let go too: what several declarations shared, of which the last
	// one is gone.
	Objects []ObjectID
	Pos     Pos
}

// LetGo finds the removed block that lets go of what was declared at an address,
// or of an object; false when none does.
func (p *Program) LetGo(address string, id ObjectID) (Removed, bool) {
	i := slices.IndexFunc(p.Removed, func(r Removed) bool {
		return !r.Destroy && (r.Covers(address) || slices.Contains(r.Objects, id))
	})
	if i < 0 {
		return Removed{}, false
	}
	return p.Removed[i], true
}

// Covers reports whether the block is about an address.
func (r Removed) Covers(address string) bool {
	return Below(address, r.From) || strings.HasPrefix(address, r.From+"[")
}
