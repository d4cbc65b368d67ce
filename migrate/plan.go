package migrate

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/codegen/postgres"
	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/migrate/diff"
)

// Plan is what an apply would do to one database, and everything that a person
// has to know of it first.
type Plan struct {
	Project    string
	Server     int           // the server's major version
	Changes    []Change      // by object, in the order of the steps
	Steps      []Step        // in order
	Hazards    []Hazard      // what to know, allow or change
	Violations []Violation   // new invariants that rows break already: the apply would fail
	Uncertain  []Uncertain   // differences that could not be decided
	Unmanaged  []ir.ObjectID // what stands in the project's schemas and is not pawl's: left alone
	Asked      int           // definitions that the server was asked to print; none when all are remembered

	fingerprint string
	path        []string // search path of the steps and of every question about them
	program     *ir.Program
	stale       []ir.ObjectID
	refresh     []record // records whose definition has another text and the same meaning
}

// PlanOptions are the choices of a plan.
type PlanOptions struct {
	// NoProbes leaves out the search for rows that break new invariants.
	NoProbes bool
	// Protect refuses what loses data, whatever is allowed.
	Protect bool
}

// Empty reports whether nothing is to be done: the database is what is wanted.
func (p *Plan) Empty() bool { return len(p.Changes) == 0 && len(p.Steps) == 0 }

// NewPlan compares the database with the program and plans the way from one to
// the other. It changes nothing: temporary tables that it needs are rolled back.
// What is wanted and stands already, but was not created by the project, is an
// [UnmanagedError]; a table that it reads and that is not as declared, a [DataError].
//
// conn must be a session of its own ([ErrPooled]), not inside a transaction. Its
// settings are put back afterwards, except that idling no longer ends it.
func NewPlan(ctx context.Context, conn *pgx.Conn, program *ir.Program, o PlanOptions) (*Plan, error) {
	p := &planning{ctx: ctx, conn: conn, program: program, options: o, want: clone(&program.Schema)}
	p.plan = &Plan{Project: program.Project, program: program, path: postgres.SearchPath(&program.Schema)}
	if _, err := checkSession(ctx, conn); err != nil {
		return nil, err
	}
	unpin, err := pin(ctx, conn, pins(p.plan.path))
	if err != nil {
		return nil, err
	}
	defer unpin()
	for _, phase := range []func() error{
		p.checkServer, p.lookup, p.checkComposites, p.checkCollations, p.checkData, p.inspect, p.relocate, p.letGo, p.claim, p.normalise, p.ignore, p.diff, p.makeSteps, p.grants, p.prevent, p.bookkeeping, p.probe, p.protect,
	} {
		if err := phase(); err != nil {
			return nil, err
		}
	}
	return p.plan, nil
}

// planning holds what the phases of [NewPlan] hand on.
type planning struct {
	ctx     context.Context
	conn    *pgx.Conn
	program *ir.Program
	options PlanOptions
	plan    *Plan

	want    *ir.Schema
	have    *ir.Schema // everything in the project's schemas
	owned   *ir.Schema // the project's part of it
	all     map[ir.ObjectID]string
	gone    *release    // what removed blocks let go; ledger has it no more
	moves   *relocation // what moved blocks make of it; have, all, names and ledger say it as it will be
	names   relations
	ledger  *ledger
	objects []ir.Object
	changes []ir.Change
	uses    diff.Uses // which columns what stands mentions; read when something changes
}

func (p *planning) checkServer() error {
	var number int
	if err := p.conn.QueryRow(p.ctx, "SELECT current_setting('server_version_num')::integer").Scan(&number); err != nil {
		return fmt.Errorf("asking for the server's version: %w", err)
	}
	p.plan.Server = number / 10000
	if p.plan.Server < max(p.program.Postgres, oldestServer) {
		return fmt.Errorf("the server is PostgreSQL %d, and the specification asks for %d or later (pawl.postgres)",
			p.plan.Server, max(p.program.Postgres, oldestServer))
	}
	return nil
}

// oldestServer is the oldest major that pawl's SQL runs on.
const oldestServer = 14

// inspect reads what stands and what is recorded, in one snapshot.
func (p *planning) inspect() error {
	return snapshot(p.ctx, p.conn, func(tx pgx.Tx) error {
		var err error
		if p.have, p.ledger, err = survey(p.ctx, tx, p.program); err != nil {
			return err
		}
		p.names, err = readRelations(p.ctx, tx, concerned(p.ledger, p.program))
		return err
	})
}

// concerned are the schemas in which a program wants or has anything.
func concerned(l *ledger, program *ir.Program) []string {
	schemas := l.schemas()
	for _, name := range postgres.SearchPath(&program.Schema)[1:] {
		if !slices.Contains(schemas, name) {
			schemas = append(schemas, name)
		}
	}
	return schemas
}

// survey reads the schemas in which a program wants or has anything, and what
// pawl.object says.
func survey(ctx context.Context, tx pgx.Tx, program *ir.Program) (*ir.Schema, *ledger, error) {
	l, err := readLedger(ctx, tx, program.Project)
	if err != nil {
		return nil, nil, err
	}
	have, err := readSchema(ctx, tx, concerned(l, program))
	return have, l, err
}

// claim sorts out whose objects stand there.
func (p *planning) claim() error {
	if err := inTheWay(p.all, p.names, p.ledger, p.objects); err != nil {
		return err
	}
	wanted := map[ir.ObjectID]bool{}
	for _, object := range p.objects {
		wanted[object.ID] = true
	}
	p.owned = owned(p.have, p.ledger, wanted)
	for _, id := range unmanaged(p.all, p.ledger) {
		if !wanted[id] {
			p.plan.Unmanaged = append(p.plan.Unmanaged, id)
		}
	}
	return nil
}

func (p *planning) normalise() error {
	n := normaliser{ctx: p.ctx, conn: p.conn, path: p.plan.path, program: p.program, types: p.moves.typeStatements()}
	if err := n.fill(p.owned, p.want, p.all, p.ledger.mine); err != nil {
		return err
	}
	p.plan.Asked, p.plan.Uncertain = n.asked, n.uncertain
	for _, u := range n.uncertain {
		p.plan.Hazards = append(p.plan.Hazards, Hazard{
			Kind: HazardUnproven, Address: u.Origin.Address, Pos: u.Origin.Pos, Rows: -1,
			Text: fmt.Sprintf("%s %s may differ from what is wanted: %s", u.ID.Kind, u.ID.SQL(), u.Why),
		})
	}
	return nil
}

func (p *planning) diff() error {
	p.changes = diff.Diff(p.owned, p.want, nil)
	if len(p.changes) == 0 {
		return nil
	}
	return snapshot(p.ctx, p.conn, func(tx pgx.Tx) (err error) {
		p.uses, err = readUses(p.ctx, tx, concerned(p.ledger, p.program))
		p.uses = p.moves.uses(p.uses)
		p.changes = diff.Diff(p.owned, p.want, p.uses)
		return err
	})
}

func (p *planning) makeSteps() error {
	f, err := gather(p.ctx, p.conn, p.have, p.changes, p.plan.path, p.moves)
	if err != nil {
		return err
	}
	pl := &planner{
		server: p.plan.Server, project: p.program.Project, program: p.program, facts: f, violators: violators(p.program), counters: counters(p.program), rules: setRules(p.program),
		objects: map[ir.ObjectID]ir.Object{}, tables: map[ir.TableRef]*ir.Table{},
		taken: map[string]bool{}, created: map[ir.TableRef]bool{}, triggers: map[ir.ObjectID]bool{}, regroups: map[ir.TableRef]bool{}, settled: map[ir.ObjectID]bool{}, had: p.owned,
		stands: p.have, uses: p.uses, unmanaged: p.plan.Unmanaged, memory: p.ledger.mine, doubtful: map[ir.ObjectID]bool{},
	}
	for _, u := range p.plan.Uncertain {
		pl.doubtful[u.ID] = true
	}
	for _, object := range p.objects {
		pl.objects[object.ID] = object
	}
	for i := range p.want.Tables {
		pl.tables[p.want.Tables[i].Ref()] = &p.want.Tables[i]
	}
	for id := range p.all {
		pl.taken[id.Name] = true
	}
	if sql := p.ledger.create(); len(sql) > 0 && len(p.changes) > 0 {
		pl.quiet(Step{
			Title: "create pawl.object, the list of what belongs to pawl", SQL: sql, Blocks: BlocksNothing, Retry: RetryLock,
			Undo: "DROP SCHEMA pawl CASCADE",
		})
	}
	changes := pl.move(p.moves, p.program, slices.Clone(p.changes))
	pl.release(p.gone)
	pl.regrouped()
	if err := pl.plan(changes); err != nil {
		return err
	}
	pl.hindered(p.changes)
	pl.unkept(p.program)
	holdLosses(pl.steps, p.changes, f.lost)
	p.plan.Changes, p.plan.Steps, p.plan.Unmanaged = pl.changes, pl.steps, pl.unmanaged
	p.plan.Hazards = append(p.plan.Hazards, pl.hazards...)
	return nil
}

// violators are the queries that the compiler wrote for the invariants that
// triggers enforce, by these. For constraints PostgreSQL looks itself.
func violators(program *ir.Program) map[ir.ObjectID]string {
	queries := map[ir.ObjectID]string{}
	for _, invariant := range program.Invariants {
		switch invariant.(type) {
		case *ir.Transitions, *ir.AtLeastOne, *ir.SetRule:
		default:
			continue
		}
		for _, id := range invariant.Facts().Objects {
			queries[id] = invariant.Facts().Violators
		}
	}
	return queries
}

// counters are the rules that keep counters, by the functions and triggers that
// do.
func counters(program *ir.Program) map[ir.ObjectID]*counting {
	rules := map[ir.ObjectID]*counting{}
	for _, invariant := range program.Invariants {
		rule := &counting{facts: invariant.Facts()}
		switch i := invariant.(type) {
		case *ir.Limit:
			rule.fill, rule.guards, rule.one, rule.many = i.Fill, i.Guards, "1 group is over the limit", "%d groups are over the limit"
		case *ir.Sequence:
			rule.fill, rule.guards, rule.one, rule.many = i.Fill, i.Guards, "1 group is numbered otherwise", "%d groups are numbered otherwise"
		default:
			continue
		}
		for _, id := range rule.facts.Objects {
			if id.Kind == ir.TriggerObject || id.Kind == ir.FunctionObject {
				rules[id] = rule
			}
		}
	}
	return rules
}

// bookkeeping finds records that say less than the truth. A record whose
// definition has only another text is a step: generated code compares it.
func (p *planning) bookkeeping() error {
	changed := map[ir.ObjectID]bool{}
	for _, c := range p.changes {
		changed[ir.ChangeObject(c)] = true
	}
	uncertain := map[ir.ObjectID]bool{} // nobody knows whether it means the same
	for _, u := range p.plan.Uncertain {
		uncertain[u.ID] = true
	}
	wanted := map[ir.ObjectID]bool{}
	var guards []record
	for _, o := range p.objects {
		wanted[o.ID] = true
		r, mine := p.ledger.mine[o.ID]
		_, exists := p.all[o.ID]
		shared := o.ID.Kind == ir.FunctionObject
		if !changed[o.ID] && !uncertain[o.ID] && exists && (mine && r.SpecHash != o.Hash || !mine && shared) {
			p.plan.refresh = append(p.plan.refresh, recordOf(p.program, o))
		} else if now := recordOf(p.program, o); mine && exists && !changed[o.ID] && (now.Prevented == "") != (r.Prevented == "") {
			r.Prevented = now.Prevented
			guards = append(guards, r)
		}
	}
	for id := range p.ledger.mine {
		if _, exists := p.all[id]; !wanted[id] && (!exists || !changed[id]) {
			p.plan.stale = append(p.plan.stale, id)
		}
	}
	slices.SortFunc(p.plan.stale, compareIDs)
	if len(p.plan.refresh) > 0 {
		p.plan.Steps = append(p.plan.Steps, Step{
			Title:  fmt.Sprintf("record the new text of %s that mean the same as before", amount(int64(len(p.plan.refresh)), "definition")),
			Blocks: BlocksNothing, Retry: RetryLock, Transaction: lastTransaction(p.plan.Steps) + 1,
			Undo: "apply the specification as it was", saves: p.plan.refresh,
		})
	}
	if len(guards) > 0 {
		p.plan.Steps = append(p.plan.Steps, Step{
			Title:   fmt.Sprintf("record what prevent_destroy says of %s", amount(int64(len(guards)), "object")),
			Address: guards[0].Address, Blocks: BlocksNothing, Retry: RetryLock, Transaction: lastTransaction(p.plan.Steps) + 1,
			Undo: "apply the specification as it was", saves: guards,
		})
	}
	return nil
}

func lastTransaction(steps []Step) int {
	last := 0
	for _, s := range steps {
		last = max(last, s.Transaction)
	}
	return last
}
