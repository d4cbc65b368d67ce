package pawl_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/pawldb/pawl/pawl"
)

// logged runs fn with an observer that logs, and returns the lines.
func logged(t *testing.T, level slog.Level, fn func(o pawl.Observer), options ...pawl.LogOption) []map[string]any {
	t.Helper()
	var out strings.Builder
	fn(pawl.LogTo(slog.New(slog.NewJSONHandler(&out, &slog.HandlerOptions{Level: level})), options...))
	var lines []map[string]any
	for line := range strings.Lines(out.String()) {
		var fields map[string]any
		must(t, json.Unmarshal([]byte(line), &fields))
		lines = append(lines, fields)
	}
	return lines
}

func TestLogShowsStatesAndHidesKeys(t *testing.T) {
	pool, _ := open(t)
	exec(t, pool, `INSERT INTO app.rooms (name) VALUES ('blue')`, `INSERT INTO app.items (id, stock) VALUES (4711, 1)`)
	keyed := takeItem
	keyed.KeyArgs = 1
	move := confirmBooking
	move.KeyArgs = 1
	work := func(o pawl.Observer) {
		s := session(pool, pawl.WithObserver(o))
		_, _ = pawl.Guarded(t.Context(), s, &keyed, (*item).dest, int64(4711), 1)
		_, _ = pawl.Guarded(t.Context(), s, &keyed, (*item).dest, int64(4711), 99)
		b, err := pawl.QueryOne(t.Context(), s, &insertBooking, (*booking).dest, 1, soon(1, 2))
		if err == nil { // only the first round: the room is taken then
			exec(t, pool, `UPDATE app.bookings SET status = 'cancelled'`)
		}
		_, _ = pawl.Guarded(t.Context(), s, &move, (*booking).dest, max(b.ID, 1))
	}
	lines := logged(t, slog.LevelInfo, work)
	text := fmt.Sprint(lines)
	for _, line := range lines {
		if line["outcome"] == "ok" {
			t.Errorf("what went well is written at info: %v", line)
		}
	}
	if len(lines) != 2 || lines[0]["outcome"] != "guard" || lines[1]["state"] != "cancelled" || lines[1]["table"] != "app.bookings" {
		t.Errorf("the refusals are logged as %v", lines)
	}
	if strings.Contains(text, "4711") || len(fmt.Sprint(lines[0]["key"])) != 16 {
		t.Errorf("the key is not hidden: %v", lines)
	}
	plain := logged(t, slog.LevelDebug, work, pawl.PlainKeys())
	if len(plain) < 3 || plain[0]["key"] != "4711" {
		t.Errorf("with PlainKeys the lines are %v", plain)
	}
}

// Each outcome has a level, and none that alarms is quiet.
func TestLogLevels(t *testing.T) {
	levels := map[pawl.Outcome]string{
		pawl.OutcomeOK: "DEBUG", pawl.OutcomeRepeated: "DEBUG", "inserted": "DEBUG",
		pawl.OutcomeRetried: "INFO", pawl.OutcomeConstraint: "INFO",
		pawl.OutcomeExhausted: "WARN", pawl.OutcomeClaimLost: "WARN",
		pawl.OutcomeCommitUnknown: "ERROR", pawl.OutcomeUnknown: "ERROR", pawl.OutcomeError: "ERROR",
	}
	for outcome, level := range levels {
		lines := logged(t, slog.LevelDebug, func(o pawl.Observer) { o.Observe(context.Background(), pawl.Event{Outcome: outcome}) })
		if len(lines) != 1 || lines[0]["level"] != level {
			t.Errorf("%s is logged as %v, want level %s", outcome, lines, level)
		}
	}
}
