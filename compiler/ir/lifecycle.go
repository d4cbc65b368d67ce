package ir

import "slices"

// Lifecycle is what no apply does to the objects of one declaration.
type Lifecycle struct {
	Address string // of the declaration
	// PreventDestroy refuses plans that drop an object of the declaration, or make
	// it mean less.
	PreventDestroy bool
	Ignore         []string // attributes whose differences are left alone: comment, default
	Pos            Pos      // of the lifecycle block
}

// Prevents finds what keeps the objects of a declaration from being dropped.
func (p *Program) Prevents(address string) (Lifecycle, bool) {
	l, ok := p.lifecycle(address)
	return l, ok && l.PreventDestroy
}

// Ignored are the attributes of a declaration whose differences are left alone.
func (p *Program) Ignored(address string) []string {
	l, _ := p.lifecycle(address)
	return l.Ignore
}

func (p *Program) lifecycle(address string) (Lifecycle, bool) {
	i := slices.IndexFunc(p.Lifecycles, func(l Lifecycle) bool { return l.Address == address })
	if i < 0 {
		return Lifecycle{}, false
	}
	return p.Lifecycles[i], true
}
