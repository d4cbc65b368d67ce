package client_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pawldb/pawl/verify/client"
)

// everything is a value of each column of testdata/types, spelled as
// PostgreSQL prints it.
var everything = args(
	"small", "-2", "whole", "3", "big", "9007199254740993", "exact", "1.500", "money", "10.00", "single", "1.5", "double", "0.1",
	"flag", "t", "words", `it's "so"`, "short", "short", "bytes", `\x00ff`, "day", "2026-02-03", "moment", "2026-02-03 04:05:06.789+00",
	"moment_ms", "2026-02-03 04:05:06.789+00", "hour", "04:05:06", "hour_ms", "04:05:06.5", "span", "1 mon 2 days 03:04:05",
	"ident", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "document", `{"a": [1, 1.50]}`, "address", "10.0.0.1", "network", "10.0.0.0/8",
	"mac", "08:00:2b:01:02:03", "bits", "10101010", "more_bits", "101", "ints", "[1,5)", "bigs", "[1,)", "exacts", "(1.50,2]",
	"days", "[2026-02-03,2026-02-04)", "moments", `["2026-02-03 00:00:00+00","2026-02-04 00:00:00+00")`,
	"tags", `{a,"b,c",NULL}`, "numbers", "{1,2}", "idents", "{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}", "vector", "'a':1 'b'",
)

// TestEveryTypeTravelsAsText writes and reads a value of each type, in every mode
// that a connection can have.
func TestEveryTypeTravelsAsText(t *testing.T) {
	program := compileFS(t, os.DirFS("testdata/types"))
	performer := client.New(program)
	url := database(t, program)
	for _, mode := range modes {
		t.Run(mode.String(), func(t *testing.T) {
			db := inMode(t, url, mode)
			do := func(address string, call client.Call) map[string]*string {
				t.Helper()
				call.Operation = operation(t, program, address)
				out, err := performer.Do(t.Context(), db, call)
				if err != nil || out.Answer != client.OK || len(out.Rows) != 1 {
					t.Fatalf("%s: %+v, %v", address, out, err)
				}
				return out.Rows[0]
			}
			stored := do("table.everything.insert", client.Call{Args: everything})
			id := stored["id"]
			compare(t, "insert", stored, everything)
			compare(t, "get", do("table.everything.get", client.Call{Args: map[string]*string{"id": id}}), everything)
			changes := args("words", "other", "tags_or_null", "{}", "word_or_null", "", "exact", "2.50")
			wanted := maps.Clone(everything)
			maps.Copy(wanted, changes)
			edited := do("table.everything.edit.change", client.Call{
				Args:   map[string]*string{"id": id},
				Decide: func(map[string]*string) map[string]*string { return changes },
			})
			compare(t, "edit", edited, wanted)
		})
	}
}

// queueOfTypes is a queue whose claim returns columns that a batch sends in
// binary.
const queueOfTypes = `
pawl {
  project  = "types"
  postgres = 14
  schema   = "app"
}
enum "size" { values = ["small", "large"] }
queue "jobs" {
  lease = "1m"
  column "whole" { type = bigint }
  column "exact" { type = numeric }
  column "double" { type = double_precision }
  column "flag" { type = boolean }
  column "words" { type = text }
  column "bytes" { type = bytea }
  column "moment" { type = timestamptz }
  column "day" { type = date }
  column "span" { type = interval }
  column "ident" { type = uuid }
  column "document" { type = jsonb }
  column "size" { type = enum.size }
  column "days" { type = daterange }
  column "tags" { type = list(text) }
  column "numbers" { type = list(bigint) }
  column "note" {
    type = text
    null = true
  }
}
`

// TestABatchReturnsTheSameValues claims tasks in every mode and lets the server
// say whether what came back is what is stored.
func TestABatchReturnsTheSameValues(t *testing.T) {
	program := compileFS(t, fstest.MapFS{"spec.hcl": {Data: []byte(queueOfTypes)}})
	performer := client.New(program)
	url := database(t, program)
	task := args("whole", "9007199254740993", "exact", "1.500", "double", "0.1", "flag", "t", "words", `it's "so"`, "bytes", `\x00ff`,
		"moment", "2026-02-03 04:05:06.789+00", "day", "2026-02-03", "span", "1 mon 2 days 03:04:05", "ident", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
		"document", `{"a": [1, 1.50]}`, "size", "large", "days", "[2026-02-03,2026-02-04)", "tags", `{a,"b,c"}`, "numbers", "{1,NULL}")
	for _, mode := range modes {
		t.Run(mode.String(), func(t *testing.T) {
			db := inMode(t, url, mode)
			if out, err := performer.Do(t.Context(), db, client.Call{Operation: operation(t, program, "queue.jobs.enqueue"), Args: task}); err != nil || out.Answer != client.OK {
				t.Fatalf("%+v, %v", out, err)
			}
			out, err := performer.Do(t.Context(), db, client.Call{Operation: operation(t, program, "queue.jobs.claim"), Args: args("limit", "1")})
			if err != nil || out.Answer != client.OK || len(out.Rows) != 1 {
				t.Fatalf("%+v, %v", out, err)
			}
			row := out.Rows[0]
			if row["note"] != nil {
				t.Errorf("note = %q, want NULL", *row["note"])
			}
			delete(row, "note")
			var conditions []string
			var values []any
			for _, column := range slices.Sorted(maps.Keys(row)) {
				if row[column] == nil {
					t.Fatalf("%s is NULL", column)
				}
				values = append(values, *row[column])
				conditions = append(conditions, fmt.Sprintf("%s = $%d", column, len(values)))
			}
			var equal int
			sql := "SELECT count(*) FROM app.jobs WHERE " + strings.Join(conditions, " AND ")
			if err := connect(t, url).QueryRow(t.Context(), sql, append([]any{pgx.QueryExecModeExec}, values...)...).Scan(&equal); err != nil || equal != 1 {
				t.Errorf("%d rows hold what the claim returned (%v): %s", equal, err, spell(row))
			}
		})
	}
}

// modes are how a connection can send statements that say nothing about it.
var modes = []pgx.QueryExecMode{
	pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec, pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol,
}

func inMode(t *testing.T, url string, mode pgx.QueryExecMode) *wrapper {
	t.Helper()
	config, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	config.DefaultQueryExecMode = mode
	config.RuntimeParams["timezone"] = "UTC"
	conn, err := pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	return &wrapper{conn}
}

func compare(t *testing.T, what string, row, want map[string]*string) {
	t.Helper()
	for column, value := range want {
		switch got := row[column]; {
		case got == nil:
			t.Errorf("%s: %s is NULL, want %q", what, column, *value)
		case *got != *value:
			t.Errorf("%s: %s = %q, want %q", what, column, *got, *value)
		}
	}
	for column, value := range row {
		if want[column] == nil && column != "id" && value != nil {
			t.Errorf("%s: %s = %q, want NULL", what, column, *value)
		}
	}
}

// wrapper is a connection as an explorer shows it: it knows no Conn, and rows
// come out of a buffer when the statement is over.
type wrapper struct{ conn *pgx.Conn }

func (w *wrapper) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	return w.conn.Exec(ctx, sql, args...)
}

func (w *wrapper) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	return w.conn.SendBatch(ctx, b)
}

func (w *wrapper) BeginTx(ctx context.Context, options pgx.TxOptions) (pgx.Tx, error) {
	return w.conn.BeginTx(ctx, options)
}

func (w *wrapper) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	rows, err := w.conn.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	buffered := &buffer{Rows: rows, at: -1}
	for rows.Next() {
		var row [][]byte
		for _, value := range rows.RawValues() {
			row = append(row, slices.Clone(value))
		}
		buffered.fields = slices.Clone(rows.FieldDescriptions())
		buffered.rows = append(buffered.rows, row)
	}
	return buffered, nil
}

// buffer replays rows; error and tag are those of the rows that were read.
type buffer struct {
	pgx.Rows
	fields []pgconn.FieldDescription
	rows   [][][]byte
	at     int
}

func (b *buffer) Next() bool                                   { b.at++; return b.at < len(b.rows) }
func (b *buffer) RawValues() [][]byte                          { return b.rows[b.at] }
func (b *buffer) FieldDescriptions() []pgconn.FieldDescription { return b.fields }
func (b *buffer) Conn() *pgx.Conn                              { return nil }
