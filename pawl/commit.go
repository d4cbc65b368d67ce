package pawl

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// commit commits, or says why not.
func (s *Session) commit(ctx context.Context, c *txConfig, open *openTx, tx pgx.Tx) error {
	err := tx.Commit(ctx)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, pgx.ErrTxCommitRollback):
		// COMMIT of a failed transaction answers ROLLBACK: fn dropped an error.
		if open.first != nil {
			return &callError{c.name, fmt.Errorf("%w: an error inside it was dropped: %w", ErrRolledBack, s.described(c, open.first))}
		}
		return &callError{c.name, fmt.Errorf("%w: a statement inside it had failed and its error was dropped: %w", ErrRolledBack, err)}
	case errors.Is(err, pgx.ErrTxClosed):
		return &callError{c.name, fmt.Errorf("%w: the function ended it itself; InTx does that: %w", ErrRolledBack, err)}
	case refused(err):
		return s.refusal(c, err)
	}
	return s.resolve(ctx, c.name, open.xid, err)
}

// described is an error of the transaction as callers see it, by the operation that
// met it where that has named it.
func (s *Session) described(c *txConfig, err error) error {
	if named(err) {
		return err
	}
	return describe(c.name, err, c.errors, s.root.constraints)
}

// refusal is the server's no to COMMIT: a serialization failure, which passes to
// the retry as it is, or a deferred constraint.
func (s *Session) refusal(c *txConfig, err error) error {
	if c.limits.Retry.retries(err) {
		return err
	}
	return describe(c.name, err, c.errors, s.root.constraints)
}

// xidSQL gives the transaction its id if it has none yet, and returns it. It
// travels with the first writing statement, which would have done so anyway.
const xidSQL = "SELECT pg_catalog.pg_current_xact_id()::text"

// insideWithXID is inside for the first writing statement of a transaction whose
// commit can be looked up.
func (s *Session) insideWithXID(ctx context.Context, op *Operation, args []any, into collector) error {
	var b pgx.Batch
	op.queue(&b, args)
	b.Queue(xidSQL)
	results := s.db.SendBatch(ctx, &b)
	err := op.read(results, into)
	if err == nil {
		err = results.QueryRow().Scan(&s.tx.xid)
	}
	if closeErr := results.Close(); err == nil {
		err = closeErr
	}
	return unsent(s.db, args, err)
}

// fetchXID asks for the id of a transaction whose writes, if any, were all sent
// through DB. One that wrote nothing has none, and nothing to look up.
func (t *openTx) fetchXID(ctx context.Context, tx pgx.Tx) error {
	if !t.wantXID || t.xid != "" {
		return nil
	}
	var xid *string
	err := tx.QueryRow(ctx, "SELECT pg_catalog.pg_current_xact_id_if_assigned()::text").Scan(&xid)
	if err != nil {
		return t.note(err)
	}
	if xid != nil {
		t.xid = *xid
	}
	return nil
}

// How long and how often the status of a lost commit is asked for.
const (
	resolveTimeout = 5 * time.Second
	resolvePause   = 20 * time.Millisecond
)

// resolve answers for a commit whose reply was lost: nil when it is known to have
// happened, ErrRolledBack when it is known not to have, otherwise a
// *CommitUnknownError.
func (s *Session) resolve(ctx context.Context, name, xid string, cause error) error {
	unknown := &CommitUnknownError{Operation: name, XID: xid, Cause: cause}
	if !s.root.resolve || xid == "" {
		return unknown
	}
	// The caller's context may be what ended the connection.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), resolveTimeout)
	defer cancel()
	for {
		switch s.commitStatus(ctx, xid) {
		case "committed":
			return nil
		case "aborted":
			return &callError{name, fmt.Errorf("%w: the connection was lost during COMMIT: %w", ErrRolledBack, cause)}
		case "":
			return unknown
		}
		// In progress: the server has not noticed yet that its client is gone.
		if sleep(ctx, resolvePause) != nil {
			return unknown
		}
	}
}

// commitStatus returns what pg_xact_status says, and nothing when it cannot say:
// the id is too old, or the server is not to be reached.
func (s *Session) commitStatus(ctx context.Context, xid string) string {
	for ctx.Err() == nil {
		var status *string
		// In one message, which passes any pooler.
		err := s.root.resolver.QueryRow(ctx, "SELECT pg_catalog.pg_xact_status($1::text::xid8)", pgx.QueryExecModeExec, xid).Scan(&status)
		if err == nil {
			if status == nil {
				return ""
			}
			return *status
		}
		if refused(err) || sleep(ctx, resolvePause) != nil {
			return ""
		}
	}
	return ""
}
