package migrate

import (
	"strings"

	"github.com/pawldb/pawl/codegen/postgres"
	"github.com/pawldb/pawl/compiler/ir"
)

// raises is the function of a schema that only raises, which belongs to no rule.
const raises = "pawl_refuse"

// setRules are the rules over several rows, by the functions that ask them.
func setRules(program *ir.Program) map[ir.ObjectID]*ir.SetRule {
	rules := map[ir.ObjectID]*ir.SetRule{}
	for _, invariant := range program.Invariants {
		rule, ok := invariant.(*ir.SetRule)
		if !ok {
			continue
		}
		for _, id := range rule.Base.Objects {
			if id.Kind == ir.FunctionObject && id.Name != raises {
				rules[id] = rule
			}
		}
	}
	return rules
}

// rewordedRun is how many of the changes, from the first on, give one rule's functions
// another question to ask.
func (p *planner) rewordedRun(changes []ir.Change) int {
	var rule *ir.SetRule
	n := 0
	for ; n < len(changes); n++ {
		f, ok := changes[n].(ir.ReplaceFunction)
		of := p.rules[ir.ChangeObject(changes[n])]
		if !ok || !f.Exists || of == nil || n > 0 && of != rule || p.created[of.Base.Table] {
			break
		}
		rule = of
	}
	return n
}

// reword lets a rule ask something else, and then, in the same transaction, looks for
// groups that break it: the locks have waited for writers whom the old question let
// through, and new ones are asked the new one.
func (p *planner) reword(changes []ir.Change) {
	rule := p.rules[ir.ChangeObject(changes[0])]
	p.weaker(changes[0], "the rule may get weaker: it asks something else from then on")
	steps := make([]Step, 0, len(changes))
	for _, c := range changes {
		steps = append(steps, p.locking(c, shareRowExclusive))
	}
	var locks []string
	for _, o := range rule.On {
		locks = append(locks, postgres.LockAgainstWriters(o.Table))
	}
	if rule.Parent != (ir.TableRef{}) {
		locks = append(locks, postgres.LockAgainstWriters(rule.Parent))
	}
	steps[0].SQL = append(locks, steps[0].SQL...)
	for i := range steps { // a function is on no table of its own
		p.about(&steps[i], rule.Base.Table)
	}
	last := len(steps) - 1
	steps[last].probe = &probe{
		object: ir.ChangeObject(changes[last]), origin: ir.ChangeOrigin(changes[last]), query: strings.TrimRight(rule.Base.Violators, "; \n"),
		one: "1 group breaks the rule", many: "%d groups break the rule",
	}
	steps[last].prove, steps[last].Scans = true, true
	p.alone(steps...)
}
