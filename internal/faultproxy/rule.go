package faultproxy

import (
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"
)

// Action is what happens to a message and its connection.
type Action int

// The actions.
const (
	// Forward passes the message on.
	Forward Action = iota
	// Cut ends the connection on both sides; the server never sees the message.
	Cut
	// SwallowReply passes the message on, waits until the server is ready for the
	// next one, passes nothing of its answer back and ends the connection: the
	// server has done the work and the client will never know.
	SwallowReply
	// Delay passes the message on after DelayTime.
	Delay
)

// DelayTime is how long Delay holds a message.
const DelayTime = 200 * time.Millisecond

// Frame is a message of a client.
type Frame struct {
	Conn int // the connection's number
	// Message is the decoded message. Its contents are only valid while a rule looks
	// at it; of a frame from Frames, only its type is.
	Message pgproto3.FrontendMessage
	// SQL is what the message is about: the text of a query; for Bind, Describe
	// and Execute, that of the prepared statement; for Sync, the texts executed
	// since the last one, joined by semicolons.
	SQL string
}

// EndsRoundTrip reports whether the client waits for the server after f.
func (f Frame) EndsRoundTrip() bool {
	switch f.Message.(type) {
	case *pgproto3.Sync, *pgproto3.Query:
		return true
	}
	return false
}

// Rule decides about a message. It may be called from several connections at once.
type Rule func(Frame) Action

// Matcher recognises a message.
type Matcher func(Frame) bool

// On is the rule that applies action to every message that match recognises.
func On(match Matcher, action Action) Rule {
	return func(f Frame) Action {
		if match(f) {
			return action
		}
		return Forward
	}
}

// Once is On for the first such message only.
func Once(match Matcher, action Action) Rule {
	var used atomic.Bool
	return func(f Frame) Action {
		if match(f) && used.CompareAndSwap(false, true) {
			return action
		}
		return Forward
	}
}

// Commit recognises a COMMIT sent as a statement of its own.
func Commit(f Frame) bool {
	_, simple := f.Message.(*pgproto3.Query)
	return simple && strings.EqualFold(strings.TrimSpace(f.SQL), "commit")
}

// Executes recognises the message that makes the server run exactly this text as
// part of a batch. A COMMIT inside a batch takes effect there, before the Sync.
func Executes(sql string) Matcher {
	return func(f Frame) bool {
		_, execute := f.Message.(*pgproto3.Execute)
		return execute && f.SQL == sql
	}
}

// Runs recognises the message that makes the server finish and commit a
// statement whose text contains part: the Sync after its Execute, or the simple
// query that holds it.
func Runs(part string) Matcher {
	return func(f Frame) bool { return f.EndsRoundTrip() && strings.Contains(f.SQL, part) }
}
