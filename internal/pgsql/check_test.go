package pgsql

import (
	"slices"
	"testing"

	"github.com/pawldb/pawl/internal/diag"
)

func TestCheck(t *testing.T) {
	rules := Rules{
		Table: "seats", Columns: []string{"id", "status", "stock", "Label", "until", "qty2"},
		Args: []string{"qty", "id"}, Volatility: Stable, Condition: true,
	}
	tests := []struct {
		text  string
		kinds []Kind
		at    string // what the first error points at
	}{
		{"status = 'x' AND seats.stock >= @qty AND app.seats.id = @id", nil, ""},
		{"upper(status) > 'A' AND until > now()", nil, ""},
		{`"Label" IS NOT NULL`, nil, ""},
		{"STATUS = 'x'", nil, ""},
		{"statsu = 'x'", []Kind{UnknownColumn}, "statsu"},
		{"Label = 'x'", []Kind{UnknownColumn}, "Label"},
		{"status = x AND y = 1", []Kind{UnknownColumn, UnknownColumn}, "x"},
		{"rooms.status = 'x'", []Kind{ForeignColumn}, "rooms.status"},
		{"seats IS NOT NULL", []Kind{UnknownColumn}, "seats"},
		{"ctid = '(0,1)'", []Kind{UnknownColumn}, "ctid"},
		{"stock - @quantity > 0", []Kind{UnknownArgument}, "@quantity"},
		{"(SELECT count(*) FROM rooms WHERE x = 1) > 0", []Kind{SubSelect}, "("},
		{"EXISTS (SELECT FROM rooms)", []Kind{SubSelect}, "EXISTS"},
		{"id IN (SELECT room FROM rooms)", []Kind{SubSelect}, "IN"},
		{"id NOT IN (TABLE rooms)", []Kind{SubSelect}, "NOT"},
		{"id = ANY (VALUES (1))", []Kind{SubSelect}, "="},
		{"status::numeric((SELECT 1)) > 0", []Kind{SubSelect}, "("},
		{"count(*) > 1", []Kind{Aggregate}, "count"},
		{"sum(stock) > 1", []Kind{Aggregate}, "sum"},
		{"mine(stock) FILTER (WHERE stock > 1)", []Kind{Aggregate}, "mine"},
		{"mine(DISTINCT stock) = 1", []Kind{Aggregate}, "mine"},
		{"mine(0.5) WITHIN GROUP (ORDER BY stock) = 1", []Kind{Aggregate}, "mine"},
		{"row_number() OVER (ORDER BY stock) = 1", []Kind{Aggregate}, "row_number"},
		{"mine(stock) OVER w = 1", []Kind{Aggregate}, "mine"},
		{"grouping(stock) = 1", []Kind{Aggregate}, "grouping"},
		{"json_arrayagg(stock) IS NULL", []Kind{Aggregate}, "json_arrayagg"},
		{"unnest(ARRAY[1]) = 1", []Kind{SetReturning}, "unnest"},
		{"pg_catalog.generate_series(1, 2) = 1", []Kind{SetReturning}, "pg_catalog"},
		{"mine.generate_series(1, 2) = 1", nil, ""},
		{"(seats.*) IS NOT NULL", []Kind{StarColumn}, "seats"},
		{"status = NULL", []Kind{NullComparison}, "="},
		{"NULL <> status", []Kind{NullComparison}, "<>"},
		{"status != NULL::text", []Kind{NullComparison}, "!="},
		{"status IS DISTINCT FROM NULL", nil, ""},
		{"stock > 0 AND false", []Kind{NeverTrue}, "stock > 0 AND false"},
		{"random() < 0.5", []Kind{VolatileFunction}, "random"},
		{"clock_timestamp() < until", []Kind{VolatileFunction}, "clock_timestamp"},
		{"nextval('s') = stock", []Kind{VolatileFunction}, "nextval"},
		{"stock <@qty", []Kind{UnknownColumn}, "qty"},
	}
	for _, tt := range tests {
		errs := parse(t, tt.text).Check(rules)
		var kinds []Kind
		for _, e := range errs {
			kinds = append(kinds, e.Kind)
		}
		if !slices.Equal(kinds, tt.kinds) {
			t.Errorf("%q: got %v, want %v", tt.text, kinds, tt.kinds)
			continue
		}
		if len(errs) > 0 {
			if at := tt.text[errs[0].Offset : errs[0].Offset+errs[0].Length]; at != tt.at {
				t.Errorf("%q: points at %q, want %q", tt.text, at, tt.at)
			}
		}
	}
}

func TestCheckAllows(t *testing.T) {
	tests := []struct {
		text  string
		rules Rules
		kind  Kind // without the rule
	}{
		{"(SELECT x FROM y) = 1", Rules{SubSelects: true}, SubSelect},
		{"count(*) = 1", Rules{Aggregates: true}, Aggregate},
		{"now() IS NULL", Rules{Volatility: Stable}, NotImmutable},
		{"CURRENT_DATE IS NULL", Rules{Volatility: Stable}, NotImmutable},
		{"'tomorrow'::date IS NULL", Rules{Volatility: Stable}, NotImmutable},
		{"random() > 1", Rules{Volatility: Volatile}, VolatileFunction},
		{"a = 1", Rules{Columns: []string{"a"}}, UnknownColumn},
		{"@a = 1", Rules{Args: []string{"a"}}, UnknownArgument},
	}
	for _, tt := range tests {
		e := parse(t, tt.text)
		if errs := e.Check(tt.rules); len(errs) > 0 {
			t.Errorf("%q: allowed, but got %v", tt.text, errs[0])
		}
		if errs := e.Check(Rules{}); len(errs) != 1 || errs[0].Kind != tt.kind {
			t.Errorf("%q: got %v, want one %s", tt.text, errs, tt.kind)
		}
	}
}

func TestCheckHelps(t *testing.T) {
	rules := Rules{Columns: []string{"Label", "price"}, Args: []string{"qty"}}
	tests := []struct{ text, help string }{
		{"Label = 'x'", `SQL folds names to lower case; write "Label", with its quotes`},
		{"price <@qty", "<@ is read as one operator; put a space before @: < @qty"},
		{"price = NULL", "write IS NULL"},
		{"price <> NULL", "write IS NOT NULL"},
		{"prize = 1", ""},
	}
	for _, tt := range tests {
		errs := parse(t, tt.text).Check(rules)
		if len(errs) != 1 || errs[0].Help != tt.help {
			t.Errorf("%q: got %+v, want one with help %q", tt.text, errs, tt.help)
		}
	}
}

// Every kind must be explained where people look for codes.
func TestKindsAreCodes(t *testing.T) {
	kinds := []Kind{
		Syntax, Empty, Several, NotExpression, Writes, Parameter, ArgumentOperator, UnknownColumn, ForeignColumn,
		UnknownArgument, SubSelect, Aggregate, SetReturning, StarColumn, NullComparison, NeverTrue, NotImmutable,
		VolatileFunction,
	}
	for _, k := range kinds {
		if _, ok := diag.Lookup(diag.Code(k)); !ok {
			t.Errorf("package diag does not know the code %q", k)
		}
	}
}

func TestVolatility(t *testing.T) {
	tests := []struct {
		text string
		want Volatility
	}{
		{"lower(a) || 'x'", Immutable},
		{"pg_catalog.lower(a)", Immutable},
		{"mine.lower(a)", Unknown},
		{"mine(a)", Unknown},
		{"date_trunc('day', a)", Unknown},
		{"now()", Stable},
		{"CURRENT_TIMESTAMP(3) > a", Stable},
		{"CURRENT_USER = a", Stable},
		{"a::timestamptz > b", Unknown},
		{"CAST(a AS date) > b", Unknown},
		{"a > '2026-01-01'::timestamptz", Immutable},
		{"a > timestamptz '2026-01-01'", Immutable},
		{"a > 'NOW '::timestamptz", Stable},
		{"a > date 'today'", Stable},
		{"a::regclass = b", Stable},
		{"'seats'::regclass = b", Immutable},
		{"a::text = 'x'", Immutable},
		{"gen_random_uuid() = a AND now() > b", Volatile},
		{"(SELECT random()) > 1", Volatile},
	}
	for _, tt := range tests {
		if got := parse(t, tt.text).Volatility(); got != tt.want {
			t.Errorf("%q is %s, want %s", tt.text, got, tt.want)
		}
	}
	causes := parse(t, "now() > a::date").Causes()
	want := []Cause{
		{What: "now()", Volatility: Stable, Offset: 0, Length: 3},
		{What: "cast to date", Volatility: Unknown, Offset: 9, Length: 2},
	}
	if !slices.Equal(causes, want) {
		t.Errorf("got %+v, want %+v", causes, want)
	}
}
