package explore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// errAbandoned is what a client's calls return once its schedule is given up.
var errAbandoned = errors.New("explore: the schedule was given up")

// state is where a client stands.
type state uint8

const (
	coding  state = iota // its own code runs
	ready                // it waits for a grant
	running              // the server works for it
	waiting              // the server makes it wait for a lock
	stopped              // it waits inside a statement, at a gate
	done                 // its Run has returned
)

// actor is a client in one schedule. The first group of fields belongs to the
// schedule, which runs on one goroutine; the second is only read.
type actor struct {
	state   state
	pending request // when ready; what is being done, afterwards
	started bool    // it was granted a step
	end     End
	// step is the index of the step being done, and shown how the timeline last said
	// that it stands: waiting or stopped, or coding when it says nothing yet. What
	// becomes of a step that was shown is a row of its own.
	step     int
	shown    state
	gate     gateKey // where it is stopped
	blockers []int   // clients that hold what it waits for
	// since is when it was first seen to wait for this lock of these blockers, and
	// settled says that a deadlock would have been noticed.
	since   time.Time
	wait    wait
	settled bool

	index   int
	client  Client
	session *session
	effect  func(string) Effect
	full    bool
	clock   bool // Scenario.Clock
	grant   chan struct{}
	events  chan<- event
	over    <-chan struct{} // closed when the schedule is over
}

// event is what a client tells its schedule.
type event struct {
	actor   *actor
	kind    eventKind
	request request // of asks
	answer  answer  // of answered
	end     End     // of returned
}

type eventKind uint8

const (
	asks eventKind = iota
	answered
	returned
)

// run calls the client's code.
func (a *actor) run(ctx context.Context, conn *Conn) {
	end := End{Err: errors.New("explore: Run ended its goroutine instead of returning, as t.Fatal does")}
	// Deferred, since such an end runs nothing else.
	defer func() { a.send(event{actor: a, kind: returned, end: end}) }()
	end = a.call(ctx, conn)
}

// call turns a panic of the client's code into an error.
func (a *actor) call(ctx context.Context, conn *Conn) (end End) {
	defer func() {
		if p := recover(); p != nil {
			end = End{Err: fmt.Errorf("panic: %v", p)}
		}
	}()
	value, err := a.client.Run(ctx, conn)
	return End{Value: value, Err: err}
}

// ask waits for a grant.
func (a *actor) ask(q request) error {
	if !a.send(event{actor: a, kind: asks, request: q}) {
		return errAbandoned
	}
	select {
	case <-a.grant:
		return nil
	case <-a.over:
		return errAbandoned
	}
}

// tell reports the answer to what was granted.
func (a *actor) tell(answer answer) {
	a.send(event{actor: a, kind: answered, answer: answer})
}

func (a *actor) send(e event) bool {
	select {
	case a.events <- e:
		return true
	case <-a.over:
		return false
	}
}

// watched reports whether the server has to be asked about the actor.
func (a *actor) watched() bool {
	return a.state == running || a.state == waiting && !a.settled
}

// quiet reports whether the actor stands still until somebody is granted a step.
func (a *actor) quiet() bool {
	switch a.state {
	case ready, stopped, done:
		return true
	case waiting:
		return a.settled
	}
	return false
}

// waits notes that the actor waits for locks of others.
func (a *actor) waits(w wait, blockers []int, now time.Time) {
	if a.state != waiting || a.wait.lock != w.lock || !slices.Equal(a.blockers, blockers) {
		a.since = now
	}
	a.state, a.wait, a.blockers = waiting, w, blockers
}

// checked reports whether the server has looked for a deadlock in which the actor
// takes part. A wait for a safe snapshot cannot be in one.
func (a *actor) checked(now time.Time) bool {
	if a.wait.lock == "" && len(a.wait.snapshot) > 0 {
		return true
	}
	return a.wait.lock != "" && a.session.ear.lock() == a.wait.lock || now.Sub(a.since) >= fallback
}
