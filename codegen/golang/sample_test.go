package golang

import (
	"encoding/json"
	"math"
	"net/netip"
	"reflect"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
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

// samples are values of every type, by its internal name. What a type's
// neighbours lose is among them: NaN, infinity, a month, an address with host
// bits, the end of a day.
func samples() map[string][]any {
	moment := time.Date(2026, 3, 29, 1, 30, 0, 123456000, time.UTC)
	stamp := pgtype.Timestamp{Time: moment, Valid: true}
	day := pgtype.Date{Time: time.Date(2026, 2, 28, 0, 0, 0, 0, time.UTC), Valid: true}
	nextDay := pgtype.Date{Time: day.Time.AddDate(0, 0, 1), Valid: true}
	stamps, days := span(stamp, pgtype.Timestamp{Time: moment.Add(time.Hour), Valid: true}), span(day, nextDay)
	return map[string][]any{
		"int2": {int16(-7)}, "int4": {int32(1 << 30)}, "int8": {int64(1) << 62}, "oid": {uint32(1 << 31)}, "xid8": {uint64(1) << 40},
		"bool": {true, false}, "float4": {float32(1.5)}, "float8": {0.1, math.NaN(), math.Inf(-1)},
		"numeric": {numeric("1.50"), numeric("-12345678901234567890.123456789"), numeric("NaN"), numeric("Infinity")},
		"text":    {"", "O'Brien \\ \"日本\"\n"}, "varchar": {"short"}, "bpchar": {"x"}, "name": {"pg"}, "citext": {"Mixed"}, "ltree": {"Top.Science"}, "regclass": {"pg_class"}, "xml": {"<a>1</a>"},
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
			pgtype.Range[pgtype.Timestamptz]{LowerType: pgtype.Unbounded, UpperType: pgtype.Unbounded, Valid: true},
			pgtype.Range[pgtype.Timestamptz]{LowerType: pgtype.Empty, UpperType: pgtype.Empty, Valid: true},
			span(pgtype.Timestamptz{InfinityModifier: pgtype.NegativeInfinity, Valid: true}, pgtype.Timestamptz{InfinityModifier: pgtype.Infinity, Valid: true}),
		},
		"int4multirange": {pgtype.Multirange[pgtype.Range[pgtype.Int4]]{int4s(1, 2), int4s(4, 9)}, pgtype.Multirange[pgtype.Range[pgtype.Int4]]{}}, "int8multirange": {pgtype.Multirange[pgtype.Range[pgtype.Int8]]{int8s(1, 2)}},
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
		"mood": {bookingStatus("so so"), bookingStatus("O'Brien")},
	}
}

// modifiedSamples are values that types with a precision or a length can hold.
func modifiedSamples() map[string][]any {
	return map[string][]any{
		"exact": {numeric("-1234567890.12")}, "spelled": {numeric("1.50")}, "exacts": {numeric("1.50"), numeric("NaN")}, "qualified": {int64(1) << 62},
		"instant": {time.Date(2026, 3, 29, 1, 30, 0, 123000000, time.UTC)}, "clock": {pgtype.Time{Microseconds: 86_400_000_000, Valid: true}},
		"length": {pgtype.Interval{Months: 13, Days: -2, Microseconds: 3_000_000, Valid: true}},
		"mask":   {pgtype.Bits{Bytes: []byte{0xa5}, Len: 8, Valid: true}}, "padded": {"ab  "},
	}
}

// textsInLists are values of the types that pgx knows no array of.
var textsInLists = map[string]string{
	"int4multirange": "{[1,2),[4,9)}", "int8multirange": "{[1,2)}", "nummultirange": "{[1.5,2)}", "datemultirange": "{[2026-02-28,2026-03-01)}",
	"tsmultirange": `{["2026-03-29 01:30:00","2026-03-29 02:30:00")}`, "tstzmultirange": `{["2026-03-29 07:15:00+05:45","2026-03-29 08:15:00+05:45")}`,
	"hstore": `"a"=>"1"`,
}

// same compares values; instants are the same in every zone.
func same(a, b any) bool {
	if x, ok := a.(float64); ok && math.IsNaN(x) {
		y, ok := b.(float64)
		return ok && math.IsNaN(y)
	}
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
