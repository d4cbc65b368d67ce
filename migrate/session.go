package migrate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/compiler/ir"
)

// checkSession refuses a connection whose session is not its own. A pooler
// answers the start of a connection itself, with a process number that it made
// up; the server knows another one.
//
// The question goes out as plain text: behind a pooler, a statement that is
// prepared first may be executed where nobody prepared it, and the answer would
// be about that.
func checkSession(ctx context.Context, conn *pgx.Conn) (standby bool, err error) {
	results, err := conn.PgConn().Exec(ctx, "SELECT pg_catalog.pg_backend_pid(), pg_catalog.pg_is_in_recovery()").ReadAll()
	if err != nil {
		return false, fmt.Errorf("looking at the session: %w", err)
	}
	if len(results) != 1 || len(results[0].Rows) != 1 {
		return false, errors.New("looking at the session: the server gave no answer")
	}
	row := results[0].Rows[0]
	if string(row[0]) != strconv.FormatUint(uint64(conn.PgConn().PID()), 10) {
		return false, ErrPooled
	}
	return string(row[1]) == "t", nil
}

// pins are the session settings of a plan and of an apply. Names are looked up
// along path only; no time limit of the role or database ends the work halfway;
// and a policy that hides rows from this role makes the server answer with an
// error, not with fewer rows: a full table must not look empty, nor a rule kept
// that hidden rows break.
func pins(path []string) [][2]string {
	return [][2]string{
		{"search_path", ir.Idents(slices.Concat(path, []string{"pg_temp"}))},
		{"TimeZone", "UTC"},
		{"DateStyle", "ISO, MDY"},
		{"IntervalStyle", "postgres"},
		{"standard_conforming_strings", "on"},
		{"default_transaction_isolation", "read committed"},
		{"default_transaction_read_only", "off"},
		{"client_min_messages", "warning"},
		{"row_security", "off"},
		{"statement_timeout", "0"},
		{"lock_timeout", "0"},
		{"idle_in_transaction_session_timeout", "0"},
		{"idle_session_timeout", "0"},
		{"transaction_timeout", "0"}, // since PostgreSQL 17
	}
}

// pin makes the settings that the server knows and returns what puts back those
// that the session had. One is not put back: a session that waits for a person to
// read the plan must still be there for the apply.
func pin(ctx context.Context, conn *pgx.Conn, settings [][2]string) (unpin func(), err error) {
	var had [][2]string
	unpin = func() {
		ctx, cancel := cleanup()
		defer cancel()
		for _, setting := range had {
			// A connection that is lost needs its settings no more.
			_, _ = conn.Exec(ctx, "SELECT pg_catalog.set_config($1, $2, false)", setting[0], setting[1])
		}
	}
	for _, setting := range settings {
		var before *string
		if err := conn.QueryRow(ctx, "SELECT pg_catalog.current_setting($1, true)", setting[0]).Scan(&before); err != nil {
			unpin()
			return nil, fmt.Errorf("reading %s: %w", setting[0], err)
		}
		if before == nil {
			continue
		}
		if _, err := conn.Exec(ctx, "SELECT pg_catalog.set_config($1, $2, false)", setting[0], setting[1]); err != nil {
			unpin()
			return nil, fmt.Errorf("setting %s: %w", setting[0], err)
		}
		if setting[0] != "idle_session_timeout" {
			had = append(had, [2]string{setting[0], *before})
		}
	}
	return unpin, nil
}

// cleanup is the context of what has to be done whatever was cancelled.
func cleanup() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), 10*time.Second)
}
