package ir

import "time"

// LockMode is the strongest row or advisory lock that an operation takes on
// purpose, spelled as SQL spells it.
type LockMode string

// The lock modes.
const (
	NoLock          LockMode = "none"
	RowWriteLock    LockMode = "row write" // what a plain UPDATE or DELETE takes by itself
	ForNoKeyUpdate  LockMode = "FOR NO KEY UPDATE"
	ForUpdate       LockMode = "FOR UPDATE"
	ForKeyShare     LockMode = "FOR KEY SHARE"
	AdvisoryXact    LockMode = "pg_advisory_xact_lock"
	AdvisoryTryXact LockMode = "pg_try_advisory_xact_lock"
	AdvisorySession LockMode = "pg_try_advisory_lock"
)

// Isolation is a transaction isolation level, spelled as SQL spells it.
type Isolation string

// The isolation levels that PostgreSQL tells apart.
const (
	ReadCommitted  Isolation = "read committed"
	RepeatableRead Isolation = "repeatable read"
	Serializable   Isolation = "serializable"
)

// OperationKind is the shape of a generated method.
type OperationKind string

// The shapes. Each says which statements, by [Role], an operation has.
const (
	InsertOp OperationKind = "insert" // main
	// InsertManyOp has main: the COPY of all Columns, which are those of an insert. It
	// has no arguments: the rows follow as data.
	InsertManyOp OperationKind = "insert_many"
	GetOp        OperationKind = "get"        // main: one row by a key
	GetLockedOp  OperationKind = "get_locked" // main: one row by a key, locked; only inside a transaction
	// GetManyOp has main: several rows by key, locked in key order; only inside a
	// transaction. Its argument is an array of the key, or, where Each is set, arrays of
	// text for a key of several columns.
	GetManyOp OperationKind = "get_many"
	// ListOp has main: a page of the rows that share Key (which may be empty), in
	// the order of Columns. The statement's arguments are Key; then, named like
	// Columns and optional, the values of the last row of the page before (all
	// NULL for the first page); then "limit".
	ListOp   OperationKind = "list"
	DeleteOp OperationKind = "delete" // main: one row by key
	MoveOp   OperationKind = "move"   // main, explain
	AdjustOp OperationKind = "adjust" // main, explain
	// MoveManyOp is MoveOp for many rows, all or none, and has main alone: each
	// argument is an array with the values as PostgreSQL spells them, and each result
	// row is followed by a verdict, its subject and the position of the row it is
	// about, from 1. What one row takes stands in Each.
	MoveManyOp   OperationKind = "move_many"
	AdjustManyOp OperationKind = "adjust_many" // the same for AdjustOp
	// EditManyOp is EditOp for many rows. Its lock statement takes the keys as arrays of
	// text, and each of its rows ends with the positions at which its key was given,
	// from 1; the write statement takes keys and new values as arrays of text.
	EditManyOp OperationKind = "edit_many"
	EditOp     OperationKind = "edit" // lock, write
	// UpsertOp has main, which returns the row and an outcome when it wrote one,
	// and explain, which returns the row that is there and an outcome otherwise.
	UpsertOp OperationKind = "upsert"
	// UpsertManyOp is UpsertOp for many rows in one statement: each argument is an
	// array with the column's values as PostgreSQL spells them, and each result row
	// ends with the position of the row it is about, from 1.
	UpsertManyOp OperationKind = "upsert_many"
	// UpdateOp has main, and explain where the row has a version, which is then the
	// first of Args. The others are two for each of Columns: whether it changes, and
	// its new value.
	UpdateOp OperationKind = "update"
	// ArrangeOp changes rows of one group while it alone does: group takes the
	// group's lock; lock and clear, which some have, come behind it; main returns
	// the row that is named by the key. All travel together.
	ArrangeOp OperationKind = "arrange"
	EnqueueOp OperationKind = "enqueue" // main
	// EnqueueManyOp has group and main: each argument is an array with a column's
	// values as PostgreSQL spells them, and the ids come back in their order. What one
	// task takes stands in Each.
	EnqueueManyOp OperationKind = "enqueue_many"
	ClaimOp       OperationKind = "claim"     // due, main
	CompleteOp    OperationKind = "complete"  // main
	FailOp        OperationKind = "fail"      // main
	HeartbeatOp   OperationKind = "heartbeat" // main
	ReleaseOp     OperationKind = "release"   // main
	// ReapOp has main: it removes up to "limit" tasks that are done and no longer kept.
	ReapOp OperationKind = "reap"
	// RuleOp has main, and read ahead of it, which is what the rule looks at: a write
	// of one [SetRule], serializable. It is emitted with the [Rule].
	RuleOp       OperationKind = "rule"
	SingletonOp  OperationKind = "singleton" // lock
	SingletonTry OperationKind = "try"       // lock

	// The operations of a leader; see [Leader].
	CampaignOp OperationKind = "campaign" // enlist, main: one row, the number of the term, when it begins; of a session also lock
	RenewOp    OperationKind = "renew"    // main: no row changes when the term is over; of a session, whether it has the lock
	ResignOp   OperationKind = "resign"   // main
	GuardOp    OperationKind = "guard"    // main: no row when the term is over; only inside a transaction

	// OnceOp is a step of work that is done once; its name says which. See
	// [Idempotency] and [Inbox].
	OnceOp OperationKind = "once" // main; lock, enlist or due before it
)

// Role is what a statement is for inside its operation.
type Role string

// The roles.
const (
	MainStatement    Role = "main"
	ExplainStatement Role = "explain" // why the main statement touched no row; verdicts below
	LockStatement    Role = "lock"
	WriteStatement   Role = "write"
	GroupStatement   Role = "group"  // takes the lock of a group of rows, in a statement of its own
	ClearStatement   Role = "clear"  // takes from other rows what the main statement gives to one
	DueStatement     Role = "due"    // moves scheduled rows that are due, before a claim
	ReadStatement    Role = "read"   // reads what a write depends on, ahead of it, for SERIALIZABLE to track
	EnlistStatement  Role = "enlist" // adds the row of a leader that has none, before a campaign
)

// Verdict is what an explain statement answers in its column "verdict"; the
// column "subject" holds the state or the guard that it is about.
type Verdict string

// The verdicts.
const (
	VerdictRepeat Verdict = "repeat" // already there: the row is the answer, and no error
	VerdictState  Verdict = "state"  // in a state that the move does not leave
	VerdictGuard  Verdict = "guard"  // a guard or a derived check does not hold
	VerdictInput  Verdict = "input"  // an argument is not above zero, not finite or NaN where it must be
	VerdictStale  Verdict = "stale"  // the row has another version
	VerdictAgain  Verdict = "again"  // nothing stands in the way now: a race that is over

	// Of a batch alone; there VerdictAgain is a row that was not written because
	// others of its batch could not be.
	VerdictDone    Verdict = "done"    // the row was written
	VerdictMissing Verdict = "missing" // there is no such row
)

// The verdicts of an upsert, in its column "outcome"; beside them it answers
// VerdictInput, VerdictStale (the row that is there has the newer version) and VerdictAgain.
const (
	VerdictInserted  Verdict = "inserted"
	VerdictUpdated   Verdict = "updated"
	VerdictUnchanged Verdict = "unchanged" // a row is there, and nothing had to be written
	VerdictTwice     Verdict = "twice"     // another row of the batch has the same key
)

// Cardinality is how many rows a statement returns.
type Cardinality string

// The cardinalities.
const (
	ReturnsOne  Cardinality = "one" // one row or none
	ReturnsMany Cardinality = "many"
	ReturnsNone Cardinality = "none" // a command tag
)

// Field is a named, typed value: an argument of a statement or a column of
// its result.
type Field struct {
	Name string // as declared: customer_id
	Type Type
	Null bool
	// Optional marks an argument that may be left out (NULL): the statement then
	// takes the column's default.
	Optional bool
	// Positive marks a numeric argument that generated code checks to be above
	// zero before it sends anything.
	Positive bool
	// Count marks the argument of a list that says how many rows a page holds.
	// Generated code takes a number of Go's own and checks that it is not negative.
	Count bool
}

// Statement is one SQL statement, final: its text opens with a comment that
// holds the operation's address, and $1 is Args[0]. Args are those that the
// text uses, by the names that the operation's Key and Args have: an explain
// statement may use fewer than the main one.
type Statement struct {
	Role    Role
	SQL     string
	Args    []Field
	Results []Field
	Rows    Cardinality
}

// Transaction is the set of limits that an operation runs under; zero
// durations mean no limit.
type Transaction struct {
	Name             string
	Isolation        Isolation
	LockTimeout      time.Duration
	StatementTimeout time.Duration
	IdleTimeout      time.Duration
	Retry            Retry
	Pos              Pos `json:"-"`
}

// Retry is how a whole transaction is tried again.
type Retry struct {
	Attempts int // in all, the first included
	Base     time.Duration
	Max      time.Duration
	Budget   time.Duration // over all attempts and pauses
	On       []string      // SQLSTATEs
}

// Operation is one generated method and everything that was decided about it.
type Operation struct {
	Address     string // table.bookings.transitions.status.confirm
	Name        string // confirm; emitters spell it in their language
	Kind        OperationKind
	Doc         string // what is promised, one paragraph, no address; opens with a verb ("moves a row …"), so that a name can stand before it
	Statements  []Statement
	Key         []Field // the arguments that name the row, in order; may be empty
	Args        []Field // the further arguments, in order
	Each        []Field // of a batch: the key and the arguments of one row, as Args has them in arrays
	Lock        LockMode
	Isolation   Isolation
	Transaction string   // the name of a [Transaction]
	Errors      []string // names of the repository's [Reported] constraints that can come back
	Reasons     []Reason

	Wanted   string        // move: the state it leads to
	Columns  []string      // edit, update: the columns that may change. list: the columns of its order. insert_many: those copied
	NoWait   bool          // edit: answer busy at once instead of waiting for the row
	Wait     time.Duration // edit: instead of the transaction's lock timeout; 0 when not given
	LockKey  int32         // singleton: second half of the advisory key
	Internal bool          // emitted for the runtime, not as a method of its own
	// NeedsTransaction says that it works inside a caller's transaction alone: its
	// effect is a lock, or has to be one with what the caller writes.
	NeedsTransaction bool
	Pos              Pos `json:"-"`
}

// Prelude are the statements that run ahead of the main one, in the same round
// trip and transaction, in their order.
func (o *Operation) Prelude() []*Statement {
	var list []*Statement
	for i := range o.Statements {
		switch s := &o.Statements[i]; s.Role {
		case DueStatement, GroupStatement, LockStatement, ClearStatement, ReadStatement:
			list = append(list, s)
		}
	}
	return list
}

// MayWait reports whether the operation may wait for a lock: of a row, or of a key or
// a parent that somebody else is writing.
func (o *Operation) MayWait() bool {
	switch o.Kind {
	case InsertOp, InsertManyOp:
		return len(o.Errors) > 0
	}
	return o.Lock != NoLock && o.Lock != ""
}

// Statement finds the statement with a role; nil when the operation has none.
func (o *Operation) Statement(role Role) *Statement {
	for i := range o.Statements {
		if o.Statements[i].Role == role {
			return &o.Statements[i]
		}
	}
	return nil
}
