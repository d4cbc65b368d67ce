package golang

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pawldb/pawl/compiler/ir"
)

// generatedText is the Go of a program as one text; it is checked to compile.
func generatedText(t *testing.T, p *ir.Program) string {
	t.Helper()
	p.Go.Runtime = runtimeImport
	files, problems := Generate(p, fstest.MapFS{}, GenerateOptions{})
	for _, problem := range problems {
		t.Fatal(problem.Text)
	}
	if err := typecheck(files); err != nil {
		t.Fatalf("%v\n%s", err, source(files))
	}
	var b strings.Builder
	for _, f := range files {
		b.Write(f.Content)
	}
	return b.String()
}

// retype gives the argument of an adjustment another type.
func retype(r *ir.Repository, typ ir.Type) {
	adjust := &r.Operations[0]
	for i := range adjust.Statements {
		args := adjust.Statements[i].Args
		args[len(args)-1].Type = typ
	}
}

// Every numeric type is checked in Go before it is sent; a type that a go block
// names is left to the database.
func TestPositiveArguments(t *testing.T) {
	const check = `if err := pawl.Positive(&countersSendOperation, "n", n); err != nil {`
	for _, name := range []string{"int2", "int4", "int8", "float4", "float8", "numeric"} {
		p := bookings()
		retype(&p.Repositories[1], ir.Type{Name: name})
		if text := generatedText(t, p); !strings.Contains(text, check) {
			t.Errorf("no check of an argument of type %s", name)
		}
	}
	p := bookings()
	retype(&p.Repositories[1], text)
	if strings.Contains(generatedText(t, p), "pawl.Positive") {
		t.Error("a text is checked to be positive")
	}
}

// However many rows a page holds is a number of Go's, not below zero; its argument
// is called limit_ where the table has a column limit.
func TestLimitIsNotNegative(t *testing.T) {
	for _, name := range []string{"limit", "limit_"} {
		p := bookings()
		for i, o := range p.Repositories[0].Operations {
			if o.Kind == ir.ListOp {
				args := p.Repositories[0].Operations[i].Statements[0].Args
				args[len(args)-1].Name = name
			}
		}
		text := generatedText(t, p)
		check := `if err := pawl.NotNegative(&bookingsListByByRoomOperation, "` + name + `", limit); err != nil {`
		if !strings.Contains(text, check) || !strings.Contains(text, "limit int) ([]Booking, error)") {
			t.Errorf("%s: no check of a page's limit in\n%s", name, text)
		}
	}
}

// The guard's own text is in the descriptor, for the error.
func TestGuardOfADescriptor(t *testing.T) {
	if text := generatedText(t, bookings()); !strings.Contains(text, `Guard:       "upper(during) > now()",`) {
		t.Errorf("no guard in\n%s", text)
	}
}

// The functions that make ranges are there wherever a range has to be made, and
// only there.
func TestRangeFunctions(t *testing.T) {
	instants, days := ir.Type{Name: "tstzrange"}, ir.Type{Name: "daterange"}
	domain := ir.Type{Kind: ir.DomainType, Schema: "app", Name: "stay", Elem: &days}
	for _, test := range []struct {
		name          string
		typ           ir.Type
		instant, days bool
	}{
		{"text", text, false, false},
		{"range", instants, true, false},
		{"list", arrayOf(instants), true, false},
		{"multirange", ir.Type{Name: "tstzmultirange"}, true, false},
		{"list of multiranges", arrayOf(ir.Type{Name: "tstzmultirange"}), true, false},
		{"days", days, false, true},
		{"list of days", arrayOf(days), false, true},
		{"multirange of days", ir.Type{Name: "datemultirange"}, false, true},
		{"domain", domain, false, true},
		{"range without a helper", ir.Type{Name: "int4range"}, false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			for where, put := range map[string]func() ir.Repository{
				"argument": func() ir.Repository { r := countersTable(); retype(&r, test.typ); return r },
				"column":   func() ir.Repository { r := countersTable(); r.Row[1].Type = test.typ; return r },
				"payload":  func() ir.Repository { r := tasksQueue(); r.Queue.Payload[0].Type = test.typ; return r },
			} {
				p := &ir.Program{Repositories: []ir.Repository{put()}}
				for name, wanted := range map[string]bool{"tstzrange": test.instant, "daterange": test.days} {
					if got := holds(p, name); got != wanted {
						t.Errorf("%s: holds a %s: %t", where, name, got)
					}
				}
			}
		})
	}
	p := bookings()
	p.Repositories[0].Row[2].Type, p.Repositories[0].Insert[1].Type = arrayOf(days), arrayOf(days)
	for i := range p.Repositories[0].Operations {
		for _, s := range p.Repositories[0].Operations[i].Statements {
			for _, fields := range [][]ir.Field{s.Args, s.Results} {
				for j := range fields {
					if fields[j].Name == "during" {
						fields[j].Type = arrayOf(days)
					}
				}
			}
		}
	}
	for name, wanted := range map[string]bool{"BetweenDays(": true, "SinceDay(": true, "UntilDay(": true, "func Between(": false} {
		if strings.Contains(generatedText(t, p), name) != wanted {
			t.Errorf("%s is there: %t", name, !wanted)
		}
	}
}
