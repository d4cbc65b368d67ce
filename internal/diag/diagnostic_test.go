package diag

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
)

func rangeOf(file string, line, column int) hcl.Range {
	return hcl.Range{Filename: file, Start: hcl.Pos{Line: line, Column: column}, End: hcl.Pos{Line: line, Column: column + 1}}
}

func TestSort(t *testing.T) {
	want := List{
		{Code: Syntax, Detail: "no place"},
		{Code: UnknownColumn, Subject: rangeOf("a.hcl", 1, 1)},
		{Code: UnknownColumn, Subject: rangeOf("a.hcl", 1, 9)},
		{Code: Aggregate, Subject: rangeOf("a.hcl", 2, 1)},
		{Code: UnknownColumn, Subject: rangeOf("a.hcl", 2, 1), Label: "a"},
		{Code: UnknownColumn, Subject: rangeOf("a.hcl", 2, 1), Label: "b"},
		{Code: UnknownColumn, Subject: rangeOf("a.hcl", 10, 1)},
		{Code: UnknownColumn, Subject: rangeOf("b.hcl", 1, 1)},
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		var list List
		list.Extend(want)
		list.Add(want[1], want[4]) // said twice
		random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		list.Sort()
		if diff := cmp.Diff(want, list); diff != "" {
			t.Fatal(diff)
		}
	}
}

func TestHasErrors(t *testing.T) {
	var list List
	list.Add(Diagnostic{Severity: Warning, Code: Syntax})
	if list.HasErrors() {
		t.Error("a warning is taken for an error")
	}
	list.Add(Diagnostic{Code: Syntax})
	if !list.HasErrors() {
		t.Error("an error is overlooked")
	}
}

func TestSuggest(t *testing.T) {
	columns := []string{"id", "status", "stock", "customer_id", "created_at", "Label"}
	tests := []struct{ name, want string }{
		{"statsu", "status"},
		{"Status", "status"},
		{"label", "Label"},
		{"stok", "stock"},
		{"custmer_id", "customer_id"},
		{"costumer_id", "customer_id"},
		{"create_at", "created_at"},
		{"customerid", "customer_id"},
		{"idd", "id"},
		{"x", ""},
		{"xy", ""},
		{"", ""},
		{"price", ""},
		{"quantity", ""},
		{"room_id", ""},
		{"status", ""}, // it exists: the mistake is another one
		{"stätus", "status"},
	}
	for _, tt := range tests {
		got, ok := Suggest(tt.name, columns)
		if got != tt.want || ok != (tt.want != "") {
			t.Errorf("%q: got %q, want %q", tt.name, got, tt.want)
		}
	}
	if got, _ := Suggest("bar", []string{"baz", "bat"}); got != "baz" {
		t.Errorf("of two equal candidates %q won", got)
	}
}

func TestDistance(t *testing.T) {
	tests := []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"", "ab", 2},
		{"ab", "", 2},
		{"ab", "ab", 0},
		{"ab", "ba", 1},
		{"kitten", "sitting", 3},
		{"statsu", "status", 1},
		{"abcd", "acbd", 1},
		{"ca", "abc", 3},
		{"é", "e", 1},
	}
	for _, tt := range tests {
		if got := distance([]rune(tt.a), []rune(tt.b)); got != tt.want {
			t.Errorf("%q to %q is %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestCodes(t *testing.T) {
	all := Codes()
	if !slices.IsSortedFunc(all, func(a, b Entry) int { return strings.Compare(string(a.Code), string(b.Code)) }) {
		t.Error("the codes are not sorted")
	}
	if got, ok := Lookup(UnknownColumn); !ok || got.Code != UnknownColumn {
		t.Errorf("Lookup gave %+v, %t", got, ok)
	}
	if _, ok := Lookup("no-such-code"); ok {
		t.Error("an unknown code was found")
	}
	if got := Code("no-such-code").Summary(); got != "no-such-code" {
		t.Errorf("the summary of an unknown code is %q", got)
	}
}
