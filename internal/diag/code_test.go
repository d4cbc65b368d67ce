package diag

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// declaredCodes reads the constants of type Code from the source, so that a code
// without an entry is noticed.
func declaredCodes(t *testing.T) map[Code]string {
	t.Helper()
	files, err := filepath.Glob("codes_*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no tables of codes: %v", err)
	}
	codes := make(map[Code]string)
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok {
				return true
			}
			if typ, ok := spec.Type.(*ast.Ident); ok && typ.Name == "Code" {
				value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				codes[Code(value)] = spec.Names[0].Name
			}
			return true
		})
	}
	return codes
}

func TestEveryCodeIsDocumented(t *testing.T) {
	declared := declaredCodes(t)
	for code, name := range declared {
		if _, ok := Lookup(code); !ok {
			t.Errorf("%s (%q) stands in no table", name, code)
		}
	}
	entries := 0
	for _, table := range tables {
		entries += len(table)
	}
	if entries != len(index) {
		t.Errorf("%d entries have %d codes: one is documented twice", entries, len(index))
	}
	shape := regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	for _, e := range Codes() {
		if declared[e.Code] == "" {
			t.Errorf("%q has no constant", e.Code)
		}
		if !shape.MatchString(string(e.Code)) {
			t.Errorf("%q is not in kebab case", e.Code)
		}
		if e.Summary == "" || strings.HasSuffix(e.Summary, ".") || strings.Contains(e.Summary, "\n") || len(e.Summary) > 80 {
			t.Errorf("%s: the summary must be one line without a full stop: %q", e.Code, e.Summary)
		}
		if len(e.Explain) < 20 || !strings.HasSuffix(e.Explain, ".") {
			t.Errorf("%s: the explanation must be sentences: %q", e.Code, e.Explain)
		}
	}
}

// Whether an example has the mistake that it shows is tested where the compiler
// is; here it must be HCL, unless it shows that it is not.
func TestExamplesAreHCL(t *testing.T) {
	for _, e := range Codes() {
		_, diags := hclsyntax.ParseConfig([]byte(e.Example), "example.hcl", hcl.InitialPos)
		if e.Code == Syntax || e.Code == DuplicateAttribute {
			if list := FromHCL(diags); len(list) != 1 || list[0].Code != e.Code {
				t.Errorf("%s: the example gives %+v", e.Code, list)
			}
			continue
		}
		if diags.HasErrors() {
			t.Errorf("%s: %v", e.Code, diags)
		}
	}
}
