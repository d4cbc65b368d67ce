package compiler_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/pawldb/pawl/compiler"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
)

func TestTry(t *testing.T) {
	dir := os.Getenv("TRY")
	if dir == "" {
		t.Skip()
	}
	spec, ds := dsl.Load(os.DirFS(dir), dsl.Options{})
	p, more := compiler.Compile(spec)
	ds.Extend(more)
	ds.Sort()
	diag.Text{Sources: diag.Files(spec.Sources)}.List(os.Stdout, ds)
	if p == nil {
		return
	}
	for _, r := range p.Repositories {
		for _, rep := range r.Reported {
			fmt.Println("REPORTED", r.Name, rep.Name, rep.Label, rep.Kind, rep.Inherited, rep.Doc)
		}
		for _, o := range r.Operations {
			fmt.Println("OP", o.Address, o.Lock, o.Errors)
			fmt.Println("  DOC", o.Doc)
			for _, x := range o.Reasons {
				fmt.Println("  WHY", x.Choice, ":", x.Why)
			}
			for _, s := range o.Statements {
				fmt.Println("  "+string(s.Role), s.Args)
				fmt.Println(s.SQL)
			}
		}
	}
	for _, i := range p.Invariants {
		f := i.Facts()
		fmt.Println("INV", f.Address, "|", f.Promise, "|", f.Mechanism, "|", f.Operations, f.Objects, "\n   ", f.Violators)
	}
	for _, tb := range p.Schema.Tables {
		fmt.Printf("%+v\n", tb.Triggers)
		fmt.Printf("%+v\n", tb.Checks)
	}
	for _, f := range p.Schema.Functions {
		fmt.Println(f.Schema, f.Name, f.Body)
	}
}
