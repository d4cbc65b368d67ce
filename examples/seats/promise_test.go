package main

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pawldb/pawl/examples/seats/store"
	"github.com/pawldb/pawl/examples/seats/store/pawl"
	"github.com/pawldb/pawl/internal/devdb/pgtest"
)

// promise is one thing that seats.hcl declares. Its race puts the promise under
// pressure and counts how often it was broken: never, unless something that it
// rests on is sabotaged, and then every sabotage must show.
type promise struct {
	name     string
	race     func(t *testing.T, s site) int
	sabotage []sabotage
}

// site is a database with the schema of seats.hcl, and two ways to it: the
// generated code, and a client that knows nothing of it.
type site struct {
	db  *store.Store
	raw *pgxpool.Pool
}

// tries is how many races a sabotaged promise gets to show that it is broken.
const tries = 20

func TestPromises(t *testing.T) {
	for _, p := range promises {
		t.Run(p.name, func(t *testing.T) {
			if broken := p.race(t, newSite(t, nil)); broken != 0 {
				t.Fatalf("broken %d times with everything in place", broken)
			}
			if len(p.sabotage) == 0 {
				t.Error("nothing is ever removed: this test has no teeth")
			}
			for _, s := range p.sabotage {
				t.Run("without "+s.name, func(t *testing.T) {
					broken := newSite(t, &s)
					for range tries {
						if p.race(t, broken) > 0 {
							return
						}
						broken.empty(t)
					}
					t.Errorf("still holds after %d races: the test would not notice that it is gone", tries)
				})
			}
		})
	}
}

// newSite makes a database with the committed schema.sql, sabotaged when s is
// given.
func newSite(t *testing.T, s *sabotage) site {
	t.Helper()
	pool := newPool(t, nil)
	var db pawl.DB = pool
	if s != nil {
		if _, err := pool.Exec(t.Context(), s.ddl); err != nil {
			t.Fatalf("sabotage: %v", err)
		}
		if len(s.cuts) > 0 {
			db = newSaboteur(t, pool, s.cuts)
		}
	}
	return site{store.New(db), pool}
}

// newPool opens a pool on a fresh database that holds schema.sql.
func newPool(t testing.TB, change func(*pgxpool.Config)) *pgxpool.Pool {
	t.Helper()
	config, err := pgxpool.ParseConfig(pgtest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	config.MaxConns = 20
	// A deadlock is found soon, so that a race that provokes one takes no second.
	config.ConnConfig.RuntimeParams["deadlock_timeout"] = "20ms"
	if change != nil {
		change(config)
	}
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	schema, err := os.ReadFile("schema.sql")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pool.Exec(t.Context(), string(schema), pgx.QueryExecModeSimpleProtocol); err != nil {
		t.Fatal(err)
	}
	return pool
}

const bookers = 8

var promises = []promise{
	{
		name: "no_overlap: a room is booked once at a time",
		race: func(t *testing.T, s site) int {
			room, customer := s.room(t, "blue"), s.customer(t, "ada@example.com")
			slot := tomorrow()
			s.together(t, bookers, func(int) error {
				_, err := s.db.Bookings.Insert(t.Context(), store.BookingInsert{RoomID: room.ID, CustomerID: customer.ID, During: slot})
				return err
			}, store.ErrBookingsOnePerRoom, pawl.ErrOverlap)
			return s.count(t, `SELECT count(*) FROM app.bookings a JOIN app.bookings b ON a.id < b.id AND a.room_id = b.room_id
				AND a.during && b.during WHERE a.status <> 'cancelled' AND b.status <> 'cancelled'`)
		},
		sabotage: []sabotage{{name: "the exclusion constraint", ddl: "ALTER TABLE app.bookings DROP CONSTRAINT bookings_one_per_room"}},
	},
	{
		name: "no_overlap: an empty range is refused to every client",
		race: func(t *testing.T, s site) int {
			room, customer := s.room(t, "blue"), s.customer(t, "ada@example.com")
			for _, during := range []string{"empty", "[2030-01-01,infinity)", "(,2030-01-01)", "[2030-01-01,2030-01-02]"} {
				s.tell(t, "INSERT INTO app.bookings (room_id, customer_id, during) VALUES ($1, $2, $3::tstzrange)", room.ID, customer.ID, during)
			}
			return s.count(t, "SELECT count(*) FROM app.bookings")
		},
		sabotage: []sabotage{{name: "the bounds check", ddl: "ALTER TABLE app.bookings DROP CONSTRAINT bookings_one_per_room_bounds"}},
	},
	{
		name: "no_overlap: equal inserts of every client wait instead of deadlocking",
		race: func(t *testing.T, s site) int {
			room, customer := s.room(t, "blue"), s.customer(t, "ada@example.com")
			// One holds the slot while the others come, and then lets it go. Whoever
			// has already put a row into the index now waits for all who have, too.
			first, err := s.raw.Begin(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			const insert = "INSERT INTO app.bookings (room_id, customer_id, during) VALUES ($1, $2, $3)"
			slot := tomorrow()
			if _, err := first.Exec(t.Context(), insert, room.ID, customer.ID, slot); err != nil {
				t.Fatal(err)
			}
			go func() {
				time.Sleep(100 * time.Millisecond)
				_ = first.Rollback(context.WithoutCancel(t.Context()))
			}()
			return s.together(t, 4, func(int) error {
				_, err := s.raw.Exec(t.Context(), insert, room.ID, customer.ID, slot)
				return err
			}, sqlState("23P01"), sqlState("40P01"))[sqlState("40P01")]
		},
		sabotage: []sabotage{{name: "the prelock", ddl: "DROP TRIGGER bookings_one_per_room_prelock ON app.bookings"}},
	},
	{
		name: "no_duplicates: a room's name is given once",
		race: func(t *testing.T, s site) int {
			s.together(t, bookers, func(int) error {
				_, err := s.db.Rooms.Insert(t.Context(), store.RoomInsert{Name: "blue"})
				return err
			}, store.ErrRoomsName, pawl.ErrDuplicate)
			return s.count(t, "SELECT count(*) - 1 FROM app.rooms")
		},
		sabotage: []sabotage{{name: "the unique constraint", ddl: "ALTER TABLE app.rooms DROP CONSTRAINT rooms_name"}},
	},
	{
		name: "no_duplicates: one live account per address, however it is typed",
		race: func(t *testing.T, s site) int {
			typed := []string{"ada@example.com", "Ada@example.com", "ADA@EXAMPLE.COM"}
			s.tell(t, "INSERT INTO app.customers (email, deleted_at) VALUES ('ada@example.com', now())")
			s.together(t, bookers, func(i int) error {
				_, err := s.db.Customers.Insert(t.Context(), store.CustomerInsert{Email: typed[i%len(typed)]})
				return err
			}, store.ErrCustomersOneLiveAccount)
			return s.count(t, "SELECT count(*) - 1 FROM app.customers WHERE deleted_at IS NULL")
		},
		sabotage: []sabotage{{name: "the unique index", ddl: "DROP INDEX app.customers_one_live_account"}},
	},
	{
		name: "transitions: a seat is booked by one",
		race: func(t *testing.T, s site) int {
			seat, customer := s.seat(t, "7C"), s.customer(t, "ada@example.com")
			answers := s.together(t, bookers, func(int) error {
				_, err := s.db.Seats.Book(t.Context(), seat.ID, customer.ID)
				return err
			}, pawl.ErrState)
			return answers[nil] - 1
		},
		sabotage: []sabotage{{name: "the state in the WHERE", cuts: []cut{
			{in: "table.seats.transitions.status.book", old: "AND status = 'free'", new: ""},
		}}},
	},
	{
		name: "transitions: no client goes an undeclared way",
		race: func(t *testing.T, s site) int {
			b := s.booking(t)
			s.tell(t, "UPDATE app.bookings SET status = 'cancelled' WHERE id = $1", b.ID)
			return s.tell(t, "UPDATE app.bookings SET status = 'confirmed' WHERE id = $1", b.ID)
		},
		sabotage: []sabotage{{name: "the update trigger", ddl: "DROP TRIGGER bookings_status_update ON app.bookings"}},
	},
	{
		name: "transitions: no client starts in the middle",
		race: func(t *testing.T, s site) int {
			room, customer := s.room(t, "blue"), s.customer(t, "ada@example.com")
			return s.tell(t, "INSERT INTO app.bookings (room_id, customer_id, during, status) VALUES ($1, $2, $3, 'confirmed')", room.ID, customer.ID, tomorrow())
		},
		sabotage: []sabotage{{name: "the insert trigger", ddl: "DROP TRIGGER bookings_status_insert ON app.bookings"}},
	},
	{
		name: "transitions: what is over cannot be confirmed",
		race: func(t *testing.T, s site) int {
			room, customer := s.room(t, "blue"), s.customer(t, "ada@example.com")
			past := store.Between(time.Now().Add(-2*time.Hour), time.Now().Add(-time.Hour))
			b, err := s.db.Bookings.Insert(t.Context(), store.BookingInsert{RoomID: room.ID, CustomerID: customer.ID, During: past})
			if err != nil {
				t.Fatal(err)
			}
			_, err = s.db.Bookings.Confirm(t.Context(), b.ID)
			if err != nil && !errors.Is(err, pawl.ErrGuard) {
				t.Fatal(err)
			}
			return s.count(t, "SELECT count(*) FROM app.bookings WHERE status = 'confirmed'")
		},
		sabotage: []sabotage{{
			name: "the guard in the WHERE and in the trigger",
			ddl:  "DROP TRIGGER bookings_status_update ON app.bookings",
			cuts: []cut{{in: "table.bookings.transitions.status.confirm", old: "AND (upper(during) > now())", new: ""}},
		}},
	},
	{
		name: "adjust: a counter never goes below zero",
		race: func(t *testing.T, s site) int {
			const stock = 5
			if _, err := s.db.Counters.Insert(t.Context(), store.CounterInsert{Name: "tickets", Remaining: stock}); err != nil {
				t.Fatal(err)
			}
			taken := s.together(t, 2*stock, func(int) error {
				_, err := s.db.Counters.Send(t.Context(), "tickets", 1)
				return err
			}, pawl.ErrGuard)[nil]
			return taken - stock
		},
		sabotage: []sabotage{{
			name: "the derived guard and the check",
			ddl:  "ALTER TABLE app.counters DROP CONSTRAINT counters_remaining_not_negative",
			cuts: []cut{{in: "table.counters.adjust.send", old: "AND ((remaining - $2::bigint) >= 0) IS NOT FALSE", new: ""}},
		}},
	},
	{
		name: "edit: no decision rests on an old value",
		race: func(t *testing.T, s site) int {
			room := s.room(t, "blue")
			s.together(t, bookers, func(int) error {
				_, err := s.db.Rooms.Reprice(t.Context(), room.ID, func(_ context.Context, r *store.Room) error {
					r.Price = plusOne(t, r.Price)
					return nil
				})
				return err
			})
			return s.count(t, "SELECT 8 - price::integer FROM app.rooms")
		},
		sabotage: []sabotage{{name: "the row lock", cuts: []cut{{in: "table.rooms.edit.reprice", old: "FOR NO KEY UPDATE", new: ""}}}},
	},
	{
		name: "edit: repricing a room does not stop its bookings",
		race: func(t *testing.T, s site) int {
			room, customer := s.room(t, "blue"), s.customer(t, "ada@example.com")
			stopped := 0
			_, err := s.db.Rooms.Reprice(t.Context(), room.ID, func(ctx context.Context, _ *store.Room) error {
				_, err := s.db.Bookings.Insert(ctx, store.BookingInsert{RoomID: room.ID, CustomerID: customer.ID, During: tomorrow()})
				if errors.Is(err, pawl.ErrBusy) {
					stopped++
					return nil
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			return stopped
		},
		sabotage: []sabotage{{name: "the weaker lock", cuts: []cut{{in: "table.rooms.edit.reprice", old: "FOR NO KEY UPDATE", new: "FOR UPDATE"}}}},
	},
	{
		name: "queue: a task is held by one worker",
		race: func(t *testing.T, s site) int {
			for i := range 40 {
				if _, err := s.db.Tasks.Enqueue(t.Context(), store.TaskArgs{Kind: "mail", Body: body(i)}); err != nil {
					t.Fatal(err)
				}
			}
			claims := make(chan int64, 400)
			s.together(t, bookers, func(int) error {
				got, err := s.db.Tasks.Claim(t.Context(), 10)
				for _, claim := range got {
					claims <- claim.ID
				}
				return err
			})
			close(claims)
			seen, twice := map[int64]bool{}, 0
			for id := range claims {
				if seen[id] {
					twice++
				}
				seen[id] = true
			}
			return twice
		},
		sabotage: []sabotage{{name: "the row lock", cuts: []cut{{in: "queue.tasks.claim", old: "FOR UPDATE SKIP LOCKED", new: ""}}}},
	},
	{
		name: "queue: a lost claim says nothing any more",
		race: func(t *testing.T, s site) int {
			if _, err := s.db.Tasks.Enqueue(t.Context(), store.TaskArgs{Kind: "mail", Body: body(0)}); err != nil {
				t.Fatal(err)
			}
			late, err := s.db.Tasks.Claim(t.Context(), 1)
			if err != nil || len(late) != 1 {
				t.Fatal(late, err)
			}
			// The lease ends, as if the worker had stalled for its whole length.
			s.tell(t, "UPDATE app.tasks SET lease_until = clock_timestamp() - interval '1 second'")
			now, err := s.db.Tasks.Claim(t.Context(), 1)
			if err != nil || len(now) != 1 || now[0].ID != late[0].ID {
				t.Fatalf("the task was not taken over: %v %v", now, err)
			}
			if err := s.db.Tasks.Complete(t.Context(), late[0]); err == nil {
				return 1
			} else if !errors.Is(err, pawl.ErrClaimLost) {
				t.Fatal(err)
			}
			return 0
		},
		sabotage: []sabotage{{name: "the fence", cuts: []cut{{in: "queue.tasks.complete", old: fenceCut, new: ""}}}},
	},
	{
		name: "singleton: one at a time",
		race: func(t *testing.T, s site) int {
			counts, err := shareSingleton(t.Context(), s.db)
			if err != nil {
				t.Fatal(err)
			}
			return counts[len(counts)-1].got
		},
		sabotage: []sabotage{{name: "the advisory lock", cuts: []cut{{in: "singleton.outbox_relay.run", old: "pg_advisory_xact_lock(4201, 1)", new: "1"}}}},
	},
	{
		name:     "rule: two doctors do not both leave",
		race:     leaveTogether,
		sabotage: []sabotage{asks, serializable},
	},
}

const fenceCut = "AND t.fence = c.fence"

// TestDeleteOfAParentNamesTheChild deletes what bookings refer to, under both
// forms of a foreign key. PostgreSQL 18 reports one of them with a code of its
// own.
func TestDeleteOfAParentNamesTheChild(t *testing.T) {
	s := newSite(t, nil)
	b := s.booking(t)
	if err := s.db.Customers.Delete(t.Context(), b.CustomerID); !errors.Is(err, store.ErrBookingsCustomer) || !errors.Is(err, pawl.ErrReference) {
		t.Errorf("ON DELETE RESTRICT: %v", err)
	}
	if err := s.db.Rooms.Delete(t.Context(), b.RoomID); !errors.Is(err, store.ErrBookingsRoom) {
		t.Errorf("ON DELETE NO ACTION: %v", err)
	}
}

// leaveTogether lets two doctors leave at once, each in a transaction that takes a
// while after that.
func leaveTogether(t *testing.T, s site) int {
	shifts, err := store.InTx(t.Context(), s.db, func(ctx context.Context, tx *store.Store) ([]store.Shift, error) {
		team, err := tx.Teams.Insert(ctx, store.TeamInsert{Name: "night"})
		if err != nil {
			return nil, err
		}
		if _, err := tx.Shifts.InsertMany(ctx, []store.ShiftInsert{{TeamID: team.ID, Doctor: "Ada", OnCall: true}, {TeamID: team.ID, Doctor: "Grace", OnCall: true}}); err != nil {
			return nil, err
		}
		return tx.Shifts.ListByTeam(ctx, team.ID, nil, 2)
	}, pawl.Isolation(pgx.Serializable))
	if err != nil {
		t.Fatal(err)
	}
	s.together(t, 2, func(i int) error {
		_, err := store.InTx(t.Context(), s.db, func(ctx context.Context, tx *store.Store) (struct{}, error) {
			err := tx.Rules.SomeoneOnCall.GoOffCall(ctx, shifts[i].TeamID, shifts[i].ID)
			time.Sleep(20 * time.Millisecond)
			return struct{}{}, err
		}, pawl.Isolation(pgx.Serializable))
		return err
	}, store.ErrShiftsSomeoneOnCall)
	if s.count(t, "SELECT count(*) FROM app.shifts WHERE on_call") == 0 {
		return 1
	}
	return 0
}

// sqlState is an answer that is told apart by its SQLSTATE.
type sqlState string

func (c sqlState) Error() string { return string(c) }

// answers says whether err is the expected answer want.
func answers(err, want error) bool {
	if code, ok := any(want).(sqlState); ok {
		var pgErr *pgconn.PgError
		return errors.As(err, &pgErr) && pgErr.Code == string(code)
	}
	return errors.Is(err, want)
}

// together lets n callers go at once and counts their answers: nil for success,
// or one of those expected. Any other answer fails the test.
func (s site) together(t *testing.T, n int, call func(i int) error, expected ...error) map[error]int {
	t.Helper()
	got := map[error]int{}
	for _, err := range gather(n, call) {
		if err == nil {
			got[nil]++
			continue
		}
		known := false
		for _, want := range expected {
			if answers(err, want) {
				got[want]++
				known = true
			}
		}
		if !known {
			t.Errorf("an answer that was not expected: %v", err)
		}
	}
	return got
}

// tell sends a statement of a client without generated code, and returns 1 when
// it was accepted, 0 when a constraint or trigger refused it.
func (s site) tell(t *testing.T, sql string, args ...any) int {
	t.Helper()
	_, err := s.raw.Exec(t.Context(), sql, args...)
	var pgErr *pgconn.PgError
	switch {
	case err == nil:
		return 1
	case errors.As(err, &pgErr) && (strings.HasPrefix(pgErr.Code, "23") || strings.HasPrefix(pgErr.Code, "PW")):
		return 0
	}
	t.Fatalf("%s: %v", sql, err)
	return 0
}

// empty makes the site as new again.
func (s site) empty(t *testing.T) {
	t.Helper()
	const all = `BEGIN; SET LOCAL session_replication_role = replica; -- a rule lets nobody truncate
		TRUNCATE app.customers, app.rooms, app.bookings, app.seats, app.counters, app.teams, app.shifts, app.tasks RESTART IDENTITY; COMMIT`
	if _, err := s.raw.Exec(t.Context(), all, pgx.QueryExecModeSimpleProtocol); err != nil {
		t.Fatal(err)
	}
}

func (s site) count(t *testing.T, sql string) int {
	t.Helper()
	var n int
	if err := s.raw.QueryRow(t.Context(), sql).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func (s site) room(t *testing.T, name string) store.Room {
	t.Helper()
	room, err := s.db.Rooms.Insert(t.Context(), store.RoomInsert{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	return room
}

func (s site) customer(t *testing.T, email string) store.Customer {
	t.Helper()
	customer, err := s.db.Customers.Insert(t.Context(), store.CustomerInsert{Email: email})
	if err != nil {
		t.Fatal(err)
	}
	return customer
}

func (s site) seat(t *testing.T, label string) store.Seat {
	t.Helper()
	seat, err := s.db.Seats.Insert(t.Context(), store.SeatInsert{Label: label})
	if err != nil {
		t.Fatal(err)
	}
	return seat
}

func (s site) booking(t *testing.T) store.Booking {
	t.Helper()
	room, customer := s.room(t, "blue"), s.customer(t, "ada@example.com")
	b, err := s.db.Bookings.Insert(t.Context(), store.BookingInsert{RoomID: room.ID, CustomerID: customer.ID, During: tomorrow()})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func tomorrow() pawl.TimeRange {
	from := time.Now().Add(24 * time.Hour)
	return store.Between(from, from.Add(time.Hour))
}

func plusOne(t *testing.T, n pgtype.Numeric) pgtype.Numeric {
	t.Helper()
	v, err := n.Int64Value()
	if err != nil {
		t.Fatal(err)
	}
	var next pgtype.Numeric
	if err := next.ScanInt64(pgtype.Int8{Int64: v.Int64 + 1, Valid: true}); err != nil {
		t.Fatal(err)
	}
	return next
}
