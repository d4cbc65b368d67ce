package golang_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pawldb/pawl/pawl"
	"github.com/pawldb/pawl/testdata/cases/inbox/store"
)

const inboxCase = cases + "/inbox"

// inboxPool is a database with the case's schema.
func inboxPool(t *testing.T) *pgxpool.Pool {
	t.Helper()
	config, err := pgxpool.ParseConfig(database(t, compile(t, inboxCase)))
	if err != nil {
		t.Fatal(err)
	}
	config.MaxConns = 8
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// crediting is the effect of a message.
func crediting(id string) func(context.Context, *store.Store) error {
	return func(ctx context.Context, tx *store.Store) error {
		_, err := tx.Credits.Insert(ctx, store.CreditInsert{Message: id})
		return err
	}
}

// credited is how many effects there are for how many messages.
func credited(t *testing.T, pool *pgxpool.Pool) (effects, messages int) {
	t.Helper()
	if err := pool.QueryRow(context.Background(), "SELECT count(*), count(DISTINCT message) FROM app.credits").Scan(&effects, &messages); err != nil {
		t.Fatal(err)
	}
	return effects, messages
}

// inboxTx runs fn in a transaction.
func inboxTx(ctx context.Context, db *store.Store, fn func(context.Context, *store.Store) error) error {
	_, err := store.InTx(ctx, db, func(ctx context.Context, tx *store.Store) (struct{}, error) { return struct{}{}, fn(ctx, tx) })
	return err
}

var errUnlucky = errors.New("the work failed")

// consumer is one of several that get the same messages, in an order of its own.
// Work fails now and then, and a failed message comes again.
type consumer struct {
	db     *store.Store
	random *rand.Rand
	level  pgx.TxIsoLevel
}

// receive takes one message until that is done.
func (c *consumer) receive(ctx context.Context, id string) error {
	for {
		_, err := c.db.Webhooks.Receive(ctx, id, func(ctx context.Context, tx *store.Store) error {
			if err := crediting(id)(ctx, tx); err != nil {
				return err
			}
			if c.random.IntN(10) == 0 {
				return errUnlucky
			}
			return nil
		}, pawl.Isolation(c.level))
		if !errors.Is(err, errUnlucky) && !errors.Is(err, pawl.ErrBusy) {
			return err
		}
	}
}

// receiveMany takes some messages in one transaction until that is done.
func (c *consumer) receiveMany(ctx context.Context, ids []string) error {
	for {
		_, err := c.db.Webhooks.ReceiveMany(ctx, ids, func(ctx context.Context, tx *store.Store, fresh []string) error {
			for _, id := range fresh {
				if err := crediting(id)(ctx, tx); err != nil {
					return err
				}
			}
			if c.random.IntN(10) == 0 {
				return errUnlucky
			}
			return nil
		}, pawl.Isolation(c.level))
		if !errors.Is(err, errUnlucky) && !errors.Is(err, pawl.ErrBusy) {
			return err
		}
	}
}

// unguarded is a consumer that forgets to look at what Accept says.
func (c *consumer) unguarded(ctx context.Context, id string) error {
	return inboxTx(ctx, c.db, func(ctx context.Context, tx *store.Store) error {
		if err := tx.Webhooks.Accept(ctx, id); err != nil && !errors.Is(err, pawl.ErrDuplicateMessage) {
			return err
		}
		return crediting(id)(ctx, tx)
	})
}

// TestInboxTakesMessagesOnce gives the same messages to consumers at every level,
// one by one and in batches, and counts what they brought about. The same messages
// without the guard are counted too often.
func TestInboxTakesMessagesOnce(t *testing.T) {
	const messages, consumers, batch = 120, 6, 8
	levels := []pgx.TxIsoLevel{pgx.ReadCommitted, pgx.RepeatableRead, pgx.Serializable}
	for _, guarded := range []bool{true, false} {
		pool := inboxPool(t)
		patient := pawl.WithRetry(pawl.Policy{Attempts: 100, Budget: time.Minute})
		var group sync.WaitGroup
		for n := range consumers {
			group.Go(func() {
				c := &consumer{store.New(pool, patient), rand.New(rand.NewPCG(1, uint64(n))), levels[n%len(levels)]} //nolint:gosec // no secret
				var ids []string
				for i := range messages {
					ids = append(ids, fmt.Sprint("m", i))
				}
				c.random.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
				for part := range slices.Chunk(ids, batch) {
					var err error
					switch {
					case !guarded:
						err = c.unguarded(t.Context(), part[0])
					case n%2 == 0:
						err = c.receiveMany(t.Context(), append(part, part[0]))
					default:
						for _, id := range part {
							err = errors.Join(err, c.receive(t.Context(), id))
						}
					}
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		group.Wait()
		switch effects, distinct := credited(t, pool); {
		case guarded && (effects != messages || distinct != messages):
			t.Errorf("%d effects of %d messages, want %d", effects, distinct, messages)
		case !guarded && effects == distinct:
			t.Error("without the guard nothing was done twice: the test would not notice")
		}
	}
}

// TestInboxAnswers tells done from new, from busy and from what is no id.
func TestInboxAnswers(t *testing.T) {
	ctx, seen := t.Context(), &events{}
	pool := inboxPool(t)
	db := store.New(pool, pawl.WithObserver(seen), pawl.WithLockTimeout(50*time.Millisecond))
	receive := func(id string, want pawl.Outcome) {
		t.Helper()
		if outcome, err := db.Webhooks.Receive(ctx, id, crediting(id)); outcome != want || err != nil {
			t.Errorf("receive %s: %s, %v; want %s", id, outcome, err, want)
		}
	}
	receive("evt_1", pawl.OutcomeExecuted)
	receive("evt_1", pawl.OutcomeDuplicate)
	receive("ünïcode, with spaces", pawl.OutcomeExecuted)

	// A transaction of the caller's goes on after a message that is done.
	if err := inboxTx(ctx, db, func(ctx context.Context, tx *store.Store) error {
		err := tx.Webhooks.Accept(ctx, "evt_1")
		if !errors.Is(err, pawl.ErrDuplicateMessage) || errors.Is(err, pawl.ErrDuplicate) || pawl.HTTPStatus(err) != 200 {
			t.Errorf("accept: %v, status %d", err, pawl.HTTPStatus(err))
		}
		fresh, err := tx.Webhooks.AcceptMany(ctx, "evt_3", "evt_1", "evt_2", "evt_3")
		if err != nil || !slices.Equal(fresh, []string{"evt_3", "evt_2"}) {
			t.Errorf("accept many: %v, %v", fresh, err)
		}
		if outcome, err := tx.Webhooks.Receive(ctx, "evt_2", crediting("evt_2")); outcome != pawl.OutcomeDuplicate || err != nil {
			t.Errorf("a message of the same transaction: %s, %v", outcome, err)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	ran := false
	fresh, err := db.Webhooks.ReceiveMany(ctx, []string{"evt_1", "evt_2"}, func(context.Context, *store.Store, []string) error { ran = true; return nil })
	if ran || len(fresh) > 0 || err != nil {
		t.Errorf("a batch of what is done: %v, %v, %v", ran, fresh, err)
	}

	// One that is being worked on.
	if err := inboxTx(ctx, db, func(ctx context.Context, tx *store.Store) error {
		if err := tx.Webhooks.Accept(ctx, "evt_4"); err != nil {
			return err
		}
		outcome, err := db.Webhooks.Receive(t.Context(), "evt_4", crediting("evt_4"))
		if !errors.Is(err, pawl.ErrBusy) || outcome != pawl.OutcomeBusy || pawl.HTTPStatus(err) != 503 {
			t.Errorf("a message in progress: %s, %v", outcome, err)
		}
		return errUnlucky
	}); !errors.Is(err, errUnlucky) {
		t.Error(err)
	}
	receive("evt_4", pawl.OutcomeExecuted) // the failed work left no trace

	if err := db.Webhooks.Accept(ctx, "evt_5"); !errors.Is(err, pawl.ErrNoTransaction) {
		t.Errorf("outside a transaction: %v", err)
	}
	for _, id := range []string{"", strings.Repeat("x", pawl.MaxMessageID+1), "nul\x00", "\xff"} {
		outcome, err := db.Webhooks.Receive(ctx, id, crediting(id))
		if outcome != pawl.OutcomeBadInput || !errors.Is(err, pawl.ErrBadInput) {
			t.Errorf("%q: %s, %v", id, outcome, err)
		}
		if _, err := db.Webhooks.ReceiveMany(ctx, []string{"evt_6", id}, nil); !errors.Is(err, pawl.ErrBadInput) {
			t.Errorf("%q in a batch: %v", id, err)
		}
	}
	receive(strings.Repeat("x", pawl.MaxMessageID), pawl.OutcomeExecuted)
	if got := seen.answers(); got[pawl.OutcomeDuplicate] != 2 || got[pawl.OutcomeExecuted] != 4 || got[pawl.OutcomeBusy] != 1 || got[pawl.OutcomeBadInput] != 4 {
		t.Errorf("the observer saw %v", got)
	}
}

// TestInboxMeetsWhatTheWorkMeets: a duplicate row of the work is no duplicate
// message. Acknowledging it would lose the message.
func TestInboxMeetsWhatTheWorkMeets(t *testing.T) {
	pool := inboxPool(t)
	db := store.New(pool)
	outcome, err := db.Webhooks.Receive(t.Context(), "evt", func(ctx context.Context, tx *store.Store) error {
		if err := crediting("evt")(ctx, tx); err != nil {
			return err
		}
		_, err := tx.DB().Exec(ctx, "INSERT INTO app.credits SELECT * FROM app.credits")
		return err
	})
	var pgErr *pgconn.PgError
	if !errors.As(err, &pgErr) || errors.Is(err, pawl.ErrDuplicateMessage) || outcome == pawl.OutcomeDuplicate {
		t.Errorf("%s, %v", outcome, err)
	}
	if effects, _ := credited(t, pool); effects != 0 {
		t.Errorf("%d effects of work that failed", effects)
	}
}

// TestInboxForgets what is older than its retention, and nothing else, by itself
// and with all upkeep.
func TestInboxForgets(t *testing.T) {
	ctx := t.Context()
	pool := inboxPool(t)
	db := store.New(pool)
	exec := func(sql string) {
		t.Helper()
		if _, err := pool.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	exec(`INSERT INTO app.webhooks SELECT 'stripe', 'old' || n, now() - interval '14 days 1 minute' FROM generate_series(1, 2500) AS n`)
	exec(`INSERT INTO app.webhooks VALUES ('stripe', 'young', now() - interval '13 days 23 hours')`)
	exec(`INSERT INTO app."partner's" VALUES ('O''Neill & Co', 'old', now() - interval '37 hours'), ('O''Neill & Co', 'young', now() - interval '35 hours')`)
	if n, err := db.Webhooks.Reap(ctx, 300); n != 300 || err != nil {
		t.Errorf("reaped %d, %v", n, err)
	}
	if err := db.Maintain(ctx); err != nil {
		t.Error(err)
	}
	for id, want := range map[string]pawl.Outcome{"young": pawl.OutcomeDuplicate, "old7": pawl.OutcomeExecuted, "old2500": pawl.OutcomeExecuted} {
		if outcome, err := db.Webhooks.Receive(ctx, id, crediting(id)); outcome != want || err != nil {
			t.Errorf("%s: %s, %v; want %s", id, outcome, err, want)
		}
	}
	for id, want := range map[string]pawl.Outcome{"young": pawl.OutcomeDuplicate, "old": pawl.OutcomeExecuted} {
		if outcome, err := db.PartnerS.Receive(ctx, id, crediting(id)); outcome != want || err != nil {
			t.Errorf("%s of the partner: %s, %v; want %s", id, outcome, err, want)
		}
	}
	var rows int
	if err := pool.QueryRow(ctx, "SELECT count(*) FROM app.webhooks").Scan(&rows); err != nil || rows != 3 {
		t.Errorf("%d rows are left, %v; want 3", rows, err)
	}
}
