package explore

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// A statement is stopped inside by triggers that take an advisory lock, and give
// it back at once. The control connection holds all of these locks: who waits
// for it is stopped, and goes on when it gives the lock away for a moment.
//
// The BEFORE STATEMENT trigger is the gate proper. The statement has its
// snapshot by then and has looked at nothing, so what others commit meanwhile is
// what it will miss. A gate before the first row of an INSERT would add nothing:
// between the two it only looks at the snapshot. Each further row is a place of
// its own, since the rows before it are written and locked.
//
// UPDATE and DELETE lock a row before its trigger runs. So the gate of a row
// after the first comes too late to see the first locked and the second not, and
// the gate before the first is needed, where there is a second. It is shut only
// when a scenario turns out to have statements of several rows (see [manyRows]).
const (
	// gateSetting holds the gates that are shut for a session: tables' OIDs.
	gateSetting = "pawl_verify.gate"
	// firstSetting is "on" when first rows of UPDATE and DELETE are stopped too.
	firstSetting = "pawl_verify.first"
)

// gateKey is the first half of the advisory lock of a gate; the second is the
// backend's pid. It is gateBase plus twice the place, plus one for every second
// gate that a transaction passes: two gates in a row are two locks, so that the
// control connection need not hurry to take the first back.
type gateKey int32

const gateBase gateKey = 0x7061776c

// The keys of all gates, from the first to the last.
const (
	firstGate = gateBase
	lastGate  = gateBase + gateKey(2*gatePlaces) - 1
)

// gatePlace is what kind of gate a statement is stopped at.
type gatePlace int

const (
	atStatement gatePlace = iota
	atInsertedRow
	atLaterRow
	atFirstRow
	gatePlaces
)

func (k gateKey) place() gatePlace { return gatePlace(k-gateBase) / 2 }

// String is how a timeline spells the place.
func (p gatePlace) String() string {
	if p == atStatement {
		return "before the first row"
	}
	return "before a row"
}

// gateScript makes the triggers' function. It keeps what it knows about a
// table's current statement in a setting: its operation, how many rows were seen,
// the operation on the last of them, and the statement's time. ON CONFLICT DO
// UPDATE and MERGE fire the statement triggers of several operations one after
// the other, of which only the first is a gate; and where a row was to be
// inserted and is updated instead, both row triggers fire. lock_timeout is the
// client's own, and must not end a stop.
var gateScript = fmt.Sprintf(`
CREATE SCHEMA IF NOT EXISTS pawl_verify;
CREATE OR REPLACE FUNCTION pawl_verify.gate() RETURNS trigger LANGUAGE plpgsql SET lock_timeout = 0 AS $gate$
DECLARE
	result record := CASE WHEN TG_LEVEL = 'STATEMENT' THEN NULL WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
	setting text := 'pawl_verify.t' || TG_ARGV[0];
	seen text[];
	stamp text := extract(epoch FROM statement_timestamp())::text;
	nth int := 0;
	place int := 0;
	passed int;
	key int;
BEGIN
	IF (TG_ARGV[0] = ANY (string_to_array(current_setting('pawl_verify.gate', true), ','))) IS NOT TRUE THEN
		RETURN result;
	END IF;
	seen := string_to_array(current_setting(setting, true), ' ');
	IF TG_LEVEL = 'STATEMENT' THEN
		IF seen[1] <> TG_OP AND seen[2] = '0' AND seen[4] = stamp THEN
			PERFORM set_config(setting, concat_ws(' ', 'MIXED', 0, 'NONE', stamp), true);
			RETURN result;
		END IF;
		PERFORM set_config(setting, concat_ws(' ', TG_OP, 0, 'NONE', stamp), true);
	ELSE
		IF seen[1] = 'MIXED' AND seen[3] = 'INSERT' AND TG_OP = 'UPDATE' THEN
			RETURN result;
		END IF;
		nth := seen[2]::int + 1;
		PERFORM set_config(setting, concat_ws(' ', seen[1], nth, TG_OP, seen[4]), true);
		place := CASE WHEN TG_OP = 'INSERT' THEN 1 WHEN nth > 1 THEN 2 ELSE 3 END;
		IF nth = 1 AND (TG_OP = 'INSERT' OR current_setting('pawl_verify.first', true) IS DISTINCT FROM 'on') THEN
			RETURN result;
		END IF;
	END IF;
	passed := coalesce(nullif(current_setting('pawl_verify.passed', true), ''), '0');
	PERFORM set_config('pawl_verify.passed', (passed + 1)::text, true);
	key := %d + 2 * place + passed %% 2;
	RAISE NOTICE '%s';
	PERFORM pg_advisory_lock(key, pg_backend_pid());
	PERFORM pg_advisory_unlock(key, pg_backend_pid());
	RETURN result;
END $gate$`, gateBase, gateNotice)

// gatedTable is a table that has gates.
type gatedTable struct {
	oid  uint32
	name string
}

// gates are the gates of a database, and the locks that keep them shut.
type gates struct {
	tables []gatedTable
	held   map[uint32]bool // pids whose gates the control connection shuts
	made   bool            // the function exists
}

// shut sees to it that the tables have gates, and returns the value of
// gateSetting that shuts them.
func (g *gates) shut(ctx context.Context, control *pgx.Conn, tables []string) (string, error) {
	var oids []string
	for _, table := range tables {
		oid, err := g.install(ctx, control, table)
		if err != nil {
			return "", fmt.Errorf("put gates on %s: %w", table, err)
		}
		oids = append(oids, fmt.Sprint(oid))
	}
	return strings.Join(oids, ","), nil
}

// install puts triggers on a table that has none.
func (g *gates) install(ctx context.Context, control *pgx.Conn, table string) (oid uint32, err error) {
	if !g.made {
		if _, err := control.Exec(ctx, gateScript); err != nil {
			return 0, err
		}
		g.made = true
	}
	var name string
	var exists bool
	err = control.QueryRow(ctx, `SELECT oid, oid::regclass::text, EXISTS (
	SELECT FROM pg_trigger WHERE tgrelid = pg_class.oid AND tgname = '!pawl_verify_row')
FROM pg_class WHERE oid = $1::text::regclass`, table).Scan(&oid, &name, &exists)
	if err != nil || exists {
		return oid, err
	}
	script := fmt.Sprintf(`
CREATE TRIGGER "!pawl_verify_statement" BEFORE INSERT OR UPDATE OR DELETE ON %[1]s
	FOR EACH STATEMENT EXECUTE FUNCTION pawl_verify.gate('%[2]d');
CREATE TRIGGER "!pawl_verify_row" BEFORE INSERT OR UPDATE OR DELETE ON %[1]s
	FOR EACH ROW EXECUTE FUNCTION pawl_verify.gate('%[2]d')`, name, oid)
	if _, err := control.Exec(ctx, script); err != nil {
		return 0, err
	}
	g.tables = append(g.tables, gatedTable{oid: oid, name: name})
	return oid, nil
}

// hold takes the locks of a session's gates.
func (g *gates) hold(ctx context.Context, control *pgx.Conn, pid uint32) error {
	if g.held[pid] {
		return nil
	}
	_, err := control.Exec(ctx, `SELECT pg_advisory_lock(key, $3::int) FROM generate_series($1::int, $2::int) AS key`,
		firstGate, lastGate, pid)
	if err != nil {
		return fmt.Errorf("shut the gates of backend %d: %w", pid, err)
	}
	g.held[pid] = true
	return nil
}

// gateSettings is what tells a session which gates are shut.
func (x *Explorer) gateSettings() string {
	if x.shut == "" {
		return ""
	}
	first := "off"
	if x.firstRows {
		first = "on"
	}
	return fmt.Sprintf("SET %s = '%s'; SET %s = %s", gateSetting, x.shut, firstSetting, first)
}

// release lets a stopped statement pass its gate, which shuts behind it: the lock
// is handed to who waits for it, and comes back when that gives it up at once.
func (x *Explorer) release(ctx context.Context, pid uint32, key gateKey) error {
	_, err := x.control.Exec(ctx, `SELECT pg_advisory_unlock($1::int, $2::int), pg_advisory_lock($1::int, $2::int)`, key, pid)
	if err != nil {
		return fmt.Errorf("open a gate of backend %d: %w", pid, err)
	}
	return nil
}

// remove drops the triggers and their function.
func (g *gates) remove(ctx context.Context, control *pgx.Conn) error {
	if !g.made {
		return nil
	}
	// CASCADE takes the triggers along, also of tables that were renamed.
	_, err := control.Exec(ctx, `SET client_min_messages = error; DROP SCHEMA IF EXISTS pawl_verify CASCADE; RESET client_min_messages`)
	if err != nil {
		return fmt.Errorf("drop the gates: %w", err)
	}
	g.made, g.tables = false, nil
	return nil
}
