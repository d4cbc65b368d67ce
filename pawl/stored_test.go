package pawl_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pawldb/pawl/pawl"
)

// moment is a row whose column can hold what its Go type cannot.
type moment struct {
	ID int64
	At time.Time
}

func (m *moment) dest() []any { return []any{&m.ID, &m.At} }

var insertMoment = pawl.Operation{
	Name: "table.moments.insert", Table: "app.moments",
	SQL: `/* table.moments.insert */ INSERT INTO app.moments (at) VALUES ($1::text::timestamptz) RETURNING id, at`,
}

var shiftMoment = pawl.EditOperation{
	Operation: pawl.Operation{
		Name: "table.moments.edit.shift", Table: "app.moments",
		SQL: `/* table.moments.edit.shift */ UPDATE app.moments SET at = $2::timestamptz + interval '1 day' WHERE id = $1::bigint RETURNING id, 'infinity'::timestamptz`,
	},
	LockSQL:  `/* table.moments.edit.shift */ SELECT id, at FROM app.moments WHERE id = $1::bigint FOR NO KEY UPDATE`,
	Columns:  []string{"id", "at"},
	Editable: []int{1},
}

const momentsSQL = `CREATE TABLE app.moments (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at timestamptz NOT NULL)`

// checkStored fails the test unless err says that the work is done and must not
// be repeated.
func checkStored(t *testing.T, what string, err error) {
	t.Helper()
	var stored *pawl.StoredError
	switch {
	case !errors.As(err, &stored), !errors.Is(err, pawl.ErrStored), !errors.Is(err, pawl.ErrUnreadable), !errors.Is(err, pawl.ErrCommitUnknown):
		t.Errorf("%s: %v", what, err)
	case pgconn.SafeToRetry(err), pawl.HTTPStatus(err) != http.StatusInternalServerError:
		t.Errorf("%s: %v invites to a retry", what, err)
	case !strings.Contains(err.Error(), stored.Operation) || !strings.Contains(err.Error(), "column"):
		t.Errorf("%s: the text %q does not name the operation and the column", what, err)
	}
}

// A write whose row cannot be read is stored, on a connection's first call as on
// every other, and says so.
func TestStoredAndUnreadable(t *testing.T) {
	for _, mode := range modes {
		t.Run(mode.String(), func(t *testing.T) {
			var outcome pawl.Outcome
			pool := connect(t, database(t), inMode(mode), size(1))
			exec(t, pool, momentsSQL)
			s := session(pool, pawl.WithObserver(pawl.ObserverFunc(func(_ cx, e pawl.Event) { outcome = e.Outcome })))
			for n := range 3 {
				row, err := pawl.QueryOne(t.Context(), s, &insertMoment, (*moment).dest, "infinity")
				checkStored(t, "insert", err)
				want(t, "row", row, moment{})
				want(t, "outcome", outcome, pawl.OutcomeStored)
				want(t, "rows stored", number(t, pool, `SELECT count(*) FROM app.moments`), int64(n+1))
			}
			// Several rows, and the connection is usable afterwards.
			all := pawl.Operation{Name: "touch", SQL: `UPDATE app.moments SET at = at RETURNING id, at`}
			for range 2 {
				_, err := pawl.QueryAll(t.Context(), s, &all, (*moment).dest)
				checkStored(t, "update of several rows", err)
			}
		})
	}
}

func TestStoredAndUnreadableEdit(t *testing.T) {
	for name, options := range map[string][]pawl.Option{"pinned": nil, "begun": {pawl.WithResolveCommit(nil)}} {
		t.Run(name, func(t *testing.T) {
			pool, s := open(t, options...)
			exec(t, pool, momentsSQL, `INSERT INTO app.moments (at) VALUES ('2026-01-01')`)
			_, err := pawl.Edit(t.Context(), s, &shiftMoment, (*moment).dest, func(_ cx, m *moment) error {
				m.At = m.At.AddDate(1, 0, 0)
				return nil
			}, 1)
			checkStored(t, "edit", err)
			want(t, "rows changed", number(t, pool, `SELECT count(*) FROM app.moments WHERE at > '2027-01-01'`), 1)
			// What cannot be read in the first place is not written.
			exec(t, pool, `UPDATE app.moments SET at = 'infinity'`)
			_, err = pawl.Edit(t.Context(), s, &shiftMoment, (*moment).dest, func(_ cx, m *moment) error { return nil }, 1)
			if !errors.Is(err, pawl.ErrUnreadable) || errors.Is(err, pawl.ErrStored) {
				t.Errorf("an edit of a row that cannot be read: %v", err)
			}
		})
	}
}

// What the server refuses at the end did not happen, readable or not.
func TestUnreadableAndRefused(t *testing.T) {
	for _, mode := range modes {
		t.Run(mode.String(), func(t *testing.T) {
			pool := connect(t, database(t), inMode(mode), size(1))
			exec(t, pool, `INSERT INTO app.deferred VALUES (1)`)
			refused := pawl.Operation{Name: "refused", SQL: `INSERT INTO app.deferred VALUES ($1::integer) RETURNING n, 'infinity'::timestamptz`}
			s := session(pool)
			for range 3 {
				_, err := pawl.QueryOne(t.Context(), s, &refused, (*moment).dest, 1)
				if !errors.Is(err, errDeferredN) || errors.Is(err, pawl.ErrStored) || errors.Is(err, pawl.ErrCommitUnknown) {
					t.Errorf("a deferred constraint behind a row that cannot be read: %v", err)
				}
			}
		})
	}
}

// A read that cannot be decoded stores nothing, and neither does a write inside a
// transaction whose function returns the error.
func TestUnreadableIsNotStored(t *testing.T) {
	pool, s := open(t)
	exec(t, pool, momentsSQL, `INSERT INTO app.moments (at) VALUES ('infinity')`)
	get := pawl.Operation{Name: "table.moments.get", SQL: `SELECT id, at FROM app.moments`, ReadOnly: true}
	_, err := pawl.QueryOne(t.Context(), s, &get, (*moment).dest)
	if !errors.Is(err, pawl.ErrUnreadable) || errors.Is(err, pawl.ErrStored) {
		t.Errorf("a read: %v", err)
	}
	_, err = pawl.InTx(t.Context(), s, func(ctx cx, tx *pawl.Session) (moment, error) {
		return pawl.QueryOne(ctx, tx, &insertMoment, (*moment).dest, "infinity")
	})
	if !errors.Is(err, pawl.ErrUnreadable) || errors.Is(err, pawl.ErrStored) {
		t.Errorf("a write inside a transaction: %v", err)
	}
	want(t, "rows", number(t, pool, `SELECT count(*) FROM app.moments`), 1)
	// The text holds no value.
	secret := pawl.Operation{Name: "misread", SQL: `SELECT 'secret'::text, now()`, ReadOnly: true}
	_, err = pawl.QueryOne(t.Context(), s, &secret, (*moment).dest)
	if !errors.Is(err, pawl.ErrUnreadable) || strings.Contains(err.Error(), "secret") {
		t.Errorf("a text for a number: %v", err)
	}
}
