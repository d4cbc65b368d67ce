package pawlsrc_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"sort"
	"strings"
	"testing"
)

// layers states what each folder may import, as docs/architecture.md draws it:
// "folder < what it may import". A folder stands for everything below it that
// has no line of its own. STD is the standard library; an entry that ends in
// "/..." covers what is below it. Tests are free, except that `pawl` and the
// tool stay apart: see TestRuntimeStandsAlone.
const layers = `
.                        < STD
cmd/pawl                 < STD cmd/pawl/internal/...
cmd/pawl/internal/cli    < STD . cmd/pawl/internal/... dsl compiler compiler/ir codegen/... graph migrate migrate/diff verify/... internal/... github.com/... golang.org/x/...
cmd/pawl/internal/view   < STD compiler/ir migrate verify/... internal/diag golang.org/x/term github.com/hashicorp/hcl/v2
dsl                      < STD internal/diag internal/pgsql github.com/google/uuid github.com/hashicorp/hcl/v2/... github.com/zclconf/go-cty/... github.com/zclconf/go-cty-yaml
compiler                 < STD dsl compiler/ir internal/pgsql internal/diag github.com/hashicorp/hcl/v2
compiler/ir              < STD
codegen/postgres         < STD compiler/ir
graph                    < STD compiler/ir
codegen/golang           < STD compiler/ir
pawl                     < STD github.com/jackc/pgx/v5/...
pawl/otelpawl            < STD pawl go.opentelemetry.io/otel/...
migrate                  < STD compiler/ir codegen/postgres migrate/diff internal/diag github.com/jackc/pgx/v5/... github.com/hashicorp/hcl/v2
migrate/diff             < STD compiler/ir
verify                   < STD compiler/ir codegen/postgres internal/devdb internal/pgsql verify/explore verify/client verify/fixture verify/fault github.com/jackc/pgx/v5/...
verify/explore           < STD github.com/jackc/pgx/v5/...
verify/client            < STD compiler/ir github.com/jackc/pgx/v5/...
verify/fixture           < STD compiler/ir internal/pgsql github.com/jackc/pgx/v5/...
verify/fault             < STD internal/devdb internal/faultproxy verify/explore github.com/jackc/pgx/v5/...
verify/isolation         < STD
verify/report            < STD compiler/ir verify verify/explore
internal/diag            < STD github.com/hashicorp/hcl/v2/... github.com/agext/levenshtein github.com/apparentlymart/go-textseg/... golang.org/x/text/...
internal/pgsql           < STD github.com/pganalyze/pg_query_go/v5/... google.golang.org/protobuf/...
internal/devdb           < STD github.com/fergusstrange/embedded-postgres github.com/jackc/pgx/v5/... internal/devdb/... golang.org/x/sys/...
internal/errorcorpus     < STD internal/diag
internal/faultproxy      < STD github.com/jackc/pgx/v5/...
examples                 < ANY
`

const module = "github.com/pawldb/pawl"

type listedPackage struct {
	ImportPath string
	Imports    []string
}

// TestLayers fails when a package imports what its layer may not see.
func TestLayers(t *testing.T) {
	rules := parseLayers(t)
	used := map[string]bool{}
	for _, pkg := range goList(t, "./...") {
		folder := folderOf(pkg.ImportPath)
		rule, ok := ruleFor(rules, folder)
		if !ok {
			t.Errorf("%s stands in no layer: add it to the table and say why in docs/architecture.md", folder)
			continue
		}
		used[rule] = true
		for _, imported := range pkg.Imports {
			if !allowed(rules[rule], imported) {
				t.Errorf("%s imports %s, which its layer (%s) may not see", folder, imported, rule)
			}
		}
	}
	for folder := range rules {
		if !used[folder] {
			t.Errorf("the layer %s is empty: delete its line", folder)
		}
	}
}

// TestRuntimeStandsAlone holds the promise that generated code needs pgx
// alone: `pawl` sees nothing of the tool, not even through a dependency, and
// the tool never uses the runtime it copies.
func TestRuntimeStandsAlone(t *testing.T) {
	for _, dep := range goDeps(t, "./pawl") {
		if strings.HasPrefix(dep, module+"/") && dep != module+"/pawl" {
			t.Errorf("pawl depends on %s", dep)
		}
	}
	for _, dep := range goDeps(t, "./cmd/pawl") {
		if dep == module+"/pawl" {
			t.Error("the tool depends on the runtime it copies")
		}
	}
}

func parseLayers(t *testing.T) map[string][]string {
	t.Helper()
	rules := map[string][]string{}
	for line := range strings.Lines(strings.TrimSpace(layers)) {
		folder, list, ok := strings.Cut(line, "<")
		if !ok {
			t.Fatalf("layer line without <: %q", line)
		}
		rules[strings.TrimSpace(folder)] = strings.Fields(list)
	}
	return rules
}

// ruleFor finds the most specific layer that covers a folder.
func ruleFor(rules map[string][]string, folder string) (string, bool) {
	var fitting []string
	for rule := range rules {
		if folder == rule || strings.HasPrefix(folder, rule+"/") {
			fitting = append(fitting, rule)
		}
	}
	if len(fitting) == 0 {
		return "", false
	}
	sort.Slice(fitting, func(i, j int) bool { return len(fitting[i]) > len(fitting[j]) })
	return fitting[0], true
}

func allowed(rule []string, imported string) bool {
	for _, entry := range rule {
		switch {
		case entry == "ANY":
			return true
		case entry == "STD":
			if isStandard(imported) {
				return true
			}
			continue
		}
		path := entry
		if isStandard(path) || path == "." { // a folder of ours
			path = strings.TrimSuffix(module+"/"+path, "/.")
		}
		if below, ok := strings.CutSuffix(path, "/..."); ok {
			if imported == below || strings.HasPrefix(imported, below+"/") {
				return true
			}
		} else if imported == path {
			return true
		}
	}
	return false
}

// isStandard tells the standard library by its first path element, which has
// no dot.
func isStandard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

func folderOf(importPath string) string {
	if importPath == module {
		return "."
	}
	return strings.TrimPrefix(importPath, module+"/")
}

func goList(t *testing.T, pattern string) []listedPackage {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(run(t, "go", "list", "-json=ImportPath,Imports", pattern)))
	var packages []listedPackage
	for decoder.More() {
		var pkg listedPackage
		if err := decoder.Decode(&pkg); err != nil {
			t.Fatal(err)
		}
		packages = append(packages, pkg)
	}
	return packages
}

func goDeps(t *testing.T, pkg string) []string {
	t.Helper()
	return strings.Fields(run(t, "go", "list", "-deps", pkg))
}

func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	command := exec.Command(name, args...)
	out, err := command.Output()
	if err != nil {
		var detail string
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			detail = string(exit.Stderr)
		}
		t.Fatal(fmt.Errorf("%s: %w\n%s", command, err, detail))
	}
	return string(out)
}
