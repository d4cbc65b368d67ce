package compiler

import (
	"strconv"

	"github.com/hashicorp/hcl/v2"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
)

// names holds the names that are taken, by the space that they must be unique
// in.
type names map[space]taken

// space is a set of names that PostgreSQL keeps apart from others: the
// relations and types of a schema, the constraints or triggers of a table.
type space struct {
	kind          spaceKind
	schema, table string
	name          string
}

type spaceKind uint8

const (
	relationSpace   spaceKind = iota // tables, indexes, and types: a table is a type too
	functionSpace                    // functions of a schema
	constraintSpace                  // constraints of a table
	triggerSpace                     // triggers of a table
)

// taken is the declaration that took a name first.
type taken struct {
	what string
	at   hcl.Range
}

// claimName takes a name in the database and reports whether it could be had.
// what says whose name it is: `the index of no_duplicates "name"`.
func (c *compilation) claimName(s space, what string, at hcl.Range) bool {
	if len(s.name) > ir.MaxIdent {
		c.nameTooLong(s, what, at)
		return false
	}
	first, used := c.names[s]
	if !used {
		c.names[s] = taken{what, at}
		return true
	}
	// The later one in the text is pointed at, whichever came here first.
	if before(at, first.at) {
		first, what, at = taken{what, at}, first.what, first.at
	}
	c.report(diag.Diagnostic{
		Code:        diag.DuplicateName,
		Detail:      capital(what) + " and " + first.what + " would both be named " + quote(s.name) + " in the database.",
		Subject:     at,
		Label:       quote(s.name) + " is taken",
		Related:     []diag.Related{{Range: first.at, Text: first.what}},
		Consequence: "PostgreSQL would refuse the second one, and apply would stop half-way.",
		Help:        `give one of them another label, or write name = "…" in it`,
	})
	return false
}

// before compares two places.
func before(a, b hcl.Range) bool {
	return a.Filename < b.Filename || a.Filename == b.Filename && a.Start.Byte < b.Start.Byte
}

// nameTooLong reports a derived name. What dsl has checked by itself (a label
// or name = "…" that is too long already) is not said again.
func (c *compilation) nameTooLong(s space, what string, at hcl.Range) {
	if len(s.table) > ir.MaxIdent {
		return
	}
	c.report(diag.Diagnostic{
		Code: diag.NameTooLong,
		Detail: capital(what) + " would be named " + quote(s.name) + ", which has " + strconv.Itoa(len(s.name)) +
			" bytes; PostgreSQL keeps " + strconv.Itoa(ir.MaxIdent) + ".",
		Subject:     at,
		Label:       plural(len(s.name)-ir.MaxIdent, "byte") + " too long",
		Consequence: "PostgreSQL would cut it silently, and an error that names the cut constraint could not be led back here.",
		Help:        `write a shorter label, or name = "…"`,
	})
}

// derivedName is the name of a constraint or index: the label behind the
// table's name, unless name = "…" says otherwise.
func derivedName(table string, label string, rename dsl.Value[string]) string {
	if rename.Set {
		return rename.V
	}
	return table + "_" + label
}

// labelOf names a block in Go: its label, or where for_each repeats the label its
// name.
func labelOf(b dsl.Block, rename dsl.Value[string]) string {
	if b.Key != nil && rename.Set {
		return rename.V
	}
	return b.Name.Text
}

// claimConstraint takes the name of a constraint. Those that rest on an index
// take a relation's name as well. Those of a table whose own name is taken
// would be an echo.
func (c *compilation) claimConstraint(t *table, name, what string, at hcl.Range, indexed bool) bool {
	if t.shadowed {
		return false
	}
	ok := c.claimName(space{constraintSpace, t.ref.Schema, t.ref.Name, name}, what, at)
	if ok && indexed {
		return c.claimRelation(t.ref, name, what, at)
	}
	return ok
}

// claimRelation takes the name of an index or table.
func (c *compilation) claimRelation(t ir.TableRef, name, what string, at hcl.Range) bool {
	s := space{kind: relationSpace, schema: t.Schema, name: name}
	if len(name) > ir.MaxIdent {
		s.table = t.Name
	}
	return c.claimName(s, what, at)
}
