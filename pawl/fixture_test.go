package pawl_test

import (
	"context"
	"crypto/rand"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pawldb/pawl/internal/devdb"
	"github.com/pawldb/pawl/internal/devdb/pgtest"
	"github.com/pawldb/pawl/internal/faultproxy"
	"github.com/pawldb/pawl/pawl"
)

// The schema and the operations of these tests are written by hand in the form
// that the compiler gives them.
const schemaSQL = `
CREATE EXTENSION btree_gist;
CREATE SCHEMA app;
CREATE TYPE app.booking_status AS ENUM ('held', 'confirmed', 'cancelled');

CREATE TABLE app.rooms (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL UNIQUE
);
CREATE TABLE app.bookings (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  room_id bigint NOT NULL,
  during tstzrange NOT NULL,
  status app.booking_status NOT NULL DEFAULT 'held',
  CONSTRAINT bookings_room_fkey FOREIGN KEY (room_id) REFERENCES app.rooms (id),
  CONSTRAINT bookings_one_per_room EXCLUDE USING gist (room_id WITH =, during WITH &&) WHERE (status <> 'cancelled')
);
CREATE TABLE app.items (
  id bigint PRIMARY KEY,
  stock integer NOT NULL,
  price numeric(12, 2) NOT NULL DEFAULT 0,
  note text,
  tags text[] NOT NULL DEFAULT '{}',
  CONSTRAINT items_stock_not_negative CHECK (stock >= 0)
);
CREATE TABLE app.shifts (
  id bigint PRIMARY KEY,
  team_id bigint NOT NULL,
  on_call boolean NOT NULL
);
CREATE TABLE app.pawl_leader (
  name text PRIMARY KEY,
  term bigint NOT NULL DEFAULT 0,
  lease_until timestamptz NOT NULL DEFAULT '-infinity',
  holder text,
  since timestamptz
);
CREATE TABLE app.reports (
  seq bigint GENERATED ALWAYS AS IDENTITY,
  term bigint NOT NULL
);
CREATE TABLE app.deferred (
  n integer NOT NULL,
  CONSTRAINT deferred_n_key UNIQUE (n) DEFERRABLE INITIALLY DEFERRED
);

CREATE SEQUENCE app.attempts;
-- Raises code for the first n calls since the sequence was reset; the count
-- outlives the rollback of each.
CREATE FUNCTION app.flaky(code text, n bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE attempt bigint := nextval('app.attempts');
BEGIN
  IF attempt <= n THEN
    RAISE EXCEPTION 'attempt % fails', attempt USING ERRCODE = code;
  END IF;
  RETURN attempt;
END $$;
CREATE TABLE app.flaky_commits (code text NOT NULL, n bigint NOT NULL);
CREATE FUNCTION app.flaky_at_commit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN PERFORM app.flaky(NEW.code, NEW.n); RETURN NULL; END $$;
CREATE CONSTRAINT TRIGGER flaky AFTER INSERT ON app.flaky_commits
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION app.flaky_at_commit();
`

// The constraints of the schema.
var (
	errBookingsRoom       = &pawl.ConstraintError{Schema: "app", Table: "bookings", Constraint: "bookings_room_fkey", Columns: []string{"room_id"}, Code: "23503", Kind: pawl.KindReference, Address: "table.bookings.foreign_key.room"}
	errBookingsOnePerRoom = &pawl.ConstraintError{Schema: "app", Table: "bookings", Constraint: "bookings_one_per_room", Columns: []string{"room_id", "during"}, Code: "23P01", Kind: pawl.KindOverlap, Address: "table.bookings.no_overlap.one_per_room"}
	errBookingsMissing    = &pawl.ConstraintError{Schema: "app", Table: "bookings", Columns: []string{"during"}, Code: "23502", Kind: pawl.KindMissing, Address: "table.bookings.column.during"}
	errItemsStock         = &pawl.ConstraintError{Schema: "app", Table: "items", Constraint: "items_stock_not_negative", Columns: []string{"stock"}, Code: "23514", Kind: pawl.KindCheck, Address: "table.items.check.stock_not_negative"}
	errItemsPkey          = &pawl.ConstraintError{Schema: "app", Table: "items", Constraint: "items_pkey", Columns: []string{"id"}, Code: "23505", Kind: pawl.KindDuplicate, Address: "table.items.primary_key"}
	errDeferredN          = &pawl.ConstraintError{Schema: "app", Table: "deferred", Constraint: "deferred_n_key", Columns: []string{"n"}, Code: "23505", Kind: pawl.KindDuplicate, Address: "table.deferred.no_duplicates.n"}

	constraints = pawl.Constraints{errBookingsRoom, errBookingsOnePerRoom, errBookingsMissing, errItemsStock, errItemsPkey, errDeferredN}
)

// defaults is the `transaction "default"` block.
var defaults = pawl.Transaction{
	LockTimeout: time.Second,
	Retry:       pawl.Policy{Attempts: 5, Base: time.Millisecond, Max: 20 * time.Millisecond, Budget: 10 * time.Second},
}

type bookingStatus string

type booking struct {
	ID     int64
	RoomID int64
	During pawl.TimeRange
	Status bookingStatus
}

func (b *booking) dest() []any { return []any{&b.ID, &b.RoomID, &b.During, &b.Status} }

type item struct {
	ID    int64
	Stock int32
	Price pgtype.Numeric
	Note  *string
	Tags  []string
}

func (i *item) dest() []any { return []any{&i.ID, &i.Stock, &i.Price, &i.Note, &i.Tags} }

const itemColumns = "id, stock, price, note, tags"

var (
	insertBooking = pawl.Operation{
		Name: "table.bookings.insert", Table: "app.bookings",
		SQL: `/* table.bookings.insert */ INSERT INTO app.bookings (room_id, during) VALUES ($1::bigint, $2::tstzrange) RETURNING id, room_id, during, status`,
	}
	confirmBooking = pawl.Operation{
		Name: "table.bookings.transitions.status.confirm", Table: "app.bookings", Wanted: "confirmed", Guard: "upper(during) > now()",
		SQL: `/* table.bookings.transitions.status.confirm */ UPDATE app.bookings SET status = 'confirmed'
WHERE id = $1::bigint AND status = 'held' AND upper(during) > now() RETURNING id, room_id, during, status`,
		ExplainSQL: `/* table.bookings.transitions.status.confirm */ SELECT id, room_id, during, status,
CASE WHEN status = 'confirmed' THEN 'repeat' WHEN status <> 'held' THEN 'state' WHEN NOT upper(during) > now() THEN 'guard' ELSE 'again' END,
CASE WHEN status <> 'held' THEN status::text ELSE 'guard' END
FROM app.bookings WHERE id = $1::bigint`,
	}
	insertItem = pawl.Operation{
		Name: "table.items.insert", Table: "app.items",
		SQL: `/* table.items.insert */ INSERT INTO app.items (id, stock) VALUES ($1::bigint, $2::integer) RETURNING ` + itemColumns,
	}
	getItem = pawl.Operation{
		Name: "table.items.get", Table: "app.items", ReadOnly: true,
		SQL: `/* table.items.get */ SELECT ` + itemColumns + ` FROM app.items WHERE id = $1::bigint`,
	}
	listItems = pawl.Operation{
		Name: "table.items.list", Table: "app.items", ReadOnly: true,
		SQL: `/* table.items.list */ SELECT ` + itemColumns + ` FROM app.items WHERE id > $1::bigint ORDER BY id LIMIT $2::bigint`,
	}
	lockItem = pawl.Operation{
		Name: "table.items.get_for_update", Table: "app.items", NeedsTransaction: true,
		SQL: `/* table.items.get_for_update */ SELECT ` + itemColumns + ` FROM app.items WHERE id = $1::bigint FOR NO KEY UPDATE`,
	}
	deleteItem = pawl.Operation{
		Name: "table.items.delete", Table: "app.items",
		SQL: `/* table.items.delete */ DELETE FROM app.items WHERE id = $1::bigint`,
	}
	takeItem = pawl.Operation{
		Name: "table.items.adjust.take", Table: "app.items",
		SQL: `/* table.items.adjust.take */ UPDATE app.items SET stock = stock - $2::integer
WHERE id = $1::bigint AND $2::integer > 0 AND ((stock - $2::integer) >= 0) IS NOT FALSE RETURNING ` + itemColumns,
		ExplainSQL: `/* table.items.adjust.take */ SELECT ` + itemColumns + `,
CASE WHEN NOT $2::integer > 0 THEN 'input' WHEN NOT (stock - $2::integer) >= 0 THEN 'guard' ELSE 'again' END,
CASE WHEN NOT $2::integer > 0 THEN 'qty' ELSE 'items_stock_not_negative' END
FROM app.items WHERE id = $1::bigint`,
	}
	repriceItem = pawl.EditOperation{
		Operation: pawl.Operation{
			Name: "table.items.edit.reprice", Table: "app.items",
			SQL: `/* table.items.edit.reprice */ UPDATE app.items SET price = $2::numeric, note = $3::text, tags = $4::text[] WHERE id = $1::bigint RETURNING ` + itemColumns,
		},
		LockSQL:  `/* table.items.edit.reprice */ SELECT ` + itemColumns + ` FROM app.items WHERE id = $1::bigint FOR NO KEY UPDATE`,
		Columns:  []string{"id", "stock", "price", "note", "tags"},
		Editable: []int{2, 3, 4},
	}
	copyItems = pawl.CopyTarget{
		Operation: pawl.Operation{
			Name: "table.items.insert_many", Table: "app.items", SQL: `/* table.items.insert_many */ COPY app.items (id, stock) FROM STDIN`,
		},
		Into:    pgx.Identifier{"app", "items"},
		Columns: []string{"id", "stock"},
	}
	flaky = pawl.Operation{Name: "flaky", SQL: `SELECT app.flaky($1::text, $2::bigint)`}
)

// modes are pgx's ways to run a statement.
var modes = []pgx.QueryExecMode{
	pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec,
	pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol,
}

// template is the database that the tests' databases are copies of.
var template = sync.OnceValue(func() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, templateServer.URL(templateName))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, schemaSQL+queueSchemaSQL)
	return err
})

const templateName = "pawl_runtime"

var (
	templateServer *devdb.Server
	templateMutex  sync.Mutex
)

// database makes a database with the schema and returns its URL.
func database(t testing.TB) string {
	t.Helper()
	templateMutex.Lock()
	defer templateMutex.Unlock()
	if templateServer == nil {
		server := pgtest.Server(t)
		must(t, server.CreateDatabase(t.Context(), templateName))
		templateServer = server
	}
	must(t, template())
	name := "test_" + strings.ToLower(rand.Text())
	must(t, templateServer.CloneDatabase(t.Context(), name, templateName))
	t.Cleanup(func() {
		if err := templateServer.DropDatabase(context.Background(), name); err != nil {
			t.Error(err)
		}
	})
	return templateServer.URL(name)
}

// connect opens a pool to url that is closed at the end of the test.
func connect(t testing.TB, url string, change ...func(*pgxpool.Config)) *pgxpool.Pool {
	t.Helper()
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range change {
		c(config)
	}
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

func inMode(mode pgx.QueryExecMode) func(*pgxpool.Config) {
	return func(c *pgxpool.Config) { c.ConnConfig.DefaultQueryExecMode = mode }
}

func size(n int32) func(*pgxpool.Config) { return func(c *pgxpool.Config) { c.MaxConns = n } }

// setting sets a parameter for every connection, as ALTER ROLE … SET would.
func setting(name, value string) func(*pgxpool.Config) {
	return func(c *pgxpool.Config) { c.ConnConfig.RuntimeParams[name] = value }
}

func session(db pawl.DB, options ...pawl.Option) *pawl.Session {
	return pawl.NewSession(db, defaults, constraints, options...)
}

// open makes a database and a session on a pool of it.
func open(t testing.TB, options ...pawl.Option) (*pgxpool.Pool, *pawl.Session) {
	t.Helper()
	pool := connect(t, database(t))
	return pool, session(pool, options...)
}

// proxied makes a database and a pool that reaches it through a proxy, and
// returns a direct pool too.
func proxied(t testing.TB, change ...func(*pgxpool.Config)) (proxy *faultproxy.Proxy, through, direct *pgxpool.Pool) {
	t.Helper()
	url := database(t)
	config, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	network, address := pgconn.NetworkAddress(config.Host, config.Port)
	proxy, err = faultproxy.Start(func() (net.Conn, error) { return net.Dial(network, address) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = proxy.Close() })
	return proxy, connect(t, proxy.URL(config.User, config.Database), change...), connect(t, url)
}

// exec runs statements that a test needs done.
func exec(t testing.TB, db pawl.DB, statements ...string) {
	t.Helper()
	for _, sql := range statements {
		if _, err := db.Exec(context.Background(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
}

// number returns the answer to a query for one number.
func number(t testing.TB, db pawl.DB, sql string, args ...any) int64 {
	t.Helper()
	var n int64
	if err := db.QueryRow(context.Background(), sql, args...).Scan(&n); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return n
}

// want fails the test unless got is want.
func want[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// must fails the test if err is not nil.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// soon is a range that starts some hours from now.
func soon(from, to int) pawl.TimeRange {
	start := time.Now().Truncate(time.Hour)
	return pawl.Between(start.Add(time.Duration(from)*time.Hour), start.Add(time.Duration(to)*time.Hour))
}

// eventually waits for a condition that another goroutine or process brings about.
func eventually(t testing.TB, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !condition(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s did not happen within 10 s", what)
		}
	}
}

// meeting has goroutines wait for each other inside a section of code: where
// nothing keeps them apart they meet, and where a lock does, each goes on alone
// after a while.
type meeting struct {
	mu      sync.Mutex
	here    int
	changed chan struct{}
}

// wait returns when n have come, or nobody else did for 600 ms.
func (m *meeting) wait(n int) {
	m.mu.Lock()
	if m.changed == nil {
		m.changed = make(chan struct{})
	}
	m.here++
	if m.here == n {
		close(m.changed)
	}
	changed := m.changed
	m.mu.Unlock()
	select {
	case <-changed:
	case <-time.After(600 * time.Millisecond):
	}
}

func itoa(n int) string { return strconv.Itoa(n) }
