package ir

import "time"

// Idempotency is work that is done once for each key: a table with a row a key,
// and the statements that its runs are made of.
type Idempotency struct {
	Address    string // idempotency.refund_payment
	Name       string
	Doc        string
	Table      TableRef
	PrimaryKey string  // the constraint that no two rows of one key get past
	Scope      []Field // the arguments that are part of every key, ahead of Key
	Key        []Field // what names the work: the caller's "key", or the arguments of an entity
	Entity     bool    // the key is built from arguments; the caller brings none
	Reference  bool    // the answer is a reference, which a function of the caller's resolves
	Phases     []Phase // of phased work, in order; none for work in one transaction
	Lease      time.Duration
	RPCTimeout time.Duration // the longest call to the outside; 0 when not given
	Retain     time.Duration // how long an answer is kept
	Wait       time.Duration // how long a twin tries again
	Operations []Operation   // all of kind [OnceOp]
	Pos        Pos
}

// Phase is a step of phased work.
type Phase struct {
	Name     string
	External bool // an effect outside of the database: no transaction is open
	Result   bool // keeps a value, as jsonb, for the phases after it
}

// Step is the operation of a name; nil when there is none.
func (i *Idempotency) Step(name string) *Operation { return stepOf(i.Operations, name) }

func stepOf(operations []Operation, name string) *Operation {
	for i := range operations {
		if operations[i].Name == name {
			return &operations[i]
		}
	}
	return nil
}

// The names of the operations of an [Idempotency]. Each takes the scope and the
// key first.
const (
	// OnceEnter looks a key up. Of atomic work its lock statement comes first and
	// says whether this transaction has the key; of phased work its enlist statement
	// adds the row of a key that has none.
	OnceEnter = "enter"
	// OnceLook returns the row of a key of phased work.
	OnceLook = "look"
	// OnceStore stores the answer of atomic work. Its due statement removes an answer
	// that is no longer kept.
	OnceStore = "store"
	// OnceAgain begins phased work anew whose answer is no longer kept.
	OnceAgain = "again"
	// OnceTakeover takes a key whose lease has run out, at the phase where it stands.
	OnceTakeover = "takeover"
	// OnceAdvance, with the phase's name behind it, ends a phase.
	OnceAdvance = "advance_"
	// OnceComplete ends the last phase and stores the answer.
	OnceComplete = "complete"
	// OnceHeartbeat makes the lease start again.
	OnceHeartbeat = "heartbeat"
	// OnceRelease ends the lease.
	OnceRelease = "release"
	// OnceForget removes a key under which nothing was done.
	OnceForget = "forget"
	// OnceReap removes answers that are no longer kept.
	OnceReap = "reap"
)

// Maintenance is the upkeep that a process does now and then: each chore is a
// statement that takes how many rows it touches at most, in a transaction that
// has tried one lock first.
type Maintenance struct {
	Address string
	TrySQL  string
	Chores  []Chore
}

// Chore is a statement of an operation that is upkeep.
type Chore struct {
	Address string // of the operation
	Role    Role
}
