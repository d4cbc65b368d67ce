package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pawldb/pawl/examples/seats/store"
	"github.com/pawldb/pawl/examples/seats/store/pawl"
	"github.com/pawldb/pawl/verify/explore"
)

// explored is two calls of generated methods that run in every order their
// statements can take: the real methods, with their retries and their mapping of
// errors, on a connection of the explorer's.
type explored struct {
	name    string
	fixture string
	calls   []call
	// allowed are the errors that a caller may get. Anything else, such as a plain
	// error of PostgreSQL, is a violation.
	allowed []error
	// exclusive says that at most one call may succeed.
	exclusive bool
	// neverWaits says that no schedule may have a wait.
	neverWaits bool
	// broken is a query for the number of broken promises. It is asked after each
	// COMMIT.
	broken string
	// end judges the end of a schedule: what the calls answered, and the one number
	// that endQuery returns.
	endQuery string
	end      func(answers []explore.End, state int64) error
	// gates are the tables whose statements are stopped inside, where a call is one
	// statement. Such a call is also tried inside a transaction of its caller's.
	gates    []string
	options  []pawl.Option
	without  []sabotage
	classify string // equal calls have one class
}

// call is what one client does.
type call struct {
	name string
	run  func(ctx context.Context, db *store.Store) (any, error)
}

// outcome of a whole exploration: what the test says of it.
func (e *explored) violations(r *explore.Result) int {
	n := r.Violating
	if e.neverWaits {
		n += r.Waiting
	}
	return n
}

// TestExploredRaces shows for each race that it holds in every schedule, and that
// the same exploration finds a schedule that breaks it once a guard is gone.
func TestExploredRaces(t *testing.T) {
	a := newArena(t)
	for _, e := range exploredRaces() {
		t.Run(e.name, func(t *testing.T) {
			for _, form := range e.forms() {
				r := a.explore(t, &e, form, nil)
				t.Logf("%-12s %3d schedules, %3d with a wait, %5s  %v", form, r.Schedules, r.Waiting, r.Duration.Round(time.Millisecond), r.Outcomes)
				if n := e.violations(r); n > 0 || !r.Complete {
					t.Errorf("%s: %d violations, complete: %v\n%s", form, n, r.Complete, showRuns(r))
				}
			}
			if len(e.without) == 0 {
				t.Error("nothing is ever removed: this race has no teeth")
			}
			for _, s := range e.without {
				t.Run("without "+s.name, func(t *testing.T) { a.mustBreak(t, &e, &s) })
			}
		})
	}
}

// mustBreak fails unless some form of a race breaks without a guard.
func (a *arena) mustBreak(t *testing.T, e *explored, s *sabotage) {
	if s.ddl != "" {
		a.exec(t, s.ddl)
		defer a.exec(t, emptied+s.mend)
	}
	saboteur := newSaboteur(t, nil, s.cuts)
	broken := *e
	broken.options = append(slices.Clone(e.options), s.options...)
	if s.calls != nil {
		broken.calls = s.calls
	}
	for _, form := range e.forms() {
		r := a.explore(t, &broken, form, saboteur)
		if n := e.violations(r); n > 0 {
			t.Logf("%s: found after %d schedules, in %s", form, r.Schedules, r.Duration.Round(time.Millisecond))
			return
		}
	}
	t.Error("no schedule breaks the promise: the exploration would not notice that it is gone")
}

// form is how a call runs.
type form string

const (
	alone    form = "alone"
	inside   form = "inside InTx"
	stopping form = "stopped"
)

func (e *explored) forms() []form {
	if len(e.gates) == 0 {
		return []form{alone}
	}
	return []form{stopping, inside}
}

// arena is a database with schema.sql and an explorer on it.
type arena struct {
	explorer *explore.Explorer
	pool     *pgxpool.Pool
}

func newArena(t *testing.T) *arena {
	t.Helper()
	pool := newPool(t, nil)
	x, err := explore.Open(t.Context(), pool.Config().ConnString(), explore.Options{Clients: 3})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return &arena{x, pool}
}

func (a *arena) exec(t *testing.T, script string) {
	t.Helper()
	if _, err := a.pool.Exec(context.WithoutCancel(t.Context()), script, pgx.QueryExecModeSimpleProtocol); err != nil {
		t.Fatalf("%s: %v", script, err)
	}
}

// explore runs a race in one form, through a saboteur when one is given, and
// then only up to the first violation.
func (a *arena) explore(t *testing.T, e *explored, f form, s *saboteur) *explore.Result {
	t.Helper()
	scenario := explore.Scenario{
		Name: e.name, Fixture: emptied + e.fixture, AfterCommit: e.afterCommit, Judge: e.judge, StopAtFirst: s != nil, Effect: effect,
	}
	if f == stopping {
		scenario.Gates = e.gates
	}
	for _, c := range e.calls {
		scenario.Clients = append(scenario.Clients, explore.Client{
			Name: c.name, Class: e.classify,
			Run: func(ctx context.Context, conn *explore.Conn) (any, error) {
				var db pawl.DB = conn
				if s != nil {
					db = s.on(conn)
				}
				opened := store.New(db, append(timeless(), e.options...)...)
				if f == inside {
					return store.InTx(ctx, opened, c.run)
				}
				return c.run(ctx, opened)
			},
		})
	}
	result, err := a.explorer.Explore(t.Context(), scenario)
	for try := 1; err == nil && result.Violating == 0 && len(result.NonDeterministic) > 0 && try < 3; try++ {
		// Who is the victim of a deadlock can depend on time. A search that met that
		// shows nothing, and is made again.
		result, err = a.explorer.Explore(t.Context(), scenario)
	}
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// effect knows the script that opens a transaction with its limits: it takes no
// snapshot and no lock, so it need not be tried before and after everything else.
func effect(sql string) explore.Effect {
	if strings.HasPrefix(sql, "begin ") {
		return explore.Local
	}
	return explore.Unknown
}

// timeless are options that keep clocks out of a schedule: a lock is waited for
// as long as it takes, and a retry comes at once.
func timeless() []pawl.Option {
	return []pawl.Option{
		pawl.WithLockTimeout(pawl.NoTimeout), pawl.WithStatementTimeout(pawl.NoTimeout), pawl.WithIdleTimeout(pawl.NoTimeout),
		pawl.WithRetry(pawl.Policy{Attempts: 10, Base: time.Nanosecond, Max: time.Nanosecond}),
	}
}

// once switches retries off.
func once() pawl.Option { return pawl.WithRetry(pawl.Policy{Attempts: 1}) }

func (e *explored) afterCommit(ctx context.Context, conn *pgx.Conn) ([]explore.Violation, error) {
	if e.broken == "" {
		return nil, nil
	}
	var n int64
	if err := conn.QueryRow(ctx, e.broken).Scan(&n); err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, nil
	}
	return []explore.Violation{{Rule: fmt.Sprintf("the promise is broken %d times", n)}}, nil
}

func (e *explored) judge(ctx context.Context, conn *pgx.Conn, run *explore.Run) ([]explore.Violation, error) {
	var found []explore.Violation
	violated := func(format string, args ...any) {
		found = append(found, explore.Violation{Rule: fmt.Sprintf(format, args...)})
	}
	succeeded := 0
	for i, end := range run.Ends {
		if end.Err == nil {
			succeeded++
		} else if !answersOneOf(end.Err, e.allowed) {
			violated("%s got an error that is not declared: %v", run.Clients[i], end.Err)
		}
	}
	if e.exclusive && succeeded > 1 {
		violated("%d calls succeeded", succeeded)
	}
	if e.end != nil {
		var state int64
		if e.endQuery != "" {
			if err := conn.QueryRow(ctx, e.endQuery).Scan(&state); err != nil {
				return nil, err
			}
		}
		if err := e.end(run.Ends, state); err != nil {
			violated("%v", err)
		}
	}
	return found, nil
}

// answersOneOf reports whether err is one of those allowed, and no plain error of
// PostgreSQL.
func answersOneOf(err error, allowed []error) bool {
	for _, want := range allowed {
		if code, ok := any(want).(retryError); ok {
			var exhausted *pawl.RetryError
			if errors.As(err, &exhausted) && answers(err, sqlState(code)) {
				return true
			}
		} else if errors.Is(err, want) {
			return true
		}
	}
	return false
}

// showRuns shows the first schedules that broke a rule or did not end.
func showRuns(r *explore.Result) string {
	var b strings.Builder
	for _, run := range append(append(r.Counterexamples, r.NonDeterministic...), r.Inconclusive...) {
		fmt.Fprintf(&b, "%s %s %s\n", run.ID, run.Stuck, run.Deviation)
		for _, step := range run.Steps {
			fmt.Fprintf(&b, "  %-10s %-9s %-8s %.160q %s %v %v\n", run.Clients[step.Client], step.Kind, step.State, step.SQL, step.Tag, step.Err, step.Violations)
		}
		for i, end := range run.Ends {
			fmt.Fprintf(&b, "  %-10s %v %v\n", run.Clients[i], end.Value, end.Err)
		}
		fmt.Fprintf(&b, "  %v\n", run.Violations)
	}
	return b.String()
}

// emptied begins every fixture. Ids that a schedule gives out are the same in
// each.
const emptied = `
	DELETE FROM app.bookings; DELETE FROM app.seats; DELETE FROM app.shifts; DELETE FROM app.teams;
	DELETE FROM app.rooms; DELETE FROM app.customers; DELETE FROM app.counters; DELETE FROM app.tasks;
	SELECT setval(pg_get_serial_sequence('app.' || t, 'id'), 1000, false)
		FROM unnest('{bookings,seats,shifts,teams,rooms,customers,tasks}'::text[]) AS t;
	`

const (
	aRoom     = "INSERT INTO app.rooms (id, name, price) OVERRIDING SYSTEM VALUE VALUES (1, 'blue', 10), (2, 'red', 10);"
	customers = "INSERT INTO app.customers (id, email) OVERRIDING SYSTEM VALUE VALUES (1, 'ada@example.com'), (2, 'grace@example.com');"
	aBooking  = aRoom + customers + `INSERT INTO app.bookings (id, room_id, customer_id, during) OVERRIDING SYSTEM VALUE
		VALUES (1, 1, 1, tstzrange(now(), now() + interval '1 day'));`
	aSeat    = customers + "INSERT INTO app.seats (id, label) OVERRIDING SYSTEM VALUE VALUES (1, '7C');"
	twoTasks = `INSERT INTO app.tasks (id, kind, body) OVERRIDING SYSTEM VALUE VALUES (1, 'mail', '{}'), (2, 'mail', '{}');`
	aTask    = `INSERT INTO app.tasks (id, kind, body) OVERRIDING SYSTEM VALUE VALUES (1, 'mail', '{}');`
	// aClaim is a task that a worker holds with fence 1, for an hour or since an hour
	// ago.
	aClaim = `INSERT INTO app.tasks (id, kind, body, state, attempt, fence, lease_until) OVERRIDING SYSTEM VALUE
		VALUES (1, 'mail', '{}', 'running', 1, 1, now() + interval '1 hour');`
	aLostClaim = aClaim + "UPDATE app.tasks SET lease_until = now() - interval '1 hour';"
)

// heldClaim is what the worker of aClaim has in hand.
var heldClaim = store.TaskClaim{Claim: pawl.Claim{ID: 1, Fence: 1, Attempt: 1}}

// twice is one call by two clients.
func twice(run func(ctx context.Context, db *store.Store) (any, error)) []call {
	return []call{{"first", run}, {"second", run}}
}

// exploredRaces are the races of examples/seats.
func exploredRaces() []explored {
	from := time.Date(2040, 1, 1, 12, 0, 0, 0, time.UTC)
	book := func(room, customer int64, hours int) func(context.Context, *store.Store) (any, error) {
		return func(ctx context.Context, db *store.Store) (any, error) {
			begins := from.Add(time.Duration(hours) * time.Hour)
			_, err := db.Bookings.Insert(ctx, store.BookingInsert{RoomID: room, CustomerID: customer, During: store.Between(begins, begins.Add(2*time.Hour))})
			return nil, err
		}
	}
	return []explored{
		{
			name: "two bookings that overlap", fixture: aRoom + customers, gates: []string{"app.bookings"},
			calls:   []call{{"ada", book(1, 1, 0)}, {"grace", book(1, 2, 1)}},
			allowed: []error{store.ErrBookingsOnePerRoom}, exclusive: true,
			broken: `SELECT count(*) FROM app.bookings a JOIN app.bookings b ON a.id < b.id AND a.room_id = b.room_id AND a.during && b.during
				WHERE a.status <> 'cancelled' AND b.status <> 'cancelled'`,
			endQuery: "SELECT count(*) FROM app.bookings", end: oneEach,
			without: []sabotage{{name: "the exclusion constraint", ddl: "ALTER TABLE app.bookings DROP CONSTRAINT bookings_one_per_room", mend: `ALTER TABLE app.bookings
				ADD CONSTRAINT bookings_one_per_room EXCLUDE USING gist (room_id WITH =, during WITH &&) WHERE (status <> 'cancelled')`}},
		},
		{
			name: "a booking, and the delete of its customer", fixture: aRoom + customers, gates: []string{"app.bookings", "app.customers"},
			calls: []call{{"book", book(1, 1, 0)}, {"delete", func(ctx context.Context, db *store.Store) (any, error) {
				return nil, db.Customers.Delete(ctx, 1)
			}}},
			allowed: []error{store.ErrBookingsCustomer}, exclusive: true,
			broken: "SELECT count(*) FROM app.bookings b WHERE NOT EXISTS (SELECT FROM app.customers c WHERE c.id = b.customer_id)",
			without: []sabotage{{name: "the foreign key", ddl: "ALTER TABLE app.bookings DROP CONSTRAINT bookings_customer", mend: `ALTER TABLE app.bookings
				ADD CONSTRAINT bookings_customer FOREIGN KEY (customer_id) REFERENCES app.customers (id) ON DELETE RESTRICT`}},
		},
		{
			name: "two rooms of one name", gates: []string{"app.rooms"}, classify: "insert",
			calls: twice(func(ctx context.Context, db *store.Store) (any, error) {
				_, err := db.Rooms.Insert(ctx, store.RoomInsert{Name: "blue"})
				return nil, err
			}),
			allowed: []error{store.ErrRoomsName}, exclusive: true,
			broken:   "SELECT count(*) FROM (SELECT FROM app.rooms GROUP BY name HAVING count(*) > 1) r",
			endQuery: "SELECT count(*) FROM app.rooms", end: oneEach,
			without: []sabotage{{name: "the unique constraint", ddl: "ALTER TABLE app.rooms DROP CONSTRAINT rooms_name", mend: "ALTER TABLE app.rooms ADD CONSTRAINT rooms_name UNIQUE (name)"}},
		},
		{
			name: "two live accounts of one address", gates: []string{"app.customers"},
			fixture: "INSERT INTO app.customers (id, email, deleted_at) OVERRIDING SYSTEM VALUE VALUES (1, 'ada@example.com', now());",
			calls: []call{{"small", func(ctx context.Context, db *store.Store) (any, error) {
				_, err := db.Customers.Insert(ctx, store.CustomerInsert{Email: "ada@example.com"})
				return nil, err
			}}, {"CAPITALS", func(ctx context.Context, db *store.Store) (any, error) {
				_, err := db.Customers.Insert(ctx, store.CustomerInsert{Email: "ADA@example.com"})
				return nil, err
			}}},
			allowed: []error{store.ErrCustomersOneLiveAccount}, exclusive: true,
			broken:   "SELECT count(*) FROM (SELECT FROM app.customers WHERE deleted_at IS NULL GROUP BY lower(email) HAVING count(*) > 1) c",
			endQuery: "SELECT count(*) FROM app.customers WHERE deleted_at IS NULL", end: oneEach,
			without: []sabotage{{name: "the unique index", ddl: "DROP INDEX app.customers_one_live_account",
				mend: "CREATE UNIQUE INDEX customers_one_live_account ON app.customers (lower(email)) WHERE deleted_at IS NULL"}},
		},
		{
			name: "one seat, booked by two", fixture: aSeat, gates: []string{"app.seats"},
			calls: []call{{"ada", bookSeat(1)}, {"grace", bookSeat(2)}}, allowed: []error{pawl.ErrState}, exclusive: true,
			endQuery: "SELECT customer_id FROM app.seats",
			end: func(answers []explore.End, customer int64) error {
				if answers[customer-1].Err != nil {
					return fmt.Errorf("the seat belongs to %d, who was told: %v", customer, answers[customer-1].Err)
				}
				return oneEach(answers, 1)
			},
			without: []sabotage{{name: "the state in the WHERE", cuts: []cut{
				{in: "table.seats.transitions.status.book", old: "AND status = 'free'", new: ""},
			}}},
		},
		{
			name: "a booked seat, released and booked", gates: []string{"app.seats"},
			fixture: aSeat + "UPDATE app.seats SET status = 'booked', customer_id = 1;",
			calls: []call{{"release", func(ctx context.Context, db *store.Store) (any, error) {
				_, err := db.Seats.Release(ctx, 1)
				return nil, err
			}}, {"book", bookSeat(2)}},
			allowed:  []error{pawl.ErrState},
			endQuery: "SELECT coalesce(customer_id, 0) FROM app.seats",
			end: func(answers []explore.End, customer int64) error {
				booked, free := answers[1].Err == nil && customer == 2, answers[1].Err != nil && customer == 0
				if answers[0].Err != nil || !booked && !free {
					return fmt.Errorf("release: %v, book: %v, and the seat belongs to %d", answers[0].Err, answers[1].Err, customer)
				}
				return nil
			},
			without: []sabotage{{name: "the state in the WHERE", cuts: []cut{
				{in: "table.seats.transitions.status.book", old: "AND status = 'free'", new: ""},
			}}},
		},
		{
			name: "a booking, confirmed and cancelled", fixture: aBooking, gates: []string{"app.bookings"},
			calls: []call{{"confirm", func(ctx context.Context, db *store.Store) (any, error) {
				_, err := db.Bookings.Confirm(ctx, 1)
				return nil, err
			}}, {"cancel", func(ctx context.Context, db *store.Store) (any, error) {
				_, err := db.Bookings.Cancel(ctx, 1)
				return nil, err
			}}},
			allowed:  []error{pawl.ErrState},
			endQuery: "SELECT count(*) FROM app.bookings WHERE status = 'cancelled'",
			end: func(answers []explore.End, cancelled int64) error {
				if answers[1].Err != nil || cancelled != 1 {
					return fmt.Errorf("cancel: %v, and %d bookings are cancelled", answers[1].Err, cancelled)
				}
				return nil
			},
			without: []sabotage{{
				name: "the state in the WHERE and the trigger",
				ddl:  "ALTER TABLE app.bookings DISABLE TRIGGER bookings_status_update",
				mend: "ALTER TABLE app.bookings ENABLE TRIGGER bookings_status_update",
				cuts: []cut{{in: "table.bookings.transitions.status.confirm", old: "AND status = 'held'", new: ""}},
			}},
		},
		{
			name: "the last ticket, sent twice", gates: []string{"app.counters"}, classify: "send",
			fixture: "INSERT INTO app.counters (name, remaining) VALUES ('tickets', 1);",
			calls: twice(func(ctx context.Context, db *store.Store) (any, error) {
				_, err := db.Counters.Send(ctx, "tickets", 1)
				return nil, err
			}),
			allowed: []error{pawl.ErrGuard}, exclusive: true,
			broken:   "SELECT count(*) FROM app.counters WHERE remaining < 0 OR sent + remaining <> 1",
			endQuery: "SELECT sent FROM app.counters", end: oneEach,
			without: []sabotage{
				{name: "the derived guard and the check", ddl: dropCheck, mend: addCheck, cuts: []cut{sendGuard("")}},
				{name: "its own row in the guard", ddl: dropCheck, mend: addCheck, cuts: []cut{
					sendGuard("AND (SELECT c.remaining FROM app.counters AS c WHERE c.name = $1::text) - $2::bigint >= 0"),
				}},
			},
		},
		{
			name: "a room, repriced by two", fixture: aRoom,
			calls:    []call{{"by one", reprice(1)}, {"by two", reprice(2)}},
			endQuery: "SELECT price::bigint FROM app.rooms WHERE id = 1",
			end: func(_ []explore.End, price int64) error {
				if price != 13 {
					return fmt.Errorf("the price is %d: an update is lost", price)
				}
				return nil
			},
			without: []sabotage{{name: "the row lock", cuts: []cut{{in: "table.rooms.edit.reprice", old: "FOR NO KEY UPDATE", new: ""}}}},
		},
		{
			name: "one task, claimed by two", fixture: aTask, gates: []string{"app.tasks"}, calls: twice(claimOne), classify: "claim",
			neverWaits: true, end: claimedInAll(1), without: claimSabotage,
		},
		{
			name: "two tasks, claimed by two", fixture: twoTasks, gates: []string{"app.tasks"}, calls: twice(claimOne), classify: "claim",
			neverWaits: true, end: claimedInAll(2), without: claimSabotage[1:],
		},
		{
			name: "a task whose lease is over, claimed and completed", fixture: aLostClaim, gates: []string{"app.tasks"},
			calls: []call{{"claim", claimOne}, {"ghost", func(ctx context.Context, db *store.Store) (any, error) {
				return nil, db.Tasks.Complete(ctx, heldClaim)
			}}},
			allowed:  []error{pawl.ErrClaimLost},
			endQuery: "SELECT count(*) FROM app.tasks",
			end: func(answers []explore.End, left int64) error {
				if claimed := len(claimedBy(answers[0])); claimed != int(left) || (answers[1].Err == nil) == (claimed == 1) {
					return fmt.Errorf("%d claimed, the ghost was told %v, and %d tasks are left", claimed, answers[1].Err, left)
				}
				return nil
			},
			without: []sabotage{{name: "the fence", cuts: []cut{{in: "queue.tasks.complete", old: fenceCut, new: ""}}}},
		},
		{
			name: "a claim, completed and failed", fixture: aClaim, gates: []string{"app.tasks"},
			calls: []call{{"complete", func(ctx context.Context, db *store.Store) (any, error) {
				return nil, db.Tasks.Complete(ctx, heldClaim)
			}}, {"fail", func(ctx context.Context, db *store.Store) (any, error) {
				return nil, db.Tasks.Fail(ctx, heldClaim, errors.New("no luck"))
			}}},
			allowed: []error{pawl.ErrClaimLost}, exclusive: true,
			endQuery: "SELECT 1 - count(*) + count(*) FILTER (WHERE state = 'scheduled') FROM app.tasks", end: oneEach,
			without: []sabotage{{name: "the state in the WHERE", cuts: []cut{{in: "queue.tasks.complete", old: "WHERE t.state = 'running'", new: "WHERE true"}}}},
		},
		{
			name: "the outbox relay, run by two", calls: twice(relay()), classify: "run",
			without: []sabotage{{name: "the advisory lock", cuts: []cut{{in: "singleton.outbox_relay.run", old: "pg_advisory_xact_lock(4201, 1)", new: "1"}}}},
		},
		{
			name: "two doctors leave", fixture: night, calls: []call{{"ada", leave(1)}, {"grace", leave(2)}},
			allowed: []error{errStays}, exclusive: true, broken: nobodyOnCall,
			without: []sabotage{{name: "serializable", cuts: []cut{{in: begin, old: "serializable", new: "read committed"}}}},
		},
		{
			name: "two doctors leave, without a retry", fixture: night, calls: []call{{"ada", leave(1)}, {"grace", leave(2)}}, options: []pawl.Option{once()},
			allowed: []error{errStays, retryError("40001")}, exclusive: true, broken: nobodyOnCall,
			without: []sabotage{{name: "serializable", cuts: []cut{{in: begin, old: "serializable", new: "repeatable read"}}}},
		},
		{
			// The third holds the row that the two meet at: they are then inside their
			// statements, with a lock or without one.
			name: "two rooms, locked from both ends", fixture: aRoom, options: []pawl.Option{once()},
			calls: []call{{"1 and 2", lockMany(1, 2)}, {"2 and 1", lockMany(2, 1)}, {"2", lockMany(2)}},
			without: []sabotage{
				{name: "the order of the locks", cuts: []cut{
					{in: "table.rooms.get_many_for_update", old: "ORDER BY id", new: "ORDER BY array_position($1::bigint[], id)"},
				}},
				{name: "one statement for both", calls: []call{{"1, then 2", lockEach(1, 2)}, {"2, then 1", lockEach(2, 1)}}},
			},
		},
		{
			name: "two rooms, locked one by one from both ends", fixture: aRoom,
			calls:   []call{{"1, then 2", lockEach(1, 2)}, {"2, then 1", lockEach(2, 1)}},
			without: []sabotage{{name: "the retry", options: []pawl.Option{once()}}},
		},
	}
}

const (
	dropCheck = "ALTER TABLE app.counters DROP CONSTRAINT counters_remaining_not_negative"
	addCheck  = "ALTER TABLE app.counters ADD CONSTRAINT counters_remaining_not_negative CHECK (remaining >= 0)"
)

// oneEach holds when exactly one call succeeded, and with one effect.
func oneEach(answers []explore.End, effects int64) error {
	succeeded := 0
	for _, a := range answers {
		if a.Err == nil {
			succeeded++
		}
	}
	if succeeded != 1 || effects != 1 {
		return fmt.Errorf("%d calls succeeded, with %d effects", succeeded, effects)
	}
	return nil
}

func bookSeat(customer int64) func(context.Context, *store.Store) (any, error) {
	return func(ctx context.Context, db *store.Store) (any, error) {
		_, err := db.Seats.Book(ctx, 1, customer)
		return nil, err
	}
}

func sendGuard(instead string) cut {
	return cut{in: "table.counters.adjust.send", old: "AND ((remaining - $2::bigint) >= 0) IS NOT FALSE", new: instead}
}

func reprice(by int64) func(context.Context, *store.Store) (any, error) {
	return func(ctx context.Context, db *store.Store) (any, error) {
		_, err := db.Rooms.Reprice(ctx, 1, func(_ context.Context, r *store.Room) error {
			return addTo(r, by)
		})
		return nil, err
	}
}

func addTo(r *store.Room, by int64) error {
	v, err := r.Price.Int64Value()
	if err != nil {
		return err
	}
	return r.Price.Scan(fmt.Sprint(v.Int64 + by))
}

// claimOne returns the ids of the tasks that it got.
func claimOne(ctx context.Context, db *store.Store) (any, error) {
	claims, err := db.Tasks.Claim(ctx, 1)
	ids := []int64{}
	for _, c := range claims {
		ids = append(ids, c.ID)
	}
	return ids, err
}

func claimedBy(end explore.End) []int64 {
	ids, _ := end.Value.([]int64)
	return ids
}

// claimedInAll holds when the workers together hold n tasks, and none of them
// twice.
func claimedInAll(n int) func([]explore.End, int64) error {
	return func(answers []explore.End, _ int64) error {
		got := append(append([]int64{}, claimedBy(answers[0])...), claimedBy(answers[1])...)
		seen := map[int64]bool{}
		for _, id := range got {
			seen[id] = true
		}
		if len(got) != n || len(seen) != n {
			return fmt.Errorf("the workers got %v and %v", answers[0].Value, answers[1].Value)
		}
		return nil
	}
}

var claimSabotage = []sabotage{
	{name: "the row lock", cuts: []cut{{in: "queue.tasks.claim", old: "FOR UPDATE SKIP LOCKED", new: ""}}},
	{name: "skipping", cuts: []cut{{in: "queue.tasks.claim", old: "SKIP LOCKED", new: ""}}},
}

// relay runs the singleton, and fails when somebody else is inside.
func relay() func(context.Context, *store.Store) (any, error) {
	var holders atomic.Int32
	return func(ctx context.Context, db *store.Store) (any, error) {
		return nil, db.OutboxRelay.Run(ctx, func(ctx context.Context, tx *store.Store) error {
			defer holders.Add(-1)
			if holders.Add(1) > 1 {
				return errors.New("two hold the singleton")
			}
			_, err := tx.DB().Exec(ctx, "SELECT 1")
			return err
		})
	}
}

const (
	night = `INSERT INTO app.teams (id, name) OVERRIDING SYSTEM VALUE VALUES (1, 'night');
		INSERT INTO app.shifts (id, team_id, doctor, on_call) OVERRIDING SYSTEM VALUE VALUES (1, 1, 'Ada', true), (2, 1, 'Grace', true);`
	nobodyOnCall = "SELECT count(*) FROM app.teams t WHERE NOT EXISTS (SELECT FROM app.shifts s WHERE s.team_id = t.id AND s.on_call)"
)

var errStays = errors.New("somebody has to stay")

// leave takes a doctor off call when another is there.
func leave(shift int64) func(context.Context, *store.Store) (any, error) {
	return func(ctx context.Context, db *store.Store) (any, error) {
		return store.InTx(ctx, db, func(ctx context.Context, tx *store.Store) (any, error) {
			var onCall int
			if err := tx.DB().QueryRow(ctx, "SELECT count(*) FROM app.shifts WHERE team_id = 1 AND on_call").Scan(&onCall); err != nil {
				return nil, err
			}
			if onCall < 2 {
				return nil, errStays
			}
			_, err := tx.DB().Exec(ctx, "UPDATE app.shifts SET on_call = false WHERE id = $1", shift)
			return nil, err
		}, pawl.Isolation(pgx.Serializable))
	}
}

// retryError is the answer of a call whose attempts are used up, by the SQLSTATE
// that the last one ended with.
type retryError string

func (r retryError) Error() string { return "out of attempts: " + string(r) }

func lockMany(ids ...int64) func(context.Context, *store.Store) (any, error) {
	return func(ctx context.Context, db *store.Store) (any, error) {
		return store.InTx(ctx, db, func(ctx context.Context, tx *store.Store) (any, error) {
			rooms, err := tx.Rooms.GetManyForUpdate(ctx, ids...)
			return len(rooms), err
		})
	}
}

// lockEach locks rooms in its own order, one by one: a deadlock, which InTx runs
// again.
func lockEach(ids ...int64) func(context.Context, *store.Store) (any, error) {
	return func(ctx context.Context, db *store.Store) (any, error) {
		return store.InTx(ctx, db, func(ctx context.Context, tx *store.Store) (any, error) {
			for _, id := range ids {
				if _, err := tx.Rooms.GetForUpdate(ctx, id); err != nil {
					return nil, err
				}
			}
			return len(ids), nil
		})
	}
}
