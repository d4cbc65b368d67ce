package diag

import "io"

// Renderer prints what a command has to say about its input. Text is for people,
// JSON for programs and GitHub for the log of a workflow. Renderers only write to
// w; the error is that of the writer.
type Renderer interface {
	// List prints diagnostics in the order of the list; sort it first.
	List(w io.Writer, list List) error
	// Bug prints a failure of pawl itself.
	Bug(w io.Writer, bug Bug) error
	// Outage prints a database that cannot be reached.
	Outage(w io.Writer, outage Outage) error
}
