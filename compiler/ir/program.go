package ir

import (
	"cmp"
	"iter"
	"time"
)

// Program is a compiled specification.
type Program struct {
	Project       string
	Postgres      int    // the lowest server major that the output works on
	DefaultSchema string // where objects stand that name no schema
	AdvisoryClass int32  // first half of every singleton's lock key
	AppRole       string // the role that generated code runs as; empty when not given
	Schema        Schema
	Data          []Table // tables of others that it reads: columns and keys alone, one for each declaration
	Repositories  []Repository
	Singletons    []Singleton
	Rules         []Rule
	Idempotencies []Idempotency
	Inboxes       []Inbox
	Maintenance   *Maintenance // nil when there is no upkeep beside what operations do
	Transactions  []Transaction
	Invariants    []Invariant
	Promises      []Promise  // what generated code relies on, sorted by object
	Go            *GoOutput  // nil when the specification generates no Go
	SQL           *SQLOutput // nil when the specification generates no SQL
	Moved         []Moved    // told renames, by the old address
	Removed       []Removed  // told ends, by the address
	Lifecycles    []Lifecycle
	Grants        []Grant // that AppRole needs, by schema, table and privilege
	Pooler        Pooler  // what the application's connections go through
}

// Operations are all operations of the program: those of its repositories first,
// in their order.
func (p *Program) Operations() iter.Seq[*Operation] {
	return func(yield func(*Operation) bool) {
		for i := range p.Repositories {
			if !each(p.Repositories[i].Operations, yield) {
				return
			}
		}
		p.Loose()(yield)
	}
}

// Loose are the operations that belong to no repository: those of singletons,
// idempotencies and inboxes.
func (p *Program) Loose() iter.Seq[*Operation] {
	return func(yield func(*Operation) bool) {
		var lists [][]Operation
		for i := range p.Singletons {
			lists = append(lists, p.Singletons[i].Operations)
		}
		for i := range p.Idempotencies {
			lists = append(lists, p.Idempotencies[i].Operations)
		}
		for i := range p.Inboxes {
			lists = append(lists, p.Inboxes[i].Operations)
		}
		for _, list := range lists {
			if !each(list, yield) {
				return
			}
		}
	}
}

// each yields pointers into list, until yield has enough.
func each(list []Operation, yield func(*Operation) bool) bool {
	for i := range list {
		if !yield(&list[i]) {
			return false
		}
	}
	return true
}

// Pooler is what stands between the application and the server.
type Pooler string

// The poolers.
const (
	// NoPooler is a session of its own for each connection.
	NoPooler Pooler = ""
	// TransactionPooler may give each transaction another session: no session
	// locks, LISTEN, settings, temporary tables or prepared statements last.
	TransactionPooler Pooler = "transaction"
)

// GoOutput is a `generate "go"` block.
type GoOutput struct {
	Dir     string // relative to the project
	Package string
	Runtime string // "copy", or the import path of the runtime
	// Adapters are what calls may be written to: the package has an option for each.
	Adapters []Adapter
	// UUID is the Go type of uuid, as a go block spells types; empty for pgx's own.
	UUID string
	// RaceTests asks for tests beside the package that run its methods against each
	// other, in every order that their statements can take.
	RaceTests bool
	Pos       Pos
}

// Adapter is a library that the runtime can tell about each call.
type Adapter string

// The adapters. The first is in the standard library and the runtime; the second
// stands in a package of its own, so that only who asks for it depends on it.
const (
	SlogAdapter Adapter = "slog"
	OtelAdapter Adapter = "otel"
)

// SQLOutput is a `generate "sql"` block.
type SQLOutput struct {
	File string // relative to the project
	Pos  Pos
}

// Repository is a table, queue or outbox with the operations on it.
type Repository struct {
	Address     string // table.bookings, queue.tasks, outbox.events
	Name        string // bookings, as written
	Schema      string
	Table       string
	Comment     string
	Queue       *Queue  // nil for a table
	Row         []Field // the columns of a row, in order
	Key         []Field // the primary key
	Insert      []Field // what an insert takes: no identity columns, no version; those with a default are optional
	Version     string  // the column that every write raises; empty when there is none
	Reported    []Reported
	Operations  []Operation
	GoName      string // overrides from go { }; empty when not given
	GoRow       string
	GoColumns   map[string]GoColumn
	Pos         Pos
	Transitions []string // columns that only moves may change
}

// Retains reports whether a repository is a queue that keeps what is done for a while.
func (r Repository) Retains() bool { return r.Queue != nil && r.Queue.Retain > 0 }

// GoColumn is what a column says of its Go field.
type GoColumn struct {
	Name, Type string // the go { } block
	// ElementsNullable says that the elements of a list are pointers, because some
	// may be NULL.
	ElementsNullable bool
}

// Queue is what generated code needs to know of a queue or outbox beyond its statements.
type Queue struct {
	Outbox      bool    // its tasks are events, and who works on them publishes them
	Payload     []Field // the declared columns
	Lease       time.Duration
	Heartbeat   time.Duration
	Attempts    int // 0 for no end
	BackoffBase time.Duration
	BackoffMax  time.Duration
	Retain      time.Duration // how long a task that is done is kept; 0 when it is deleted
	Group       *QueueGroup   // nil when tasks have no order among themselves
}

// QueueGroup says which tasks of a queue run one at a time, in the order of
// commit.
type QueueGroup struct {
	Table TableRef // has a row for each group with tasks that are not done
	By    []string // the columns that make a group, of the queue and of Table
	Skip  bool     // a failed task lets the others of its group pass while it waits
}

// ReportedKind is the family of a constraint to the code that gets its error.
type ReportedKind string

// The families.
const (
	Duplicate   ReportedKind = "duplicate" // 23505
	Overlap     ReportedKind = "overlap"   // 23P01
	Reference   ReportedKind = "reference" // 23503, 23001
	CheckFailed ReportedKind = "check"     // 23514
	BadMove     ReportedKind = "state"     // PW001
	Frozen      ReportedKind = "immutable" // PW002
	BrokenRule  ReportedKind = "rule"      // PW004, PW006
	Exceeded    ReportedKind = "limit"     // 23514, of a counter
)

// Reported is a constraint, index or trigger whose violation PostgreSQL
// reports by name: generated code has a sentinel error for each.
type Reported struct {
	Name    string // as PostgreSQL reports it
	Label   string // one_per_room: what the sentinel is named after; "pkey" for the primary key
	Kind    ReportedKind
	Code    string // SQLSTATE
	Schema  string
	Table   string // as PostgreSQL reports it; empty for a check of a domain
	Type    string // of a check of a domain: the domain, as PostgreSQL reports it
	Columns []string
	Address string
	Doc     string // "two bookings of one room overlap"
	// Adding and Removing are the part of Doc that an operation can meet which only
	// adds rows, and only removes them; empty where that is the whole.
	Adding, Removing string
	Object           ObjectID
	Hash             string // fingerprint of the definition
	Inherited        bool   // belongs to another repository, that of a child for instance
}

// Says is what a violation of the constraint means to an operation of a kind.
func (r *Reported) Says(kind OperationKind) string {
	doc := ""
	switch kind {
	case InsertOp, InsertManyOp, EnqueueOp, EnqueueManyOp:
		doc = r.Adding
	case DeleteOp:
		doc = r.Removing
	}
	return cmp.Or(doc, r.Doc)
}

// Rule is a rule over several rows, with the operations that may come near to break
// it.
type Rule struct {
	Address string // rule.someone_on_call
	Name    string // someone_on_call
	Doc     string
	// Operations are the addresses of its operations, each of which stands in the
	// repository of the table that it writes.
	Operations []string
	Pos        Pos
}

// Singleton is a named piece of work that runs at most once at a time.
type Singleton struct {
	Address    string // singleton.outbox_relay
	Name       string
	Key        int32
	Doc        string
	Leader     *Leader     // nil for the scope of one transaction
	Operations []Operation // singleton and try; of a leader campaign, renew, resign and guard
	Pos        Pos
}

// Leader is a singleton that holds from term to term: a row with the number of
// the term, and either a lease on it or a session lock beside it.
type Leader struct {
	Table TableRef
	Lease time.Duration // how long a term lasts without being renewed; for a session, without a sign of life
	// Session says that a lock of the session decides: the campaign then has a lock
	// statement, and a renewal asks whether the session still has the lock.
	Session bool
}

// Promise is an object of the database that generated code relies on;
// store.Check looks for each: constraints and unique indexes that errors are
// led back to, triggers that enforce a rule with the functions that they call,
// and the indexes that a queue's claim reads in order.
type Promise struct {
	Address string // of the declaration that asked for it
	Object  ObjectID
	Hash    string // Fingerprint of the object's definition
}
