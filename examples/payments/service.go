package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pawldb/pawl/examples/payments/store"
	"github.com/pawldb/pawl/pawl"
)

// service is the payments service: the part of the example that is like yours.
type service struct {
	db   *store.Store
	bank *bank
}

// order is what a customer sends.
type order struct {
	OrderID int64 `json:"order_id"`
	Cents   int64 `json:"cents"`
}

// receipt is what a customer gets.
type receipt struct {
	OrderID int64  `json:"order_id"`
	Status  string `json:"status"`
	Ref     string `json:"ref,omitempty"`
}

func (s *service) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("POST /payments", s.db.CreatePayment.Middleware(s.pay))
	mux.Handle("POST /payments/{order}/refund", s.db.RefundPayment.Middleware(orderOf, s.refund))
	mux.HandleFunc("POST /provider-events", s.hear)
	mux.HandleFunc("GET /ready", func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(pawl.HTTPStatus(s.db.Check(r.Context())))
	})
	return mux
}

// pay is the phases of one payment.
func (s *service) pay(r *http.Request) store.CreatePaymentWork {
	var o order
	bad := json.NewDecoder(r.Body).Decode(&o)
	return store.CreatePaymentPhases[charge]{
		Reserve: func(ctx context.Context, tx *store.Store) error {
			if bad != nil {
				return fmt.Errorf("%w: %w", pawl.ErrBadInput, bad)
			}
			_, err := tx.Payments.Insert(ctx, store.PaymentInsert{OrderID: o.OrderID, Cents: o.Cents})
			return err
		},
		Charge: func(ctx context.Context, call pawl.Call) (charge, error) {
			return s.bank.charge(ctx, call.Key, o.OrderID, o.Cents)
		},
		Resume: func(ctx context.Context, call pawl.Call) (charge, bool, error) {
			return s.bank.find(ctx, call.Key)
		},
		Record: func(ctx context.Context, tx *store.Store, c charge) (pawl.Response, error) {
			if c.Declined {
				_, err := tx.Payments.Decline(ctx, o.OrderID)
				return answer(http.StatusPaymentRequired, receipt{o.OrderID, "declined", ""}, err)
			}
			_, err := tx.Payments.Capture(ctx, o.OrderID, c.Ref)
			return answer(http.StatusCreated, receipt{o.OrderID, "captured", c.Ref}, err)
		},
	}
}

// answer is a receipt, unless something failed.
func answer(status int, r receipt, err error) (pawl.Response, error) {
	if err != nil {
		return pawl.Response{}, err
	}
	return pawl.JSON(status, r)
}

func orderOf(r *http.Request) (int64, error) {
	id, err := strconv.ParseInt(r.PathValue("order"), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", pawl.ErrBadInput, err)
	}
	return id, nil
}

// refund gives the money of an order back.
func (s *service) refund(ctx context.Context, tx *store.Store, r *http.Request) (pawl.Response, error) {
	id, err := orderOf(r)
	if err != nil {
		return pawl.Response{}, err
	}
	_, err = tx.Payments.Refund(ctx, id)
	return answer(http.StatusOK, receipt{id, "refunded", ""}, err)
}

// hear takes a message of the provider's. Whatever has no error is acknowledged,
// also a message that was taken before.
func (s *service) hear(w http.ResponseWriter, r *http.Request) {
	var e providerEvent
	if err := json.NewDecoder(r.Body).Decode(&e); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	_, err := s.db.ProviderEvents.Receive(r.Context(), e.ID, func(ctx context.Context, tx *store.Store) error {
		if _, err := tx.Messages.Insert(ctx, store.MessageInsert{MessageID: e.ID}); err != nil {
			return err
		}
		_, _, err := tx.ProviderView.Apply(ctx, store.ProviderViewInsert{OrderID: e.OrderID, Version: e.Version, Status: e.Status})
		return err
	})
	w.WriteHeader(pawl.HTTPStatus(err))
}

// What the driver tells a process of the service.
const (
	databaseVar = "PAYMENTS_DATABASE"
	providerVar = "PAYMENTS_PROVIDER"
)

// serve is a process of the service. It takes the driver's listener, so that
// customers wait in its queue while a killed process is replaced, and reports what
// an Observer sees as a line each. outside is how it reaches the provider.
func serve(ctx context.Context, reports io.Writer, outside http.RoundTripper) error {
	pool, err := pgxpool.New(ctx, os.Getenv(databaseVar)+"&pool_max_conns=10")
	if err != nil {
		return err
	}
	defer pool.Close()
	listener, err := net.FileListener(os.NewFile(3, "listener"))
	if err != nil {
		return err
	}
	s := &service{store.New(pool, pawl.WithObserver(&reporter{to: reports})), &bank{os.Getenv(providerVar), &http.Client{Transport: outside}}}
	server := &http.Server{Handler: s.handler(), ReadHeaderTimeout: 5 * time.Second}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	if err := server.Serve(listener); ctx.Err() == nil {
		return err
	}
	return nil
}

// reporter writes a line for each event, at once: a process that is killed takes
// no more than one with it.
type reporter struct {
	mu sync.Mutex
	to io.Writer
}

func (r *reporter) Observe(_ context.Context, e pawl.Event) {
	kind := "call"
	if e.Request {
		kind = "request"
	}
	upserted := e.Upserted.Updated + e.Upserted.Unchanged + e.Upserted.Stale
	r.mu.Lock()
	defer r.mu.Unlock()
	_, _ = fmt.Fprintln(r.to, strings.Join([]string{kind, string(e.Outcome), e.SQLState, strconv.FormatInt(int64(upserted), 10)}, ","))
}
