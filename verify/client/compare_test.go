package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/examples/seats/store"
	"github.com/pawldb/pawl/examples/seats/store/pawl"
	"github.com/pawldb/pawl/verify/client"
)

// step is one call, made through the performer on one database and through the
// generated method on another. Both must give the same answer and leave the same
// rows behind.
type step struct {
	address string
	args    map[string]*string
	decide  func(row map[string]*string) map[string]*string
	work    func(ctx context.Context, tx pgx.Tx) error
	inTx    bool // in a transaction of the caller's
	before  string
	want    client.Answer
	about   string
	// generated calls the method; it returns what the method returned, nil when that
	// is an error alone.
	generated func(ctx context.Context, s *store.Store) (any, error)
}

// TestPerformerDoesWhatGeneratedMethodsDo makes each call twice, on two databases
// that are equal, and compares the answers, how many rows came back, and all that
// the databases hold afterwards.
func TestPerformerDoesWhatGeneratedMethodsDo(t *testing.T) {
	program := compile(t, "examples/seats")
	performer := client.New(program)
	ours, theirs := connect(t, database(t, program)), connect(t, database(t, program))
	var seen pawl.Outcome
	methods := store.New(theirs, pawl.WithObserver(pawl.ObserverFunc(func(_ context.Context, e pawl.Event) { seen = e.Outcome })))
	called := map[string]bool{}
	for i, s := range slices.Concat(seats, reads, updates, batches) {
		label := fmt.Sprintf("step %d, %s %s", i, s.address, spell(s.args))
		called[s.address] = true
		if s.before != "" {
			execute(t, ours, s.before)
			execute(t, theirs, s.before)
		}
		out, err := perform(t, performer, ours, s, client.Call{Operation: operation(t, program, s.address), Args: s.args, Decide: s.decide, Work: s.work})
		if err != nil {
			out.Answer, out.About = noTransaction, ""
			if s.want != noTransaction {
				t.Fatalf("%s: %v", label, err)
			}
		}
		if out.Answer != s.want || out.About != s.about || out.Attempts != 1 {
			t.Errorf("%s: %q, %q after %d attempts; want %q, %q after 1", label, out.Answer, out.About, out.Attempts, s.want, s.about)
		}
		seen = ""
		value, err := callMethod(t, methods, s)
		answer, about := answerOf(t, err, seen)
		if answer != s.want || about != s.about && about != client.Input {
			t.Errorf("%s: the generated method answers %q, %q (%v); the performer %q, %q", label, answer, about, err, out.Answer, out.About)
		}
		if n := rowsOf(value); n >= 0 && err == nil && n != len(out.Rows) {
			t.Errorf("%s: the generated method returns %d rows, the performer %d", label, n, len(out.Rows))
		}
		if a, b := contents(t, ours), contents(t, theirs); a != b {
			t.Fatalf("%s: the databases differ\nperformer:\n%s\ngenerated method:\n%s", label, a, b)
		}
	}
	for _, o := range operations(program) {
		if o.Kind == ir.InsertManyOp {
			continue // its rows follow as data, for which a call has no place
		}
		if !called[o.Address] && !o.Internal {
			t.Errorf("no step calls %s", o.Address)
		}
	}
}

// perform makes a step's call, in a transaction where the step says so.
func perform(t *testing.T, p *client.Performer, conn *pgx.Conn, s step, call client.Call) (client.Outcome, error) {
	t.Helper()
	if !s.inTx {
		return p.Do(t.Context(), conn, call)
	}
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.Do(t.Context(), tx, call)
	if endErr := tx.Commit(t.Context()); endErr != nil {
		t.Fatal(endErr)
	}
	return out, err
}

// callMethod calls a step's generated method. Its own error is kept apart from
// that of the transaction around it.
func callMethod(t *testing.T, methods *store.Store, s step) (value any, err error) {
	t.Helper()
	if !s.inTx {
		return s.generated(t.Context(), methods)
	}
	_, endErr := store.InTx(t.Context(), methods, func(ctx context.Context, tx *store.Store) (any, error) {
		value, err = s.generated(ctx, tx)
		return nil, nil
	})
	if endErr != nil {
		t.Fatal(endErr)
	}
	return value, err
}

// answerOf is a generated method's error in the performer's words.
func answerOf(t *testing.T, err error, seen pawl.Outcome) (client.Answer, string) {
	t.Helper()
	var (
		state      *pawl.StateError
		guard      *pawl.GuardError
		constraint *pawl.ConstraintError
	)
	switch {
	case err == nil && seen == pawl.OutcomeRepeated:
		return client.Repeated, ""
	case err == nil:
		return client.OK, ""
	case errors.As(err, &state):
		return client.Refused, state.Current
	case errors.As(err, &guard):
		return client.Refused, guard.Guard
	case errors.As(err, &constraint):
		return client.Violation, constraint.Constraint
	case errors.Is(err, pawl.ErrNotFound):
		return client.NotFound, ""
	case errors.Is(err, pawl.ErrBadInput):
		return client.Refused, client.Input
	case errors.Is(err, pawl.ErrClaimLost):
		return client.Refused, client.Fence
	case errors.Is(err, pawl.ErrBusy):
		return client.Busy, ""
	case errors.Is(err, pawl.ErrNoTransaction):
		return noTransaction, ""
	}
	t.Fatalf("the generated method fails: %v", err)
	return "", ""
}

// rowsOf is how many rows a method returned; -1 when it returns none.
func rowsOf(value any) int {
	v := reflect.ValueOf(value)
	switch {
	case !v.IsValid():
		return -1
	case v.Kind() == reflect.Slice:
		return v.Len()
	}
	return 1
}

// contents is everything that the tables hold, but for when it came to be there.
func contents(t *testing.T, conn *pgx.Conn) string {
	t.Helper()
	var b strings.Builder
	for _, table := range []string{"customers", "rooms", "bookings", "seats", "counters", "teams", "shifts", "tasks"} {
		rows, err := conn.Query(t.Context(), "SELECT (to_jsonb(t) - 'created_at' - 'run_at' - 'lease_until')::text FROM app."+table+" AS t ORDER BY 1")
		if err != nil {
			t.Fatal(err)
		}
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s: %s\n", table, strings.Join(lines, " "))
	}
	return b.String()
}

func spell(m map[string]*string) string {
	text, err := json.Marshal(m)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
