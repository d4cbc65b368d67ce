package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pawldb/pawl/examples/database"
	"github.com/pawldb/pawl/examples/payments/store"
	"github.com/pawldb/pawl/internal/devdb/pgtest"
	"github.com/pawldb/pawl/pawl"
)

// Work inside the database is done once for each key. Who asks again gets the answer
// that is stored, and the same key with something else in it is refused.
func ExampleRefundPayment_do() {
	ctx := context.Background()
	db := exampleStore()
	refund := func(ctx context.Context, tx *store.Store) (pawl.Response, error) {
		_, err := tx.Messages.Insert(ctx, store.MessageInsert{MessageID: "refund of order 1"})
		return pawl.Response{Status: http.StatusOK, Body: []byte(`"refunded"`)}, err
	}
	for _, reason := range []string{"broken", "broken", "late"} {
		answer, outcome, err := db.RefundPayment.Do(ctx, 1, reason, refund)
		fmt.Println(outcome, string(answer.Body), errors.Is(err, pawl.ErrPayloadMismatch))
	}
	// Output:
	// executed "refunded" false
	// replayed "refunded" false
	// mismatch  true
}

// Work with a call to somebody else in it has phases. The call runs in no transaction.
// When it fails the key is free, and the next call goes on where this one stopped: it
// reserves nothing twice, and the provider sees the same key.
func ExampleCreatePayment_do() {
	ctx := context.Background()
	db := exampleStore()
	var keys []string
	phases := store.CreatePaymentPhases[charge]{
		Reserve: func(ctx context.Context, tx *store.Store) error {
			fmt.Println("reserve")
			_, err := tx.Payments.Insert(ctx, store.PaymentInsert{OrderID: 7, Cents: 1200})
			return err
		},
		Charge: func(ctx context.Context, call pawl.Call) (charge, error) {
			keys = append(keys, call.Key)
			if len(keys) == 1 {
				return charge{}, errors.New("the provider is down")
			}
			return charge{Ref: "ch_1"}, nil
		},
		Record: func(ctx context.Context, tx *store.Store, c charge) (pawl.Response, error) {
			_, err := tx.Payments.Capture(ctx, 7, c.Ref)
			return pawl.Response{Status: http.StatusCreated}, err
		},
	}
	for range 3 {
		answer, outcome, err := db.CreatePayment.Do(ctx, "key-of-a-customer", 1200, phases)
		fmt.Println(outcome, answer.Status, err)
	}
	fmt.Println(len(keys), "calls,", "same key:", keys[0] == keys[1])
	// Output:
	// reserve
	// error 0 the provider is down
	// takeover 201 <nil>
	// replayed 201 <nil>
	// 2 calls, same key: true
}

// A message that comes twice is worked on once. The second is no error, so that it is
// acknowledged.
func ExampleProviderEvents_receive() {
	ctx := context.Background()
	db := exampleStore()
	for range 2 {
		outcome, err := db.ProviderEvents.Receive(ctx, "evt_1", func(ctx context.Context, tx *store.Store) error {
			_, err := tx.Messages.Insert(ctx, store.MessageInsert{MessageID: "evt_1"})
			return err
		})
		fmt.Println(outcome, err)
	}
	// Output:
	// executed <nil>
	// duplicate <nil>
}

// exampleStore is a database of the examples' own, with the schema of payments.hcl.
var exampleStore = sync.OnceValue(func() *store.Store {
	url := pgtest.ExampleURL()
	exampleMust(database.Apply(context.Background(), url, "."))
	pool, err := pgxpool.New(context.Background(), url)
	exampleMust(err)
	return store.New(pool)
})

func exampleMust(err error) {
	if err != nil {
		panic(err)
	}
}
