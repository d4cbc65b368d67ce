package golang

import (
	"fmt"

	"github.com/pawldb/pawl/compiler/ir"
)

// kindWords tell sentinels of one label apart.
var kindWords = map[ir.ReportedKind]string{
	ir.Duplicate: "Duplicate", ir.Overlap: "Overlap", ir.Reference: "Reference", ir.CheckFailed: "Check", ir.BadMove: "State",
	ir.Frozen: "Frozen", ir.Exceeded: "Limit", ir.BrokenRule: "Rule",
}

// resolveSentinels names the error variables of a repository's constraints:
// ErrBookingsOnePerRoom. Where two constraints of a table have one label, the
// family stands behind it.
func (n *names) resolveSentinels(r *ir.Repository, to *repositoryNames) {
	wanted := map[string]int{}
	for i := range r.Reported {
		if c := &r.Reported[i]; !c.Inherited && c.Type == "" {
			wanted[sentinelName(to.typ, c)]++
		}
	}
	for i := range r.Reported {
		c := &r.Reported[i]
		if _, known := n.sentinels[NameOf(c)]; known || c.Inherited {
			continue
		}
		if c.Type != "" {
			n.resolveDomainSentinel(c, r.Pos)
			continue
		}
		name := sentinelName(to.typ, c)
		if wanted[name] > 1 {
			name += kindWords[c.Kind]
		}
		n.sentinels[NameOf(c)] = name
		n.pkg.claim(name, fmt.Sprintf("constraint %q", c.Name), r.Pos, "give the constraint's block another label")
	}
}

// resolveDomainSentinel names the error variable of a domain's check, which all
// repositories have in common: PostgreSQL does not say in which column the value
// would have stood.
func (n *names) resolveDomainSentinel(c *ir.Reported, pos ir.Pos) {
	name := "Err" + exported(c.Type) + camel(c.Label)
	n.sentinels[NameOf(c)] = name
	n.pkg.claim(name, fmt.Sprintf("constraint %q of the domain %q", c.Name, c.Type), pos, "give the check's block another label")
}

func sentinelName(repository string, c *ir.Reported) string {
	return "Err" + repository + camel(c.Label)
}
