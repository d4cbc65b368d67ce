package migrate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pawldb/pawl/codegen/postgres"
	"github.com/pawldb/pawl/compiler/ir"
)

// HazardRenamed is the kind of a hazard of a new name: code that was made before
// says the old one.
const HazardRenamed HazardKind = "renamed"

// move plans the renames that moved blocks ask for. They and what is recorded of
// them are one transaction, and so are new bodies of functions that stand, whose
// texts may say the new names: at no moment does a guard look for what is called
// otherwise.
func (p *planner) move(r *relocation, program *ir.Program, changes []ir.Change) []ir.Change {
	if r.empty() {
		return changes
	}
	changed := map[ir.ObjectID]bool{}
	for _, c := range changes {
		changed[ir.ChangeObject(c)] = true
	}
	changes = slices.DeleteFunc(changes, func(c ir.Change) bool {
		namespace, ok := c.(ir.CreateNamespace) // something may move there
		if ok {
			p.quiet(p.step(namespace))
		}
		return ok
	})
	var steps []Step
	for _, unit := range r.units() {
		steps = append(steps, p.moveUnit(r, program, unit, changed))
	}
	if len(steps) == 0 {
		steps = []Step{{Title: "remember what moved under its new address", Blocks: BlocksNothing, Retry: RetryLock, Undo: "apply the specification as it was"}}
	}
	last := &steps[len(steps)-1]
	last.saves = append(last.saves, p.sameByAnotherName(r, changed)...)
	p.alone(steps...)
	return slices.DeleteFunc(changes, func(c ir.Change) bool {
		replace, ok := c.(ir.ReplaceFunction)
		if !ok || !replace.Exists {
			return false
		}
		s := p.step(replace)
		s.Transaction = p.transaction
		p.steps = append(p.steps, s)
		return true
	})
}

// sameByAnotherName are the records of what the renames leave as it is wanted
// although its definition has another text: a foreign key to what is renamed,
// and what is shared and was asked for under an old address.
func (p *planner) sameByAnotherName(r *relocation, changed map[ir.ObjectID]bool) (saves []record) {
	for _, id := range slices.SortedFunc(maps.Keys(p.memory), compareIDs) {
		o, wanted := p.objects[id]
		was := p.memory[id]
		_, moved := r.records[id]
		shared := moved && (id.Table == "" && unitRank(id) < 0 || r.domains[owner(id)])
		if !wanted || changed[id] || p.doubtful[id] || was.SpecHash == o.Hash && !shared {
			continue
		}
		now := p.record(id)
		p.memory[id] = now
		saves = append(saves, now)
	}
	return saves
}

// units lists what is renamed together: a table with all that stands on it, an
// enum with its values, a function. Each is named by what it will be.
func (r *relocation) units() []ir.ObjectID {
	units := map[ir.ObjectID]bool{}
	for id := range r.records {
		if r.domains[owner(id)] {
			continue
		}
		if id.Table != "" {
			id = tableID(ir.TableRef{Schema: id.Schema, Name: id.Table})
		}
		if unitRank(id) >= 0 {
			units[id] = true
		}
	}
	for id := range r.labels {
		units[id] = true
	}
	return slices.SortedFunc(maps.Keys(units), func(a, b ir.ObjectID) int {
		return cmp.Or(cmp.Compare(unitRank(a), unitRank(b)), compareIDs(a, b))
	})
}

// maxTitles bounds how many renames the title of a step names.
const maxTitles = 2

// unitRank puts types before tables and functions last.
func unitRank(id ir.ObjectID) int {
	return slices.Index([]ir.ObjectKind{ir.EnumObject, ir.TableObject, ir.FunctionObject}, id.Kind)
}

// moveUnit is the step of one unit.
func (p *planner) moveUnit(r *relocation, program *ir.Program, unit ir.ObjectID, changed map[ir.ObjectID]bool) Step {
	was := unit
	if old, moved := r.from[unit]; moved {
		was = old
	}
	m, _ := program.MovedBy(r.records[unit].Address)
	s := Step{Blocks: BlocksNothing, Retry: RetryLock, Address: r.records[unit].Address, Pos: m.Pos, Why: "a moved block says so"}
	if unit.Kind == ir.TableObject {
		s.Table = ir.TableRef{Schema: unit.Schema, Name: unit.Name}
	}
	var titles []string
	rename := func(old, now ir.ObjectID, kind string, told bool, sql ...string) {
		s.SQL = append(s.SQL, sql...)
		title := renameTitle(kind, old, now)
		if !told {
			return
		}
		titles = append(titles, title)
		p.told(r, program, now, title)
	}
	if was != unit {
		rename(was, unit, string(unit.Kind), unit.Kind != ir.FunctionObject, postgres.MoveObject(was, unit)...)
	}
	for _, label := range r.labels[unit] {
		title := fmt.Sprintf("rename value %s of %s to %s", ir.Literal(label[0]), unit.SQL(), ir.Literal(label[1]))
		s.SQL = append(s.SQL, postgres.RenameLabel(unit.Schema, unit.Name, label[0], label[1]))
		titles = append(titles, title)
		s.Address = p.objects[unit].Origin.Address
		p.toldLabel(program, s.Address, unit, label, title)
	}
	for _, now := range r.on(unit) {
		old, named := r.from[now]
		if !named || old.Name == now.Name || now.Table == "" || now.Kind == ir.TableObject {
			continue
		}
		own := was == unit || now.Kind == ir.ColumnObject
		rename(old, now, p.kindOf(now), own, postgres.RenameOn(s.Table, old, now))
	}
	if s.Title = strings.Join(titles, ", "); len(titles) > maxTitles {
		s.Title = fmt.Sprintf("give %d things on %s their new names", len(titles), unit.SQL())
	}
	s.Lock, s.Blocks = lockOf(unit, s.SQL)
	if len(s.SQL) == 0 {
		s.Title = fmt.Sprintf("remember %s as %s", unit.SQL(), s.Address)
		p.changes = append(p.changes, Change{Action: Alter, Address: s.Address, Pos: s.Pos, Object: unit, Text: s.Title})
	} else if s.Title == "" {
		s.Title = renameTitle(string(unit.Kind), was, unit)
	}
	s.Undo = "rename it back, and apply the specification as it was"
	p.remember(&s, r, unit, was, changed)
	return s
}

// lockOf is the lock of a unit's renames.
func lockOf(unit ir.ObjectID, sql []string) (string, Blocks) {
	if unit.Kind != ir.TableObject || len(sql) == 0 {
		return noLock, BlocksNothing
	}
	return accessExclusive, blocks(accessExclusive)
}

// kindOf is what a reader calls an object on a table.
func (p *planner) kindOf(id ir.ObjectID) string {
	if id.Kind == ir.ConstraintObject {
		if word := constraintWords(p.had)[id]; word != "" {
			return word
		}
	}
	return string(id.Kind)
}

// on lists what gets another record with a unit, the unit itself first.
func (r *relocation) on(unit ir.ObjectID) []ir.ObjectID {
	var list []ir.ObjectID
	for id := range r.records {
		if id == unit || unit.Kind == ir.TableObject && id.Schema == unit.Schema && id.Table == unit.Name {
			list = append(list, id)
		}
	}
	slices.SortFunc(list, compareIDs)
	return list
}

// told writes the plan's line and the hazard of a rename.
func (p *planner) told(r *relocation, program *ir.Program, now ir.ObjectID, title string) {
	address := r.records[now].Address
	m, _ := program.MovedBy(address)
	p.changes = append(p.changes, Change{Action: Alter, Address: address, Pos: m.Pos, Object: now, Text: title})
	if now.Kind != ir.TableObject && now.Kind != ir.ColumnObject {
		return
	}
	old := r.from[now]
	p.hazards = append(p.hazards, Hazard{
		Kind: HazardRenamed, Address: address, Pos: m.Pos, Rows: -1,
		Text: fmt.Sprintf("code that says %s fails from this step until it says %s", old.SQL(), now.SQL()),
		Help: "let the code that is generated now follow at once, or stop the old one first",
	})
}

func (p *planner) toldLabel(program *ir.Program, address string, enum ir.ObjectID, label [2]string, title string) {
	m, _ := program.MovedBy(address)
	p.changes = append(p.changes, Change{Action: Alter, Address: address, Pos: m.Pos, Object: enum, Text: title})
	p.hazards = append(p.hazards, Hazard{
		Kind: HazardRenamed, Address: address, Pos: m.Pos, Rows: -1,
		Text: fmt.Sprintf("code that says %s fails from this step until it says %s", ir.Literal(label[0]), ir.Literal(label[1])),
		Help: "let the code that is generated now follow at once, or stop the old one first",
	})
}

// remember moves the records of a unit along. What no later step touches is what
// is wanted, under its new name.
func (p *planner) remember(s *Step, r *relocation, unit, was ir.ObjectID, changed map[ir.ObjectID]bool) {
	for _, id := range r.on(unit) {
		now := r.records[id]
		if o, wanted := p.objects[id]; wanted && !changed[id] && !p.doubtful[id] {
			now.SpecHash = o.Hash
			p.memory[id] = now
		}
		s.saves = append(s.saves, now)
		if old, moved := r.from[id]; moved && was == unit {
			s.forgets = append(s.forgets, old)
		}
	}
	if was != unit {
		s.forgets = append(s.forgets, was)
	}
}
