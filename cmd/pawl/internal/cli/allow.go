package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pawldb/pawl/migrate"
)

// allowances are the dangerous things that a user lets happen: --allow
// drop=ADDRESS, once for each, as the plan spells them.
type allowances struct{ given []string }

func (l *allowances) flags(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&l.given, "allow", nil, "let a dangerous change happen, spelled as the plan names it: `drop=ADDRESS`; repeatable")
}

// check refuses what no plan can ask for: a slip of the finger must not look
// like a permission.
func (l *allowances) check() error {
	kinds := []migrate.HazardKind{migrate.HazardDrop, migrate.HazardRewrite, migrate.HazardLock, migrate.HazardWeaker, migrate.HazardLossy}
	for _, given := range l.given {
		kind, address, _ := strings.Cut(given, "=")
		if !slices.Contains(kinds, migrate.HazardKind(kind)) || address == "" {
			return usageError("write what pawl plan names, --allow drop=ADDRESS for instance", "--allow %q allows nothing", given)
		}
	}
	return nil
}
