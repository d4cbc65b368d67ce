package verify

import "github.com/pawldb/pawl/compiler/ir"

// Listing is a declaration and the checks of it, as IDs.
type Listing struct {
	Address string
	Checks  []ListedCheck
}

// ListedCheck is a check that has not been run.
type ListedCheck struct {
	ID, Name string
	Mutants  []string // their IDs, as they stand after the "@" of a counterexample
}

// Subjects lists what [Run] would verify. It needs no server.
func Subjects(p *ir.Program) []Listing {
	var list []Listing
	for _, s := range models(newIndex(p)) {
		l := Listing{Address: s.report.Address}
		for _, c := range s.checks {
			listed := ListedCheck{ID: c.id, Name: c.name}
			for _, m := range c.mutants {
				listed.Mutants = append(listed.Mutants, m.id)
			}
			l.Checks = append(l.Checks, listed)
		}
		list = append(list, l)
	}
	return list
}
