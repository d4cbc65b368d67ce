package client

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pawldb/pawl/compiler/ir"
)

// A Performer performs the operations of one program. It holds no state between
// calls and is safe for concurrent use.
type Performer struct {
	repositories map[string]*ir.Repository // by the address of an operation
	transactions map[string]*ir.Transaction
}

// New knows the constraints, queues and transactions of a program. Operations
// are recognised by their address, so that a call may hold a changed copy of one.
func New(p *ir.Program) *Performer {
	performer := &Performer{
		repositories: map[string]*ir.Repository{},
		transactions: map[string]*ir.Transaction{},
	}
	for i := range p.Repositories {
		r := &p.Repositories[i]
		for j := range r.Operations {
			performer.repositories[r.Operations[j].Address] = r
		}
	}
	for i := range p.Transactions {
		performer.transactions[p.Transactions[i].Name] = &p.Transactions[i]
	}
	return performer
}

// Do performs the call on db. A DB that is a Beginner is outside a transaction; a
// pgx.Tx is the caller's: nothing is begun or retried there, and a serialization
// failure or deadlock comes back as an error that wraps the server's.
//
// The error is anything the declaration does not allow: an undeclared constraint,
// a deadlock or serialization failure that was not retried away, a broken
// connection, a value that is not written as its type is.
func (p *Performer) Do(ctx context.Context, db DB, call Call) (Outcome, error) {
	if call.Operation == nil {
		return Outcome{}, errors.New("a call needs an operation")
	}
	c := p.run(db, &call)
	out, err := c.perform(ctx)
	if err != nil {
		out, err = c.answer(err)
	}
	out.Attempts = 1 + c.retries
	return out, err
}

// run is one call on its way.
type run struct {
	*Call
	db         DB
	begin      Beginner // nil in a transaction of the caller's
	repository *ir.Repository
	policy     policy
	retries    int
	token      string // of a claim, when the call gives none
}

func (p *Performer) run(db DB, call *Call) *run {
	c := &run{
		Call: call, db: db,
		repository: p.repositories[call.Operation.Address],
		policy:     p.policyOf(call.Operation),
	}
	c.begin, _ = db.(Beginner)
	return c
}

// perform goes by the kind of the operation, as the method would that is
// generated for it.
func (c *run) perform(ctx context.Context) (Outcome, error) {
	for _, role := range rolesOf(c.Operation.Kind) {
		if c.Operation.Statement(role) == nil {
			return Outcome{}, fmt.Errorf("an operation of kind %q has no %s statement", c.Operation.Kind, role)
		}
	}
	if argument := c.badArgument(); argument != "" {
		return Outcome{Answer: Refused, About: argument}, nil
	}
	switch c.Operation.Kind {
	case ir.InsertOp, ir.GetOp, ir.DeleteOp, ir.EnqueueOp:
		return c.one(ctx)
	case ir.GetLockedOp, ir.GetManyOp, ir.GuardOp:
		if c.begin != nil {
			return Outcome{}, errors.New("its effect is a lock, which would be gone before it returns: it works only inside a transaction")
		}
		if c.Operation.Kind == ir.GetManyOp {
			return c.many(ctx)
		}
		return c.one(ctx)
	case ir.ListOp:
		return c.many(ctx)
	case ir.InsertManyOp:
		return c.copyOne(ctx)
	case ir.UpdateOp:
		if c.Operation.Statement(ir.ExplainStatement) == nil {
			return c.one(ctx)
		}
		return c.guarded(ctx)
	case ir.MoveOp, ir.AdjustOp:
		return c.guarded(ctx)
	case ir.RuleOp:
		return c.ruled(ctx)
	case ir.ArrangeOp:
		return c.arrange(ctx)
	case ir.MoveManyOp, ir.AdjustManyOp:
		return c.guardedMany(ctx)
	case ir.EditOp:
		return c.edit(ctx)
	case ir.EditManyOp:
		return c.editMany(ctx)
	case ir.UpsertManyOp:
		return c.many(ctx)
	case ir.UpsertOp:
		return c.upsert(ctx)
	case ir.ClaimOp, ir.CampaignOp:
		return c.claim(ctx)
	case ir.FailOp, ir.ReleaseOp, ir.RenewOp, ir.ResignOp:
		return c.settle(ctx)
	case ir.CompleteOp, ir.HeartbeatOp:
		return c.settleAll(ctx)
	case ir.EnqueueManyOp:
		return c.enqueueMany(ctx)
	case ir.ReapOp:
		return c.many(ctx)
	case ir.SingletonOp, ir.SingletonTry:
		return c.singleton(ctx)
	case ir.OnceOp:
		return c.once(ctx)
	}
	return Outcome{}, fmt.Errorf("there is no way to perform an operation of kind %q", c.Operation.Kind)
}

// rolesOf lists the statements that an operation of a kind must have.
func rolesOf(kind ir.OperationKind) []ir.Role {
	switch kind {
	case ir.MoveOp, ir.AdjustOp, ir.UpsertOp, ir.UpsertManyOp:
		return []ir.Role{ir.MainStatement, ir.ExplainStatement}
	case ir.EditOp, ir.EditManyOp:
		return []ir.Role{ir.LockStatement, ir.WriteStatement}
	case ir.SingletonOp, ir.SingletonTry:
		return []ir.Role{ir.LockStatement}
	}
	return []ir.Role{ir.MainStatement}
}

// one runs an operation that touches one row.
func (c *run) one(ctx context.Context) (Outcome, error) {
	found, err := c.alone(ctx, c.Operation.Statement(ir.MainStatement))
	if err != nil {
		return Outcome{}, err
	}
	if found.count() == 0 && !c.Without.RowCount {
		return Outcome{Answer: NotFound}, nil
	}
	return Outcome{Answer: OK, Rows: found.maps()}, nil
}

// many runs an operation that returns any number of rows, also none.
func (c *run) many(ctx context.Context) (Outcome, error) {
	found, err := c.alone(ctx, c.Operation.Statement(ir.MainStatement))
	if err != nil {
		return Outcome{}, err
	}
	return Outcome{Answer: OK, Rows: found.maps()}, nil
}

// answer tells the errors that the declaration allows from all others.
func (c *run) answer(err error) (Outcome, error) {
	var work *workError
	if errors.As(err, &work) {
		return Outcome{}, work.cause
	}
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		switch {
		case refused.Code == "55P03":
			return Outcome{Answer: Busy}, nil
		case outOfRange(refused.Code):
			return Outcome{Answer: Refused, About: Input}, nil
		}
		if name := c.constraint(refused); name != "" {
			return Outcome{Answer: Violation, About: name}, nil
		}
	}
	return Outcome{}, fmt.Errorf("%s: %w", c.Operation.Address, err)
}

// outOfRange reports whether the server refused a value that is written as its
// type is: generated code says that the input was bad. A value that is not (22P02,
// 22007) cannot come from a typed argument, so whoever made up the call is wrong.
func outOfRange(code string) bool {
	return code == "21000" || len(code) == 5 && code[:2] == "22" && !slices.Contains([]string{"22P02", "22P03", "22007"}, code)
}

// constraint names the declared constraint that the server's error is about;
// empty when the operation declares none such.
func (c *run) constraint(e *pgconn.PgError) string {
	if c.repository == nil || e.ConstraintName == "" {
		return ""
	}
	for i := range c.repository.Reported {
		r := &c.repository.Reported[i]
		if r.Name == e.ConstraintName && r.Table == e.TableName && (r.Type == "" || r.Type == e.DataTypeName) && r.Schema == e.SchemaName &&
			sameViolation(r.Code, e.Code) && slices.Contains(c.Operation.Errors, r.Name) {
			return r.Name
		}
	}
	return ""
}

// sameViolation reports whether two SQLSTATEs say the same of a constraint: a
// foreign key ON DELETE RESTRICT is 23503 up to PostgreSQL 17 and 23001 from 18.
func sameViolation(a, b string) bool {
	reference := func(code string) bool { return code == "23503" || code == "23001" }
	return a == b || reference(a) && reference(b)
}
