package diff

import (
	"slices"

	"github.com/pawldb/pawl/compiler/ir"
)

// domains makes what is new of domains and of their checks, and makes anew what
// changed. What a domain is made of cannot change; see [Diff].
func (d *differ) domains() (changes []ir.Change) {
	for _, now := range d.want.Domains {
		was, ok := lookup(d.have.Domains, sameDomain(now))
		switch {
		case !ok:
			changes = append(changes, ir.CreateDomain{Domain: now})
			continue
		case was.Printed != now.Printed:
			changes = append(changes, ir.DropDomain{Domain: was}, ir.CreateDomain{Domain: now})
			continue
		case was.Comment != now.Comment:
			changes = append(changes, ir.SetDomainComment{Domain: now, From: was.Comment, To: now.Comment})
		}
		changes = append(changes, domainChecks(was, now)...)
	}
	return changes
}

func domainChecks(was, now ir.Domain) (changes []ir.Change) {
	for _, c := range now.Checks {
		old, ok := lookup(was.Checks, func(k ir.Check) bool { return k.Name == c.Name })
		switch {
		case !ok:
			changes = append(changes, ir.AddDomainCheck{Domain: now, Check: c})
		case old.Printed != c.Printed:
			changes = append(changes, ir.DropDomainCheck{Domain: was, Check: old}, ir.AddDomainCheck{Domain: now, Check: c})
		case old.Invalid:
			changes = append(changes, ir.ValidateDomainCheck{Domain: now, Check: c})
		}
	}
	return changes
}

// dropFromDomains drops the checks that the wanted domains no longer have.
func (d *differ) dropFromDomains() (changes []ir.Change) {
	for _, was := range d.have.Domains {
		now, ok := lookup(d.want.Domains, sameDomain(was))
		if !ok || now.Printed != was.Printed {
			continue
		}
		for _, c := range was.Checks {
			if !slices.ContainsFunc(now.Checks, func(k ir.Check) bool { return k.Name == c.Name }) {
				changes = append(changes, ir.DropDomainCheck{Domain: was, Check: c})
			}
		}
	}
	return changes
}

func (d *differ) dropDomains() (changes []ir.Change) {
	for _, was := range d.have.Domains {
		if _, ok := lookup(d.want.Domains, sameDomain(was)); !ok {
			changes = append(changes, ir.DropDomain{Domain: was})
		}
	}
	return changes
}

func sameDomain(a ir.Domain) func(ir.Domain) bool {
	return func(b ir.Domain) bool { return a.Schema == b.Schema && a.Name == b.Name }
}
