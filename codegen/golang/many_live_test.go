package golang_test

import (
	"context"
	"errors"
	"testing"

	"github.com/pawldb/pawl/pawl"
	adjust "github.com/pawldb/pawl/testdata/cases/adjust/store"
	editmany "github.com/pawldb/pawl/testdata/cases/edit-many/store"
	seats "github.com/pawldb/pawl/testdata/cases/transitions-args/store"
)

// A batch of adjusts changes all of its rows or none, answers in the order in which
// they were given, and says of each refused row why, in every exec mode.
func TestAdjustMany(t *testing.T) {
	url := database(t, compile(t, cases+"/adjust"))
	for _, mode := range execModes {
		t.Run(mode.String(), func(t *testing.T) {
			ctx := t.Context()
			db := adjust.New(poolIn(t, url, mode, nil))
			stock := func(n int32) adjust.Item {
				item, err := db.Items.Insert(ctx, adjust.ItemInsert{Stock: &n})
				if err != nil {
					t.Fatal(err)
				}
				return item
			}
			a, b := stock(5), stock(7)
			rows, err := db.Items.ReserveMany(ctx, []adjust.ItemReserve{{ID: b.ID, Qty: 6}, {ID: a.ID, Qty: 2}})
			if err != nil || len(rows) != 2 || rows[0].ID != b.ID || rows[0].Reserved != 6 || rows[1].ID != a.ID || rows[1].Reserved != 2 {
				t.Fatalf("%+v, %v", rows, err)
			}
			_, err = db.Items.ReserveMany(ctx, []adjust.ItemReserve{{ID: a.ID, Qty: 1}, {ID: -1, Qty: 1}, {ID: b.ID, Qty: 2}})
			var batch *pawl.BatchError
			var guard *pawl.GuardError
			if !errors.As(err, &batch) || len(batch.Rows) != 2 || batch.Rows[0].Index != 1 || batch.Rows[1].Index != 2 || batch.Given != 3 ||
				!errors.Is(err, pawl.ErrNotFound) || !errors.Is(batch.Rows[1].Err, pawl.ErrGuard) || !errors.As(err, &guard) ||
				guard.Guard != "items_reserved_in_stock" || guard.Row.(adjust.Item).Reserved != 6 {
				t.Errorf("%v", err)
			}
			for _, in := range [][]adjust.ItemReserve{{{ID: a.ID, Qty: 1}, {ID: a.ID, Qty: 1}}, {{ID: a.ID, Qty: 0}}} {
				if _, err := db.Items.ReserveMany(ctx, in); !errors.Is(err, pawl.ErrBadInput) {
					t.Errorf("%v: %v", in, err)
				}
			}
			if now, err := db.Items.Get(ctx, a.ID); err != nil || now.Reserved != 2 {
				t.Errorf("a refused batch left %+v, %v", now, err)
			}
			if rows, err := db.Items.ReserveMany(ctx, nil); err != nil || len(rows) != 0 {
				t.Errorf("nothing: %v, %v", rows, err)
			}
		})
	}
}

// A batch of moves counts a key once that is given twice, takes a repeated call for
// done, and refuses two that contradict each other.
func TestMoveMany(t *testing.T) {
	url := database(t, compile(t, cases+"/transitions-args"))
	for _, mode := range execModes {
		t.Run(mode.String(), func(t *testing.T) {
			ctx := t.Context()
			db := seats.New(poolIn(t, url, mode, nil))
			var ids [3]int64
			for i := range ids {
				seat, err := db.Seats.Insert(ctx, seats.SeatInsert{})
				if err != nil {
					t.Fatal(err)
				}
				ids[i] = seat.ID
			}
			book := func(id, customer int64) seats.SeatBook {
				return seats.SeatBook{ID: id, CustomerID: customer, Price: amount("9.50"), Limit: 100}
			}
			for range 2 { // the second time it is done already
				rows, err := db.Seats.BookMany(ctx, []seats.SeatBook{book(ids[1], 7), book(ids[0], 8), book(ids[1], 7)})
				if err != nil || len(rows) != 3 || rows[0].ID != ids[1] || *rows[0].CustomerID != 7 || *rows[1].CustomerID != 8 || rows[2].ID != ids[1] ||
					rows[2].State != seats.SeatStateBooked {
					t.Fatalf("%+v, %v", rows, err)
				}
			}
			if _, err := db.Seats.BookMany(ctx, []seats.SeatBook{book(ids[2], 7), book(ids[2], 8)}); !errors.Is(err, pawl.ErrBadInput) {
				t.Errorf("one seat for two: %v", err)
			}
			_, err := db.Seats.BookMany(ctx, []seats.SeatBook{book(ids[2], 9), book(ids[0], 9)})
			var state *pawl.StateError
			if !errors.As(err, &state) || state.Current != "booked" || state.Wanted != "booked" {
				t.Errorf("a booked seat: %v", err)
			}
			if seat, err := db.Seats.Get(ctx, ids[2]); err != nil || seat.State != seats.SeatStateFree {
				t.Errorf("a refused batch left %+v, %v", seat, err)
			}
			released, err := db.Seats.ReleaseMany(ctx, ids[0], ids[1])
			if err != nil || len(released) != 2 || released[1].ID != ids[1] || released[1].CustomerID != nil {
				t.Errorf("released %+v, %v", released, err)
			}
		})
	}
}

// An edit of several rows gives them in the order in which they were asked for,
// whatever order they are locked in, and writes those that changed, in every exec mode.
func TestEditMany(t *testing.T) {
	url := database(t, compile(t, cases+"/edit-many"))
	for _, mode := range execModes {
		t.Run(mode.String(), func(t *testing.T) {
			ctx := t.Context()
			db := editmany.New(poolIn(t, url, mode, nil))
			open := func(balance int64) editmany.Account {
				a, err := db.Accounts.Insert(ctx, editmany.AccountInsert{Balance: balance, Owner: "somebody"})
				if err != nil {
					t.Fatal(err)
				}
				return a
			}
			low, high := open(10), open(10)
			rows, err := db.Accounts.Transfer(ctx, []int64{high.ID, low.ID, high.ID}, func(_ context.Context, rows []*editmany.Account) error {
				if rows[0].ID != high.ID || rows[1].ID != low.ID || rows[2] != rows[0] {
					t.Errorf("rows %d, %d, %d", rows[0].ID, rows[1].ID, rows[2].ID)
				}
				rows[0].Balance -= 3
				rows[1].Balance += 3
				return nil
			})
			if err != nil || len(rows) != 3 || rows[0].Balance != 7 || rows[1].Balance != 13 || rows[2].Balance != 7 || rows[0].Version != 2 {
				t.Fatalf("%+v, %v", rows, err)
			}
			// Of two rows one changes: the other one is not written.
			rows, err = db.Accounts.Transfer(ctx, []int64{low.ID, high.ID}, func(_ context.Context, rows []*editmany.Account) error {
				rows[1].Balance++
				return nil
			})
			if err != nil || rows[0].Version != 2 || rows[1].Version != 3 || rows[1].Balance != 8 {
				t.Errorf("%+v, %v", rows, err)
			}
			refusals(t, db, low, high)
			assign(t, db)
		})
	}
}

// refusals are edits of which nothing is written.
func refusals(t *testing.T, db *editmany.Store, low, high editmany.Account) {
	t.Helper()
	ctx := t.Context()
	own := errors.New("not today")
	for name, c := range map[string]struct {
		ids    []int64
		change func(rows []*editmany.Account) error
		want   error
	}{
		"no row":         {[]int64{low.ID, -1}, func([]*editmany.Account) error { t.Error("called"); return nil }, pawl.ErrNotFound},
		"another column": {[]int64{low.ID, high.ID}, func(rows []*editmany.Account) error { rows[0].Balance++; rows[1].Owner = "me"; return nil }, pawl.ErrNotEditable},
		"own error":      {[]int64{low.ID, high.ID}, func(rows []*editmany.Account) error { rows[0].Balance++; return own }, own},
		"a check":        {[]int64{low.ID, high.ID}, func(rows []*editmany.Account) error { rows[0].Balance++; rows[1].Balance = -1; return nil }, pawl.ErrCheck},
	} {
		_, err := db.Accounts.Transfer(ctx, c.ids, func(_ context.Context, rows []*editmany.Account) error { return c.change(rows) })
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if now, err := db.Accounts.Get(ctx, low.ID); err != nil || now.Balance != 13 {
		t.Errorf("a refused edit left %+v, %v", now, err)
	}
}

// assign edits and reads rows whose key has two columns.
func assign(t *testing.T, db *editmany.Store) {
	t.Helper()
	ctx := t.Context()
	for n := range int32(2) {
		if _, err := db.Seats.Insert(ctx, editmany.SeatInsert{Row: `a,"b`, N: n}); err != nil {
			t.Fatal(err)
		}
	}
	keys := []editmany.SeatKey{{Row: `a,"b`, N: 1}, {Row: `a,"b`, N: 0}}
	rows, err := db.Seats.Assign(ctx, keys, func(_ context.Context, rows []*editmany.Seat) error {
		rows[0].Holder, rows[0].Labels = new("ann"), []editmany.Label{editmany.LabelVip, editmany.LabelLate}
		return nil
	})
	if err != nil || rows[0].N != 1 || *rows[0].Holder != "ann" || len(rows[0].Labels) != 2 || rows[1].Holder != nil {
		t.Errorf("%+v, %v", rows, err)
	}
	if _, err := db.Seats.GetManyForUpdate(ctx, keys...); !errors.Is(err, pawl.ErrNoTransaction) {
		t.Errorf("outside a transaction: %v", err)
	}
	_, err = editmany.InTx(ctx, db, func(ctx context.Context, tx *editmany.Store) (struct{}, error) {
		rows, err := tx.Seats.GetManyForUpdate(ctx, append(keys, keys[0])...)
		if len(rows) != 2 || rows[0].N != 0 || rows[1].N != 1 {
			t.Errorf("rows %+v", rows)
		}
		if err == nil {
			err = tx.Seats.Delete(ctx, keys[0].Row, 0)
		}
		if err == nil {
			err = tx.Seats.Delete(ctx, keys[0].Row, 1)
		}
		return struct{}{}, err
	})
	if err != nil {
		t.Error(err)
	}
}
