package ir

import (
	"slices"
	"time"
)

// Invariant is a declared rule after compilation: a closed set, one type a
// kind. A switch over it lists each place that a new kind has to touch.
//
//sumtype:decl
type Invariant interface {
	// Facts are what all invariants have.
	Facts() *Facts
	invariant()
}

// Facts are what `pawl explain` prints of an invariant and what verify checks.
type Facts struct {
	Address    string // table.bookings.no_overlap.one_per_room
	Kind       string // no_overlap
	Table      TableRef
	Promise    string // one sentence: "No two rows with one room_id have overlapping values in during."
	Mechanism  string // one line: "EXCLUDE USING gist (room_id WITH =, during WITH &&)"
	Reasons    []Reason
	Objects    []ObjectID // what stands in the database for it
	Operations []string   // addresses of the operations that it made
	Violators  string     // a query whose rows break the rule; empty when no state can show it
	Pos        Pos
}

// The invariants.
type (
	// NoDuplicates says that no two rows share some values.
	NoDuplicates struct {
		Base     Facts
		Parts    []IndexPart
		Where    string
		NotNulls bool // nulls = "not_distinct"
	}
	// NoOverlap says that no two rows of one group overlap in a range.
	NoOverlap struct {
		Base       Facts
		Within     []string
		Range      string // an SQL expression over the row
		Where      string
		Prelock    bool
		AllowEmpty bool
		AllowInf   bool
	}
	// Transitions says that a column moves only along declared moves.
	Transitions struct {
		Base     Facts
		Column   string
		States   []string
		Initial  []string
		Final    []string
		Moves    []Move
		Database bool // enforced for every client, by triggers
		Repeat   string
		Since    string // SQL; which rows the triggers cover; empty for all
	}
	// Adjust changes columns by a formula while every check still holds.
	Adjust struct {
		Base   Facts
		Set    []Assignment
		Checks []DerivedCheck
		Guard  string
	}
	// Edit reads a row, lets Go decide and writes the same row under one lock.
	Edit struct {
		Base    Facts
		Columns []string
		Lock    LockMode
	}
	// Immutable says that some columns of a row never change once it is stored.
	Immutable struct {
		Base    Facts
		Columns []string // in the order of the table
	}
	// AppendOnly says that rows come in and are never changed or deleted.
	AppendOnly struct{ Base Facts }
	// Upsert inserts a row, or brings the one that has its key to the same values.
	Upsert struct {
		Base Facts
		// Key are the parts of the arbiter, and Where is its predicate.
		Key      []IndexPart
		Where    string
		NotNulls bool // NULL counts as a value in the key
		Mode     string
		Version  string   // the column; empty unless versioned
		Update   []string // the columns that may be overwritten, the version aside
		Batch    string   // last | first | error
	}
	// Limit says that the rows of a group, or the sum of a column over them, stay
	// within a bound. A counter holds how much is used, and triggers keep it.
	Limit struct {
		Base    Facts
		Per     []string // columns that make a group
		Sum     string   // the column that is added up; empty to count rows
		Where   string
		Counter TableRef // the table with a counter a group
		Key     []string // its columns, in the order of Per
		Used    string   // its column that holds how much is used
		Max     string   // SQL over a row of Counter
		OnRow   bool     // the counter stands on the parent row, which the group refers to
		// Fill brings the counters in line with the rows that are there, while no
		// other writer is.
		Fill []string
		// Guards are the functions and triggers that refuse every other write of the
		// counters, on Counter. A fill switches the triggers off meanwhile.
		Guards []ObjectID
	}
	// Ordered says that the rows of a group have positions, and move.
	Ordered struct {
		Base   Facts
		Per    []string // columns that make a group
		Column string   // that holds the position
		Groups TableRef // the table with a row for each group, which moves write first
	}
	// Sequence says that the rows of a group are numbered 1, 2, 3 ….
	Sequence struct {
		Base    Facts
		Per     []string // columns that make a group
		Column  string   // that holds the number
		Gapless bool
		Counter TableRef // the table with the last number of each group, in its last column
		// Fill brings the last numbers in line with the rows that are there, while no
		// other writer is.
		Fill []string
		// Guards are the functions and triggers that refuse every other write of the
		// counters, on Counter. A fill switches the triggers off meanwhile.
		Guards []ObjectID
	}
	// AtLeastOne says that every row of a parent has at least one row of a kind.
	AtLeastOne struct {
		Base    Facts
		Per     []string // columns that make a group
		Where   string   // which rows are of the kind; empty for all
		Parent  TableRef // the table whose rows are the groups
		Key     []string // its columns, in the order of Per
		Touched string   // its column that is written as it is
	}
	// Version says that an update undoes nothing that its caller has not read.
	Version struct {
		Base   Facts
		Column string
	}
	// AtMostOne says that at most one row of a group is of a kind.
	AtMostOne struct {
		Base  Facts
		Per   []string // columns that make a group
		Where string   // which rows are of the kind; empty for all
		// Column is what the generated method sets to On; empty when there is no
		// method. Rest is what else the condition asks of the row.
		Column, On, Rest string
	}
	// SetRule says that a query over rows, of one table or several, is true at every
	// COMMIT, for each group of them.
	SetRule struct {
		Base   Facts
		Holds  string      // the query, with its arguments as @name
		Args   []Field     // what makes a group: columns of every table of On
		On     []RuledRows // the writes that can break it
		Parent TableRef    // the table whose rows are the groups; zero for none
		Key    []string    // its columns, in the order of Args
		// Groups selects the groups that there are, one column for each of Args.
		Groups string
	}
	// QueueRule says that each task of a queue, or event of an outbox, is held by at
	// most one live claim.
	QueueRule struct {
		Base     Facts
		Lease    time.Duration
		Attempts int           // 0 for no end
		Retain   time.Duration // how long a task that is done is kept; 0 when it is deleted
		Group    *QueueGroup   // nil when tasks have no order among themselves
		// Fill adds the rows of the groups whose tasks are there already, while no other
		// writer is.
		Fill []string
	}
	// SingletonRule says that at most one holder runs at a time.
	SingletonRule struct {
		Base  Facts
		Class int32
		Key   int32
	}
	// LeaderRule says that at most one holder has the term at a time.
	LeaderRule struct {
		Base    Facts
		Lease   time.Duration
		Session bool // a session lock decides, and not the lease
	}
	// InboxRule says that what a message brings about is done once.
	InboxRule struct {
		Base   Facts
		Source string
		Retain time.Duration
	}
	// IdempotencyRule says that work is done once for each key.
	IdempotencyRule struct {
		Base   Facts
		Phased bool
	}
)

// RuledRows are the columns of a table whose writes can break a [SetRule]; that a row
// comes or goes can always.
type RuledRows struct {
	Table   TableRef
	Columns []string // in the order of the table
}

// Move is one declared move of a [Transitions].
type Move struct {
	Name   string
	From   []string
	To     string
	Guard  string // as written, qualified over the row; empty for none
	Checks []DerivedCheck
	Set    []Assignment
}

// Written are the columns that the upsert may overwrite.
func (i *Upsert) Written() []string {
	written := slices.Clone(i.Update)
	if i.Version != "" {
		written = append(written, i.Version)
	}
	return written
}

// Assignment is one `column = expression`.
type Assignment struct{ Column, Expr string }

// DerivedCheck is a CHECK of the table with the assigned columns replaced: the
// weakest precondition of a write.
type DerivedCheck struct {
	Constraint string
	Expr       string
}

// Facts returns the common part.
func (i *NoDuplicates) Facts() *Facts { return &i.Base }

// Facts returns the common part.
func (i *NoOverlap) Facts() *Facts { return &i.Base }

// Facts returns the common part.
func (i *Transitions) Facts() *Facts { return &i.Base }

// Facts returns the common part.
func (i *Adjust) Facts() *Facts { return &i.Base }

// Facts returns the common part.
func (i *Edit) Facts() *Facts { return &i.Base }

// Facts returns the common part.
func (i *Immutable) Facts() *Facts { return &i.Base }

// Facts returns the common part.
func (i *AppendOnly) Facts() *Facts { return &i.Base }
func (i *Version) Facts() *Facts    { return &i.Base }

// Facts returns the common part.
func (i *Upsert) Facts() *Facts { return &i.Base }

// Facts returns the common part.
func (i *Limit) Facts() *Facts { return &i.Base }

// Facts returns the common part.
func (i *AtMostOne) Facts() *Facts { return &i.Base }

// Facts returns the common part.
func (i *AtLeastOne) Facts() *Facts { return &i.Base }

// Facts returns the common part.
func (i *Sequence) Facts() *Facts { return &i.Base }

// Facts returns the common part.
func (i *Ordered) Facts() *Facts { return &i.Base }

// Facts returns the common part.
func (i *SetRule) Facts() *Facts { return &i.Base }

// Facts returns the common part.
func (i *QueueRule) Facts() *Facts { return &i.Base }

// Facts returns the common part.
func (i *SingletonRule) Facts() *Facts { return &i.Base }

// Facts returns the common part.
func (i *LeaderRule) Facts() *Facts { return &i.Base }

func (*NoDuplicates) invariant()  {}
func (*NoOverlap) invariant()     {}
func (*Transitions) invariant()   {}
func (*Adjust) invariant()        {}
func (*Edit) invariant()          {}
func (*Immutable) invariant()     {}
func (*AppendOnly) invariant()    {}
func (*Upsert) invariant()        {}
func (*Limit) invariant()         {}
func (*Version) invariant()       {}
func (*AtMostOne) invariant()     {}
func (*AtLeastOne) invariant()    {}
func (*Sequence) invariant()      {}
func (*Ordered) invariant()       {}
func (*SetRule) invariant()       {}
func (*QueueRule) invariant()     {}
func (*SingletonRule) invariant() {}
func (*LeaderRule) invariant()    {}

// Facts returns the common part.
func (i *IdempotencyRule) Facts() *Facts { return &i.Base }

func (*IdempotencyRule) invariant() {}

// Facts returns the common part.
func (i *InboxRule) Facts() *Facts { return &i.Base }

func (*InboxRule) invariant() {}
