package diag

import (
	"bytes"
	"reflect"
	"strconv"
	"testing"

	"github.com/hashicorp/hcl/v2"
)

// TestEveryFieldIsRendered gives every field of a diagnostic a value of its own
// and looks for it in all forms: none of them may tell less than another.
func TestEveryFieldIsRendered(t *testing.T) {
	var marks []string
	var fill func(v reflect.Value, path string)
	fill = func(v reflect.Value, path string) {
		switch {
		case v.Type() == reflect.TypeFor[hcl.Range]():
			line := 100 + 10*len(marks)
			v.Set(reflect.ValueOf(hcl.Range{Filename: "f.hcl", Start: hcl.Pos{Line: line, Column: 1}, End: hcl.Pos{Line: line, Column: 2}}))
			marks = append(marks, strconv.Itoa(line))
		case v.Type() == reflect.TypeFor[*Fix]():
			// Help says what it does; only programs need the edit itself.
		case v.Kind() == reflect.String:
			v.SetString("mark-of-" + path)
			marks = append(marks, v.String())
		case v.Kind() == reflect.Int:
			v.SetInt(int64(Warning))
			marks = append(marks, "warning")
		case v.Kind() == reflect.Slice:
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			fill(v.Index(0), path)
		case v.Kind() == reflect.Struct:
			for i := range v.NumField() {
				fill(v.Field(i), path+"."+v.Type().Field(i).Name)
			}
		default:
			t.Fatalf("%s: a field of kind %s", path, v.Kind())
		}
	}
	var d Diagnostic
	fill(reflect.ValueOf(&d).Elem(), "")
	if len(marks) < 9 {
		t.Fatalf("only %q", marks)
	}
	for _, r := range []Renderer{Text{}, JSON{}, GitHub{}} {
		var b bytes.Buffer
		if err := r.List(&b, List{d}); err != nil {
			t.Fatal(err)
		}
		for _, mark := range marks {
			if !bytes.Contains(b.Bytes(), []byte(mark)) {
				t.Errorf("%T leaves %s out of %s", r, mark, b.String())
			}
		}
	}
}
