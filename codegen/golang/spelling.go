package golang

import (
	"cmp"

	"github.com/pawldb/pawl/compiler/ir"
)

// Spelling is how the generated package spells a program, for texts about it.
type Spelling struct {
	// Methods are the signatures of the generated methods, by the address of their
	// operation: "(b Bookings) Confirm(ctx context.Context, id int64) (Booking, error)".
	Methods map[string]string
	// Sentinels are the error variables, by the constraint that PostgreSQL reports.
	Sentinels map[ConstraintName]string
}

// ConstraintName is how PostgreSQL names a constraint in an error. Table is the
// domain, for a check of one.
type ConstraintName struct{ Schema, Table, Name string }

// NameOf is the name by which a reported constraint is found among the sentinels.
func NameOf(r *ir.Reported) ConstraintName {
	return ConstraintName{r.Schema, cmp.Or(r.Table, r.Type), r.Name}
}

// Spell returns the names of what Generate generates for p. It is empty when p
// generates no Go, or has problems that keep it from doing so.
func Spell(p *ir.Program) Spelling {
	s := Spelling{Methods: map[string]string{}, Sentinels: map[ConstraintName]string{}}
	if p.Go == nil {
		return s
	}
	e := newEmitter(p, GenerateOptions{})
	if len(e.check()) > 0 {
		return s
	}
	e.emitSingletons()
	e.emitIdempotencies()
	e.emitInboxes()
	for i := range p.Repositories {
		e.emitRepository(i)
	}
	s.Methods, s.Sentinels = e.signatures, e.names.sentinels
	return s
}
