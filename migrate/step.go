package migrate

import (
	"github.com/pawldb/pawl/compiler/ir"
)

// Blocks says what a step's lock keeps others from while it is held.
type Blocks string

// What a lock can block.
const (
	BlocksNothing Blocks = "nothing"
	BlocksWrites  Blocks = "writes"
	BlocksAll     Blocks = "reads and writes"
)

// The table locks that steps take, spelled as PostgreSQL's manual spells them.
const (
	noLock               = ""
	shareUpdateExclusive = "SHARE UPDATE EXCLUSIVE"
	share                = "SHARE"
	shareRowExclusive    = "SHARE ROW EXCLUSIVE"
	accessExclusive      = "ACCESS EXCLUSIVE"
)

// blocks says what others cannot do beside a lock.
func blocks(lock string) Blocks {
	switch lock {
	case share, shareRowExclusive:
		return BlocksWrites
	case accessExclusive:
		return BlocksAll
	}
	return BlocksNothing
}

// Retry says when a step is tried again by itself.
type Retry string

// The ways in which steps are tried again.
const (
	// RetryLock gives up waiting for a lock after the lock timeout, so that a
	// queue of waiters does not build up behind it, and tries again later.
	RetryLock Retry = "on lock timeout"
	// RetryNever leaves it to the next apply.
	RetryNever Retry = "next apply"
)

// Step is one thing that an apply does, and what a reader has to know of it
// beforehand.
type Step struct {
	Title   string   // "build unique index bookings_key on app.bookings"
	SQL     []string // in order; none for a probe
	Address string   // the declaration that asked for it
	Pos     ir.Pos
	Why     string      // one sentence, when the title leaves a question open
	Table   ir.TableRef // what is locked, scanned or rewritten; zero for none
	Lock    string      // its strongest lock, as the manual spells it; empty for none
	Blocks  Blocks
	Scans   bool  // reads the whole table
	Rewrite bool  // writes the whole table anew
	Rows    int64 // an estimate of the table's rows; negative when unknown
	Bytes   int64 // an estimate of the table's size
	// Transaction groups steps: those with one number commit together. It is 0
	// for a step that cannot run inside a transaction.
	Transaction int
	Retry       Retry
	Undo        string // how to go back by hand

	kind    stepKind
	index   ir.ObjectID // kind stepBuild: what is built
	probe   *probe      // finds the rows that would make the step fail
	prove   bool        // the step fails when its probe finds any: nothing else would tell
	losses  []loss      // what it may lose, and no more
	saves   []record
	forgets []ir.ObjectID
}

type stepKind uint8

const (
	stepDDL   stepKind = iota
	stepBuild          // a concurrent index build; its records are saved before it
	stepDrop           // a concurrent drop
	stepProbe          // only the probe
)

// Transactional reports whether the step runs inside a transaction.
func (s *Step) Transactional() bool { return s.Transaction != 0 }

// Action is what happens to an object: the sign in front of a plan's line.
type Action string

// The actions.
const (
	Add     Action = "+"
	Alter   Action = "~"
	Replace Action = "~!" // made anew
	Drop    Action = "-"
	Release Action = "#" // it stays, and is the project's no more
)

// Change is one line of a plan: what happens to one object.
type Change struct {
	Action  Action
	Address string
	Pos     ir.Pos
	Object  ir.ObjectID
	Text    string // "create table app.bookings"
}

// HazardKind tells hazards apart.
type HazardKind string

// The kinds of hazards.
const (
	HazardDrop     HazardKind = "drop"      // data is lost
	HazardRewrite  HazardKind = "rewrite"   // a table is locked while it is written anew
	HazardLock     HazardKind = "long-lock" // a table is locked while it is read
	HazardWeaker   HazardKind = "weaker"    // a guarantee ends
	HazardBlocked  HazardKind = "blocked"   // the change cannot be made this way at all
	HazardUnproven HazardKind = "unproven"  // a difference is uncertain
	HazardUnprobed HazardKind = "unprobed"  // nobody looked yet for rows that would make the apply fail
	HazardLetGo    HazardKind = "let-go"    // what stays in the database stands in the way of what goes on
)

// Hazard is something that a person has to know, allow or change before an
// apply.
type Hazard struct {
	Kind    HazardKind
	Address string
	Pos     ir.Pos
	Text    string // what would happen
	Help    string // what to do about it; empty when there is nothing
	Rows    int64  // rows lost, rewritten or read; negative when unknown
	// Allow is what PlanOptions.Allow or ApplyOptions.Allow must hold for the
	// apply to go on, "drop=table.bookings"; empty when nothing has to be
	// allowed.
	Allow string
}
