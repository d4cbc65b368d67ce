package golang

import (
	"fmt"

	"github.com/pawldb/pawl/compiler/ir"
)

// kindWords tell sentinels of one label apart.
var kindWords = map[ir.ReportedKind]string{
	ir.Duplicate: "Duplicate", ir.Overlap: "Overlap", ir.Reference: "Reference", ir.CheckFailed: "Check", ir.BadMove: "State",
	ir.Frozen: "Frozen",
}

// resolveSentinels names the error variables of a repository's constraints:
// ErrBookingsOnePerRoom. Where two constraints of a table have one label, the
// family stands behind it.
func (n *names) resolveSentinels(r *ir.Repository, to *repositoryNames) {
	wanted := map[string]int{}
	for i := range r.Reported {
		if c := &r.Reported[i]; !c.Inherited {
			wanted[sentinelName(to.typ, c)]++
		}
	}
	for i := range r.Reported {
		c := &r.Reported[i]
		if _, known := n.sentinels[idOf(c)]; known || c.Inherited {
			continue
		}
		name := sentinelName(to.typ, c)
		if wanted[name] > 1 {
			name += kindWords[c.Kind]
		}
		n.sentinels[idOf(c)] = name
		n.pkg.claim(name, fmt.Sprintf("constraint %q", c.Name), r.Pos, "give the constraint's block another label")
	}
}

func sentinelName(repository string, c *ir.Reported) string {
	return "Err" + repository + camel(c.Label)
}
