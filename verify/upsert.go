package verify

import (
	"slices"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// upserted is what an upsert may do to a row: insert the one that was given, or
// give the one that has its key the columns that are declared, and a version only
// upwards.
func (x *index) upserted(d deed) string {
	u, ok := x.upsertOf(d.op)
	if !ok {
		return "false"
	}
	written := []string{"c.op = 'UPDATE'", x.unchangedBut(d.table, u.Written())}
	for _, name := range u.Written() {
		if v := d.args[name]; v != nil {
			written = append(written, same("n."+ir.Ident(name), literal(v, x.column(d.table, name).Type)))
		}
	}
	for _, p := range u.Key {
		if v := d.args[p.Column]; v != nil {
			written = append(written, same("o."+ir.Ident(p.Column), literal(v, x.column(d.table, p.Column).Type)))
		}
	}
	if u.Version != "" {
		written = append(written, "o."+ir.Ident(u.Version)+" < n."+ir.Ident(u.Version))
	}
	return strings.Join([]string{"(" + all("c.op = 'INSERT'", x.given(d)) + ")", "(" + all(written...) + ")"}, " OR ")
}

// upsertOf is the declaration that made an upsert's operation.
func (x *index) upsertOf(op *ir.Operation) (*ir.Upsert, bool) {
	for _, i := range x.program.Invariants {
		if u, ok := i.(*ir.Upsert); ok && slices.Contains(u.Base.Operations, op.Address) {
			return u, true
		}
	}
	return nil, false
}
