package ir

import "time"

// Inbox is messages from elsewhere that are each taken once: a table with a row a
// message, written in the transaction of what the message brings about.
type Inbox struct {
	Address    string // inbox.webhooks
	Name       string
	Doc        string
	Table      TableRef
	Source     string        // who sends; a message's id is unique for each source
	Retain     time.Duration // how long an id is remembered, at least
	Operations []Operation   // all of kind [OnceOp]
	Pos        Pos
}

// The names of the operations of an [Inbox].
const (
	// InboxAccept notes a message, and returns its id if nobody had noted it before;
	// only inside a transaction.
	InboxAccept = "accept"
	// InboxAcceptMany is InboxAccept for an array of ids. It returns those that are new.
	InboxAcceptMany = "accept_many"
	// InboxReap removes ids that are no longer remembered.
	InboxReap = "reap"
)

// Step is the operation of a name; nil when there is none.
func (i *Inbox) Step(name string) *Operation { return stepOf(i.Operations, name) }
