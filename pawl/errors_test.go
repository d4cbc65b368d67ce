package pawl_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pawldb/pawl/pawl"
)

func TestConstraintsAreRecognised(t *testing.T) {
	pool, s := open(t)
	exec(t, pool, `INSERT INTO app.rooms (name) VALUES ('blue')`, `INSERT INTO app.items (id, stock) VALUES (1, 1)`)
	run := func(sql string, args ...any) error {
		_, err := pawl.Exec(t.Context(), s, &pawl.Operation{Name: "table.test", SQL: sql}, args...)
		return err
	}
	must(t, run(`INSERT INTO app.bookings (room_id, during) VALUES (1, $1)`, soon(1, 3)))
	for _, c := range []struct {
		name   string
		err    error
		is     *pawl.ConstraintError
		family error
	}{
		{"overlap", run(`INSERT INTO app.bookings (room_id, during) VALUES (1, $1)`, soon(2, 4)), errBookingsOnePerRoom, pawl.ErrOverlap},
		{"duplicate", run(`INSERT INTO app.items (id, stock) VALUES (1, 1)`), errItemsPkey, pawl.ErrDuplicate},
		{"missing parent", run(`INSERT INTO app.bookings (room_id, during) VALUES (77, $1)`, soon(9, 10)), errBookingsRoom, pawl.ErrReference},
		{"parent in use", run(`DELETE FROM app.rooms`), errBookingsRoom, pawl.ErrReference},
		{"check", run(`UPDATE app.items SET stock = -1`), errItemsStock, pawl.ErrCheck},
		{"missing value", run(`INSERT INTO app.bookings (room_id) VALUES (1)`), errBookingsMissing, pawl.ErrMissing},
	} {
		t.Run(c.name, func(t *testing.T) {
			var pgErr *pgconn.PgError
			var declared *pawl.ConstraintError
			switch {
			case !errors.Is(c.err, c.is), !errors.Is(c.err, c.family), !errors.As(c.err, &pgErr), !errors.As(c.err, &declared):
				t.Fatalf("%v is not %v, its family and the server's error", c.err, c.is)
			case declared != c.is, pgErr.Code != c.is.Code:
				t.Errorf("%v is %v with code %s", c.err, declared, pgErr.Code)
			}
			if !strings.Contains(c.err.Error(), "table.test: "+c.is.Address) {
				t.Errorf("the text %q does not say what and where", c.err)
			}
			if pgErr.Detail != "" && strings.Contains(c.err.Error(), pgErr.Detail) {
				t.Errorf("the text %q holds the row's values", c.err)
			}
			for _, other := range constraints {
				if other != c.is && errors.Is(c.err, other) {
					t.Errorf("%v is also %v", c.err, other)
				}
			}
		})
	}
	// The operation's own table comes before the session's.
	own := &pawl.ConstraintError{Schema: "app", Table: "items", Constraint: "items_pkey", Code: "23505", Kind: pawl.KindDuplicate}
	op := insertItem
	op.Errors = pawl.Constraints{own}
	_, err := pawl.QueryOne(t.Context(), s, &op, (*item).dest, 1, 1)
	if !errors.Is(err, own) || errors.Is(err, errItemsPkey) {
		t.Errorf("an operation with errors of its own: %v", err)
	}
}

// A constraint that the specification does not know still has its family, and
// the server's name for it.
func TestUndeclaredConstraint(t *testing.T) {
	pool, s := open(t)
	exec(t, pool, `INSERT INTO app.rooms (name) VALUES ('blue')`)
	_, err := pawl.Exec(t.Context(), s, &pawl.Operation{Name: "rooms", SQL: `INSERT INTO app.rooms (name) VALUES ('blue')`})
	var c *pawl.ConstraintError
	if !errors.Is(err, pawl.ErrDuplicate) || !errors.As(err, &c) || c.Constraint != "rooms_name_key" || c.Table != "rooms" || c.Schema != "app" {
		t.Errorf("an undeclared constraint: %v", err)
	}
	if strings.Contains(err.Error(), "blue") {
		t.Errorf("the text %q holds the row's values", err)
	}
}

// Names are compared as PostgreSQL stores them: 63 bytes, whole characters.
func TestLongConstraintName(t *testing.T) {
	pool, s := open(t)
	long := strings.Repeat("a", 62) + "ü_and_more"
	exec(t, pool, fmt.Sprintf(`ALTER TABLE app.items ADD CONSTRAINT %q CHECK (stock < 100)`, long))
	declared := &pawl.ConstraintError{Schema: "app", Table: "items", Constraint: long, Code: "23514", Kind: pawl.KindCheck}
	op := insertItem
	op.Errors = pawl.Constraints{declared}
	_, err := pawl.QueryOne(t.Context(), s, &op, (*item).dest, 1, 100)
	if !errors.Is(err, declared) {
		t.Errorf("a long name: %v", err)
	}
}

// Our triggers report SQLSTATEs of class PW, mapped like any constraint.
func TestTriggerErrors(t *testing.T) {
	_, s := open(t)
	undeclared := &pawl.ConstraintError{Schema: "app", Table: "bookings", Constraint: "bookings_status_moves", Code: "PW001", Kind: pawl.KindState, Address: "table.bookings.transitions.status"}
	raise := func(code string) error {
		op := pawl.Operation{Name: "move", SQL: fmt.Sprintf(`DO $$ BEGIN RAISE EXCEPTION 'row 4711 cannot move' USING ERRCODE = '%s',
SCHEMA = 'app', TABLE = 'bookings', CONSTRAINT = 'bookings_status_moves'; END $$`, code), Errors: pawl.Constraints{undeclared}}
		_, err := pawl.Exec(t.Context(), s, &op)
		return err
	}
	err := raise("PW001")
	if !errors.Is(err, undeclared) || !errors.Is(err, pawl.ErrState) || strings.Contains(err.Error(), "4711") {
		t.Errorf("PW001: %v", err)
	}
	if err := raise("PW099"); !errors.Is(err, pawl.ErrRule) || errors.Is(err, undeclared) {
		t.Errorf("PW099: %v", err)
	}
}

func TestBadInput(t *testing.T) {
	pool, s := open(t)
	exec(t, pool, `CREATE TABLE app.short (v varchar(2))`)
	for code, sql := range map[string]string{
		"22001": `INSERT INTO app.short VALUES ('secret')`,
		"22000": `SELECT tstzrange('2026-01-02', '2026-01-01')`,
		"22003": `SELECT 99999999999::integer`,
		"22P02": `SELECT 'secret'::integer FROM pg_class LIMIT 1`,
	} {
		_, err := pawl.Exec(t.Context(), s, &pawl.Operation{Name: "input", SQL: sql})
		if !errors.Is(err, pawl.ErrBadInput) || !hasCode(err, code) {
			t.Errorf("%s: %v", sql, err)
		}
		if strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "9999") {
			t.Errorf("the text %q holds the value", err)
		}
	}
}

func TestHTTPStatus(t *testing.T) {
	serialization := &pgconn.PgError{Code: "40001"}
	for _, c := range []struct {
		err    error
		status int
	}{
		{nil, http.StatusOK},
		{fmt.Errorf("get: %w", pawl.ErrNotFound), http.StatusNotFound},
		{errBookingsOnePerRoom, http.StatusConflict},
		{errItemsStock, http.StatusUnprocessableEntity},
		{errBookingsMissing, http.StatusUnprocessableEntity},
		{&pawl.StateError{}, http.StatusConflict},
		{&pawl.GuardError{}, http.StatusConflict},
		{&pawl.ClaimLostError{}, http.StatusConflict},
		{pawl.ErrStale, http.StatusConflict},
		{pawl.ErrBadInput, http.StatusBadRequest},
		{pawl.ErrBusy, http.StatusServiceUnavailable},
		{pawl.ErrTimeout, http.StatusGatewayTimeout},
		{&pawl.RetryError{Last: serialization}, http.StatusServiceUnavailable},
		{&pawl.RetryError{Last: serialization, Stopped: context.DeadlineExceeded}, http.StatusServiceUnavailable},
		{context.DeadlineExceeded, http.StatusGatewayTimeout},
		{context.Canceled, http.StatusServiceUnavailable},
		// A client must not be invited to try this again.
		{&pawl.CommitUnknownError{Cause: context.DeadlineExceeded}, http.StatusInternalServerError},
		{errors.New("anything"), http.StatusInternalServerError},
	} {
		if got := pawl.HTTPStatus(c.err); got != c.status {
			t.Errorf("HTTPStatus(%v) = %d, want %d", c.err, got, c.status)
		}
	}
}
