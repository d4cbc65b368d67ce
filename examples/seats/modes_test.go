package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pawldb/pawl/compiler"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/examples/seats/store"
	"github.com/pawldb/pawl/examples/seats/store/pawl"
)

// rounds is how often each method is called on one connection: PostgreSQL turns
// to a generic plan at the sixth execution, and what does not work with one
// fails there.
const rounds = 7

// renewal is the statement of a leader whose turn does not come here.
const renewal = "singleton.scheduler.renew"

// TestEveryStatementInEveryMode calls every generated method in each of pgx's
// execution modes, those of poolers included, and once with generic plans from
// the start. What was sent is compared with the compiled program, so that a new
// statement without a call here fails.
//
// A term is renewed when a third of its lease is over, which takes longer than all
// these calls: TestLeaderRenewsInEveryMode of package pawl waits for shorter leases.
func TestEveryStatementInEveryMode(t *testing.T) {
	modes := []struct {
		mode    pgx.QueryExecMode
		generic bool
	}{
		{mode: pgx.QueryExecModeCacheStatement},
		{mode: pgx.QueryExecModeCacheStatement, generic: true},
		{mode: pgx.QueryExecModeCacheDescribe},
		{mode: pgx.QueryExecModeDescribeExec},
		{mode: pgx.QueryExecModeExec},
		{mode: pgx.QueryExecModeSimpleProtocol},
	}
	for _, m := range modes {
		t.Run(fmt.Sprintf("%v generic=%v", m.mode, m.generic), func(t *testing.T) {
			var sent addresses
			pool := newPool(t, func(c *pgxpool.Config) {
				c.MaxConns = 1 // all rounds on one connection, or no plan grows old
				c.ConnConfig.DefaultQueryExecMode = m.mode
				c.ConnConfig.Tracer = &sent
				if m.generic {
					c.ConnConfig.RuntimeParams["plan_cache_mode"] = "force_generic_plan"
				}
			})
			db := store.New(pool)
			for i := range rounds {
				callEverything(t, db, i)
			}
			for _, want := range compiledAddresses(t) {
				if want == renewal {
					continue
				}
				if n := sent.count(want); n < rounds {
					t.Errorf("%s was sent %d times, want at least %d", want, n, rounds)
				}
			}
		})
	}
}

// callEverything calls each method of the generated code once, with what it
// needs to succeed.
func callEverything(t *testing.T, db *store.Store, round int) {
	ctx := t.Context()
	unique := func(name string) string { return fmt.Sprintf("%s %d", name, round) }

	customer := must(db.Customers.Insert(ctx, store.CustomerInsert{Email: unique("Ada@example.com")}))(t)
	must(db.Customers.Get(ctx, customer.ID))(t)
	must(db.Customers.GetByOneLiveAccount(ctx, strings.ToUpper(customer.Email)))(t)
	room := must(db.Rooms.Insert(ctx, store.RoomInsert{Name: unique("blue")}))(t)
	must(db.Rooms.Get(ctx, room.ID))(t)
	must(db.Rooms.GetByName(ctx, room.Name))(t)
	must(db.Rooms.Reprice(ctx, room.ID, func(_ context.Context, r *store.Room) error {
		r.Price = plusOne(t, r.Price)
		return nil
	}))(t)
	must(db.Rooms.Rename(ctx, room.ID, func(_ context.Context, r *store.Room) error {
		r.Name += "!"
		return nil
	}))(t)

	held, at := store.BookingStatusHeld, time.Now()
	for i := range 3 {
		from := time.Now().Add(time.Duration(24+i) * time.Hour)
		must(db.Bookings.Insert(ctx, store.BookingInsert{
			RoomID: room.ID, CustomerID: customer.ID, During: store.Between(from, from.Add(time.Hour)), Status: &held, CreatedAt: &at,
		}))(t)
	}
	page := must(db.Bookings.ListByCustomer(ctx, customer.ID, nil, 2))(t)
	rest := must(db.Bookings.ListByCustomer(ctx, customer.ID, &page[len(page)-1], 2))(t)
	if len(page) != 2 || len(rest) != 1 {
		t.Errorf("pages of %d and %d bookings, want 2 and 1", len(page), len(rest))
	}
	booking := must(db.Bookings.Get(ctx, page[0].ID))(t)
	for range 2 { // the second call is a repeat, and sends the explanation
		must(db.Bookings.Confirm(ctx, booking.ID))(t)
	}
	for range 2 {
		must(db.Bookings.Cancel(ctx, booking.ID))(t)
	}
	if _, err := db.Bookings.Confirm(ctx, booking.ID); !errors.Is(err, pawl.ErrState) {
		t.Errorf("a cancelled booking was confirmed: %v", err)
	}

	seat := must(db.Seats.Insert(ctx, store.SeatInsert{Label: unique("7C")}))(t)
	must(db.Seats.Get(ctx, seat.ID))(t)
	must(db.Seats.GetByLabel(ctx, seat.Label))(t)
	must(db.Seats.Book(ctx, seat.ID, customer.ID))(t)
	if _, err := db.Seats.Book(ctx, seat.ID, customer.ID); !errors.Is(err, pawl.ErrState) {
		t.Errorf("a booked seat was booked again: %v", err)
	}
	must(db.Seats.Release(ctx, seat.ID))(t)
	if _, err := db.Seats.Release(ctx, seat.ID); !errors.Is(err, pawl.ErrState) {
		t.Errorf("a free seat was released: %v", err)
	}

	counter := must(db.Counters.Insert(ctx, store.CounterInsert{Name: unique("tickets"), Remaining: 1}))(t)
	must(db.Counters.Get(ctx, counter.Name))(t)
	must(db.Counters.Send(ctx, counter.Name, 1))(t)
	var guard *pawl.GuardError
	if _, err := db.Counters.Send(ctx, counter.Name, 1); !errors.As(err, &guard) || guard.Guard != "counters_remaining_not_negative" {
		t.Errorf("an empty counter gave: %v", err)
	}

	team := must(db.Teams.Insert(ctx, store.TeamInsert{Name: unique("night")}))(t)
	must(db.Teams.Get(ctx, team.ID))(t)
	must(db.Teams.GetByName(ctx, team.Name))(t)
	shift := must(db.Shifts.Insert(ctx, store.ShiftInsert{TeamID: team.ID, Doctor: "Grace", OnCall: true}))(t)
	must(db.Shifts.Get(ctx, shift.ID))(t)
	must(db.Shifts.ListByTeam(ctx, team.ID, nil, 10))(t)
	onCall := db.Rules.SomeoneOnCall
	if err := onCall.GoOffCall(ctx, team.ID, shift.ID); !errors.Is(err, store.ErrShiftsSomeoneOnCall) {
		t.Errorf("the only one went off call: %v", err)
	}
	must(db.Shifts.Insert(ctx, store.ShiftInsert{TeamID: team.ID, Doctor: "Ada", OnCall: true}))(t)
	must(db.Seats.Book(ctx, seat.ID, customer.ID))(t)
	if owned := must(db.Seats.ListByCustomer(ctx, customer.ID, nil, 10))(t); len(owned) != 1 {
		t.Errorf("%d seats of the customer, want 1", len(owned))
	}
	wholeTables(t, db)
	copies(t, db, unique)
	updates(t, db, customer, room, booking, seat, counter, team, shift)

	must(store.InTx(ctx, db, func(ctx context.Context, tx *store.Store) (int, error) {
		must(tx.Customers.GetForUpdate(ctx, customer.ID))(t)
		must(tx.Customers.GetManyForUpdate(ctx, customer.ID))(t)
		must(tx.Customers.GetByOneLiveAccountForUpdate(ctx, customer.Email))(t)
		must(tx.Rooms.GetForUpdate(ctx, room.ID))(t)
		must(tx.Rooms.GetByNameForUpdate(ctx, room.Name+"!"))(t)
		must(tx.Rooms.GetManyForUpdate(ctx, room.ID))(t)
		must(tx.Bookings.GetForUpdate(ctx, booking.ID))(t)
		must(tx.Bookings.GetManyForUpdate(ctx, booking.ID))(t)
		must(tx.Seats.GetForUpdate(ctx, seat.ID))(t)
		must(tx.Seats.GetByLabelForUpdate(ctx, seat.Label))(t)
		must(tx.Seats.GetManyForUpdate(ctx, seat.ID))(t)
		must(tx.Counters.GetForUpdate(ctx, counter.Name))(t)
		must(tx.Counters.GetManyForUpdate(ctx, counter.Name))(t)
		must(tx.Teams.GetForUpdate(ctx, team.ID))(t)
		must(tx.Teams.GetByNameForUpdate(ctx, team.Name))(t)
		must(tx.Teams.GetManyForUpdate(ctx, team.ID))(t)
		must(tx.Shifts.GetForUpdate(ctx, shift.ID))(t)
		must(tx.Shifts.GetManyForUpdate(ctx, shift.ID))(t)
		return 0, nil
	}))(t)

	for i := range 3 {
		must(db.Tasks.Enqueue(ctx, store.TaskArgs{Kind: "mail", Body: body(i)}))(t)
	}
	claims := must(db.Tasks.Claim(ctx, 3))(t)
	if len(claims) != 3 {
		t.Fatalf("claimed %d tasks, want 3", len(claims))
	}
	lost := must(db.Tasks.Heartbeat(ctx, &claims[0], &claims[1]))(t)
	if len(lost) != 0 {
		t.Errorf("lost %v", lost)
	}
	no := func(err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
	}
	no(db.Tasks.Fail(ctx, claims[0], errors.New("later")))
	no(db.Tasks.Release(ctx, claims[1]))
	again := must(db.Tasks.Claim(ctx, 10))(t)
	no(db.Tasks.Complete(ctx, append(again, claims[2])...))
	_, err := db.DB().Exec(ctx, "DELETE FROM app.tasks") // the failed one comes back at random
	no(err)

	no(db.OutboxRelay.Run(ctx, func(context.Context, *store.Store) error { return nil }))
	ran := must(db.OutboxRelay.TryRun(ctx, func(context.Context, *store.Store) error { return nil }))(t)
	if !ran {
		t.Error("nobody else holds the singleton, and yet it was busy")
	}

	for _, b := range append(page, rest...) {
		no(db.Bookings.Delete(ctx, b.ID))
	}
	no(db.Seats.Delete(ctx, seat.ID))
	no(onCall.GoOffCall(ctx, team.ID, shift.ID)) // Ada stays, and so does the team
	no(db.Shifts.Delete(ctx, shift.ID))
	spare := must(db.Teams.Insert(ctx, store.TeamInsert{Name: unique("spare")}))(t)
	no(db.Teams.Delete(ctx, spare.ID))
	no(db.Scheduler.Lead(ctx, func(ctx context.Context, term pawl.Term) error {
		_, err := store.InTx(ctx, db, func(ctx context.Context, tx *store.Store) (int, error) { return 0, term.Guard(ctx, tx) })
		return err
	}))
	no(db.Counters.Delete(ctx, counter.Name))
	no(db.Rooms.Delete(ctx, room.ID))
	no(db.Customers.Delete(ctx, customer.ID))
}

// must takes a result and its error; the test ends when there is one.
func must[T any](v T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// compiledAddresses lists the operations of seats.hcl.
func compiledAddresses(t *testing.T) []string {
	t.Helper()
	spec, findings := dsl.Load(os.DirFS("."), dsl.Options{})
	program, more := compiler.Compile(spec)
	if findings.Extend(more); program == nil {
		t.Fatalf("seats.hcl does not compile: %v", findings)
	}
	var list []string
	for _, r := range program.Repositories {
		for _, o := range r.Operations {
			list = append(list, o.Address)
		}
	}
	for _, s := range program.Singletons {
		for _, o := range s.Operations {
			list = append(list, o.Address)
		}
	}
	return list
}

// addresses is a pgx tracer that counts what was sent by the address in the
// comment that opens each generated statement.
type addresses struct {
	mu sync.Mutex
	n  map[string]int
}

func (a *addresses) saw(sql string) {
	rest, ok := strings.CutPrefix(sql, "/* ")
	if !ok {
		return
	}
	address, _, _ := strings.Cut(rest, " */")
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.n == nil {
		a.n = map[string]int{}
	}
	a.n[address]++
}

func (a *addresses) count(address string) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.n[address]
}

func (a *addresses) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	a.saw(data.SQL)
	return ctx
}

func (*addresses) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func (a *addresses) TraceBatchStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchStartData) context.Context {
	for _, q := range data.Batch.QueuedQueries {
		a.saw(q.SQL)
	}
	return ctx
}

func (a *addresses) TraceCopyFromStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceCopyFromStartData) context.Context {
	a.saw("/* table." + data.TableName[1] + ".insert_many */")
	return ctx
}

func (*addresses) TraceCopyFromEnd(context.Context, *pgx.Conn, pgx.TraceCopyFromEndData) {}

func (*addresses) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

func (*addresses) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

// wholeTables reads the first two pages of every table.
func wholeTables(t *testing.T, db *store.Store) {
	t.Helper()
	ctx := t.Context()
	rooms := must(db.Rooms.List(ctx, nil, 1))(t)
	must(db.Rooms.List(ctx, &rooms[0], 1))(t)
	bookings := must(db.Bookings.List(ctx, nil, 1))(t)
	must(db.Bookings.List(ctx, &bookings[0], 1))(t)
	must(db.Counters.List(ctx, nil, 1))(t)
	must(db.Customers.List(ctx, nil, 1))(t)
	must(db.Seats.List(ctx, nil, 1))(t)
	must(db.Shifts.List(ctx, nil, 1))(t)
	must(db.Teams.List(ctx, nil, 1))(t)
}

// copies inserts rows of every table by COPY.
func copies(t *testing.T, db *store.Store, unique func(string) string) {
	t.Helper()
	ctx := t.Context()
	must(db.Customers.InsertMany(ctx, []store.CustomerInsert{{Email: unique("b@x")}, {Email: unique("c@x")}}))(t)
	must(db.Rooms.InsertMany(ctx, []store.RoomInsert{{Name: unique("red")}}))(t)
	must(db.Seats.InsertMany(ctx, []store.SeatInsert{{Label: unique("8A")}}))(t)
	must(db.Counters.InsertMany(ctx, []store.CounterInsert{{Name: unique("more"), Remaining: 1}}))(t)
	must(db.Teams.InsertMany(ctx, []store.TeamInsert{{Name: unique("day")}}))(t)
	team := must(db.Teams.GetByName(ctx, unique("day")))(t)
	must(db.Shifts.InsertMany(ctx, []store.ShiftInsert{{TeamID: team.ID, Doctor: "Ada", OnCall: true}}))(t)
	customer := must(db.Customers.GetByOneLiveAccount(ctx, unique("b@x")))(t)
	room := must(db.Rooms.GetByName(ctx, unique("red")))(t)
	from, confirmed := time.Now().Add(time.Hour), store.BookingStatusConfirmed
	if _, err := db.Bookings.InsertMany(ctx, []store.BookingInsert{
		{RoomID: room.ID, CustomerID: customer.ID, During: store.Between(from, from.Add(time.Hour))},
		{RoomID: room.ID, CustomerID: customer.ID, During: store.Between(from.Add(time.Hour), from.Add(2*time.Hour)), Status: &confirmed},
	}); !errors.Is(err, store.ErrBookingsStatus) {
		t.Errorf("a booking that begins as confirmed gave: %v", err)
	}
	if n := must(db.Bookings.InsertMany(ctx, []store.BookingInsert{
		{RoomID: room.ID, CustomerID: customer.ID, During: store.Between(from, from.Add(time.Hour))},
	}))(t); n != 1 {
		t.Errorf("%d bookings were copied, want 1", n)
	}
	batches(t, db, room, customer, unique)
}

// updates names a column in a row of every table.
func updates(
	t *testing.T, db *store.Store, customer store.Customer, room store.Room, booking store.Booking, seat store.Seat, counter store.Counter,
	team store.Team, shift store.Shift,
) {
	t.Helper()
	ctx := t.Context()
	must(db.Customers.Update(ctx, customer.ID, store.CustomerUpdate{DeletedAt: pawl.Set[*time.Time](nil)}))(t)
	must(db.Rooms.Update(ctx, room.ID, store.RoomUpdate{Price: pawl.Set(room.Price)}))(t)
	must(db.Bookings.Update(ctx, booking.ID, store.BookingUpdate{During: pawl.Set(booking.During)}))(t)
	must(db.Seats.Update(ctx, seat.ID, store.SeatUpdate{CustomerID: pawl.Set(&customer.ID)}))(t)
	must(db.Counters.Update(ctx, counter.Name, store.CounterUpdate{Sent: pawl.Set[int64](0)}))(t)
	must(db.Teams.Update(ctx, team.ID, store.TeamUpdate{Name: pawl.Set(team.Name)}))(t)
	if got := must(db.Shifts.Update(ctx, shift.ID, store.ShiftUpdate{Doctor: pawl.Set("Grace H.")}))(t); !got.OnCall || got.Doctor != "Grace H." {
		t.Errorf("the shift is %+v", got)
	}
}

// batches calls the forms of moves and adjusts that take many rows.
func batches(t *testing.T, db *store.Store, room store.Room, customer store.Customer, unique func(string) string) {
	t.Helper()
	ctx := t.Context()
	day := time.Now().Add(24 * time.Hour)
	var ids []int64
	for i := range 2 {
		from := day.Add(time.Duration(i) * time.Hour)
		ids = append(ids, must(db.Bookings.Insert(ctx, store.BookingInsert{
			RoomID: room.ID, CustomerID: customer.ID, During: store.Between(from, from.Add(time.Hour)),
		}))(t).ID)
	}
	must(db.Bookings.ConfirmMany(ctx, ids...))(t)
	must(db.Bookings.CancelMany(ctx, ids...))(t)
	var refused *pawl.BatchError
	if _, err := db.Bookings.ConfirmMany(ctx, ids...); !errors.As(err, &refused) || !errors.Is(err, pawl.ErrState) {
		t.Errorf("cancelled bookings were confirmed: %v", err)
	}
	seat := must(db.Seats.Insert(ctx, store.SeatInsert{Label: unique("9B")}))(t)
	must(db.Seats.BookMany(ctx, []store.SeatBook{{ID: seat.ID, CustomerID: customer.ID}}))(t)
	must(db.Seats.ReleaseMany(ctx, seat.ID))(t)
	must(db.Counters.SendMany(ctx, []store.CounterSend{{Name: unique("more"), N: 1}}))(t)
}
