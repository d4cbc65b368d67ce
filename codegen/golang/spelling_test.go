package golang

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSpell(t *testing.T) {
	s := Spell(bookings())
	for address, want := range map[string]string{
		"table.bookings.transitions.status.confirm": "(b Bookings) Confirm(ctx context.Context, id int64) (Booking, error)",
		"table.bookings.insert":                     "(b Bookings) Insert(ctx context.Context, in BookingInsert) (Booking, error)",
		"queue.tasks.complete":                      "(t Tasks) Complete(ctx context.Context, tasks ...TaskClaim) error",
		"singleton.outbox_relay.try_run":            "(s OutboxRelay) TryRun(ctx context.Context, fn func(ctx context.Context, tx *Store) error, options ...pawl.TxOption) (ran bool, err error)",
	} {
		if got := s.Methods[address]; got != want {
			t.Errorf("%s is %q, want %q", address, got, want)
		}
	}
	want := map[ConstraintName]string{
		{"app", "bookings", "bookings_pkey"}:                   "ErrBookingsPkey",
		{"app", "bookings", "bookings_one_per_room"}:           "ErrBookingsOnePerRoom",
		{"app", "bookings", "bookings_status"}:                 "ErrBookingsStatus",
		{"app", "counters", "counters_remaining_not_negative"}: "ErrCountersRemainingNotNegative",
	}
	if diff := cmp.Diff(want, s.Sentinels); diff != "" {
		t.Error(diff)
	}
	p := bookings()
	p.Go = nil
	if s := Spell(p); len(s.Methods)+len(s.Sentinels) > 0 {
		t.Errorf("a program without Go is spelled: %v", s)
	}
	p = bookings()
	p.Repositories[0].GoName = "wrong"
	if s := Spell(p); len(s.Methods)+len(s.Sentinels) > 0 {
		t.Errorf("a program with problems is spelled: %v", s)
	}
}
