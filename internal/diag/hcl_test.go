package diag

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// decode parses a file, decodes its body and evaluates its attributes, and gives
// all that HCL finds.
func decode(src string) hcl.Diagnostics {
	file, diags := hclsyntax.ParseConfig([]byte(src), "a.hcl", hcl.InitialPos)
	if file == nil {
		return diags
	}
	content, more := file.Body.Content(&hcl.BodySchema{
		Attributes: []hcl.AttributeSchema{{Name: "type", Required: true}, {Name: "columns"}},
		Blocks:     []hcl.BlockHeaderSchema{{Type: "column", LabelNames: []string{"name"}}, {Type: "check"}},
	})
	diags = append(diags, more...)
	ctx := &hcl.EvalContext{
		Variables: map[string]cty.Value{
			"enum": cty.ObjectVal(map[string]cty.Value{"status": cty.StringVal("x")}),
			"none": cty.NullVal(cty.Number),
		},
		Functions: map[string]function.Function{"upper": stdlib.UpperFunc, "jsondecode": stdlib.JSONDecodeFunc},
	}
	for _, name := range []string{"type", "columns"} {
		if a := content.Attributes[name]; a != nil {
			_, more := a.Expr.Value(ctx)
			diags = append(diags, more...)
		}
	}
	return diags
}

func TestFromHCL(t *testing.T) {
	tests := []struct {
		src  string
		want []string // code line:column detail | help
	}{
		{"type = 1\n", nil},
		{"type = 1,\n", []string{"syntax 1:9 Attribute definitions must be separated by newlines, not commas. An attribute definition must end with a newline."}},
		{"typ = 1\ntype = 1\n", []string{`unknown-attribute 1:1 An attribute named "typ" is not expected here.`}},
		{"typ = 1\n", []string{`unknown-attribute 1:1 An attribute named "typ" is not expected here. | did you mean "type"?`}},
		{"label = 1\n", []string{
			`missing-attribute 1:1 The attribute "type" is required, but no definition was found.`,
			`unknown-attribute 1:1 An attribute named "label" is not expected here.`,
		}},
		{"my_argument = 1\ntype = 1\n", []string{`unknown-attribute 1:1 An attribute named "my_argument" is not expected here.`}},
		{"colum \"x\" {}\ntype = 1\n", []string{`unknown-block 1:1 Blocks of type "colum" are not expected here. | did you mean "column"?`}},
		{"type {}\n", []string{
			`missing-attribute 1:1 The attribute "type" is required, but no definition was found.`,
			`unknown-block 1:1 Blocks of type "type" are not expected here. | did you mean to define attribute "type"? If so, use the equals sign to assign it a value.`,
		}},
		{"column {}\ntype = 1\n", []string{"block-labels 1:8 All column blocks must have 1 label (name)."}},
		{"column \"a\" \"b\" {}\ntype = 1\n", []string{"block-labels 1:12 Only 1 label (name) is expected for column blocks."}},
		{"type = 1\ntype = 2\n", []string{`duplicate-attribute 2:1 The attribute "type" was already set. | first set here: 1:1-5`}},
		{"type = enm.status\n", []string{`unknown-reference 1:8 There is no variable named "enm". | did you mean "enum"?`}},
		{"type = enum.statsu\n", []string{`unknown-reference 1:12 This object does not have an attribute named "statsu".`}},
		{"type = upr(\"x\")\n", []string{`unknown-function 1:8 There is no function named "upr". | did you mean "upper"?`}},
		{"type = upper()\n", []string{`function-call 1:14 Function "upper" expects 1 argument. Missing value for "str".`}},
		{"type = upper(1, 2)\n", []string{`function-call 1:17 Function "upper" expects only 1 argument.`}},
		{"type = upper([])\n", []string{`function-call 1:14 Invalid value for "str" parameter: string required, but have tuple.`}},
		{"type = jsondecode(\"{\")\n", []string{`function-call 1:8 Call to function "jsondecode" failed: the text ends too early.`}},
		{"type = none + 1\n", []string{"invalid-expression 1:8 Error during operation: argument must not be null."}},
		{"type = none.x\n", []string{"invalid-expression 1:12 This value is null, so it does not have any attributes."}},
		{"type = [1][4]\n", []string{"invalid-expression 1:11 The given key does not identify an element in this collection value."}},
		{"type = 1 + \"x\"\n", []string{"wrong-type 1:12 Unsuitable value for right operand: a number is required."}},
		{"type = 'x'\n", []string{`syntax 1:8 Single quotes are not valid. Use double quotes (") to enclose strings.`}},
		{"type = \"x\n", []string{`syntax 1:10 Quoted strings may not be split over multiple lines. To produce a multi-line string, either use the \n escape ` +
			`to represent a newline character or use the "heredoc" multi-line template syntax.`}},
		{"check \"x\" {\n  labl = 1,\n}\n", []string{"syntax 2:11 Attribute definitions must be separated by newlines, not commas. An attribute definition must end with a newline."}},
	}
	for _, tt := range tests {
		var got []string
		for _, d := range FromHCL(decode(tt.src)) {
			line := fmt.Sprintf("%s %d:%d %s", d.Code, d.Subject.Start.Line, d.Subject.Start.Column, d.Detail)
			if d.Help != "" {
				line += " | " + d.Help
			}
			for _, r := range d.Related {
				line += fmt.Sprintf(" | %s: %d:%d-%d", r.Text, r.Range.Start.Line, r.Range.Start.Column, r.Range.End.Column)
			}
			got = append(got, line)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.src, diff)
		}
	}
}

func TestFromHCLSparseDiagnostics(t *testing.T) {
	list := FromHCL(hcl.Diagnostics{nil, {Severity: hcl.DiagWarning, Summary: "Something odd"}})
	want := List{{Severity: Warning, Code: Syntax, Detail: "Something odd."}}
	if diff := cmp.Diff(want, list); diff != "" {
		t.Error(diff)
	}
}

// Whatever HCL says, each broken text gives at least one error with a code that
// is documented, and no more than one syntax error a line.
func TestFromHCLOnBrokenText(t *testing.T) {
	whole := "type = upper(\"a${enum.status}b\")\ncolumns = [1, { a = 2 }, <<-EOT\n  x %{ if true }y%{ endif }\nEOT\n]\ncolumn \"x\" {}\n"
	for i := range whole {
		for _, src := range []string{whole[:i], whole[:i] + whole[i+1:], whole[:i] + "\"" + whole[i:], whole[:i] + "}" + whole[i:]} {
			diags := decode(src)
			list := FromHCL(diags)
			if diags.HasErrors() != list.HasErrors() {
				t.Errorf("%q: HCL has errors %t, ours %t", src, diags.HasErrors(), list.HasErrors())
			}
			lines := make(map[int]bool)
			for _, d := range list {
				if _, ok := Lookup(d.Code); !ok || d.Detail == "" || strings.Contains(d.Detail, "%!") {
					t.Errorf("%q: %+v", src, d)
				}
				if d.Code == Syntax && lines[d.Subject.Start.Line] {
					t.Errorf("%q: two syntax errors in line %d", src, d.Subject.Start.Line)
				}
				lines[d.Subject.Start.Line] = true
			}
		}
	}
}
