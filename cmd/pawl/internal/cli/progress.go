package cli

import (
	"sync"
	"time"
)

// sayAfter is when work counts as long: a person begins to wonder.
const sayAfter = 100 * time.Millisecond

// slowly says what is being done when it is not done at once. The caller calls
// done when it is, before it writes anything else.
func (a *app) slowly(what string) (done func()) {
	view := a.view
	said := make(chan struct{})
	timer := time.AfterFunc(sayAfter, func() {
		view.Progress(what + " …")
		close(said)
	})
	return sync.OnceFunc(func() {
		// Once begun, the line is finished before anything else is written.
		if !timer.Stop() {
			<-said
		}
	})
}

// slowlyHere is slowly for work on this machine, which takes long only when the
// spec is large: a person at a terminal wonders, a log needs no line about it.
func (a *app) slowlyHere(what string) (done func()) {
	if !a.terminal(a.stderr) {
		return func() {}
	}
	return a.slowly(what)
}
