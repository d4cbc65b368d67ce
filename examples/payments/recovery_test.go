package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pawldb/pawl/examples/database"
	"github.com/pawldb/pawl/examples/payments/store"
	"github.com/pawldb/pawl/internal/devdb/pgtest"
	"github.com/pawldb/pawl/pawl"
)

// holdsVar tells a process how many payments to get stuck in.
const holdsVar = "PAYMENTS_HOLDS"

// hold is a process that takes keys, one after the other, and gets stuck in the call
// to the provider of each. It says so on standard output, and heartbeats go on.
func hold(ctx context.Context, keys int) error {
	pool, err := pgxpool.New(ctx, os.Getenv(databaseVar)+"&pool_max_conns=10")
	if err != nil {
		return err
	}
	db := store.New(pool)
	errs := make(chan error, keys)
	for n := range keys {
		work := payment(db, n)
		work.Charge = func(context.Context, pawl.Call) (charge, error) {
			fmt.Println("holds", n)
			select {}
		}
		go func() {
			_, _, err := db.CreatePayment.Do(ctx, fmt.Sprint(n), n, work)
			errs <- err
		}()
		time.Sleep(paymentLease / 3 / time.Duration(keys)) // so that their heartbeats come at different times
	}
	return <-errs
}

// payment is one whose call was lost with its process, and had not been made.
func payment(db *store.Store, n int) store.CreatePaymentPhases[charge] {
	return store.CreatePaymentPhases[charge]{
		Reserve: func(ctx context.Context, tx *store.Store) error {
			_, err := tx.Payments.Insert(ctx, store.PaymentInsert{OrderID: int64(n), Cents: 1})
			return err
		},
		Charge: func(context.Context, pawl.Call) (charge, error) { return charge{Ref: fmt.Sprint(n)}, nil },
		Resume: func(context.Context, pawl.Call) (charge, bool, error) { return charge{}, false, nil },
		Record: func(context.Context, *store.Store, charge) (pawl.Response, error) {
			return pawl.Response{Status: http.StatusCreated}, nil
		},
	}
}

// paymentLease is the lease of create_payment.
const paymentLease = 2 * time.Second

// TestRecoveryAfterKill measures how long payments wait whose process was ended by
// kill -9 in the middle of a call: until the lease that the last heartbeat has begun
// is over, and no longer.
func TestRecoveryAfterKill(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures, and waits for leases to run out")
	}
	const keys = 20
	url := pgtest.URL(t)
	if err := database.Apply(t.Context(), url, "."); err != nil {
		t.Fatal(err)
	}
	pool, err := pgxpool.New(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	db := store.New(pool)
	owner := holding(t, url, keys)
	time.Sleep(paymentLease) // heartbeats have begun leases anew
	if err := owner.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	killed := time.Now()
	took := make([]time.Duration, keys)
	var group sync.WaitGroup
	for n := range keys {
		group.Go(func() {
			if outcome, err := retried(t.Context(), db, n); err != nil || outcome != pawl.OutcomeTakeover {
				t.Errorf("payment %d: %s, %v", n, outcome, err)
			}
			took[n] = time.Since(killed)
		})
	}
	group.Wait()
	slices.Sort(took)
	t.Logf("%d payments whose process was killed are taken over after p50 %v, max %v; the lease is %v",
		keys, took[keys/2].Round(time.Millisecond), took[keys-1].Round(time.Millisecond), paymentLease)
	const statements = time.Second / 2 // what the takeovers themselves take, on a busy machine
	if took[keys-1] > paymentLease+statements {
		t.Errorf("it took %v, with a lease of %v", took[keys-1], paymentLease)
	}
	var captured int
	if err := pool.QueryRow(t.Context(), "SELECT count(*) FROM payments.create_payment WHERE state = 'completed' AND fence = 2").Scan(&captured); err != nil || captured != keys {
		t.Errorf("%d of %d keys are completed by the second owner, %v", captured, keys, err)
	}
}

// holding starts a process that gets stuck in so many payments, and waits for all.
func holding(t *testing.T, url string, keys int) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	owner := exec.Command(self)
	owner.Env = append(os.Environ(), databaseVar+"="+url, holdsVar+"="+strconv.Itoa(keys))
	owner.Stderr = os.Stderr
	said, err := owner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = owner.Process.Kill()
		_ = owner.Wait()
	})
	lines := bufio.NewScanner(said)
	for range keys {
		if !lines.Scan() {
			t.Fatal("the process has ended before it held all payments")
		}
	}
	return owner
}

// retried asks for a payment until it is answered, as often as it is told to.
func retried(ctx context.Context, db *store.Store, n int) (pawl.Outcome, error) {
	for {
		_, outcome, err := db.CreatePayment.Do(ctx, fmt.Sprint(n), n, payment(db, n))
		var busy *pawl.InProgressError
		if !errors.As(err, &busy) {
			return outcome, err
		}
		select {
		case <-time.After(busy.RetryAfter):
		case <-ctx.Done():
			return outcome, ctx.Err()
		}
	}
}
