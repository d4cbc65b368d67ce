// Package view is what commands say. A command hands over data; a [View] gives
// it one of three forms: text for people, one JSON document for programs,
// workflow commands for GitHub.
//
// The data types of this package are the JSON form too: their fields' names are
// a promise, covered by golden tests and by the document's format_version.
//
// Streams: the artefact that was asked for goes to Out, alone. Diagnostics,
// progress and failures go to Err. In the machine forms all of it is the
// artefact.
package view

import (
	"io"

	"github.com/pawldb/pawl/internal/diag"
	"github.com/pawldb/pawl/verify"
)

// Streams are where a view writes and how.
type Streams struct {
	Out, Err           io.Writer
	OutColor, ErrColor bool
	Verbose            bool // say more: the SQL of each step
	// Width is how many columns there are for Out; 0 where nobody says.
	Width int
}

// View says what a command found and did. Errors of writing are kept and
// returned by Close, so that commands need not look at each.
type View interface {
	// Diagnostics shows findings in the user's files.
	Diagnostics(list diag.List, sources diag.Sources)
	// Failure shows why a command could not do its work.
	Failure(Failure)
	// Bug shows a failure of pawl itself.
	Bug(diag.Bug)
	// Outage shows that the database cannot be reached.
	Outage(diag.Outage)
	// Progress says what is being done, in one line.
	Progress(line string)

	// The results of the commands.

	Version(Version)
	// Fixed says what was edited in a file.
	Fixed(Fixed)
	Initialized(Initialized)
	Validated(Validated)
	Formatted(Formatted)
	Explained(Explanation)
	CodeExplained(diag.Entry)
	Graphed(Graph)
	Generated(Generated)
	Planned(Plan)
	StepDone(StepDone)
	Applied(Applied)
	Verified(Verified)
	// Verifiable lists what Verified could be about.
	Verifiable(Verifiable)
	// Replayed shows one schedule.
	Replayed(*verify.Counterexample)
	// Diagrams prints diagrams in Mermaid's language.
	Diagrams([]string)
	// Serving gives the URL of a server that stays up until Ctrl-C.
	Serving(url string)

	// Close ends the output, told the exit code that the command is about to
	// have. It returns the first error of writing.
	Close(exitCode int) error
}

// Failure is why a command could not do its work.
type Failure struct {
	Text string `json:"text"` // what and where
	Help string `json:"help"` // what to do about it; may be empty
}

// Version is the program that runs.
type Version struct {
	Version  string `json:"version"`
	Commit   string `json:"commit"` // empty for a build outside of a checkout
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// Fixed is one edit of a file.
type Fixed struct {
	File string `json:"file"`
	Line int    `json:"line"`
	From string `json:"from"`
	To   string `json:"to"`
}

// Validated is what a right spec declares.
type Validated struct {
	Project    string `json:"project"`
	Tables     int    `json:"tables"`
	Queues     int    `json:"queues"`
	Singletons int    `json:"singletons"`
	Invariants int    `json:"invariants"`
	Operations int    `json:"operations"`
}
