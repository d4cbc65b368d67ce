package isolation

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/examples/seats/store"
	"github.com/pawldb/pawl/examples/seats/store/pawl"
	"github.com/pawldb/pawl/internal/devdb/pgtest"
	"github.com/pawldb/pawl/verify/explore"
)

// stored empties the tables of the example and fills in what the methods below
// use. DELETE, since a TRUNCATE of so many tables and indexes takes a tenth of a
// second; and with keys that the sequences do not give.
const stored = `DELETE FROM app.bookings; DELETE FROM app.seats; DELETE FROM app.customers; DELETE FROM app.rooms;
DELETE FROM app.counters; DELETE FROM app.tasks;
INSERT INTO app.customers (id, email) OVERRIDING SYSTEM VALUE VALUES (-1, 'ada@example.com'), (-2, 'max@example.com');
INSERT INTO app.rooms (id, name) OVERRIDING SYSTEM VALUE VALUES (-1, 'one'), (-2, 'two');
INSERT INTO app.counters (name, remaining) VALUES ('sms', 75);
INSERT INTO app.tasks (kind, body) VALUES ('mail', '{}')`

// method is what one client does with the generated code. What it returns is
// compared in the outcome.
type method func(ctx context.Context, db *store.Store) (any, error)

// within runs a method in a transaction, so that others come between its
// statement and its COMMIT.
func within(m method) method {
	return func(ctx context.Context, db *store.Store) (any, error) { return store.InTx(ctx, db, m) }
}

func days(from, to int) pawl.TimeRange {
	day := func(n int) time.Time { return time.Date(2030, 1, n, 0, 0, 0, 0, time.UTC) }
	return pawl.Between(day(from), day(to))
}

func insertCustomer(email string) method {
	return func(ctx context.Context, db *store.Store) (any, error) {
		_, err := db.Customers.Insert(ctx, store.CustomerInsert{Email: email})
		return nil, err
	}
}

func book(room, customer int64, from, to int) method {
	return func(ctx context.Context, db *store.Store) (any, error) {
		_, err := db.Bookings.Insert(ctx, store.BookingInsert{RoomID: room, CustomerID: customer, During: days(from, to)})
		return nil, err
	}
}

func bookTwice(first, second int) method {
	return func(ctx context.Context, db *store.Store) (any, error) {
		if _, err := book(-1, -1, first, first+2)(ctx, db); err != nil {
			return nil, err
		}
		return book(-1, -1, second, second+2)(ctx, db)
	}
}

func deleteCustomer(id int64) method {
	return func(ctx context.Context, db *store.Store) (any, error) { return nil, db.Customers.Delete(ctx, id) }
}

func send(n int64) method {
	return func(ctx context.Context, db *store.Store) (any, error) {
		_, err := db.Counters.Send(ctx, "sms", n)
		return nil, err
	}
}

func claim(ctx context.Context, db *store.Store) (any, error) {
	tasks, err := db.Tasks.Claim(ctx, 1)
	return len(tasks), err
}

func reprice(ctx context.Context, db *store.Store) (any, error) {
	_, err := db.Rooms.Reprice(ctx, -1, func(_ context.Context, row *store.Room) error {
		return row.Price.Scan("9.50")
	})
	return nil, err
}

func rename(ctx context.Context, db *store.Store) (any, error) {
	_, err := db.Rooms.Rename(ctx, -1, func(_ context.Context, row *store.Room) error {
		row.Name = "uno"
		return nil
	})
	return nil, err
}

// waiting says whether clients wait for each other.
type waiting string

const (
	never waiting = "never"
	some  waiting = "in some schedules"
)

// TestStoreMethods lets methods of the generated store of examples/seats meet as
// the scenarios of the same rows do, in every order, and demands the errors that
// their documentation promises.
func TestStoreMethods(t *testing.T) {
	x := openStore(t)
	for _, c := range []struct {
		rows string // of the table in the README
		name string
		a, b method
		// loser is the error that one of the two gets in every schedule; nil when both
		// succeed.
		loser error
		waits waiting
		state string // a query, and
		want  string // its answer at every end
	}{
		{
			"26 and 27", "a booking and the removal of its customer", within(book(-1, -1, 1, 3)), within(deleteCustomer(-1)), store.ErrBookingsCustomer, some,
			"SELECT count(*) FROM app.bookings AS b LEFT JOIN app.customers AS c ON c.id = b.customer_id WHERE c.id IS NULL", "0",
		},
		{"29", "a booking and a change of its room's key", within(book(-1, -1, 1, 3)), within(rename), nil, some, "SELECT name FROM app.rooms WHERE id = -1", "uno"},
		{"30", "a booking and a change of its room's price", within(book(-1, -1, 1, 3)), within(reprice), nil, never, "SELECT price FROM app.rooms WHERE id = -1", "9.50"},
		{"33", "two workers and one task", within(claim), within(claim), nil, never, "SELECT count(*) FROM app.tasks WHERE fence = 1 AND attempt = 1", "1"},
		{"36", "two withdrawals of which there is enough for one", within(send(40)), within(send(40)), pawl.ErrGuard, some, "SELECT remaining FROM app.counters", "35"},
		{
			"42", "one address for two accounts", within(insertCustomer("eve@example.com")), within(insertCustomer("Eve@example.com")), store.ErrCustomersOneLiveAccount, some,
			"SELECT count(*) FROM app.customers WHERE lower(email) = 'eve@example.com'", "1",
		},
		{"50", "overlapping bookings", within(book(-1, -1, 1, 5)), within(book(-1, -2, 3, 8)), store.ErrBookingsOnePerRoom, some, "SELECT count(*) FROM app.bookings", "1"},
		{"50", "crossing pairs of bookings", within(bookTwice(1, 10)), within(bookTwice(11, 2)), store.ErrBookingsOnePerRoom, some, "SELECT count(*) FROM app.bookings", "2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			scene := explore.Scenario{
				Name: c.name, Fixture: stored, Effect: effect,
				Clients: []explore.Client{clientOf("a", c.a), clientOf("b", c.b)},
				State: func(ctx context.Context, conn *pgx.Conn) (text string, err error) {
					err = conn.QueryRow(ctx, "SELECT ("+c.state+")::text").Scan(&text)
					return text, err
				},
			}
			var runs []*explore.Run
			scene.Judge = func(_ context.Context, _ *pgx.Conn, run *explore.Run) ([]explore.Violation, error) {
				runs = append(runs, run)
				return nil, nil
			}
			result, err := x.Explore(t.Context(), scene)
			if err != nil {
				t.Fatal(err)
			}
			if !result.Complete {
				t.Fatalf("not every schedule was run: %+v", result)
			}
			for _, run := range runs {
				if err := lost(run, c.loser); err != nil {
					t.Errorf("schedule %s: %v", run.ID, err)
				}
				if run.FinalState != c.want {
					t.Errorf("schedule %s: %s gives %s, not %s", run.ID, c.state, run.FinalState, c.want)
				}
			}
			if (result.Waiting > 0) != (c.waits == some) {
				t.Errorf("somebody waits in %d of %d schedules, and should %s", result.Waiting, result.Schedules, c.waits)
			}
			t.Logf("row %s: %d schedules, a wait in %d: %v", c.rows, result.Schedules, result.Waiting, result.Outcomes)
		})
	}
}

func clientOf(name string, m method) explore.Client {
	return explore.Client{Name: name, Run: func(ctx context.Context, conn *explore.Conn) (any, error) {
		return m(ctx, store.New(conn))
	}}
}

// effect lets settings run ahead; what else a statement does is left open.
func effect(sql string) explore.Effect {
	if strings.HasPrefix(strings.ToUpper(sql), "SET ") {
		return explore.Local
	}
	return explore.Unknown
}

// lost reports whether one client succeeded and the other met the error, or both
// succeeded when there is none.
func lost(run *explore.Run, loser error) error {
	failed := 0
	for i, end := range run.Ends {
		switch {
		case end.Err == nil:
		case loser == nil || !errors.Is(end.Err, loser):
			return fmt.Errorf("%s: %w", run.Clients[i], end.Err)
		default:
			failed++
		}
	}
	if loser != nil && failed != 1 {
		return fmt.Errorf("%d clients met the error %w", failed, loser)
	}
	return nil
}

func openStore(t *testing.T) *explore.Explorer {
	t.Helper()
	url := pgtest.URL(t)
	schema, err := os.ReadFile("../../examples/seats/schema.sql")
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(t.Context(), string(schema)); err != nil {
		t.Fatal(err)
	}
	x, err := explore.Open(t.Context(), url, explore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return x
}
