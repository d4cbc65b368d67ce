package fault

import (
	"fmt"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/pawldb/pawl/internal/faultproxy"
)

// Kind is a way to fail. String says it in words.
type Kind string

// The kinds.
const (
	// Cut ends the connection before the message at the point is passed on.
	Cut Kind = "cut"
	// LoseReply lets the server do what the message says and ends the connection
	// instead of answering.
	LoseReply Kind = "lose-reply"
	// Terminate is pg_terminate_backend: the client is told, FATAL 57P01.
	Terminate Kind = "terminate"
	// Kill is kill -9 of the backend process. The server throws everybody out and
	// recovers from its log.
	Kill Kind = "kill"
	// Restart stops the server without a checkpoint and starts it again.
	Restart Kind = "restart"
	// PauseBackend stops the backend's process (SIGSTOP) with the message in its
	// socket and ends the client's connection. The work is recovered, and then the
	// backend goes on (SIGCONT): a ghost writes late.
	PauseBackend Kind = "pause-backend"
	// PauseClient holds the client's message back until its work has been recovered
	// by somebody else. Then the client goes on as if nothing had happened.
	PauseClient Kind = "pause-client"
)

// Kinds are all kinds of faults, in the order in which Crash tries them.
var Kinds = []Kind{Cut, LoseReply, Terminate, PauseClient, PauseBackend, Kill, Restart}

// kindWords say what the kinds are.
var kindWords = map[Kind]string{
	Cut:          "connection cut before the message",
	LoseReply:    "reply lost after the server has done the work",
	Terminate:    "pg_terminate_backend",
	Kill:         "kill -9 of the backend",
	Restart:      "immediate restart of the server",
	PauseBackend: "backend stopped, then a late write",
	PauseClient:  "client paused, then goes on",
}

func (k Kind) String() string {
	if words, ok := kindWords[k]; ok {
		return words
	}
	return string(k)
}

// ownServer reports whether the fault needs a server whose processes are ours.
func (k Kind) ownServer() bool { return k == PauseBackend || k.takesDown() }

// takesDown reports whether the fault hits everybody.
func (k Kind) takesDown() bool { return k == Kill || k == Restart }

// Point is a place in a client's conversation with the server: just before a
// message of it is passed on.
type Point struct {
	Number int // from 0
	// Message is "query" (a simple query), "execute" (of a prepared statement) or
	// "sync", which ends what was executed since the last one and commits it when no
	// transaction is open; or "end" for the place after the last answer.
	Message string
	// SQL is what the message is about.
	SQL string
}

// The messages at which a fault can be injected.
const (
	query   = "query"
	execute = "execute"
	syncing = "sync"
	end     = "end"
)

// endsRoundTrip reports whether the client waits for the server after it.
func (p Point) endsRoundTrip() bool { return p.Message == query || p.Message == syncing }

// admits reports whether a fault of a kind says anything new at the point.
func (p Point) admits(k Kind) bool {
	switch {
	case p.Message == end:
		// What was answered must survive.
		return k.takesDown()
	case k == Cut, k == Terminate:
		return true
	case k == PauseBackend, k == PauseClient:
		// What comes late is to be the whole of a statement.
		return p.Message != syncing
	}
	return p.endsRoundTrip()
}

// pointOf returns the place before a message, and false for messages that do no
// work by themselves, among them a Sync that only ends the preparation of a
// statement.
func pointOf(f faultproxy.Frame) (Point, bool) {
	p := Point{SQL: f.SQL}
	switch f.Message.(type) {
	case *pgproto3.Query:
		p.Message = query
	case *pgproto3.Execute:
		p.Message = execute
	case *pgproto3.Sync:
		p.Message = syncing
		return p, f.SQL != ""
	default:
		return Point{}, false
	}
	return p, true
}

// Fault is one injection.
type Fault struct {
	Kind  Kind
	Point Point
	// Injected is false when the client was done before it came to the point:
	// others had changed its way.
	Injected bool
}

// ID names the fault among those of its workload: "lose-reply@3", "kill@end".
// [CrashOptions].Only takes it.
func (f Fault) ID() string {
	if f.Point.Message == end {
		return string(f.Kind) + "@" + end
	}
	return fmt.Sprintf("%s@%d", string(f.Kind), f.Point.Number)
}

// String describes the fault in a line.
func (f Fault) String() string {
	if f.Point.Message == end {
		return fmt.Sprintf("%s after the last answer", f.Kind)
	}
	return fmt.Sprintf("%s at message %d (%s of %q)", f.Kind, f.Point.Number, f.Point.Message, f.Point.SQL)
}
