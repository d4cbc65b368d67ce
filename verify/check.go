package verify

import (
	"context"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/verify/client"
	"github.com/pawldb/pawl/verify/explore"
)

// check is one question to the explorer: a few clients on rows that bring them
// into conflict, what must be true afterwards, and the guards without which it
// must not be.
type check struct {
	id, name string
	// tables are those whose changes are recorded and whose statements are stopped
	// inside; the first is the one the check is about.
	tables []ir.TableRef
	// whole leaves statements whole: with three clients the stops inside would
	// multiply the schedules without showing more.
	whole bool
	// stops are the tables at which statements are stopped inside; all of tables when
	// empty.
	stops []ir.TableRef
	// breaks says that the rows themselves have to break a rule. Where none can be
	// made up, the rule may be one that no row can break.
	breaks bool
	// rule is the address of the rule over several rows that the check is about; empty for
	// none. The triggers of all others are set aside, since clients come at levels that
	// they refuse.
	rule string
	// build makes the rows and the clients. It is asked once a database.
	build   func(ctx context.Context, s *site) (*scene, error)
	mutants []mutant
}

// about is the table that the check is about; the zero value for one about none.
func (c *check) about() ir.TableRef {
	if len(c.tables) == 0 {
		return ir.TableRef{}
	}
	return c.tables[0]
}

// scene is what a check runs.
type scene struct {
	fixture string
	row     map[string]*string   // the row that the clients are about, where there is one
	args    map[string]*string   // what they call with
	calls   []map[string]*string // what each of them calls with, where that differs
	// open says that nothing is in anybody's way on these rows: only a mutant that is
	// too strict can show itself.
	open bool
	// unbounded says that no row was found which allows the change once only.
	unbounded bool
	actors    []actor
	// violators are queries whose rows break a rule, asked after every COMMIT.
	violators []rule
	// effects are conditions that every recorded change of the first table must
	// meet, over o (the row before) and n (after), c.client and c.op.
	effects []rule
	// bookkeeping is a condition over c of changes that no caller is told of.
	bookkeeping string
	// winners bounds how many clients may be told that their work is done, when no
	// error ended any of them. Nil leaves it open.
	winners *winners
	// neverWait says that no step may wait for a lock: the rule it would break.
	neverWait string
	// firstRows also stops statements before their first row: a claim has locked its
	// rows by then.
	firstRows bool
	// orphan is the statement whose client dies, in the crash phase; nil for none.
	orphan *orphan
	// judge is what only this check can ask.
	judge func(j *judgement) []explore.Violation
}

// winners is how many clients must get what they asked for, and may at most.
type winners struct{ least, most int }

// rule is a condition in SQL and what it means that it is broken.
type rule struct{ broken, sql string }

// actor is one client of a scene.
type actor struct {
	name  string           // heads its column: "confirm", "raw UPDATE"
	class string           // equal for actors that do the same with the same values
	kind  ir.OperationKind // of the generated call; empty for a client without one
	// most is how many rows one call can change; 0 for one.
	most int
	run  func(ctx context.Context, conn session, v *variant) (any, error)
}

// variant is a program with something taken away. The zero value is the program
// as it was compiled.
type variant struct {
	site  *site
	scene *scene
	// statements replaces the SQL of operations: by address, then role.
	statements map[string]map[ir.Role]string
	without    client.Without
}

// operation is an operation as the variant has it.
func (v *variant) operation(op *ir.Operation) *ir.Operation {
	texts := v.statements[op.Address]
	if texts == nil {
		return op
	}
	broken := *op
	broken.Statements = append([]ir.Statement(nil), op.Statements...)
	for i := range broken.Statements {
		if sql, ok := texts[broken.Statements[i].Role]; ok {
			broken.Statements[i].SQL = sql
		}
	}
	return &broken
}

// mutant is a change that a check must notice.
type mutant struct {
	id, name   string
	statements []replacement
	without    client.Without
	drop       []ir.Change // taken away from the database, and
	restore    []ir.Change // put back
	actors     map[int]func(ctx context.Context, conn session, v *variant) (any, error)
	// rewrites changes statements for one client only, by its place.
	rewrites map[int][]replacement
	diff     []string
	// columns are those that a removed condition reads.
	columns []string
	// strict says that the mutant refuses more than was declared, and shows where
	// nothing else is in the way.
	strict bool
	// graded says that the mutant is as safe and waits more: it is explored to its
	// end, to be compared.
	graded bool
	// bounded says that the mutant shows only on a row that bounds the change.
	bounded bool
	// backup is what else says the same: when the mutant is not caught, the program
	// without either must be. The mutant is then excused by it.
	backup *mutant
	// err says why the mutant could not be made: nothing is shown by it then.
	err error
}

// replacement is one statement of one operation, changed.
type replacement struct {
	address string
	role    ir.Role
	sql     string
}

// and makes a mutant out of two: what each of them guards is guarded twice.
func (m mutant) and(o mutant) mutant {
	both := mutant{
		id: m.id + "+" + strings.TrimPrefix(o.id, "without-"), name: m.name + " and " + o.name, columns: m.columns, backup: m.backup, bounded: m.bounded,
		statements: append(append([]replacement(nil), m.statements...), o.statements...),
		drop:       append(append([]ir.Change(nil), m.drop...), o.drop...),
		restore:    append(append([]ir.Change(nil), m.restore...), o.restore...),
		diff:       append(append([]string(nil), m.diff...), o.diff...),
		actors:     m.actors, rewrites: m.rewrites,
		without: client.Without{
			Retry: m.without.Retry || o.without.Retry, RowCount: m.without.RowCount || o.without.RowCount,
			Transaction: m.without.Transaction || o.without.Transaction,
		},
	}
	if both.actors == nil {
		both.actors = o.actors
	}
	return both
}

// variant is the program with the mutant's change, as the client at a place has
// it.
func (m *mutant) variant(s *site, sc *scene, place int) *variant {
	v := &variant{site: s, scene: sc, without: m.without, statements: map[string]map[ir.Role]string{}}
	for _, r := range append(append([]replacement(nil), m.statements...), m.rewrites[place]...) {
		if v.statements[r.address] == nil {
			v.statements[r.address] = map[ir.Role]string{}
		}
		v.statements[r.address][r.role] = r.sql
	}
	return v
}
