package migrate

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// states says of each object of an inspected schema how it stands: its print
// and its flags. Two equal states are the same object to a diff.
func states(s *ir.Schema) map[ir.ObjectID]string {
	all := map[ir.ObjectID]string{}
	for _, n := range s.Namespaces {
		all[ir.ObjectID{Kind: ir.NamespaceObject, Name: n.Name}] = "schema"
	}
	for _, e := range s.Extensions {
		all[ir.ObjectID{Kind: ir.ExtensionObject, Name: e.Name}] = "extension"
	}
	for _, e := range s.Enums {
		state := fmt.Sprintf("%q", e.Values)
		if e.Comment != "" {
			state += " " + e.Comment
		}
		all[ir.ObjectID{Kind: ir.EnumObject, Schema: e.Schema, Name: e.Name}] = state
	}
	for i := range s.Domains {
		domainStates(&s.Domains[i], all)
	}
	for _, f := range s.Functions {
		all[ir.ObjectID{Kind: ir.FunctionObject, Schema: f.Schema, Name: f.Name}] = f.Printed
	}
	for i := range s.Tables {
		tableStates(&s.Tables[i], all)
	}
	return all
}

func tableStates(t *ir.Table, all map[ir.ObjectID]string) {
	all[t.ID(ir.TableObject, t.Name)] = "table " + t.Comment
	for _, c := range t.Columns {
		all[t.ID(ir.ColumnObject, c.Name)] = fmt.Sprintf("%q %q %t %s %q", c.Printed.Type, c.Printed.Default, c.Null, c.Identity, c.Comment)
	}
	if k := t.PrimaryKey; k != nil {
		all[t.ID(ir.ConstraintObject, k.Name)] = k.Printed
	}
	for _, u := range t.Uniques {
		all[t.ID(ir.ConstraintObject, u.Name)] = u.Printed
	}
	for _, e := range t.Excludes {
		all[t.ID(ir.ConstraintObject, e.Name)] = e.Printed
	}
	for _, c := range t.Checks {
		all[t.ID(ir.ConstraintObject, c.Name)] = fmt.Sprint(c.Printed, c.Invalid)
	}
	for _, k := range t.ForeignKeys {
		all[t.ID(ir.ConstraintObject, k.Name)] = fmt.Sprint(k.Printed, k.Invalid)
	}
	for _, i := range t.Indexes {
		all[t.ID(ir.IndexObject, i.Name)] = fmt.Sprint(i.Printed, i.Invalid)
	}
	for _, g := range t.Triggers {
		all[t.ID(ir.TriggerObject, g.Name)] = fmt.Sprint(g.Printed, g.Disabled)
	}
}

// fingerprint is one hash over how the objects that concern a project stand and
// what is recorded of them. When it has not moved, a plan made from it still
// fits.
func fingerprint(all map[ir.ObjectID]string, l *ledger, wanted []ir.Object) string {
	concerned := map[ir.ObjectID]bool{}
	for _, object := range wanted {
		concerned[object.ID] = true
	}
	for id := range l.mine {
		concerned[id] = true
	}
	var lines []string
	for id := range concerned {
		state, ok := all[id]
		r := l.mine[id]
		lines = append(lines, fmt.Sprintf("%q %t %q %s %s", id, ok, state, r.SpecHash, l.others[id]))
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(sum[:])
}
