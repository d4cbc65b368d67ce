package explore

import (
	"strings"
	"sync"

	"github.com/jackc/pgx/v5/pgconn"
)

// The server tells a session when it has looked for a deadlock (log_lock_waits),
// and the gates' function tells when it is about to stop. Both are sent at once, in
// the middle of the statement, and read by the client's goroutine, which waits for
// the answer. So nobody need sleep to be sure that a check has run.
//
// A session that hears nothing, because its code has set client_min_messages for
// instance, costs time and no more: see fallback.

// gateNotice is what the gates' function says.
const gateNotice = "pawl verify: at a gate"

// settings have a session told, in words that are known whatever the server's
// language. The server's log need not have it all as well: a timeline says it.
var settings = map[string]string{
	// A deadlock is to be noticed by the one who closes the circle, before anybody is
	// granted a further step.
	"deadlock_timeout":    "1ms",
	"log_lock_waits":      "on",
	"client_min_messages": "log",
	"lc_messages":         "C",
	"log_min_messages":    "fatal",
}

// ear is what a session has been told about its waits.
type ear struct {
	mu      sync.Mutex
	checked string
	nudge   chan<- struct{} // wakes who waits for news
}

// lock is the lock for which the session waited when it last looked for a
// deadlock, as in "ShareLock on transaction 734"; empty when that wait is over.
func (e *ear) lock() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.checked
}

// forget is called when a statement is over.
func (e *ear) forget() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.checked = ""
}

// hear takes in a notice. It runs on the goroutine that reads from the server.
func (e *ear) hear(_ *pgconn.PgConn, n *pgconn.Notice) {
	if n.Message == gateNotice {
		e.wake()
		return
	}
	if n.SeverityUnlocalized != "LOG" {
		return
	}
	// "process 7 still waiting for ShareLock on transaction 734 after 1.017 ms" comes
	// after the check. The same text with "acquired" says that the wait is over, and
	// so does every other: another wait is another check.
	_, rest, still := strings.Cut(n.Message, " still waiting for ")
	e.mu.Lock()
	e.checked = ""
	if after := strings.LastIndex(rest, " after "); still && after >= 0 {
		e.checked = rest[:after]
	}
	e.mu.Unlock()
	e.wake()
}

func (e *ear) wake() {
	select {
	case e.nudge <- struct{}{}:
	default: // who waits has been woken already
	}
}
