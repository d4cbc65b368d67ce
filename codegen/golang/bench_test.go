package golang

import (
	"fmt"
	"testing"

	"github.com/pawldb/pawl/compiler/ir"
)

// large is a specification of tables with eight operations each.
func large(tables int) *ir.Program {
	p := program(bookings().Schema.Enums)
	for i := range tables {
		r := bookingsTable()
		r.Name = fmt.Sprintf("bookings_%d", i)
		r.Table, r.Address = r.Name, "table."+r.Name
		for j := range r.Reported {
			r.Reported[j].Table = r.Name
		}
		p.Repositories = append(p.Repositories, r)
	}
	return p
}

func BenchmarkGenerate(b *testing.B) {
	p := large(1000)
	b.ReportAllocs()
	for b.Loop() {
		if files, problems := Generate(p, nil, GenerateOptions{}); len(files) == 0 {
			b.Fatal(problems)
		}
	}
}
