package golang

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/internal/devdb/pgtest"
)

// execModes are pgx's ways to send a statement; users behind a pooler choose the
// last two.
var execModes = []pgx.QueryExecMode{
	pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec,
	pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol,
}

// bookingStatus is an enum as it is generated.
type bookingStatus string

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func numeric(text string) pgtype.Numeric {
	var n pgtype.Numeric
	if err := n.Scan(text); err != nil {
		panic(err)
	}
	return n
}

func span[T any](lower, upper T) pgtype.Range[T] {
	return pgtype.Range[T]{Lower: lower, Upper: upper, LowerType: pgtype.Inclusive, UpperType: pgtype.Exclusive, Valid: true}
}

func instants(lower, upper time.Time) pgtype.Range[pgtype.Timestamptz] {
	return span(pgtype.Timestamptz{Time: lower, Valid: true}, pgtype.Timestamptz{Time: upper, Valid: true})
}

func int8s(lower, upper int64) pgtype.Range[pgtype.Int8] {
	return span(pgtype.Int8{Int64: lower, Valid: true}, pgtype.Int8{Int64: upper, Valid: true})
}

func int4s(lower, upper int32) pgtype.Range[pgtype.Int4] {
	return span(pgtype.Int4{Int32: lower, Valid: true}, pgtype.Int4{Int32: upper, Valid: true})
}

func numbers(lower, upper string) pgtype.Range[pgtype.Numeric] {
	return span(numeric(lower), numeric(upper))
}

// roundTrips are values of every mapped type. What a type's neighbours lose is
// among them: NaN, infinity, a month, an address with host bits.
func roundTrips() map[string][]any {
	moment := time.Date(2026, 3, 29, 1, 30, 0, 123456000, time.UTC)
	stamp := pgtype.Timestamp{Time: moment, Valid: true}
	day := pgtype.Date{Time: time.Date(2026, 2, 28, 0, 0, 0, 0, time.UTC), Valid: true}
	nextDay := pgtype.Date{Time: day.Time.AddDate(0, 0, 1), Valid: true}
	stamps, days := span(stamp, pgtype.Timestamp{Time: moment.Add(time.Hour), Valid: true}), span(day, nextDay)
	return map[string][]any{
		"int2": {int16(-7)}, "int4": {int32(1 << 30)}, "int8": {int64(1) << 62}, "oid": {uint32(1 << 31)}, "xid8": {uint64(1) << 40},
		"bool": {true, false}, "float4": {float32(1.5)}, "float8": {0.1},
		"numeric": {numeric("1.50"), numeric("-12345678901234567890.123456789"), numeric("NaN"), numeric("Infinity")},
		"text":    {"", "O'Brien \\ \"日本\"\n"}, "varchar": {"short"}, "bpchar": {"x"}, "name": {"pg"}, "citext": {"Mixed"}, "xml": {"<a>1</a>"},
		"bytea": {[]byte{0, 1, 0xff}, []byte{}}, "json": {json.RawMessage(`{"a": 1}`)}, "jsonb": {json.RawMessage(`{"a": [1, null]}`), json.RawMessage(`null`)},
		"uuid":        {pgtype.UUID{Bytes: [16]byte{1, 2, 3, 15: 9}, Valid: true}},
		"timestamptz": {moment}, "timestamp": {stamp, pgtype.Timestamp{InfinityModifier: pgtype.Infinity, Valid: true}},
		"date":     {day, pgtype.Date{InfinityModifier: pgtype.NegativeInfinity, Valid: true}},
		"time":     {pgtype.Time{Microseconds: 86_400_000_000, Valid: true}},
		"interval": {pgtype.Interval{Months: 1, Days: -2, Microseconds: 3, Valid: true}},
		"inet":     {netip.MustParsePrefix("10.0.0.1/8"), netip.MustParsePrefix("::1/128")}, "cidr": {netip.MustParsePrefix("10.0.0.0/8")},
		"macaddr": {"08:00:2b:01:02:03"},
		"bit":     {pgtype.Bits{Bytes: []byte{0x80}, Len: 1, Valid: true}}, "varbit": {pgtype.Bits{Bytes: []byte{0xa0}, Len: 4, Valid: true}},
		"int4range": {int4s(1, 5)}, "int8range": {int8s(1, 5), pgtype.Range[pgtype.Int8]{LowerType: pgtype.Empty, UpperType: pgtype.Empty, Valid: true}},
		"numrange": {numbers("1.5", "2")}, "tsrange": {stamps}, "daterange": {days},
		"tstzrange": {
			instants(moment, moment.Add(time.Hour)),
			pgtype.Range[pgtype.Timestamptz]{Lower: pgtype.Timestamptz{Time: moment, Valid: true}, LowerType: pgtype.Inclusive, UpperType: pgtype.Unbounded, Valid: true},
		},
		"int4multirange": {pgtype.Multirange[pgtype.Range[pgtype.Int4]]{int4s(1, 2), int4s(4, 9)}}, "int8multirange": {pgtype.Multirange[pgtype.Range[pgtype.Int8]]{int8s(1, 2)}},
		"nummultirange": {pgtype.Multirange[pgtype.Range[pgtype.Numeric]]{numbers("1", "2")}}, "tsmultirange": {pgtype.Multirange[pgtype.Range[pgtype.Timestamp]]{stamps}},
		"tstzmultirange": {pgtype.Multirange[pgtype.Range[pgtype.Timestamptz]]{instants(moment, moment.Add(time.Hour))}},
		"datemultirange": {pgtype.Multirange[pgtype.Range[pgtype.Date]]{days}},
		"tsvector":       {pgtype.TSVector{Lexemes: []pgtype.TSVectorLexeme{{Word: "fat"}}, Valid: true}}, "hstore": {pgtype.Hstore{"a": new("1"), "b": nil}},
		"point":   {pgtype.Point{P: pgtype.Vec2{X: 1.5, Y: -2}, Valid: true}},
		"line":    {pgtype.Line{A: 1, B: -1, C: 0.5, Valid: true}},
		"lseg":    {pgtype.Lseg{P: [2]pgtype.Vec2{{X: 1, Y: 2}, {X: 3, Y: 4}}, Valid: true}},
		"box":     {pgtype.Box{P: [2]pgtype.Vec2{{X: 3, Y: 4}, {X: 1, Y: 2}}, Valid: true}},
		"path":    {pgtype.Path{P: []pgtype.Vec2{{X: 1, Y: 2}, {X: 3, Y: 4}}, Closed: true, Valid: true}, pgtype.Path{P: []pgtype.Vec2{{X: 1, Y: 2}}, Valid: true}},
		"polygon": {pgtype.Polygon{P: []pgtype.Vec2{{X: 1, Y: 2}, {X: 3, Y: 4}, {X: 5, Y: 0}}, Valid: true}},
		"circle":  {pgtype.Circle{P: pgtype.Vec2{X: 1, Y: 2}, R: 3.5, Valid: true}},
		"xid":     {uint32(7)}, "cid": {uint32(7)}, "tid": {pgtype.TID{BlockNumber: 1, OffsetNumber: 2, Valid: true}},
		"macaddr8": {"08:00:2b:01:02:03:04:05"}, "pg_lsn": {"16/B374D848"}, "tsquery": {"'fat' & 'rat'"}, "jsonpath": {`$."a"`},
		"money": {"$1.50"}, "timetz": {"01:02:03+02"},
		"bigint[]": {[]int64{1, 2}, []int64{}}, "text[]": {[]string{"a", "{}"}}, "uuid[]": {[]pgtype.UUID{{Bytes: [16]byte{1}, Valid: true}}},
		"numeric[]": {[]pgtype.Numeric{numeric("1.5")}}, "timestamp with time zone[]": {[]time.Time{moment}},
		"app.booking_status": {bookingStatus("held")},
	}
}

// arraysOf are lists of the values of each type that the language lists, as
// what is generated for list(…).
func arraysOf(values map[string][]any) map[string]any {
	arrays := map[string]any{}
	for name, list := range values {
		if strings.Contains(name, ".") || strings.HasSuffix(name, "[]") {
			continue
		}
		if text, ok := textsInLists[name]; ok {
			arrays[name] = []string{text}
			continue
		}
		elem := reflect.TypeOf(list[0])
		slice := reflect.MakeSlice(reflect.SliceOf(elem), 0, len(list))
		for _, v := range list {
			slice = reflect.Append(slice, reflect.ValueOf(v))
		}
		arrays[name] = slice.Interface()
	}
	return arrays
}

// textsInLists are values of the types that pgx knows no array of.
var textsInLists = map[string]string{
	"int4multirange": "{[1,2),[4,9)}", "int8multirange": "{[1,2)}", "nummultirange": "{[1.5,2)}", "datemultirange": "{[2026-02-28,2026-03-01)}",
	"tsmultirange": `{["2026-03-29 01:30:00","2026-03-29 02:30:00")}`, "tstzmultirange": `{["2026-03-29 01:30:00+00","2026-03-29 02:30:00+00")}`,
	"hstore": `"a"=>"1"`,
}

// A list of each type goes there and back, too.
func TestListsRoundTrip(t *testing.T) {
	url := pgtest.URL(t)
	for _, mode := range execModes {
		t.Run(mode.String(), func(t *testing.T) {
			conn := connect(t, url, mode)
			for name, value := range arraysOf(roundTrips()) {
				elem := ir.Type{Name: name}
				checkGoType(t, arrayOf(elem), value)
				checkRoundTrip(t, conn, arrayOf(elem), value)
			}
		})
	}
}

// typesUnderTest are all types that have a mapping of their own, and some that
// are made of others.
func typesUnderTest() []ir.Type {
	list := []ir.Type{text, {Name: "varchar"}, {Name: "bpchar"}, {Name: "name"}, {Kind: ir.OtherType, Name: "citext"}, {Name: "xml"}, status}
	for name := range baseTypes {
		list = append(list, ir.Type{Name: name})
	}
	for _, name := range []string{"macaddr8", "pg_lsn", "tsquery", "jsonpath", "money", "timetz"} {
		list = append(list, ir.Type{Name: name})
	}
	for _, elem := range []ir.Type{bigint, text, {Name: "uuid"}, {Name: "numeric"}, timestamptz} {
		list = append(list, arrayOf(elem))
	}
	slices.SortFunc(list, func(a, b ir.Type) int { return strings.Compare(a.SQL(), b.SQL()) })
	return list
}

// Each Go type in the table carries every value of its PostgreSQL type there and
// back, in every exec mode, also as what a nullable column has; and the types
// that are tested are the types that are generated.
func TestTypesRoundTrip(t *testing.T) {
	url := pgtest.URL(t)
	values := roundTrips()
	for _, mode := range execModes {
		t.Run(mode.String(), func(t *testing.T) {
			conn := connect(t, url, mode)
			for _, typ := range typesUnderTest() {
				name := typ.Name
				if typ.Kind != ir.BaseType && typ.Kind != ir.OtherType {
					name = typ.SQL()
				}
				if len(values[name]) == 0 {
					t.Errorf("no value of type %s is tested", typ.SQL())
				}
				for _, value := range values[name] {
					checkGoType(t, typ, value)
					checkRoundTrip(t, conn, typ, value)
				}
			}
		})
	}
}

func connect(t *testing.T, url string, mode pgx.QueryExecMode) *pgx.Conn {
	t.Helper()
	config := must(pgx.ParseConfig(url))
	config.DefaultQueryExecMode = mode
	conn, err := pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	_, err = conn.Exec(t.Context(), "CREATE EXTENSION IF NOT EXISTS hstore; CREATE EXTENSION IF NOT EXISTS citext; CREATE SCHEMA IF NOT EXISTS app; "+
		"SET timezone = 'UTC'; DROP TYPE IF EXISTS app.booking_status; CREATE TYPE app.booking_status AS ENUM ('held', 'confirmed')", pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// checkGoType compares a value's type with the one that is generated.
func checkGoType(t *testing.T, typ ir.Type, value any) {
	t.Helper()
	want := newWriter("store", nil, nil, map[string]string{pgtypePath: "pgtype"}).typ(goTypeOf(typ, map[string]string{"app.booking_status": "golang.bookingStatus"}))
	got := strings.NewReplacer("github.com/jackc/pgx/v5/", "", "uint8", "byte").Replace(fmt.Sprintf("%T", value))
	if got != want {
		t.Errorf("%s is %s in generated code; %s is tested", typ.SQL(), want, got)
	}
}

// checkRoundTrip sends a value, as it is and as a pointer, and NULL.
func checkRoundTrip(t *testing.T, conn *pgx.Conn, typ ir.Type, value any) {
	t.Helper()
	query := "SELECT $1::" + typ.SQL()
	goType := reflect.TypeOf(value)
	got := reflect.New(goType)
	if err := conn.QueryRow(t.Context(), query, value).Scan(got.Interface()); err != nil {
		t.Errorf("%s: %v", typ.SQL(), err)
		return
	}
	if !same(got.Elem().Interface(), value) {
		t.Errorf("%s: sent %v, got %v", typ.SQL(), value, got.Elem())
	}
	nullable := goType
	if strings.HasPrefix(newWriter("", nil, nil, nil).typ(goTypeOf(typ, nil).orNull()), "*") {
		nullable = reflect.PointerTo(goType)
		sent := reflect.New(goType)
		sent.Elem().Set(reflect.ValueOf(value))
		into := reflect.New(nullable)
		if err := conn.QueryRow(t.Context(), query, sent.Interface()).Scan(into.Interface()); err != nil {
			t.Errorf("*%s: %v", typ.SQL(), err)
		} else if into.Elem().IsNil() || !same(into.Elem().Elem().Interface(), value) {
			t.Errorf("*%s: sent %v, got %v", typ.SQL(), value, into.Elem())
		}
	}
	// Something that is not NULL stands there before.
	into := reflect.New(nullable)
	if nullable.Kind() == reflect.Pointer {
		into.Elem().Set(reflect.New(goType))
	} else {
		into.Elem().Set(reflect.ValueOf(value))
	}
	null := reflect.Zero(nullable).Interface()
	if err := conn.QueryRow(t.Context(), query, null).Scan(into.Interface()); err != nil {
		t.Errorf("NULL of %s: %v", typ.SQL(), err)
	} else if !into.Elem().IsNil() {
		t.Errorf("NULL of %s became %v", typ.SQL(), into.Elem())
	}
}

// same compares values; instants are the same in every zone.
func same(a, b any) bool {
	if x, ok := a.(time.Time); ok {
		y, ok := b.(time.Time)
		return ok && x.Equal(y)
	}
	va, vb := reflect.ValueOf(a), reflect.ValueOf(b)
	if va.Type() != vb.Type() {
		return false
	}
	switch va.Kind() {
	case reflect.Struct:
		for i := range va.NumField() {
			if va.Type().Field(i).IsExported() && !same(va.Field(i).Interface(), vb.Field(i).Interface()) {
				return false
			}
		}
		return va.Type() != reflect.TypeFor[netip.Prefix]() || a == b
	case reflect.Slice:
		if va.Len() != vb.Len() || va.IsNil() != vb.IsNil() {
			return false
		}
		for i := range va.Len() {
			if !same(va.Index(i).Interface(), vb.Index(i).Interface()) {
				return false
			}
		}
		return true
	case reflect.Interface, reflect.Pointer, reflect.Map:
		return reflect.DeepEqual(a, b)
	}
	return a == b
}
