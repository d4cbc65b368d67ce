package pawl

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// ErrDuplicateMessage says that what a message brings about was done before: it is
// to be acknowledged, and not worked on. It is no ErrDuplicate, which a constraint
// that the work meets can be.
var ErrDuplicateMessage = errors.New("the message was taken before")

// Inbox is the generated description of messages from elsewhere that are each
// taken once.
type Inbox struct {
	// Name is the address: inbox.webhooks.
	Name string
	// Table is the table with the ids, for events: app.webhooks.
	Table string
	// Accept notes the message $1 and returns its id when it is new.
	Accept Operation
	// AcceptMany notes the messages $1, an array, and returns the ids of those that
	// are new.
	AcceptMany Operation
	// Reap removes up to $1 ids that are no longer remembered.
	Reap Operation
}

// MaxMessageID is how long the id of a message may be, in bytes.
const MaxMessageID = 512

// checkMessageID refuses what is no id: it would be cut off on the way, or be the
// same for messages that have none.
func checkMessageID(id string) error {
	switch {
	case id == "":
		return fmt.Errorf("%w: the message has an empty id", ErrBadInput)
	case len(id) > MaxMessageID:
		return fmt.Errorf("%w: the message's id has %d bytes; %d are allowed", ErrBadInput, len(id), MaxMessageID)
	case !utf8.ValidString(id) || strings.ContainsRune(id, 0):
		return fmt.Errorf("%w: the message's id is no text that PostgreSQL keeps", ErrBadInput)
	}
	return nil
}

// Accept notes a message in the open transaction, ahead of what it brings about.
// A message that is done is ErrDuplicateMessage; one that another transaction is
// working on is waited for, and ErrBusy after the lock timeout. The transaction can
// go on after ErrDuplicateMessage.
func Accept(ctx context.Context, s *Session, in *Inbox, id string) error {
	c := s.call(&in.Accept)
	if err := checkMessageID(id); err != nil {
		return c.done(ctx, "", 0, err)
	}
	found := one[string]{dest: func(s *string) []any { return []any{s} }}
	err := c.perform(ctx, []any{id}, &found)
	if err == nil && found.n == 0 {
		err = ErrDuplicateMessage
	}
	return c.done(ctx, "", found.n, err)
}

// AcceptMany is Accept for several messages. It returns the ids that are new, in
// their order and each once.
func AcceptMany(ctx context.Context, s *Session, in *Inbox, ids []string) ([]string, error) {
	c := s.call(&in.AcceptMany)
	for _, id := range ids {
		if err := checkMessageID(id); err != nil {
			return nil, c.done(ctx, "", 0, err)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	found := all[string]{dest: func(s *string) []any { return []any{s} }}
	err := c.perform(ctx, []any{ids}, &found)
	if err = c.done(ctx, "", found.count(), err); err != nil {
		return nil, err
	}
	isNew := make(map[string]bool, len(found.rows))
	for _, id := range found.rows {
		isNew[id] = true
	}
	fresh := make([]string, 0, len(found.rows))
	for _, id := range ids {
		if isNew[id] {
			fresh, isNew[id] = append(fresh, id), false
		}
	}
	return fresh, nil
}

// Receive runs work for a message in a transaction, or in the open one, unless
// that was done before. It returns OutcomeExecuted or, with no error,
// OutcomeDuplicate. An error of work rolls back the id with everything else. work
// may run more than once, see InTx.
func Receive(ctx context.Context, s *Session, in *Inbox, id string, work func(ctx context.Context, tx *Session) error, options ...TxOption) (Outcome, error) {
	r := &request{name: in.Name, table: in.Table, session: s, key: []any{id}, start: time.Now()}
	outcome, err := receive(ctx, s, in, id, work, options)
	r.report(ctx, outcome, err)
	return outcome, err
}

func receive(ctx context.Context, s *Session, in *Inbox, id string, work func(context.Context, *Session) error, options []TxOption) (outcome Outcome, err error) {
	if err := checkMessageID(id); err != nil {
		return OutcomeBadInput, &callError{in.Name, err}
	}
	err = s.transact(ctx, s.inboxConfig(in, options), func(ctx context.Context, tx *Session) error {
		outcome = OutcomeExecuted
		switch err := Accept(ctx, tx, in, id); {
		case errors.Is(err, ErrDuplicateMessage):
			outcome = OutcomeDuplicate
			return nil
		case err != nil:
			return err
		}
		return work(ctx, tx)
	})
	if err != nil {
		outcome = outcomeOf(err)
	}
	return outcome, err
}

// ReceiveMany is Receive for several messages in one transaction: work runs for
// those that are new, unless there are none, and their ids are returned.
func ReceiveMany(ctx context.Context, s *Session, in *Inbox, ids []string, work func(ctx context.Context, tx *Session, fresh []string) error,
	options ...TxOption,
) (fresh []string, err error) {
	err = s.transact(ctx, s.inboxConfig(in, options), func(ctx context.Context, tx *Session) (err error) {
		if fresh, err = AcceptMany(ctx, tx, in, ids); err != nil || len(fresh) == 0 {
			return err
		}
		return work(ctx, tx, fresh)
	})
	if err != nil {
		return nil, err
	}
	return fresh, nil
}

func (s *Session) inboxConfig(in *Inbox, options []TxOption) txConfig {
	c := s.txConfig(options)
	c.name = in.Name
	return c
}
