package client_test

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/examples/seats/store"
	"github.com/pawldb/pawl/examples/seats/store/pawl"
	"github.com/pawldb/pawl/verify/client"
)

// noTransaction is what a step wants that must be an error of Do, and
// ErrNoTransaction of the method.
const noTransaction client.Answer = "no transaction"

func set(column, value string) func(map[string]*string) map[string]*string {
	return func(map[string]*string) map[string]*string { return args(column, value) }
}

func reprice(id, to int64) func(context.Context, *store.Store) (any, error) {
	return func(ctx context.Context, s *store.Store) (any, error) {
		return got(s.Rooms.Reprice(ctx, id, func(_ context.Context, row *store.Room) error {
			row.Price = price(to)
			return nil
		}))
	}
}

func rename(id int64, to string) func(context.Context, *store.Store) (any, error) {
	return func(ctx context.Context, s *store.Store) (any, error) {
		return got(s.Rooms.Rename(ctx, id, func(_ context.Context, row *store.Room) error {
			row.Name = to
			return nil
		}))
	}
}

func book(room, customer int64, during pawl.TimeRange, status store.BookingStatus) func(context.Context, *store.Store) (any, error) {
	return func(ctx context.Context, s *store.Store) (any, error) {
		in := store.BookingInsert{RoomID: room, CustomerID: customer, During: during}
		if status != "" {
			in.Status = &status
		}
		return got(s.Bookings.Insert(ctx, in))
	}
}

func send(name string, n int64) func(context.Context, *store.Store) (any, error) {
	return func(ctx context.Context, s *store.Store) (any, error) { return got(s.Counters.Send(ctx, name, n)) }
}

func enqueue(ctx context.Context, s *store.Store) (any, error) {
	return got(s.Tasks.Enqueue(ctx, store.TaskArgs{Kind: "mail", Body: json.RawMessage(`{"n": 1}`)}))
}

func fail(id, fence int64) func(context.Context, *store.Store) (any, error) {
	return func(ctx context.Context, s *store.Store) (any, error) {
		return only(s.Tasks.Fail(ctx, held(id, fence), errors.New("too late")))
	}
}

// claimed makes an empty claim the answer that a performer gives it: nobody who
// judges results should have to count.
func claimed(tasks []store.TaskClaim, err error) (any, error) {
	if err == nil && len(tasks) == 0 {
		err = pawl.ErrNotFound
	}
	return tasks, err
}

// lostAny makes the lost ids of a heartbeat the error that a performer's answer
// stands for.
func lostAny(lost []int64, err error) (any, error) {
	if err == nil && len(lost) > 0 {
		return nil, pawl.ErrClaimLost
	}
	return nil, err
}

const teamSQL = "INSERT INTO app.teams (name) SELECT 'team ' || count(*) FROM app.teams"

func putTeam(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, teamSQL)
	return err
}

func runRelay(ctx context.Context, s *store.Store) (any, error) {
	return only(s.OutboxRelay.Run(ctx, func(ctx context.Context, tx *store.Store) error {
		_, err := tx.DB().Exec(ctx, teamSQL)
		return err
	}))
}

func tryRelay(ctx context.Context, s *store.Store) (any, error) {
	ran, err := s.OutboxRelay.TryRun(ctx, func(ctx context.Context, tx *store.Store) error {
		_, err := tx.DB().Exec(ctx, teamSQL)
		return err
	})
	if err == nil && !ran {
		err = pawl.ErrBusy
	}
	return only(err)
}
