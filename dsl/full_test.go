package dsl

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/pawldb/pawl/internal/diag"
)

// extraModule is used by full.hcl.
const extraModule = "enum \"extra\" { values = [\"x\"] }\n"

// loadFull loads testdata/full.hcl, which holds every attribute there is.
func loadFull(t *testing.T) (*Spec, string) {
	t.Helper()
	src, err := os.ReadFile("testdata/full.hcl")
	if err != nil {
		t.Fatal(err)
	}
	spec, list := Load(fstest.MapFS{"full.hcl": {Data: src}, "extra/main.hcl": {Data: []byte(extraModule)}}, Options{Version: "0.1.0"})
	requireNone(t, spec, list)
	return spec, string(src)
}

// requireNone fails when something is said about a project.
func requireNone(t *testing.T, spec *Spec, list diag.List) {
	t.Helper()
	if len(list) == 0 {
		return
	}
	var out strings.Builder
	if err := (diag.Text{Sources: diag.Files(spec.Sources)}).List(&out, list); err != nil {
		t.Fatal(err)
	}
	t.Fatal(out.String())
}

// TestFullHoldsEveryAttribute keeps the file complete, so that the tests below
// look at every field.
func TestFullHoldsEveryAttribute(t *testing.T) {
	src, err := os.ReadFile("testdata/full.hcl")
	if err != nil {
		t.Fatal(err)
	}
	file, diags := hclsyntax.ParseConfig(src, "full.hcl", hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	written := make(map[*blockSchema]map[string]bool)
	var visit func(*blockSchema, *hclsyntax.Body)
	visit = func(s *blockSchema, body *hclsyntax.Body) {
		if written[s] == nil {
			written[s] = make(map[string]bool)
		}
		for name := range body.Attributes {
			written[s][name] = true
		}
		for _, b := range body.Blocks {
			written[s][b.Type] = true
			inner := blockOf(s, b.Type)
			if b.Type == "generate" {
				inner = generateKinds[b.Labels[0]]
			}
			visit(inner, b.Body)
		}
	}
	visit(&projectSchema, file.Body.(*hclsyntax.Body))
	for s, names := range written {
		for _, a := range s.Attrs {
			if a.Later == "" && !names[a.Name] {
				t.Errorf("%s.%s stands nowhere in full.hcl", s.Type, a.Name)
			}
		}
		for _, b := range s.Blocks {
			if b.Later == "" && !names[b.Type] {
				t.Errorf("%s in %s stands nowhere in full.hcl", b.Type, s.Type)
			}
		}
		if !names["allow"] && !s.NoAllow && s.Type != "project" {
			t.Errorf("%s.allow stands nowhere in full.hcl", s.Type)
		}
	}
}

// TestEveryFieldIsDecoded walks the whole Spec: no field stays empty in every
// block, and every place leads to the text that the value came from.
func TestEveryFieldIsDecoded(t *testing.T) {
	spec, src := loadFull(t)
	w := &walker{t: t, src: src, filled: make(map[string]bool)}
	w.walk("Spec", reflect.ValueOf(*spec))
	for path, filled := range w.filled {
		if !filled {
			t.Errorf("%s is empty everywhere", path)
		}
	}
	if len(w.filled) < 150 {
		t.Errorf("only %d fields were seen", len(w.filled))
	}
}

// walker notes for each field of each type whether any value of it is filled.
type walker struct {
	t      *testing.T
	src    string
	filled map[string]bool
}

func (w *walker) walk(path string, v reflect.Value) {
	switch x := v.Interface().(type) {
	case hcl.Range, diag.Related:
		return
	case map[string][]byte:
		return
	case Name:
		if x.Text == "" {
			return // a block without a label
		}
		w.place(path, x.Range, x.Text, quote(x.Text), "transaction."+x.Text)
		return
	case SQL:
		w.place(path, x.Range, quote(x.Text))
		return
	case Value[string]:
		if x.Set {
			w.place(path, x.Range, quote(x.V), x.V, "var.lease")
		}
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			w.walk(path, v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			w.walk(path, v.Index(i))
		}
	case reflect.Struct:
		w.fields(path, v)
	default:
	}
}

func (w *walker) fields(path string, v reflect.Value) {
	typ := v.Type()
	for i := range typ.NumField() {
		key := typ.Name() + "." + typ.Field(i).Name
		field := v.Field(i)
		empty := field.IsZero()
		if set := field; set.Kind() == reflect.Struct && set.FieldByName("Set").IsValid() {
			empty = !set.FieldByName("Set").Bool()
		}
		switch key {
		case "Spec.Dir", "Pawl.Name", "Type.Range":
		default:
			w.filled[key] = w.filled[key] || !empty
		}
		w.walk(path+"."+typ.Field(i).Name, field)
	}
}

// place checks that a range cuts one of the given texts out of the source.
func (w *walker) place(path string, at hcl.Range, want ...string) {
	w.t.Helper()
	if at.Filename != "full.hcl" {
		return // in a module
	}
	got := w.src[at.Start.Byte:at.End.Byte]
	if slices.Contains(want, got) || strings.HasPrefix(got, `"${each.key}`) {
		return
	}
	w.t.Errorf("%s: the place holds %q, want one of %q", path, got, want)
}
