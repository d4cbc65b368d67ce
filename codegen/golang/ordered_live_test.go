package golang_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pawldb/pawl/pawl"
	"github.com/pawldb/pawl/testdata/cases/ordered/store"
)

// titles are those of a list, in order, with their positions.
func titles(t *testing.T, pool *pgxpool.Pool, list int64) string {
	t.Helper()
	var text string
	if err := pool.QueryRow(t.Context(), "SELECT string_agg(title || position, ' ' ORDER BY position) FROM app.cards WHERE list_id = $1", list).Scan(&text); err != nil {
		t.Fatal(err)
	}
	return text
}

// Rows come in at the end, move to where they are told, swap, and close the gap
// that a row has left, in every exec mode.
func TestMovesOfRows(t *testing.T) {
	url := database(t, compile(t, cases+"/ordered"))
	for i, mode := range execModes {
		t.Run(mode.String(), func(t *testing.T) {
			pool := poolIn(t, url, mode, nil)
			db, list := store.New(pool), int64(i)
			var cards []store.Card
			for _, title := range []string{"a", "b", "c", "d"} {
				card, err := db.Cards.Insert(t.Context(), store.CardInsert{ListID: list, Title: title})
				if err != nil {
					t.Fatal(err)
				}
				cards = append(cards, card)
			}
			for _, step := range []struct {
				do   func() (store.Card, error)
				want string
			}{
				{func() (store.Card, error) { return db.Cards.MoveTo(t.Context(), cards[0].ID, 3) }, "b1 c2 a3 d4"},
				{func() (store.Card, error) { return db.Cards.MoveTo(t.Context(), cards[3].ID, 1) }, "d1 b2 c3 a4"},
				{func() (store.Card, error) { return db.Cards.MoveTo(t.Context(), cards[1].ID, 99) }, "d1 c2 a3 b4"},
				{func() (store.Card, error) { return db.Cards.MoveTo(t.Context(), cards[2].ID, 2) }, "d1 c2 a3 b4"},
				{func() (store.Card, error) { return db.Cards.Swap(t.Context(), cards[3].ID, cards[1].ID) }, "b1 c2 a3 d4"},
				{func() (store.Card, error) { return cards[2], db.Cards.Delete(t.Context(), cards[2].ID) }, "b1 a3 d4"},
				{func() (store.Card, error) { return db.Cards.MoveTo(t.Context(), cards[0].ID, 1) }, "a1 b2 d3"},
			} {
				if _, err := step.do(); err != nil {
					t.Fatalf("%s: %v", step.want, err)
				}
				if got := titles(t, pool, list); got != step.want {
					t.Fatalf("the order is %s, want %s", got, step.want)
				}
			}
			other, err := db.Cards.Insert(t.Context(), store.CardInsert{ListID: list + 100, Title: "x"})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := db.Cards.Swap(t.Context(), cards[0].ID, other.ID); !errors.Is(err, pawl.ErrNotFound) {
				t.Errorf("a swap over two lists: %v", err)
			}
			if _, err := db.Cards.MoveTo(t.Context(), 999999, 1); !errors.Is(err, pawl.ErrNotFound) {
				t.Errorf("a card that is not there: %v", err)
			}
			if _, err := db.Cards.MoveTo(t.Context(), other.ID, 0); !errors.Is(err, pawl.ErrBadInput) {
				t.Errorf("to place 0: %v", err)
			}
			if _, err := db.Cards.Update(t.Context(), other.ID, store.CardUpdate{ListID: pawl.Set(list)}); err != nil {
				t.Fatal(err)
			}
			if got := titles(t, pool, list); got != "a1 b2 d3 x4" {
				t.Errorf("a card from another list: %s", got)
			}
		})
	}
}

// Many callers move, swap and insert in one list: all of them get what they ask
// for, and the positions are 1, 2, 3 … afterwards. A transaction with
// an older snapshot gets 40001.
func TestMovesBetweenClients(t *testing.T) {
	config, err := pgxpool.ParseConfig(database(t, compile(t, cases+"/ordered")))
	if err != nil {
		t.Fatal(err)
	}
	config.MaxConns = 4
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	db := store.New(pool, pawl.WithRetry(pawl.Policy{Attempts: 1})) // a deadlock would show
	var cards []store.Card
	for range 6 {
		card, err := db.Cards.Insert(t.Context(), store.CardInsert{ListID: 1, Title: "t"})
		if err != nil {
			t.Fatal(err)
		}
		cards = append(cards, card)
	}
	var group sync.WaitGroup
	for client := range 4 {
		group.Go(func() {
			for i := range 12 {
				card, other := cards[(client+i)%6], cards[(client*2+i+1)%6]
				var err error
				switch i % 3 {
				case 0:
					_, err = db.Cards.MoveTo(t.Context(), card.ID, int64(i%6+1))
				case 1:
					_, err = db.Cards.Swap(t.Context(), card.ID, other.ID)
				default:
					_, err = db.Cards.Insert(t.Context(), store.CardInsert{ListID: 1, Title: fmt.Sprint(client, i)})
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	var rows, last int
	if err := pool.QueryRow(t.Context(), "SELECT count(*), max(position) FROM app.cards").Scan(&rows, &last); err != nil || rows != 22 || last != 22 {
		t.Errorf("%d rows, the last position is %d: %v", rows, last, err)
	}

	// A transaction that has read the order before another one changed it is told.
	tx, err := pool.BeginTx(t.Context(), pgx.TxOptions{IsoLevel: pgx.RepeatableRead})
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(t.Context()) //nolint:errcheck // it is over
	if _, err := tx.Exec(t.Context(), "SELECT 1 FROM app.cards"); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Cards.MoveTo(t.Context(), cards[0].ID, 22); err != nil {
		t.Fatal(err)
	}
	var refused *pgconn.PgError
	if _, err := db.WithTx(tx).Cards.MoveTo(t.Context(), cards[1].ID, 1); !errors.As(err, &refused) || refused.Code != "40001" {
		t.Errorf("a move by an older snapshot: %v", err)
	}
}
