package golang

import (
	"testing"

	"github.com/pawldb/pawl/compiler/ir"
)

func TestGoTypeOf(t *testing.T) {
	domain := ir.Type{Kind: ir.DomainType, Schema: "app", Name: "money", Elem: &ir.Type{Name: "numeric", Mods: []int{12, 2}}}
	enums := map[string]string{"app.booking_status": "BookingStatus"}
	for _, test := range []struct {
		typ        ir.Type
		want, null string
	}{
		{bigint, "int64", "*int64"},
		{ir.Type{Name: "int2"}, "int16", "*int16"},
		{ir.Type{Name: "bool"}, "bool", "*bool"},
		{ir.Type{Name: "float8"}, "float64", "*float64"},
		{ir.Type{Name: "numeric", Mods: []int{12, 2}}, "pgtype.Numeric", "*pgtype.Numeric"},
		{text, "string", "*string"},
		{ir.Type{Name: "varchar", Mods: []int{40}}, "string", "*string"},
		{ir.Type{Name: "uuid"}, "pgtype.UUID", "*pgtype.UUID"},
		{timestamptz, "time.Time", "*time.Time"},
		{ir.Type{Name: "timestamp"}, "pgtype.Timestamp", "*pgtype.Timestamp"},
		{ir.Type{Name: "interval"}, "pgtype.Interval", "*pgtype.Interval"},
		{ir.Type{Name: "bytea"}, "[]byte", "[]byte"},
		{ir.Type{Name: "jsonb"}, "json.RawMessage", "json.RawMessage"},
		{ir.Type{Name: "inet"}, "netip.Prefix", "*netip.Prefix"},
		{ir.Type{Name: "tstzrange"}, "pgtype.Range[pgtype.Timestamptz]", "*pgtype.Range[pgtype.Timestamptz]"},
		{ir.Type{Name: "datemultirange"}, "pgtype.Multirange[pgtype.Range[pgtype.Date]]", "pgtype.Multirange[pgtype.Range[pgtype.Date]]"},
		{status, "BookingStatus", "*BookingStatus"},
		{domain, "pgtype.Numeric", "*pgtype.Numeric"},
		{arrayOf(text), "[]string", "[]string"},
		{arrayOf(status), "[]BookingStatus", "[]BookingStatus"},
		{arrayOf(domain), "[]pgtype.Numeric", "[]pgtype.Numeric"},
		{ir.Type{Name: "point"}, "pgtype.Point", "*pgtype.Point"},
		{arrayOf(ir.Type{Name: "polygon"}), "[]pgtype.Polygon", "[]pgtype.Polygon"},
		{arrayOf(ir.Type{Name: "datemultirange"}), "[]string", "[]string"},
		{ir.Type{Kind: ir.OtherType, Name: "ltree"}, "string", "*string"},
	} {
		w := newWriter("store", nil, nil, nil)
		got := goTypeOf(test.typ, enums)
		if text := w.typ(got); text != test.want {
			t.Errorf("%s is %s in Go, want %s", test.typ.SQL(), text, test.want)
		}
		if text := w.typ(got.orNull()); text != test.null {
			t.Errorf("%s that may be NULL is %s in Go, want %s", test.typ.SQL(), text, test.null)
		}
	}
}

func TestParseGoType(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"github.com/google/uuid.UUID", "uuid.UUID"},
		{"github.com/jackc/pgx/v5/pgtype.Timestamptz", "pgtype.Timestamptz"},
		{"github.com/shopspring/decimal.Decimal", "decimal.Decimal"},
		{"example.com/money/v2.Amount", "money.Amount"},
		{"gopkg.in/guregu/null.v4.String", "null.String"},
		{"github.com/x/go-money.Money", "money.Money"},
		{"net/netip.Addr", "netip.Addr"},
		{"[]example.com/x.Y", "[]x.Y"},
		{"*example.com/x.Y", "*x.Y"},
		{"string", "string"},
		{"[]byte", "[]byte"},
	} {
		parsed, ok := parseGoType(test.text)
		if got := newWriter("store", nil, nil, nil).typ(parsed); !ok || got != test.want {
			t.Errorf("parseGoType(%q) = %s, %t, want %s", test.text, got, ok, test.want)
		}
	}
	for _, wrong := range []string{
		"", "UUID", "uuid", "github.com/google/uuid", "github.com/google/uuid.", "github.com/google/uuid.uuid",
		"github.com/google/uuid.UUID{}", "a b.C", "a//b.C", "../x.Y", `x"y.Z`, "map[string]int",
	} {
		if got, ok := parseGoType(wrong); ok {
			t.Errorf("parseGoType(%q) took it, as %v", wrong, got)
		}
	}
}
