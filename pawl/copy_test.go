package pawl_test

import (
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pawldb/pawl/pawl"
)

// zooTable has a column for each kind of type that COPY could get wrong.
const zooTable = `
CREATE TYPE app.mood AS ENUM ('', 'a\b', 'tab	in');
CREATE TABLE app.zoo (
  id integer GENERATED ALWAYS AS IDENTITY,
  name text NOT NULL,
  mood app.mood NOT NULL DEFAULT '',
  moods app.mood[] NOT NULL DEFAULT '{}',
  note text,
  body jsonb NOT NULL DEFAULT '{}',
  raw bytea NOT NULL DEFAULT '',
  n numeric NOT NULL DEFAULT 7 CHECK (n > 0),
  at timestamptz NOT NULL DEFAULT '2000-01-01Z',
  during tstzrange NOT NULL DEFAULT 'empty',
  lines text[] NOT NULL DEFAULT '{}'
)`

type animal struct {
	Name   string
	Mood   *mood
	Moods  []string
	Note   *string
	Body   []byte
	Raw    []byte
	N      *pgtype.Numeric
	At     *time.Time
	During *pawl.TimeRange
	Lines  []string
}

func (a *animal) values() []any {
	var body any
	if a.Body != nil {
		body = string(a.Body)
	}
	return []any{a.Name, a.Mood, a.Moods, a.Note, body, a.Raw, a.N, a.At, a.During, a.Lines}
}

var copyAnimals = pawl.CopyTarget{
	Operation: pawl.Operation{
		Name: "table.zoo.insert_many", Table: "app.zoo",
		SQL: `/* table.zoo.insert_many */ COPY app.zoo (name, mood, moods, note, body, raw, n, at, during, lines) FROM STDIN`,
	},
	Into:     pgx.Identifier{"app", "zoo"},
	Columns:  []string{"name", "mood", "moods", "note", "body", "raw", "n", "at", "during", "lines"},
	Defaults: []int{1, 2, 4, 5, 6, 7, 8, 9},
}

// What COPY stores is what was given, in every exec mode and without a type that
// the connection knows; what a row leaves out has the column's default.
func TestCopyKeepsValuesAndDefaults(t *testing.T) {
	odd := "a\tb\nc\\d\re\\.\n\\N"
	full, at := mood(`a\b`), time.Date(2024, 2, 29, 12, 0, 0, 1000, time.UTC)
	empty, tab := mood(""), mood("tab\tin")
	n := pgtype.Numeric{}
	must(t, n.Scan("12.50"))
	during := soon(1, 2)
	given := []animal{
		{Name: "defaults"},
		{
			Name: "full", Mood: &full, Moods: []string{`a\b`, "", "tab\tin"}, Note: &odd, Body: []byte(`{"a": "\\\n"}`), Raw: []byte{0, 9, 10, '\\', 255},
			N: &n, At: &at, During: &during, Lines: []string{odd, "", "NULL", `{"x",}`},
		},
		{Name: "", Mood: &empty, Moods: []string{}, Raw: []byte{}, Lines: []string{}},
		{Name: `\N`, Mood: &tab, N: &n},
	}
	for _, mode := range modes {
		t.Run(mode.String(), func(t *testing.T) {
			pool := connect(t, database(t), inMode(mode))
			exec(t, pool, zooTable)
			copied, err := pawl.Copy(t.Context(), session(pool), &copyAnimals, given, (*animal).values)
			must(t, err)
			want(t, "rows copied", copied, int64(len(given)))
			rows := number(t, pool, `SELECT count(*) FROM app.zoo WHERE
  name = 'defaults' AND mood = '' AND moods = '{}' AND note IS NULL AND body = '{}' AND raw = '' AND n = 7 AND at = '2000-01-01Z' AND isempty(during) AND lines = '{}'
  OR name = 'full' AND mood = 'a\b' AND moods::text[] = $1::text[] AND note = $2::text AND body = '{"a": "\\\n"}' AND raw = '\x00090a5cff'
    AND n::text = '12.50' AND at = '2024-02-29 12:00:00.000001Z' AND during = $3::tstzrange AND lines = $4::text[]
  OR name = '' AND mood = '' AND moods = '{}' AND raw = '' AND n = 7 AND lines = '{}' AND isempty(during)
  OR name = '\N' AND mood::text = E'tab\tin' AND n::text = '12.50' AND body = '{}'`,
				given[1].Moods, odd, during, given[1].Lines)
			want(t, "rows as given", rows, int64(len(given)))
		})
	}
}

// A row that breaks a constraint undoes those of every batch, and the error says
// which constraint, not what was in the row.
func TestCopyStoresAllOrNone(t *testing.T) {
	pool := connect(t, database(t), func(c *pgxpool.Config) { c.MaxConns = 1 })
	exec(t, pool, zooTable)
	bad := pgtype.Numeric{}
	must(t, bad.Scan("-1"))
	for _, given := range [][]animal{
		{{Name: "a"}, {Name: "secret", N: &bad}},
		{{Name: "a"}, {Name: "\x00"}},
	} {
		n, err := pawl.Copy(t.Context(), session(pool), &copyAnimals, given, (*animal).values)
		if n != 0 || err == nil {
			t.Fatalf("%d rows, %v", n, err)
		}
		if !errors.Is(err, pawl.ErrCheck) && !errors.Is(err, pawl.ErrBadInput) {
			t.Errorf("the error is %v", err)
		}
		want(t, "rows stored", number(t, pool, "SELECT count(*) FROM app.zoo"), 0)
	}
}

// Rows of defaults alone have no columns for COPY, and are stored all the same.
func TestCopyOfDefaultsAlone(t *testing.T) {
	pool, s := open(t)
	exec(t, pool, "CREATE TABLE app.marks (id bigint GENERATED ALWAYS AS IDENTITY, n bigint DEFAULT 7)")
	target := pawl.CopyTarget{
		Operation: pawl.Operation{Name: "table.marks.insert_many", Table: "app.marks", SQL: "COPY app.marks (n) FROM STDIN"},
		Into:      pgx.Identifier{"app", "marks"}, Columns: []string{"n"}, Defaults: []int{0},
	}
	five := int64(5)
	n, err := pawl.Copy(t.Context(), s, &target, []*int64{nil, nil, &five}, func(v **int64) []any { return []any{*v} })
	must(t, err)
	want(t, "rows copied", n, 3)
	want(t, "sum", number(t, pool, "SELECT sum(n) FROM app.marks"), 19)
}
