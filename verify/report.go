package verify

import (
	"time"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/verify/explore"
)

// Report is everything that a verification found. It is plain data: package
// report prints it.
type Report struct {
	Project  string
	Server   string // "15.18"
	Sessions int    // how many clients ran at once, at most
	Full     bool   // without reductions
	Subjects []Subject
	Duration time.Duration
}

// Subject is one declaration: an invariant, or the plain operations of a table.
type Subject struct {
	Address   string // table.bookings.no_overlap.one_per_room
	Kind      string // no_overlap
	Promise   string
	Mechanism string
	Pos       ir.Pos
	Checks    []Check
}

// Check is one scenario, explored, and the mutants that it must catch.
type Check struct {
	ID      string // unique in the report, stable: table.seats.transitions.status/book-book
	Name    string // "two clients book one seat"
	Phase   Phase
	Clients []string // what each does: "confirm", "raw INSERT", "cancel in repeatable read"
	Verdict Verdict
	Detail  string // why it is inconclusive, in a sentence; empty otherwise

	Schedules int
	Waiting   int // schedules in which somebody waited for a lock
	Pruned    int
	Violating int
	Outcomes  map[string]int
	Duration  time.Duration
	// Counterexamples are filled when the verdict is Violated.
	Counterexamples []Counterexample
	Mutants         []Mutant
	// Rounds and Rate are a stress phase's: how many rounds ran, and the share of
	// them that broke the rule. For a crash phase Rounds counts the faults.
	Rounds int
	Rate   float64
}

// Phase is how a check looks.
type Phase string

// The phases.
const (
	Interleavings Phase = "interleavings"
	Stress        Phase = "stress"
	Crash         Phase = "crash"
)

// Verdict is what became of a check or a mutant.
type Verdict string

// The verdicts.
const (
	Holds        Verdict = "holds"
	Violated     Verdict = "violated"
	Inconclusive Verdict = "inconclusive" // could not be decided: neither a pass nor a violation
	Untried      Verdict = "untried"      // no row could be made up that would break the rule, so nobody tried to
	Killed       Verdict = "killed"       // a mutant that the check caught
	Survived     Verdict = "survived"     // a mutant that it did not: the check has no teeth
	Excused      Verdict = "excused"      // survives for a reason that stands in Mutant.Reason
)

// Mutant is a guard that was removed or weakened, and what the check said then.
type Mutant struct {
	ID      string // unique within the check: without-exclude
	Name    string // "without the exclusion constraint"
	Verdict Verdict
	Reason  string // why it may survive: its promise is kept by something else, or it only costs concurrency
	// Diff is what was changed, as the lines of a unified diff of SQL, each with its
	// "-", "+" or " " in front.
	Diff []string
	// Changes is the DDL that takes the guard away, where it is an object.
	Changes   []string
	Schedules int
	Waiting   int
	// Graded marks a mutant that is as safe and takes a stronger lock than needed. It
	// was explored to its end: Schedules and Waiting beside those of the check say
	// what the weaker lock buys.
	Graded         bool
	Duration       time.Duration
	Counterexample *Counterexample // of a killed mutant
}

// Counterexample is a schedule that broke a rule.
type Counterexample struct {
	// ID is what --replay takes: the check's ID, the mutant's after "@", and the
	// schedule after ":". table.seats.transitions.status/book-book@without-condition-1:0.1.0
	ID  string
	Run *explore.Run
	// Fixture is the script that every schedule starts from, so that a reader can
	// repeat it by hand.
	Fixture string
	// Gates are the tables whose statements were stopped inside.
	Gates []string
}
