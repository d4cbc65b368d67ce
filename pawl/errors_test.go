package pawl_test

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pawldb/pawl/internal/faultproxy"
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

// A domain's check is reported with the type and no table; one of another type
// under the same name is not meant.
func TestDomainErrors(t *testing.T) {
	pool, s := open(t)
	exec(t, pool, `CREATE DOMAIN app.amount AS integer CONSTRAINT amount_positive CHECK (value > 0);
CREATE TABLE app.payments (amount app.amount)`)
	of := func(typ string) *pawl.ConstraintError {
		return &pawl.ConstraintError{Schema: "app", Type: typ, Constraint: "amount_positive", Code: "23514", Kind: pawl.KindCheck, Address: "domain." + typ + ".check.positive"}
	}
	other, declared := of("quantity"), of("amount")
	pay := pawl.Operation{Name: "pay", SQL: `INSERT INTO app.payments VALUES ($1)`, Errors: pawl.Constraints{other, declared}}
	_, err := pawl.Exec(t.Context(), s, &pay, -7)
	if !errors.Is(err, declared) || errors.Is(err, other) || !errors.Is(err, pawl.ErrCheck) || strings.Contains(err.Error(), "-7") {
		t.Errorf("the check of a domain: %v", err)
	}
	pay.Errors = nil
	var undeclared *pawl.ConstraintError
	if _, err := pawl.Exec(t.Context(), s, &pay, -7); !errors.As(err, &undeclared) || undeclared.Type != "amount" {
		t.Errorf("an undeclared check of a domain: %v", err)
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
		"22012": `SELECT 1 / (SELECT 0)`,
		"22023": `SELECT set_bit('secret'::bytea, 0, 7)`,
		"2201W": `SELECT 1 LIMIT (SELECT -1)`,
		"2201X": `SELECT 1 OFFSET (SELECT -1)`,
		"2201B": `SELECT 'secret' ~ (SELECT '(')`,
		"22021": `SELECT convert_from('\xff', 'UTF8')`,
		"22001": `INSERT INTO app.short VALUES ('secret')`,
		"22000": `SELECT tstzrange('2026-01-02', '2026-01-01')`,
		"22003": `SELECT 99999999999::integer`,
		"22P02": `SELECT 'secret'::integer FROM pg_class LIMIT 1`,
	} {
		_, err := pawl.Exec(t.Context(), s, &pawl.Operation{Name: "input", SQL: sql})
		if !errors.Is(err, pawl.ErrBadInput) || !hasCode(err, code) {
			t.Errorf("%s: %v", sql, err)
		}
		if pawl.HTTPStatus(err) != http.StatusBadRequest || !strings.HasPrefix(err.Error(), "input: bad input") {
			t.Errorf("%s: %d, %v", sql, pawl.HTTPStatus(err), err)
		}
		if strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "9999") {
			t.Errorf("the text %q holds the value", err)
		}
	}
}

// A zero byte and what is no UTF-8, which any user of a web page can send.
func TestTextThatIsNoText(t *testing.T) {
	for _, mode := range modes {
		t.Run(mode.String(), func(t *testing.T) {
			s := session(connect(t, database(t), inMode(mode)))
			get := pawl.Operation{Name: "get", ReadOnly: true, SQL: `SELECT id FROM app.rooms WHERE name = $1::text`}
			list := pawl.Operation{Name: "list", ReadOnly: true, SQL: `SELECT id FROM app.rooms WHERE name = ANY ($1::text[])`}
			put := pawl.Operation{Name: "put", SQL: `INSERT INTO app.rooms (name) VALUES ($1::text) RETURNING id`}
			scalar := func(n *int64) []any { return []any{n} }
			for _, text := range []string{"a\x00b", "a\xffb"} {
				for _, op := range []*pawl.Operation{&get, &put, &put} {
					for _, arg := range []any{text, &text, bookingStatus(text)} {
						_, err := pawl.QueryOne(t.Context(), s, op, scalar, arg)
						checkNoText(t, err)
					}
				}
				_, err := pawl.QueryAll(t.Context(), s, &list, scalar, []string{"a", text})
				checkNoText(t, err)
				_, err = pawl.InTx(t.Context(), s, func(ctx cx, tx *pawl.Session) (int64, error) {
					return pawl.QueryOne(ctx, tx, &put, scalar, text)
				})
				checkNoText(t, err)
			}
		})
	}
}

func checkNoText(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, pawl.ErrBadInput) || errors.Is(err, pawl.ErrCommitUnknown) || pawl.HTTPStatus(err) != http.StatusBadRequest {
		t.Errorf("%v", err)
	}
}

// unsendable is an argument that no mode can write. Its error quotes the value, as
// the driver's own does.
type unsendable struct{ secret int }

func (u unsendable) Value() (driver.Value, error) { return nil, fmt.Errorf("no value of %d", u.secret) }

// What cannot be written as its parameter was not sent, also where the statement
// and its commit are one message: the input is bad, and no commit is in doubt.
func TestArgumentThatCannotBeSent(t *testing.T) {
	for _, mode := range modes {
		t.Run(mode.String(), func(t *testing.T) {
			pool := connect(t, database(t), inMode(mode))
			s := session(pool)
			get := pawl.Operation{Name: "get", ReadOnly: true, SQL: `SELECT id FROM app.rooms WHERE id = $1::bigint`}
			put := pawl.Operation{Name: "put", SQL: `INSERT INTO app.rooms (name) VALUES ($1::text) RETURNING id`}
			led := pawl.Operation{Name: "led", SQL: put.SQL, Prelude: []pawl.Statement{{SQL: "SELECT 1", Args: []int{}}}}
			scalar := func(n *int64) []any { return []any{n} }
			check := func(err error) {
				t.Helper()
				if !errors.Is(err, pawl.ErrBadInput) || errors.Is(err, pawl.ErrCommitUnknown) || pawl.HTTPStatus(err) != http.StatusBadRequest ||
					strings.Contains(err.Error(), "4111") || !strings.Contains(err.Error(), "argument 1") {
					t.Errorf("%v", err)
				}
			}
			bad := unsendable{4111}
			for range 2 { // the second time the statement is known to the connection
				for _, op := range []*pawl.Operation{&get, &put, &led} {
					_, err := pawl.QueryOne(t.Context(), s, op, scalar, bad)
					check(err)
				}
			}
			for _, options := range [][]pawl.Option{nil, {pawl.WithResolveCommit(pool)}} {
				_, err := pawl.InTx(t.Context(), session(pool, options...), func(ctx cx, tx *pawl.Session) (int64, error) {
					return pawl.QueryOne(ctx, tx, &put, scalar, bad)
				})
				check(err)
			}
			if id, err := pawl.QueryOne(t.Context(), s, &put, scalar, "kept"); err != nil || id != 1 {
				t.Errorf("afterwards: %d, %v", id, err)
			}
		})
	}
}

// Nobody listens, or nobody may come in.
func TestUnreachableDatabase(t *testing.T) {
	_, read := pawl.QueryAll(t.Context(), session(connect(t, "postgres://nobody@127.0.0.1:1/none")), &listItems, (*item).dest, 0, 1)
	_, write := pawl.QueryOne(t.Context(), session(connect(t, "postgres://nobody@127.0.0.1:1/none")), &insertItem, (*item).dest, 1, 1)
	for name, err := range map[string]error{"read": read, "write": write} {
		if got := pawl.HTTPStatus(err); got != http.StatusServiceUnavailable || errors.Is(err, pawl.ErrCommitUnknown) {
			t.Errorf("%s: HTTPStatus(%v) = %d", name, err, got)
		}
	}
	proxy, through, _ := proxied(t)
	proxy.SetRules(faultproxy.On(faultproxy.Runs(getItem.Name), faultproxy.Cut))
	_, err := pawl.QueryOne(t.Context(), session(through), &getItem, (*item).dest, 1)
	if got := pawl.HTTPStatus(err); got != http.StatusServiceUnavailable {
		t.Errorf("a read whose connection broke: HTTPStatus(%v) = %d", err, got)
	}
}

// What the retries ended with keeps its meaning.
func TestRetryErrorKeepsItsFamily(t *testing.T) {
	pool, s := open(t, pawl.WithRetry(pawl.Policy{Attempts: 2, Codes: []string{"55P03", "57014", "23505"}}), pawl.WithLockTimeout(20*time.Millisecond))
	exec(t, pool, `INSERT INTO app.items (id, stock) VALUES (1, 1)`)
	holder, err := pool.Begin(t.Context())
	must(t, err)
	defer holder.Rollback(t.Context())
	exec(t, holder, `SELECT FROM app.items FOR UPDATE`)
	wrapped := errors.New("mine")
	take := func(ctx cx, s *pawl.Session) (item, error) {
		return pawl.Guarded(ctx, s, &takeItem, (*item).dest, 1, 1)
	}
	insert := func(ctx cx, s *pawl.Session) (item, error) {
		return pawl.QueryOne(ctx, s, &insertItem, (*item).dest, 1, 1)
	}
	inTx := func(fn func(cx, *pawl.Session) (item, error)) func(cx, *pawl.Session) (item, error) {
		return func(ctx cx, s *pawl.Session) (item, error) { return pawl.InTx(ctx, s, fn) }
	}
	for name, c := range map[string]struct {
		run func(cx, *pawl.Session) (item, error)
		is  []error
	}{
		"statement":               {take, []error{pawl.ErrBusy}},
		"transaction":             {inTx(take), []error{pawl.ErrBusy}},
		"constraint":              {insert, []error{pawl.ErrDuplicate, errItemsPkey}},
		"constraint, transaction": {inTx(insert), []error{pawl.ErrDuplicate, errItemsPkey}},
		"edit": {func(ctx cx, s *pawl.Session) (item, error) {
			return pawl.Edit(ctx, s, &repriceItem, (*item).dest, func(cx, *item) error { return nil }, 1)
		}, []error{pawl.ErrBusy}},
		"an error of the caller's": {inTx(func(ctx cx, s *pawl.Session) (item, error) {
			_, err := s.DB().Exec(ctx, `UPDATE app.items SET stock = 0`)
			return item{}, fmt.Errorf("%w: %w", wrapped, err)
		}), []error{pawl.ErrBusy, wrapped}},
	} {
		_, err := c.run(t.Context(), s)
		var exhausted *pawl.RetryError
		if !errors.As(err, &exhausted) || exhausted.Attempts != 2 {
			t.Errorf("%s: %v", name, err)
		}
		for _, target := range c.is {
			if !errors.Is(err, target) {
				t.Errorf("%s: %v is not %v", name, err, target)
			}
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
		{&pawl.RetryError{Last: pawl.ErrBusy}, http.StatusServiceUnavailable},
		{&pgconn.ConnectError{}, http.StatusServiceUnavailable},
		{fmt.Errorf("get: %w", &pgconn.PgError{Code: "57P03"}), http.StatusServiceUnavailable},
		{&pgconn.PgError{Code: "53300"}, http.StatusServiceUnavailable},
		{&pgconn.PgError{Code: "08006"}, http.StatusServiceUnavailable},
		{&pgconn.PgError{Code: "42P01"}, http.StatusInternalServerError},
		{io.ErrUnexpectedEOF, http.StatusInternalServerError}, // perhaps of a request's body
		// A client must not be invited to try these again.
		{&pawl.StoredError{Cause: pawl.ErrUnreadable}, http.StatusInternalServerError},
		{&pawl.CommitUnknownError{Cause: context.DeadlineExceeded}, http.StatusInternalServerError},
		{errors.New("anything"), http.StatusInternalServerError},
	} {
		if got := pawl.HTTPStatus(c.err); got != c.status {
			t.Errorf("HTTPStatus(%v) = %d, want %d", c.err, got, c.status)
		}
	}
}
