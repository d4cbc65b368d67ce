package compiler

import (
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
	"github.com/pawldb/pawl/internal/pgsql"
)

// columns reads the column blocks of a table.
func (c *compilation) columns(t *table) {
	for _, decl := range t.decl.Columns {
		if col := c.column(decl, under(t.address, "column", decl.Name.Text)); col != nil && t.byName[col.name] == nil {
			t.columns = append(t.columns, col)
			t.byName[col.name] = col
		}
	}
	for _, col := range t.columns {
		if col.decl.Default != nil && col.known {
			c.columnDefault(t, col)
		}
		c.goColumn(&t.repository, col)
	}
	c.generated(t)
}

// goColumn keeps what a column says of its Go field.
func (c *compilation) goColumn(r *ir.Repository, col *column) {
	g := col.decl
	elements := g.ElementsNullable
	if elements.V && col.known && col.typ.Base().Kind != ir.ArrayType {
		c.report(diag.Diagnostic{
			Code:        diag.WrongType,
			Detail:      "The column " + quote(col.name) + " has the type " + col.typ.SQL() + ", which has no elements.",
			Subject:     elements.Range,
			Label:       "for lists alone",
			Consequence: "Nothing would change, and the column itself would still be NOT NULL.",
			Help:        "write null = true if the column itself may be NULL, or type = list(…)",
		})
		return
	}
	if g.GoName.Set || g.GoType.Set || elements.V {
		r.GoColumns[col.name] = ir.GoColumn{Name: g.GoName.V, Type: g.GoType.V, ElementsNullable: elements.V}
	}
}

// column reads one column block, of a table or a queue.
func (c *compilation) column(decl *dsl.Column, addr string) *column {
	name := decl.Name.Text
	if name == "" {
		return nil
	}
	col := &column{decl: decl, name: name, null: decl.Null.Set && decl.Null.V}
	col.typ, col.known = c.resolveType(decl.Type)
	c.rowType(col)
	c.domainDefault(col)
	col.schema = ir.Column{
		Name: name, Comment: decl.Comment.V,
		Origin: ir.Origin{Address: addr, Pos: pos(decl.Header)},
	}
	c.identity(col)
	c.collation(col)
	return col
}

// rowType refuses a column whose type is the row of a table, a composite type. Of
// other types that only the server knows, plan asks the database.
func (c *compilation) rowType(col *column) {
	base := col.typ
	for base.Elem != nil {
		base = *base.Elem
	}
	if base.Kind != ir.OtherType {
		return
	}
	for _, t := range c.spec.Tables {
		name := nameOf(t.Name, t.Rename)
		if base.Name != name && base.Name != c.schemaOf(t.Schema)+"."+name {
			continue
		}
		c.report(diag.Diagnostic{
			Code:        diag.WrongType,
			Detail:      "The type " + base.Name + " is the row type of table " + quote(t.Name.Text) + ", a composite type.",
			Subject:     col.decl.Type.Range,
			Label:       "a row inside a row",
			Related:     []diag.Related{{Range: t.Header, Text: "the table"}},
			Consequence: "pgx reads and writes such a value only where the type was registered on the connection before: generated code would fail at run time.",
			Help:        "a foreign key to the table, columns of its own for each field, or jsonb",
		})
		col.known = false
		return
	}
}

// identity reads the identity attribute.
func (c *compilation) identity(col *column) {
	decl := col.decl
	if !decl.Identity.Set {
		return
	}
	col.schema.Identity = ir.IdentityAlways
	if decl.Identity.V == "by default" {
		col.schema.Identity = ir.IdentityByDefault
	}
	d := diag.Diagnostic{Code: diag.IdentityColumn, Subject: decl.Identity.Range}
	switch {
	case col.known && !familyOf(col.typ).integer:
		d.Detail = "The identity column " + quote(col.name) + " has the type " + col.typ.SQL() + "."
		d.Label = "not an integer type"
		d.Consequence = "Its values come from a sequence, which counts in bigint; PostgreSQL takes smallint, integer and bigint alone."
		d.Help = "type = bigint"
	case col.null:
		d.Detail = "The identity column " + quote(col.name) + " says null = true."
		d.Label = "never NULL"
		d.Consequence = "PostgreSQL makes identity columns NOT NULL."
		d.Help = "leave null = true out"
	case decl.Default != nil:
		d.Detail = "The column " + quote(col.name) + " has an identity and a default."
		d.Label = "a value already comes from here"
		d.Related = []diag.Related{{Range: decl.Default.Range, Text: "and from here"}}
		d.Consequence = "PostgreSQL takes one of them and refuses the table."
		d.Help = "leave the default out"
	default:
		return
	}
	c.report(d)
}

// columnDefault checks a default against the column's type and spells it as SQL.
func (c *compilation) columnDefault(t *table, col *column) {
	d := col.decl.Default
	switch d.Kind {
	case "sql":
		if e := c.parse(d.SQL, "default", row{changing: pgsql.Volatile}); e != nil && !c.frozenLiteral(col, e, "default") {
			col.schema.Default = e.SQL()
		}
	case "string":
		if c.defaultLabel(col, d) {
			col.schema.Default = ir.Literal(d.Text)
		}
	case "number":
		if c.defaultNumber(col, d) {
			col.schema.Default = d.Text
		}
	case "bool":
		if col.typ.Base().Name != "bool" && col.typ.Kind != ir.OtherType {
			c.wrongDefault(col, d, "true and false are values of boolean alone")
			return
		}
		col.schema.Default = d.Text
	}
}

// defaultLabel checks a text default.
func (c *compilation) defaultLabel(col *column, d *dsl.Default) bool {
	if col.typ.Kind != ir.EnumType {
		return c.textDefault(col, d)
	}
	values := c.enumValuesOf(col.typ)
	if slices.Contains(values, d.Text) {
		return true
	}
	c.report(diag.Diagnostic{
		Code:        diag.DefaultValue,
		Detail:      quote(d.Text) + " is no value of the column's type " + quote(col.typ.Name) + ".",
		Subject:     d.Range,
		Label:       "no such value",
		Consequence: "CREATE TABLE would fail with 22P02.",
		Help:        didYouMean(d.Text, values, ""),
	})
	return false
}

// enumValuesOf lists the values of an enum type.
func (c *compilation) enumValuesOf(t ir.Type) []string {
	for _, e := range c.enums {
		if e.typ().Equal(t) {
			return e.ir.Values
		}
	}
	return nil
}

// integerLimits are the largest values of the integer types.
var integerLimits = map[string]int64{"int2": 1<<15 - 1, "int4": 1<<31 - 1, "int8": 1<<63 - 1}

func (c *compilation) defaultNumber(col *column, d *dsl.Default) bool {
	base := col.typ.Base()
	f := familyOf(base)
	switch {
	case base.Kind == ir.OtherType:
	case !f.numeric:
		c.wrongDefault(col, d, "a number is no value of this type")
		return false
	case f.integer:
		n, err := strconv.ParseInt(strings.TrimSuffix(d.Text, ".0"), 10, 64)
		if limit := integerLimits[base.Name]; err != nil || n > limit || n < -limit-1 {
			c.wrongDefault(col, d, "the number does not fit")
			return false
		}
	}
	return true
}

func (c *compilation) wrongDefault(col *column, d *dsl.Default, why string) {
	c.report(diag.Diagnostic{
		Code:        diag.DefaultValue,
		Detail:      "The default " + d.Text + " does not fit the column's type " + col.typ.SQL() + ".",
		Subject:     d.Range,
		Label:       why,
		Consequence: "CREATE TABLE would fail, or every insert that leaves the column out.",
		Help:        "write a value of the type, or sql(\"…\")",
	})
}

// columnList lists the names of columns.
func columnList(columns []*column) []string {
	list := make([]string, len(columns))
	for i, col := range columns {
		list[i] = col.name
	}
	return list
}

// fields lists columns as values.
func fields(columns []*column) []ir.Field {
	list := make([]ir.Field, len(columns))
	for i, col := range columns {
		list[i] = col.field()
	}
	return list
}

// forceNotNull makes a column NOT NULL because a promise needs it. It reports
// a column that says the opposite.
func (c *compilation) forceNotNull(col *column, at hcl.Range, d diag.Diagnostic) bool {
	if !col.null {
		return true
	}
	d.Subject = at
	d.Related = append(d.Related, diag.Related{Range: col.decl.Null.Range, Text: "null = true"})
	c.report(d)
	return false
}
