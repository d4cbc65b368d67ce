package compiler

import (
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
)

// address names a declaration: table.bookings.no_overlap.one_per_room. A label
// that is no identifier is quoted, as a traversal in HCL would have it.
func address(parts ...string) string {
	var b strings.Builder
	for i, part := range parts {
		switch {
		case i == 0:
			b.WriteString(part)
		case dsl.PlainLabel(part):
			b.WriteString("." + part)
		default:
			b.WriteString("[" + strconv.Quote(part) + "]")
		}
	}
	return b.String()
}

// under is the address of something inside a declaration.
func under(parent string, parts ...string) string {
	return address(append([]string{parent}, parts...)...)
}

// declared is the address of a block at the top of a module.
func declared(typ string, b dsl.Block) string {
	return b.Scope + address(typ, b.Name.Text) + roundOf(b)
}

// inside is the address of a block in another one.
func inside(parent, typ string, b dsl.Block) string {
	return under(parent, typ, b.Name.Text) + roundOf(b)
}

// roundOf is the key of a repeated block, as an address has it.
func roundOf(b dsl.Block) string {
	if b.Key == nil {
		return ""
	}
	return "[" + strconv.Quote(*b.Key) + "]"
}

// comment is the comment that opens an operation's SQL, so that the operation
// can be told in pg_stat_activity and in the server's log. An address cannot
// end the comment early, nor open one inside it.
func comment(address string) string {
	return "/* " + commentMarks.Replace(address) + " */ "
}

var commentMarks = strings.NewReplacer("*/", "* /", "/*", "/ *")

// pos leads back to the source, without hcl's types.
func pos(r hcl.Range) ir.Pos {
	return ir.Pos{File: r.Filename, Line: r.Start.Line, Column: r.Start.Column, Byte: r.Start.Byte}
}
