package golang_test

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"github.com/google/uuid"

	"github.com/pawldb/pawl/pawl"
	"github.com/pawldb/pawl/testdata/cases/uuid/store"
)

// A uuid of another type than pgx's goes through every kind of method and comes
// back, alone, in lists, in lists with NULL and as NULL, in every exec mode.
func TestChosenUUID(t *testing.T) {
	url := database(t, compile(t, cases+"/uuid"))
	for _, mode := range execModes {
		t.Run(mode.String(), func(t *testing.T) {
			pool := poolIn(t, url, mode, nil)
			u := uuids{t, store.New(pool)}
			parcel := u.written()
			u.read(parcel)
			u.changed(parcel)
			u.queued(parcel.ID)
			for _, want := range []pawl.Outcome{pawl.OutcomeExecuted, pawl.OutcomeReplayed} {
				_, outcome, err := u.db.Send.Do(t.Context(), parcel.ID, nil, func(context.Context, *store.Store) (pawl.Response, error) { return pawl.Response{}, nil })
				if outcome != want || err != nil {
					t.Errorf("%s, %v; want %s", outcome, err, want)
				}
			}
		})
	}
}

type uuids struct {
	t  *testing.T
	db *store.Store
}

// same fails the test unless two rows are equal, what they point to included.
func (u uuids) same(what string, got, want store.Parcel, err error) {
	u.t.Helper()
	if err != nil || !reflect.DeepEqual(got, want) {
		u.t.Errorf("%s: %+v, %v; want %+v", what, got, err, want)
	}
}

// written inserts a parcel with values and NULLs, one by COPY, and one by upsert.
func (u uuids) written() store.Parcel {
	u.t.Helper()
	ctx := u.t.Context()
	id, sender, a, b, text := uuid.New(), uuid.New(), uuid.New(), uuid.New(), uuid.NewString()
	in := store.ParcelInsert{ID: &id, UUID: uuid.New(), Sender: &sender, Stops: []uuid.UUID{a, b}, Hints: []*uuid.UUID{&b, nil}, Theirs: &text}
	want := store.Parcel{ID: id, UUID: in.UUID, Sender: &sender, Stops: in.Stops, Hints: in.Hints, Theirs: &text, Weight: 1}
	got, err := u.db.Parcels.Insert(ctx, in)
	u.same("Insert", got, want, err)
	copied := store.ParcelInsert{UUID: uuid.New(), Sender: &sender, Stops: []uuid.UUID{}, Hints: []*uuid.UUID{nil, &a}}
	if n, err := u.db.Parcels.InsertMany(ctx, []store.ParcelInsert{copied}); n != 1 || err != nil {
		u.t.Fatalf("InsertMany: %d, %v", n, err)
	}
	got, err = u.db.Parcels.GetByTracking(ctx, copied.UUID)
	u.same("GetByTracking", got, store.Parcel{ID: got.ID, UUID: copied.UUID, Sender: &sender, Stops: []uuid.UUID{}, Hints: copied.Hints, Weight: 1}, err)

	want.Stops = []uuid.UUID{b}
	in.Stops = want.Stops
	got, outcome, err := u.db.Parcels.Arrive(ctx, in)
	u.same("Arrive", got, want, err)
	many, err := u.db.Parcels.ArriveMany(ctx, []store.ParcelInsert{in})
	if err != nil || outcome != pawl.Updated || len(many) != 1 || many[0].Outcome != pawl.Unchanged {
		u.t.Errorf("Arrive: %s; ArriveMany: %+v, %v", outcome, many, err)
	}
	return want
}

// read finds the parcel by each key, under a lock, and on pages.
func (u uuids) read(want store.Parcel) {
	u.t.Helper()
	got, err := u.db.Parcels.Get(u.t.Context(), want.ID)
	u.same("Get", got, want, err)
	_, err = store.InTx(u.t.Context(), u.db, func(ctx context.Context, tx *store.Store) (struct{}, error) {
		many, err := tx.Parcels.GetManyForUpdate(ctx, want.ID, uuid.New())
		if len(many) != 1 {
			return struct{}{}, fmt.Errorf("%d rows, %w", len(many), err)
		}
		u.same("GetManyForUpdate", many[0], want, err)
		return struct{}{}, nil
	})
	if err != nil {
		u.t.Error(err)
	}
	seen := map[uuid.UUID]bool{}
	for after := (*store.Parcel)(nil); ; {
		page, err := u.db.Parcels.ListBySender(u.t.Context(), after, 1)
		if err != nil {
			u.t.Fatal(err)
		}
		if len(page) == 0 {
			break
		}
		after = &page[0]
		seen[after.ID] = true
	}
	if !seen[want.ID] || len(seen) < 2 {
		u.t.Errorf("the pages had %d rows", len(seen))
	}
}

// changed writes the parcel in every other way there is.
func (u uuids) changed(want store.Parcel) {
	u.t.Helper()
	ctx := u.t.Context()
	other, text := uuid.New(), uuid.NewString()
	want.Stops, want.Hints, want.Sender, want.Theirs = []uuid.UUID{other}, []*uuid.UUID{nil, &other}, nil, &text
	got, err := u.db.Parcels.Route(ctx, want.ID, func(_ context.Context, row *store.Parcel) error {
		row.Stops, row.Hints, row.Sender, row.Theirs = want.Stops, want.Hints, nil, &text
		return nil
	})
	u.same("Route", got, want, err)
	want.Stops, want.Hints = []uuid.UUID{}, nil
	rows, err := u.db.Parcels.RouteAll(ctx, []uuid.UUID{want.ID}, func(_ context.Context, rows []*store.Parcel) error {
		rows[0].Stops, rows[0].Hints = want.Stops, nil
		return nil
	})
	if len(rows) != 1 {
		u.t.Fatalf("RouteAll: %d rows, %v", len(rows), err)
	}
	u.same("RouteAll", rows[0], want, err)
	want.UUID, want.Sender, want.Stops, want.Hints = other, &other, []uuid.UUID{other, other}, []*uuid.UUID{&other, nil}
	got, err = u.db.Parcels.Update(ctx, want.ID, store.ParcelUpdate{
		UUID: pawl.Set(want.UUID), Sender: pawl.Set(want.Sender), Stops: pawl.Set(want.Stops), Hints: pawl.Set(want.Hints),
	})
	u.same("Update", got, want, err)
	want.Weight = 6
	rows, err = u.db.Parcels.AddMany(ctx, []store.ParcelAdd{{ID: want.ID, Grams: 5}})
	if len(rows) != 1 {
		u.t.Fatalf("AddMany: %d rows, %v", len(rows), err)
	}
	u.same("AddMany", rows[0], want, err)
}

// queued sends it through the queue.
func (u uuids) queued(id uuid.UUID) {
	u.t.Helper()
	seen := []uuid.UUID{id, uuid.New()}
	if _, err := u.db.Scans.Enqueue(u.t.Context(), store.ScanArgs{Parcel: id, Seen: seen}); err != nil {
		u.t.Fatal(err)
	}
	claims, err := u.db.Scans.Claim(u.t.Context(), 10)
	if err != nil || len(claims) != 1 || claims[0].Parcel != id || !reflect.DeepEqual(claims[0].Seen, seen) {
		u.t.Fatalf("%+v, %v", claims, err)
	}
	if err := u.db.Scans.Complete(u.t.Context(), claims[0]); err != nil {
		u.t.Error(err)
	}
}
