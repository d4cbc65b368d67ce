package migrate

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pawldb/pawl/compiler/ir"
)

// RefusedError says that a plan holds hazards that nobody allowed, or that
// nobody can allow. Nothing was done.
type RefusedError struct{ Hazards []Hazard }

// Error lists each hazard and how to go on.
func (e *RefusedError) Error() string {
	lines := make([]string, len(e.Hazards))
	for i, h := range e.Hazards {
		lines[i] = where(ir.Origin{Address: h.Address, Pos: h.Pos}) + ": " + h.Text
		switch {
		case h.Allow != "":
			lines[i] += "; allow it with --allow " + h.Allow
		case h.Help != "":
			lines[i] += "; " + h.Help
		}
	}
	return "refused: " + strings.Join(lines, "\n")
}

// ViolationsError says that rows break invariants that the plan adds. Nothing
// was done, or, out of a [StepError], that step was not.
type ViolationsError struct{ Violations []Violation }

// Error lists the violated invariants, without the rows' values.
func (e *ViolationsError) Error() string {
	lines := make([]string, len(e.Violations))
	for i := range e.Violations {
		lines[i] = e.Violations[i].Error()
	}
	return strings.Join(lines, "\n")
}

// ErrMoved says that the database changed since the plan was made: make another.
var ErrMoved = errors.New("the database changed since the plan was made: plan again")

// ErrPooled says that the connection goes through a pooler, which may hand each
// transaction to another session: the lock that keeps two applies apart would
// be worth nothing, and so would the settings that a plan is made under.
var ErrPooled = errors.New("the connection goes through a connection pooler: plan and apply need a session of their own, connect to the server directly")

// ErrStandby says that the server is a standby, which changes nothing.
var ErrStandby = errors.New("the server is a standby: connect to the primary")

// LockedError says that another apply runs in the database.
type LockedError struct {
	Holder string // who it is, as pg_stat_activity tells
	Waited time.Duration
}

// Error names the holder.
func (e *LockedError) Error() string {
	return fmt.Sprintf("another apply runs in this database (%s); gave up after %s", e.Holder, e.Waited.Round(time.Second))
}

// StepError is a step that failed. All steps of its transaction are rolled back,
// those of the transactions before it stand, and the next apply goes on from there.
type StepError struct {
	Step      Step
	Index     int    // from 0
	Total     int    // steps of the plan
	Stand     int    // how many of its first steps are committed
	State     string // SQLSTATE; empty when the server did not answer
	Detail    string // may hold values of rows
	Hint      string
	Violation *Violation // the rows that made it fail, where they could be found
	Left      string     // what an interrupted build left behind; empty for nothing
	err       error
}

func newStepError(s Step, index, total int, err error) *StepError {
	e := &StepError{Step: s, Index: index, Total: total, err: err}
	var pgErr *pgconn.PgError
	if errors.As(err, &pgErr) {
		e.State, e.Detail, e.Hint = pgErr.Code, pgErr.Detail, pgErr.Hint
	}
	var violations *ViolationsError
	if errors.As(err, &violations) {
		e.Violation = &violations.Violations[0]
	}
	return e
}

// Error names the declaration, the step and what the server said, without the
// values of rows.
func (e *StepError) Error() string {
	text := e.err.Error()
	var pgErr *pgconn.PgError
	if errors.As(e.err, &pgErr) {
		text = fmt.Sprintf("%s (SQLSTATE %s)", pgErr.Message, pgErr.Code)
	}
	if e.Violation != nil && pgErr != nil {
		text += ": " + e.Violation.Text
	}
	place := ""
	if e.Step.Address != "" {
		place = where(ir.Origin{Address: e.Step.Address, Pos: e.Step.Pos}) + ": "
	}
	text = fmt.Sprintf("%sstep %d of %d, %s: %s", place, e.Index+1, e.Total, e.Step.Title, text)
	if e.Left != "" {
		text += "; " + e.Left
	}
	return text
}

// Unwrap is what made the step fail.
func (e *StepError) Unwrap() error { return e.err }

// InterruptedError says that an apply was cancelled, and where it stopped. The
// next apply goes on from there.
type InterruptedError struct {
	Step  *Step // that was running and rolled back; nil when it stopped between two
	Done  int   // steps that stand
	Total int
	Left  string // what the step left behind; empty for nothing
	err   error
}

// Error says which step was rolled back and how many stand.
func (e *InterruptedError) Error() string {
	text := fmt.Sprintf("interrupted after %d of %d steps", e.Done, e.Total)
	if e.Step != nil {
		text += ", rolled back: " + e.Step.Title
	}
	if e.Left != "" {
		text += "; " + e.Left
	}
	return text
}

// Unwrap is the context's error.
func (e *InterruptedError) Unwrap() error { return e.err }
