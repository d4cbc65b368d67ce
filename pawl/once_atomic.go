package pawl

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// atomicRun is one call of Do for work in one transaction.
type atomicRun struct {
	*request
	once   *Once
	work   func(context.Context, *Session) (Response, error)
	config txConfig
}

// atomicPause is a guess at how long a transaction takes.
const atomicPause = time.Second

// try gives the stored answer, or does the work if nobody else does.
func (a *atomicRun) try(ctx context.Context) (Response, Outcome, error) { return a.tryAgain(ctx, 3) }

func (a *atomicRun) tryAgain(ctx context.Context, again int) (Response, Outcome, error) {
	if !a.session.InTransaction() {
		// Most that find something find an answer. Looking first costs those one round
		// trip in all, without a transaction.
		row, err := step(ctx, a.session, &a.once.Look, (*stored).dest, a.key...)
		switch {
		case err != nil:
			return Response{}, "", err
		case row != nil && !row.expired:
			return a.replay(row)
		}
	}
	answer, outcome, err := a.run(ctx)
	if a.twin(err) && again > 0 && !a.session.InTransaction() {
		// A client that takes no lock was faster: its answer is there now.
		return a.tryAgain(ctx, again-1)
	}
	return answer, outcome, err
}

// run takes the key and does the work in one transaction. A key that another run
// has, or that has an answer, is no failure of the transaction, which has done
// nothing then: a transaction that it has joined can go on.
func (a *atomicRun) run(ctx context.Context) (answer Response, outcome Outcome, err error) {
	var told error
	err = a.session.transact(ctx, a.config, func(ctx context.Context, tx *Session) error {
		locked, row, err := a.enter(ctx, tx)
		switch {
		case err != nil:
			return describe(a.name, err)
		case row != nil && !row.expired:
			answer, outcome, told = a.replay(row)
			return nil
		case !locked:
			outcome, told = OutcomeInProgress, &InProgressError{a.name, atomicPause}
			return nil
		}
		if answer, err = a.work(ctx, tx); err != nil {
			return err
		}
		outcome, told = OutcomeExecuted, nil
		return a.store(ctx, tx, answer)
	})
	if err != nil {
		return Response{}, "", err
	}
	return answer, outcome, told
}

// enter asks for the lock and then, in a statement that sees what the holder
// before has committed, for the row.
func (a *atomicRun) enter(ctx context.Context, tx *Session) (locked bool, row *stored, err error) {
	var b pgx.Batch
	b.Queue(a.once.LockSQL, a.key...)
	b.Queue(a.once.Look.SQL, a.key...)
	results := tx.db.SendBatch(ctx, &b)
	defer func() {
		if closeErr := results.Close(); err == nil {
			err = closeErr
		}
		err = tx.tx.note(unsent(tx.db, a.key, err))
	}()
	if err = results.QueryRow().Scan(&locked); err != nil {
		return false, nil, err
	}
	rows, err := results.Query()
	if err != nil {
		return false, nil, err
	}
	found := one[stored]{dest: (*stored).dest}
	if err = found.collect(rows); err != nil || found.n == 0 {
		return locked, nil, err
	}
	return locked, &found.row, nil
}

// store puts the answer beside the work. In a transaction of our own it travels
// with COMMIT: a second row of the key fails by the primary key, and the COMMIT
// behind it is then never reached.
func (a *atomicRun) store(ctx context.Context, tx *Session, answer Response) error {
	values, err := answerArgs(answer, a.once.Reference)
	if err != nil {
		return err
	}
	args := a.args(append([]any{a.hash, int16(payloadVersion)}, values...)...)
	if tx.tx != nil && tx.tx.owned && tx.tx.depth == 0 && tx.db != a.session.db {
		tx.tx.last = &lastStatement{op: &a.once.Store, args: args}
		return nil
	}
	var written affected
	if err := tx.inside(ctx, &a.once.Store, args, &written); err != nil {
		return describe(a.name, err)
	}
	return nil
}

// twin reports whether err says that another run has stored the key's answer.
func (a *atomicRun) twin(err error) bool {
	var pgErr *pgconn.PgError
	return errors.As(err, &pgErr) && pgErr.Code == "23505" && pgErr.ConstraintName == a.once.PrimaryKey &&
		pgErr.SchemaName+"."+pgErr.TableName == a.once.Table
}

// lastStatement is what travels in one message with COMMIT.
type lastStatement struct {
	op   *Operation
	args []any
}

// commitSQL is spelled unlike pgx's own "commit": when that fails below, pgx drops
// the statement of that text from its cache.
const commitSQL = "COMMIT"

// commitWith sends the last statement and COMMIT in one message. On a connection
// that does not show itself they go one by one.
func (s *Session) commitWith(ctx context.Context, c *txConfig, open *openTx, tx pgx.Tx) error {
	conn, ok := connOf(tx)
	if !ok {
		var written affected
		inner := &Session{db: tx, tx: open, root: s.root}
		if err := inner.inside(ctx, open.last.op, open.last.args, &written); err != nil {
			rollback(ctx, tx)
			return s.refusal(c, err)
		}
		open.last = nil
		return s.commit(ctx, c, open, tx)
	}
	var b pgx.Batch
	open.last.op.queue(&b, open.last.args)
	b.Queue(commitSQL)
	results := conn.SendBatch(ctx, &b)
	err := skip(results, len(open.last.op.Prelude)+1)
	var tag pgconn.CommandTag
	if err == nil {
		tag, err = results.Exec()
	}
	if closeErr := results.Close(); err == nil {
		err = closeErr
	}
	if bad := unsent(conn, open.last.args, err); !errors.Is(err, bad) {
		rollback(ctx, tx) // nothing was sent
		return s.refusal(c, bad)
	}
	if err != nil {
		rollback(ctx, tx)
		if err = commitError(c.name, err); refused(err) {
			return s.refusal(c, err)
		}
		return err
	}
	// pgx does not know yet that its transaction is over. Told so with a context that
	// has ended, it sends nothing.
	ended, cancel := context.WithCancel(context.WithoutCancel(ctx))
	cancel()
	_ = tx.Commit(ended)
	if tag.String() != "COMMIT" {
		return &callError{c.name, ErrRolledBack}
	}
	return nil
}
