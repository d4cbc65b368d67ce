package explore

import "time"

// A Run is one schedule that was executed.
type Run struct {
	// ID names the schedule: the clients in the order in which they were granted a
	// step, "0.0.1.0". [Explorer.Replay] takes it.
	ID      string
	Clients []string // their names
	Steps   []Step
	Ends    []End // one a client
	// FinalState is what [Scenario.State] said.
	FinalState string
	Violations []Violation
	// Waits is how many steps had to wait for a lock.
	Waits int
	// Deviation says how a replay differed from the schedule it was to repeat;
	// empty when it did not.
	Deviation string
	// Stuck says what kept the schedule from ending; empty when it ended.
	Stuck    string
	Duration time.Duration
}

// End is how a client's Run returned.
type End struct {
	Value any
	Err   error
}

// Kind is what a step is.
type Kind string

// The kinds.
const (
	Begin     Kind = "begin"
	Statement Kind = "statement"
	Commit    Kind = "commit"
	Rollback  Kind = "rollback"
	// Continue lets a statement go on that was stopped inside, at a gate.
	Continue Kind = "continue"
	// Resume is no grant: a statement that waited for a lock came to its end because
	// of the step before.
	Resume Kind = "resume"
)

// A Step is one row of a timeline.
type Step struct {
	Client int
	Kind   Kind
	// SQL is the statement; of a batch, all of them, joined by ";" and a line's end.
	SQL  string
	Args []string // as text; NULL is "NULL"
	// Ahead is what had no grant of its own: the BEGIN that was sent with the step,
	// and statements before it that are Local.
	Ahead []string
	State StepState
	// WaitsFor are the clients that hold what the step waits for.
	WaitsFor []int
	// Tag, Columns and Rows are the answer: "UPDATE 1", and what it returned.
	Tag     string
	Columns []string
	Rows    [][]string
	Err     error // the server's answer, when it was an error
	// Place says where a statement stands that was stopped inside: "before the first
	// row", "before a row".
	Place string
	// Commits is true when the step ended a transaction that may have made work
	// visible to others: a COMMIT, or a statement outside of a transaction that is
	// not known to be a Read.
	Commits    bool
	Violations []Violation // what AfterCommit found
}

// StepState is how a step stood when the next decision came.
type StepState string

// The states.
const (
	Done    StepState = "done"
	Waiting StepState = "waiting" // for a lock; a Resume follows
	Stopped StepState = "stopped" // inside, at a gate; a Continue follows
)
