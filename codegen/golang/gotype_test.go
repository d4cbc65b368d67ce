package golang

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pawldb/pawl/compiler/ir"
)

func TestGoTypeOf(t *testing.T) {
	domain := ir.Type{Kind: ir.DomainType, Schema: "app", Name: "money", Elem: &ir.Type{Name: "numeric", Mods: []int{12, 2}}}
	chosen := typeNames{enums: map[string]string{"app.booking_status": "BookingStatus"}}
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
		{ir.Type{Kind: ir.OtherType, Name: "BigInt"}, "int64", "*int64"},
		{ir.Type{Kind: ir.OtherType, Name: "pg_catalog.int8"}, "int64", "*int64"},
		{ir.Type{Kind: ir.OtherType, Name: "decimal(12, 2)"}, "pgtype.Numeric", "*pgtype.Numeric"},
		{ir.Type{Kind: ir.OtherType, Name: "extensions.hstore"}, "pgtype.Hstore", "pgtype.Hstore"},
		{ir.Type{Kind: ir.OtherType, Name: "mine.int8"}, "string", "*string"},
	} {
		w := newWriter("store", nil, nil, nil)
		got := chosen.of(test.typ)
		if text := w.typ(got); text != test.want {
			t.Errorf("%s is %s in Go, want %s", test.typ.SQL(), text, test.want)
		}
		if text := w.typ(got.orNull()); text != test.null {
			t.Errorf("%s that may be NULL is %s in Go, want %s", test.typ.SQL(), text, test.null)
		}
	}
}

// Elements that may be NULL are pointers, unless their own nil is NULL.
func TestNullElements(t *testing.T) {
	for _, test := range []struct {
		elem ir.Type
		want string
	}{
		{text, "[]*string"},
		{status, "[]*BookingStatus"},
		{ir.Type{Name: "bytea"}, "[][]byte"},
		{ir.Type{Name: "jsonb"}, "[]json.RawMessage"},
		{ir.Type{Name: "tstzrange"}, "[]*pgtype.Range[pgtype.Timestamptz]"},
		{ir.Type{Name: "datemultirange"}, "[]*string"},
	} {
		got := withNullElements((&typeNames{enums: map[string]string{"app.booking_status": "BookingStatus"}}).of(arrayOf(test.elem)))
		if text := newWriter("store", nil, nil, nil).typ(got); text != test.want {
			t.Errorf("a list of %s with NULL in it is %s in Go, want %s", test.elem.SQL(), text, test.want)
		}
	}
}

// docs/types-go.md says of every type what is generated.
func TestTypesPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/types-go.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]bool{}
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(line, "|")
		if len(cells) < 6 || !strings.HasPrefix(cells[1], " `") {
			continue
		}
		for _, name := range strings.Fields(strings.ReplaceAll(cells[1], "`", "")) {
			typ := ir.Type{Kind: ir.OtherType, Name: strings.Replace(name, "double_precision", "float8", 1)}
			documented[internalName(typ.Name)] = true
			w := newWriter("store", nil, nil, nil)
			want, null := w.typ(new(typeNames).of(typ)), w.typ(new(typeNames).of(typ).orNull())
			if got := strings.TrimSpace(cells[2]); got != "`"+want+"`" {
				t.Errorf("the page says that %s is %s; it is %s", name, got, want)
			}
			if got := strings.TrimSpace(cells[3]); got != "`"+null+"`" {
				t.Errorf("the page says that %s is %s where it may be NULL; it is %s", name, got, null)
			}
		}
	}
	for name := range samples() {
		if _, mapped := baseTypes[name]; mapped && !documented[name] {
			t.Errorf("docs/types-go.md does not say what %s is in Go", name)
		}
	}
}

// The chosen type of uuid stands alone, as NULL and in lists.
func TestChosenUUIDType(t *testing.T) {
	chosen := typeNames{uuid: named("github.com/google/uuid", "UUID")}
	w := newWriter("store", nil, nil, nil)
	one, list := chosen.of(ir.Type{Name: "uuid"}), chosen.of(arrayOf(ir.Type{Name: "uuid"}))
	got := []string{w.typ(one), w.typ(one.orNull()), w.typ(list), w.typ(withNullElements(list))}
	if want := []string{"uuid.UUID", "*uuid.UUID", "[]uuid.UUID", "[]*uuid.UUID"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
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
