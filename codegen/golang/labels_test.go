package golang

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pawldb/pawl/compiler/ir"
)

// program is a specification that holds nothing but what is given.
func program(enums []ir.Enum, repositories ...ir.Repository) *ir.Program {
	return &ir.Program{
		Project: "test", DefaultSchema: "app", Schema: ir.Schema{Enums: enums}, Repositories: repositories,
		Go: &ir.GoOutput{Dir: "store", Package: "store", Runtime: "github.com/pawldb/pawl/pawl"},
	}
}

func enum(name string, values ...string) ir.Enum {
	return ir.Enum{Schema: "app", Name: name, Values: values}
}

func TestLabels(t *testing.T) {
	for _, test := range []struct {
		name   string
		values []string
		want   []string
	}{
		{"words", []string{"held", "in_progress", "ALL CAPS"}, []string{"SHeld", "SInProgress", "SALLCAPS"}},
		{"signs", []string{"name:asc", "S3:INIT", "FOO/BAR"}, []string{"SNameAsc", "SS3INIT", "SFOOBAR"}},
		{"digits", []string{"0", "1"}, []string{"S0", "S1"}},
		{"only signs", []string{"+", "<=", ""}, []string{"SPlus", "SLessEquals", "SEmpty"}},
		{"case", []string{"visa", "Visa", "VISA"}, []string{"S_visa", "S_Visa", "SVISA"}},
		{"sign", []string{"1", "-1", "+1"}, []string{"S_1", "S_Minus1", "S_Plus1"}},
		{"separators", []string{"foo-bar", "foo_bar", "foo bar"}, []string{"S_fooMinusbar", "S_foo_bar", "S_fooSpacebar"}},
		{"quotes", []string{`"`, `\`, "\n", "`"}, []string{"SDoubleQuote", "SBackslash", "SNewline", "SBacktick"}},
		{"other scripts", []string{"日本", "été"}, []string{"S日本", "SÉté"}},
		{"empty against Empty", []string{"", "empty"}, []string{"S_", "S_empty"}},
		{"spelled out and still the same", []string{"a-b", "a_b", "aMinusb", "AMinusb"}, []string{"S_aMinusb", "S_a_b", "SAMinusb", "S_AMinusb"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			n := resolve(program([]ir.Enum{enum("s", test.values...)}))
			if len(n.problems) > 0 {
				t.Fatal(n.problems)
			}
			got := n.labels["app.s"]
			if test.name == "spelled out and still the same" {
				// Which of the four ways is chosen is no promise; that they differ is.
				sorted := slices.Clone(got)
				slices.Sort(sorted)
				if len(slices.Compact(sorted)) != len(test.values) {
					t.Errorf("names are not distinct: %q", got)
				}
				return
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A value keeps its name when another value is put before it.
func TestLabelsDoNotDependOnOrder(t *testing.T) {
	values := []string{"visa", "Visa", "1", "-1", "", "empty", "a b", "a_b"}
	one := resolve(program([]ir.Enum{enum("s", values...)})).labels["app.s"]
	backwards := slices.Clone(values)
	slices.Reverse(backwards)
	two := resolve(program([]ir.Enum{enum("s", backwards...)})).labels["app.s"]
	slices.Reverse(two)
	if diff := cmp.Diff(one, two); diff != "" {
		t.Error(diff)
	}
}

// A constant of one enum can meet a constant of another, or a type.
func TestLabelsOfSeveralEnums(t *testing.T) {
	n := resolve(program([]ir.Enum{enum("a", "b_c"), enum("a_b", "c"), enum("booking", "status"), enum("booking_status", "held")}))
	if len(n.problems) > 0 {
		t.Fatal(n.problems)
	}
	got := map[string][]string{"app.a": {"A_b_c"}, "app.a_b": {"AB_c"}, "app.booking": {"Booking_status"}, "app.booking_status": {"BookingStatusHeld"}}
	if diff := cmp.Diff(got, n.labels); diff != "" {
		t.Error(diff)
	}
}

func TestEnumsOfTwoSchemas(t *testing.T) {
	other := enum("status", "done")
	other.Schema = "audit"
	n := resolve(program([]ir.Enum{enum("status", "done"), other}))
	if len(n.problems) > 0 {
		t.Fatal(n.problems)
	}
	want := map[string]string{"app.status": "Status", "audit.status": "AuditStatus"}
	if diff := cmp.Diff(want, n.chosen.enums); diff != "" {
		t.Error(diff)
	}
}
