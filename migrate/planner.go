package migrate

import (
	"fmt"

	"github.com/pawldb/pawl/codegen/postgres"
	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/migrate/diff"
)

// planner turns changes into steps. It is pure: what it has to know of the
// database stands in its fields.
type planner struct {
	project   string
	program   *ir.Program
	server    int                       // its major version
	objects   map[ir.ObjectID]ir.Object // wanted
	tables    map[ir.TableRef]*ir.Table // wanted
	taken     map[string]bool           // names that stand anywhere in the database's schemas
	had       *ir.Schema                // what stands and is the project's
	stands    *ir.Schema                // what stands, whoever made it
	uses      diff.Uses                 // which columns it mentions
	unmanaged []ir.ObjectID             // what is left alone
	memory    map[ir.ObjectID]record    // the project's records, which renames bring up to date
	doubtful  map[ir.ObjectID]bool      // nobody knows whether it is what is wanted
	facts     *facts
	violators map[ir.ObjectID]string      // queries that the compiler wrote
	counters  map[ir.ObjectID]*counting   // by the functions and triggers that keep them
	rules     map[ir.ObjectID]*ir.SetRule // by the functions that ask them
	created   map[ir.TableRef]bool        // tables that this plan makes
	triggers  map[ir.ObjectID]bool        // triggers that it has made up to here
	regroups  map[ir.TableRef]bool        // tables of counters whose groups would be others
	settled   map[ir.ObjectID]bool        // objects that an earlier step already dropped or made anew

	changes []Change
	steps   []Step
	hazards []Hazard

	transaction int  // the number given out last
	open        bool // whether it takes further steps that lock nothing in use
	makes       int  // tables made in it
}

// maxMakes bounds the tables that one transaction makes: each needs some ten
// entries of the server's lock table.
const maxMakes = 100

// plan makes the steps for all changes.
func (p *planner) plan(changes []ir.Change) error {
	for len(changes) > 0 {
		n, err := p.next(changes)
		if err != nil {
			return err
		}
		changes = changes[n:]
	}
	return nil
}

// next plans the first of the changes, or the first few when they belong
// together, and says how many.
func (p *planner) next(changes []ir.Change) (int, error) {
	if len(p.settled) > 0 && p.settled[ir.ChangeObject(changes[0])] {
		return 1, nil
	}
	if n := transplantRun(changes); n > 0 {
		p.transplant(changes[:n])
		return n, nil
	}
	if n := retypeRun(changes); n > 0 {
		p.retype(changes[:n])
		return n, nil
	}
	if n := p.countingRun(changes); n > 0 {
		p.count(changes[:n])
		return n, nil
	}
	if n := p.rewordedRun(changes); n > 0 {
		p.reword(changes[:n])
		return n, nil
	}
	if len(changes) > 1 && p.replacement(changes[0], changes[1]) {
		return 2, nil
	}
	return 1, p.single(changes[0])
}

func (p *planner) single(change ir.Change) error {
	switch c := change.(type) {
	case ir.CreateNamespace, ir.CreateExtension, ir.CreateEnum, ir.CreateDomain, ir.ReplaceFunction:
		p.quiet(p.step(c))
	case ir.AddEnumValue:
		p.addEnumValue(c)
	case ir.SetDomainComment, ir.SetEnumComment:
		p.alone(p.step(c))
	case ir.AddDomainCheck:
		p.addDomainCheck(c)
	case ir.ValidateDomainCheck:
		p.validateDomainCheck(c)
	case ir.DropDomainCheck:
		p.dropDomainCheck(c)
	case ir.CreateTable:
		p.createTable(c)
	case ir.SetTableComment:
		p.alone(p.locking(c, shareUpdateExclusive))
	case ir.AddColumn:
		p.addColumn(c)
	case ir.AlterColumn:
		p.alterColumn(c)
	case ir.AddConstraint:
		p.addConstraint(c)
	case ir.ValidateConstraint:
		p.validate(c)
	case ir.CreateIndex:
		p.createIndex(c)
	case ir.CreateTrigger:
		p.createTrigger(c)
	case ir.EnableTrigger:
		p.enableTrigger(c)
	case ir.DropConstraint:
		p.dropConstraint(c)
	case ir.DropIndex:
		p.dropIndex(c)
	case ir.DropTrigger:
		p.weakerTrigger(c)
		p.alone(p.locking(c, accessExclusive))
	case ir.DropColumn:
		p.dropColumn(c)
	case ir.DropTable:
		p.dropTable(c)
	case ir.DropFunction, ir.DropEnum, ir.DropDomain:
		p.dropGlobal(c)
	default:
		return fmt.Errorf("migrate: no steps for a change of type %T", change)
	}
	return nil
}

// step is the plain form of a change, with the records that belong to it. It
// also writes the plan's line for the change.
func (p *planner) step(c ir.Change) Step {
	s := p.part(c, describe(c), postgres.Statements(c)...)
	p.line(c)
	s.saves, s.forgets = p.records(c)
	s.Undo = undo(c)
	return s
}

// line writes the plan's line for a change.
func (p *planner) line(c ir.Change) {
	origin := ir.ChangeOrigin(c)
	p.changes = append(p.changes, Change{
		Action: action(c), Address: origin.Address, Pos: origin.Pos, Object: ir.ChangeObject(c), Text: describe(c),
	})
}

// part is one of the steps that a change takes, without records.
func (p *planner) part(c ir.Change, title string, sql ...string) Step {
	origin, id := ir.ChangeOrigin(c), ir.ChangeObject(c)
	s := Step{
		Title: title, SQL: sql, Address: origin.Address, Pos: origin.Pos, Why: origin.Why,
		Blocks: BlocksNothing, Retry: RetryLock,
	}
	if id.Table != "" {
		p.about(&s, ir.TableRef{Schema: id.Schema, Name: id.Table})
	}
	return s
}

// about says which table a step locks or reads, and how large it is.
func (p *planner) about(s *Step, table ir.TableRef) {
	size := p.facts.tables[table]
	s.Table, s.Rows, s.Bytes = table, size.rows, size.bytes
}

// locking is the plain form of a change to a table that others may use.
func (p *planner) locking(c ir.Change, lock string) Step { return locked(p.step(c), lock) }

func locked(s Step, lock string) Step {
	s.Lock, s.Blocks = lock, blocks(lock)
	return s
}

// quiet adds a step that disturbs nobody: it makes something new. Such steps
// share a transaction.
func (p *planner) quiet(s Step) {
	if !p.open || p.makes >= maxMakes {
		p.transaction++
		p.open, p.makes = true, 0
	}
	s.Transaction = p.transaction
	p.steps = append(p.steps, s)
}

// alone adds steps in a transaction of their own, so that a lock on a table in
// use is held for these alone.
func (p *planner) alone(steps ...Step) {
	p.transaction++
	p.open = false
	for _, s := range steps {
		s.Transaction = p.transaction
		p.steps = append(p.steps, s)
	}
}

// outside adds a step that cannot run inside a transaction.
func (p *planner) outside(s Step) {
	p.open = false
	s.Retry = RetryNever
	p.steps = append(p.steps, s)
}

// search adds a probe as a step of its own, before the work that violators
// would make fail.
func (p *planner) search(c ir.Change, pr *probe) {
	s := p.part(c, "look for rows that break "+pr.object.SQL())
	s.kind, s.probe, s.Scans, s.Retry = stepProbe, pr, true, RetryNever
	p.alone(s)
}

// unused reports whether nobody can notice what happens to a table: this plan
// makes it, or it holds no row.
func (p *planner) unused(t ir.TableRef) bool { return p.created[t] || p.facts.tables[t].empty }

// build adds a step for a table: quietly where this plan makes the table.
func (p *planner) build(t ir.TableRef, s Step) {
	if p.created[t] {
		p.quiet(locked(s, noLock))
	} else {
		p.alone(s)
	}
}

// record is what pawl.object will say of a wanted object.
func (p *planner) record(id ir.ObjectID) record {
	o := p.objects[id]
	return recordOf(p.program, o)
}

// recordOf is what pawl.object will say of a wanted object.
func recordOf(program *ir.Program, o ir.Object) record {
	r := record{Project: program.Project, Address: o.Origin.Address, ID: o.ID, SpecHash: o.Hash}
	if l, ok := program.Prevents(o.Origin.Address); ok {
		r.Prevented = l.Pos.String()
	}
	return r
}

// records lists what a change adds to pawl.object and takes from it.
func (p *planner) records(c ir.Change) (saves []record, forgets []ir.ObjectID) {
	id := ir.ChangeObject(c)
	switch c := c.(type) {
	case ir.DropTable, ir.DropColumn, ir.DropConstraint, ir.DropIndex, ir.DropTrigger, ir.DropFunction, ir.DropEnum,
		ir.DropDomainCheck:
		return nil, []ir.ObjectID{id}
	case ir.DropDomain:
		for _, object := range c.Domain.Objects() {
			forgets = append(forgets, object.ID)
		}
		return nil, forgets
	case ir.CreateDomain:
		for _, object := range c.Domain.Objects() {
			saves = append(saves, p.record(object.ID))
		}
		return saves, nil
	case ir.CreateTable:
		bare := c.Table
		bare.ForeignKeys, bare.Indexes, bare.Triggers = nil, nil, nil
		for _, object := range bare.Objects() {
			saves = append(saves, p.record(object.ID))
		}
		return saves, nil
	}
	return []record{p.record(id)}, nil
}

// spare is the record of an object under a temporary name: the project's, and
// wanted by nobody, so that a later plan drops what an interrupted one left.
func (p *planner) spare(c ir.Change, name string) record {
	id := ir.ChangeObject(c)
	id.Name = name
	return record{Project: p.project, Address: ir.ChangeOrigin(c).Address, ID: id}
}

// sparePrefix begins the names of objects that have not got their own yet.
const sparePrefix = "pawl_new_"

// spareName is a name that stands for an object until it can have its own.
func (p *planner) spareName(id ir.ObjectID) string {
	base := sparePrefix + ir.Fingerprint(id)[:12]
	name := base
	for n := 2; p.taken[name]; n++ {
		name = fmt.Sprintf("%s_%d", base, n)
	}
	p.taken[name] = true
	return name
}

func (p *planner) createTable(c ir.CreateTable) {
	p.created[c.Table.Ref()] = true
	if rule := p.groupsOf(c.Table.Ref()); rule != nil && !p.created[rule.Base.Table] {
		p.createGroups(c, rule)
		return
	}
	p.quiet(p.step(c))
	p.makes++
}
