package migrate

import (
	"fmt"

	"github.com/pawldb/pawl/compiler/ir"
)

// addEnumValue commits at once: a value that was added can be used only after
// its transaction.
func (p *planner) addEnumValue(c ir.AddEnumValue) {
	p.alone(p.step(c))
}

// replaceEnum refuses: PostgreSQL takes no value from a type.
func (p *planner) replaceEnum(drop ir.DropEnum, create ir.CreateEnum) {
	h := p.hazard(HazardBlocked, create, -1, fmt.Sprintf(
		"%s lists its values as %q and is to list them as %q: PostgreSQL neither takes a value from a type nor moves one",
		ir.Qualified(drop.Enum.Schema, drop.Enum.Name), drop.Enum.Values, create.Enum.Values))
	h.Help = "keep the old values in their order and add new ones between them, or declare another enum and move the columns to it"
	p.hazards = append(p.hazards, h)
	p.replaced(create)
}
