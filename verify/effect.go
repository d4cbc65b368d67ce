package verify

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/compiler/ir"
)

// effectLog records what clients really changed, row by row and in the
// transaction of the change, so that what they were told can be compared with
// it. It stands in the scratch database only.
const effectLog = `
CREATE SCHEMA pawl_effects;
CREATE TABLE pawl_effects.effect (
  id     bigint GENERATED ALWAYS AS IDENTITY,
  client integer NOT NULL,
  at     timestamptz NOT NULL,
  tab    oid NOT NULL,
  op     text NOT NULL,
  old    jsonb,
  new    jsonb
);
CREATE FUNCTION pawl_effects.record() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  name text := current_setting('application_name');
BEGIN
  IF name LIKE 'pawl verify s%' THEN
    INSERT INTO pawl_effects.effect (client, at, tab, op, old, new)
    VALUES (substr(name, 14)::integer, clock_timestamp(), TG_RELID, TG_OP,
      CASE WHEN TG_OP <> 'INSERT' THEN to_jsonb(OLD) END, CASE WHEN TG_OP <> 'DELETE' THEN to_jsonb(NEW) END);
  END IF;
  RETURN NULL;
END
$$;`

// emptyEffects is part of every fixture.
const emptyEffects = "\nTRUNCATE pawl_effects.effect;"

// watchTable has the changes of a table recorded. The trigger's name sorts it
// behind those that may refuse the change.
func watchTable(t ir.TableRef) string {
	return "CREATE OR REPLACE TRIGGER " + ir.Ident("~pawl_effect") + " AFTER INSERT OR UPDATE OR DELETE ON " + t.SQL() +
		" FOR EACH ROW EXECUTE FUNCTION pawl_effects.record()"
}

// effectCounts is how many rows of a table each client has changed, but for
// those that meet a condition over c.
func effectCounts(ctx context.Context, conn *pgx.Conn, t ir.TableRef, except string) (map[int]int, error) {
	sql := "SELECT c.client, count(*) FROM pawl_effects.effect AS c WHERE c.tab = " + regclass(t)
	if except != "" {
		sql += " AND " + not(except)
	}
	rows, err := conn.Query(ctx, sql+" GROUP BY 1")
	if err != nil {
		return nil, fmt.Errorf("count effects: %w", err)
	}
	counts := map[int]int{}
	var who, n int
	_, err = pgx.ForEachRow(rows, []any{&who, &n}, func() error {
		counts[who] = n
		return nil
	})
	return counts, err
}

// badEffects selects the changes of a table that do not meet a condition over o
// (the row before), n (after) and c (the record). A condition that is NULL is
// not met.
func badEffects(t ir.TableRef, condition string) string {
	row := "jsonb_populate_record(NULL::" + t.SQL() + ", c."
	return "SELECT c.client, c.op, c.old, c.new FROM pawl_effects.effect AS c" +
		" CROSS JOIN LATERAL " + row + "old) AS o CROSS JOIN LATERAL " + row + "new) AS n" +
		" WHERE c.tab = " + regclass(t) + " AND (" + condition + ") IS NOT TRUE ORDER BY c.id"
}

func regclass(t ir.TableRef) string { return ir.Literal(t.SQL()) + "::regclass" }

// all joins conditions that must hold together.
func all(conditions ...string) string {
	conditions = slices.DeleteFunc(slices.Clone(conditions), func(c string) bool { return c == "true" })
	if len(conditions) == 0 {
		return "true"
	}
	return "(" + strings.Join(conditions, ") AND (") + ")"
}
