package diag

import (
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// parseString returns the range and the value of the attribute v of a file.
func parseString(t *testing.T, src string) (hcl.Range, string) {
	t.Helper()
	f, diags := hclsyntax.ParseConfig([]byte(src), "a.hcl", hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatalf("%q: %v", src, diags)
	}
	attrs, diags := f.Body.JustAttributes()
	if diags.HasErrors() {
		t.Fatalf("%q: %v", src, diags)
	}
	value, diags := attrs["v"].Expr.Value(nil)
	if diags.HasErrors() {
		t.Fatalf("%q: %v", src, diags)
	}
	return attrs["v"].Expr.Range(), value.AsString()
}

// literals are string literals whose decoded value must be the one HCL gives.
var literals = []string{
	"v = \"stock >= 0\"\n",
	"v = \"\"\n",
	`v = "a \"b\" \\ \t \n \r c"` + "\n",
	`v = "\u00e9 \U0001F600 é 漢"` + "\n",
	`v = "$${x} %%{y} $ $$ % %% $$$"` + "\n",
	`v = "$$${x}"` + "\n",
	"v = <<EOT\nstock >= 0\n  AND x \\n \"q\"\nEOT\n",
	"v = <<-EOT\n    stock >= 0\n\n      AND x\n   \n    AND y\n  EOT\n",
	"v = <<-EOT\n\tstock >= 0\n\t\tAND $${z}\n\tEOT\n",
	"v = <<-EOT\n    $${z}\n      a\n  EOT\n",
	"v = <<EOT\nEOT\n",
	"v = <<-EOT\n  é = '漢' AND %%{x}\n EOT\n",
	"v = <<EOT\r\nstock\r\n  AND x\r\nEOT\r\n",
	"v = <<-EOT\r\n    stock\r\n\r\n      AND x\r\n  EOT\r\n",
	"v = <<-EOT\na\n  b\nEOT\n",
	"v = <<EOT_2\nEOT\n EOT_2x\nEOT_2\n",
}

func TestDecodeLiteralAgreesWithHCL(t *testing.T) {
	for _, src := range literals {
		rng, want := parseString(t, src)
		units, ok := decodeLiteral(rng, []byte(src))
		if !ok {
			t.Errorf("%q: not decoded, range %q", src, rng.SliceBytes([]byte(src)))
			continue
		}
		var got strings.Builder
		for _, u := range units {
			if u.value != got.Len() {
				t.Errorf("%q: unit %q at %d, want %d", src, u.text, u.value, got.Len())
			}
			got.WriteString(u.text)
		}
		if got.String() != want {
			t.Errorf("%q:\n got %q\nwant %q", src, got.String(), want)
		}
	}
}

func TestRangeAt(t *testing.T) {
	tests := []struct {
		name, src, value string // value is the part of the value to find
		want             string // the part of the source
		line, column     int
	}{
		{"plain", `v = "stock >= zero"` + "\n", "zero", "zero", 1, 15},
		{"escapes", `v = "\"Label\" = zero"` + "\n", "zero", "zero", 1, 18},
		{"escaped quote itself", `v = "a = \"Label\""` + "\n", `"Label"`, `\"Label\"`, 1, 10},
		{"newline and tab", `v = "a\n\tAND zero"` + "\n", "zero", "zero", 1, 15},
		{"unicode escape", `v = "\u00e9 = zero"` + "\n", "é", `\u00e9`, 1, 6},
		{"after multibyte", `v = "é漢 = zero"` + "\n", "zero", "zero", 1, 11},
		{"dollar", `v = "$${a} = zero"` + "\n", "${a}", "$${a}", 1, 6},
		{"percent", `v = "%%{a} = zero"` + "\n", "zero", "zero", 1, 14},
		{"heredoc", "v = <<SQL\nstock >= 0\n  AND zero\nSQL\n", "zero", "zero", 3, 7},
		{"indented heredoc", "v = <<-SQL\n    stock >= 0\n\n      AND zero\n  SQL\n", "zero", "zero", 4, 11},
		{"heredoc line start", "v = <<-SQL\n    stock\n    zero\n  SQL\n", "zero", "zero", 3, 5},
		{"across lines", "v = <<-SQL\n    stock\n    zero\n  SQL\n", "stock\nzero", "stock\n    zero", 2, 5},
		{"backslash in heredoc", "v = <<SQL\n'\\n' = zero\nSQL\n", "zero", "zero", 2, 8},
		{"crlf", "v = <<SQL\r\nstock\r\n  zero\r\nSQL\r\n", "zero", "zero", 3, 3},
	}
	for _, tt := range tests {
		rng, value := parseString(t, tt.src)
		offset := strings.Index(value, tt.value)
		if offset < 0 {
			t.Fatalf("%s: %q does not hold %q", tt.name, value, tt.value)
		}
		got, ok := RangeAt(rng, []byte(tt.src), offset, len(tt.value))
		if !ok {
			t.Errorf("%s: not found", tt.name)
			continue
		}
		if text := string(got.SliceBytes([]byte(tt.src))); text != tt.want || got.Start.Line != tt.line || got.Start.Column != tt.column {
			t.Errorf("%s: %d:%d %q, want %d:%d %q", tt.name, got.Start.Line, got.Start.Column, text, tt.line, tt.column, tt.want)
		}
	}
}

func TestRangeAtTheEnds(t *testing.T) {
	src := "v = \"abc\"\n"
	rng, _ := parseString(t, src)
	tests := []struct {
		offset, length int
		ok             bool
		start, end     int // bytes
	}{
		{0, 3, true, 5, 8},
		{1, 0, true, 6, 7},  // one character at least
		{3, 0, true, 8, 8},  // the end of the text: the closing quote
		{2, 99, true, 7, 8}, // too long: up to the end
		{4, 0, false, 4, 9},
		{-1, 1, false, 4, 9},
	}
	for _, tt := range tests {
		got, ok := RangeAt(rng, []byte(src), tt.offset, tt.length)
		if ok != tt.ok || got.Start.Byte != tt.start || got.End.Byte != tt.end {
			t.Errorf("%d+%d: %t, bytes %d to %d; want %+v", tt.offset, tt.length, ok, got.Start.Byte, got.End.Byte, tt)
		}
	}
}

// Where the place cannot be told, the answer is the whole expression.
func TestRangeAtGivesUp(t *testing.T) {
	for _, expr := range []string{
		"\"a ${x} b\"", "\"a %{ if x }b%{ endif }\"", "upper(\"abc\")", "(\"abc\")", "x", "<<EOT\na ${x} b\nEOT", "[\"abc\"]",
	} {
		src := []byte("v = " + expr + "\n")
		f, diags := hclsyntax.ParseConfig(src, "a.hcl", hcl.InitialPos)
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		attrs, _ := f.Body.JustAttributes()
		rng := attrs["v"].Expr.Range()
		if got, ok := RangeAt(rng, src, 0, 1); ok || got != rng {
			t.Errorf("%s: %t, %v", expr, ok, got)
		}
	}
	outside := hcl.Range{Start: hcl.Pos{Byte: 5}, End: hcl.Pos{Byte: 50}}
	if got, ok := RangeAt(outside, []byte("v = 1"), 0, 1); ok || got != outside {
		t.Errorf("a range outside of the source: %t, %v", ok, got)
	}
}

// Broken and unusual literals must not panic, whatever the range is.
func FuzzRangeAt(f *testing.F) {
	for _, src := range literals {
		f.Add(src, 4, len(src)-1, 3, 2)
	}
	f.Fuzz(func(t *testing.T, src string, start, end, offset, length int) {
		rng := hcl.Range{Start: hcl.Pos{Line: 1, Column: 1, Byte: start}, End: hcl.Pos{Line: 1, Column: 1, Byte: end}}
		got, ok := RangeAt(rng, []byte(src), offset, length)
		if ok && (got.Start.Byte < start || got.End.Byte > end || got.Start.Byte > got.End.Byte) {
			t.Errorf("%v is not inside of %v", got, rng)
		}
	})
}
