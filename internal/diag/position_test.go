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
