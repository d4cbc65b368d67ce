package compiler

import (
	"slices"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
)

// resolveType turns a type as written into the program's. It is false when the
// type could not be read: that has been told.
func (c *compilation) resolveType(t dsl.Type) (ir.Type, bool) {
	switch {
	case t.Enum != "":
		e := c.enums[t.Enum]
		if e == nil || len(e.ir.Values) == 0 { // reported by dsl, or by declareEnums
			return ir.Type{}, false
		}
		return e.typ(), true
	case t.Domain != "":
		d := c.domains[t.Domain]
		if d == nil || !d.known { // reported by dsl, or by declareDomains
			return ir.Type{}, false
		}
		return d.ir.As(), true
	case t.Elem != nil && t.Elem.Domain != "":
		c.listOfDomain(t)
		return ir.Type{}, false
	case t.Elem != nil:
		elem, ok := c.resolveType(*t.Elem)
		return ir.Type{Kind: ir.ArrayType, Elem: &elem}, ok
	case t.Other != "":
		return ir.Type{Kind: ir.OtherType, Name: t.Other}, true
	case t.Name != "":
		return ir.Type{Name: t.Name, Mods: slices.Clone(t.Mods)}, true
	}
	return ir.Type{}, false
}

// family groups base types by what can be done with them.
type family struct {
	numeric, integer bool
	gist             bool   // btree_gist gives it an equality for exclusion constraints
	noHash           bool   // pg_catalog has no hash for it on every major
	noOrder          bool   // it has no btree order: no key, no unique index
	rangeOf          string // the type of a range's bounds
	discrete         bool   // a range that PostgreSQL brings to the form [)
	infinite         bool   // values of a range's bounds may be infinite
	spanType         string // the range type over values of this type
}

var families = map[string]family{
	"int2":        {numeric: true, integer: true, gist: true},
	"int4":        {numeric: true, integer: true, gist: true, spanType: "int4range"},
	"int8":        {numeric: true, integer: true, gist: true, spanType: "int8range"},
	"numeric":     {numeric: true, gist: true, spanType: "numrange", infinite: true},
	"float4":      {numeric: true, gist: true},
	"float8":      {numeric: true, gist: true},
	"bool":        {gist: true},
	"text":        {gist: true},
	"varchar":     {gist: true},
	"bpchar":      {gist: true},
	"uuid":        {gist: true},
	"date":        {gist: true, spanType: "daterange", infinite: true},
	"time":        {gist: true},
	"timetz":      {gist: true},
	"timestamp":   {gist: true, spanType: "tsrange", infinite: true},
	"timestamptz": {gist: true, spanType: "tstzrange", infinite: true},
	"interval":    {gist: true},
	"bytea":       {gist: true, noHash: true},
	"bit":         {gist: true, noHash: true},
	"varbit":      {gist: true, noHash: true},
	"money":       {gist: true, noHash: true},
	"oid":         {gist: true},
	"inet":        {gist: true},
	"cidr":        {gist: true},
	"macaddr":     {gist: true},
	"macaddr8":    {gist: true},
	"json":        {noOrder: true, noHash: true},
	"xml":         {noOrder: true, noHash: true},
	"point":       {noOrder: true, noHash: true},
	"line":        {noOrder: true, noHash: true},
	"lseg":        {noOrder: true, noHash: true},
	"box":         {noOrder: true, noHash: true},
	"path":        {noOrder: true, noHash: true},
	"polygon":     {noOrder: true, noHash: true},
	"circle":      {noOrder: true, noHash: true},
	"tsquery":     {noHash: true},
	"tsvector":    {noHash: true},
	"int4range":   {rangeOf: "int4", discrete: true},
	"int8range":   {rangeOf: "int8", discrete: true},
	"numrange":    {rangeOf: "numeric"},
	"tsrange":     {rangeOf: "timestamp"},
	"tstzrange":   {rangeOf: "timestamptz"},
	"daterange":   {rangeOf: "date", discrete: true},
}

// familyOf tells what can be done with a type. Of a type that pawl does not
// know nothing is known, and nothing is refused.
func familyOf(t ir.Type) family {
	switch t.Kind {
	case ir.BaseType:
		return families[t.Name]
	case ir.EnumType:
		return family{gist: true}
	case ir.DomainType:
		return familyOf(t.Base())
	case ir.ArrayType:
		return family{noOrder: familyOf(*t.Elem).noOrder, noHash: familyOf(*t.Elem).noHash}
	case ir.OtherType:
	}
	return family{noHash: true}
}

// parameterType is the type that an argument is cast to. Modifiers are left
// out: an explicit cast to varchar(3) cuts a longer value without a word, where
// the assignment to the column refuses it.
func parameterType(t ir.Type) ir.Type {
	switch t.Kind {
	case ir.ArrayType:
		elem := parameterType(*t.Elem)
		return ir.Type{Kind: ir.ArrayType, Elem: &elem}
	case ir.BaseType:
		switch t.Name {
		case "bpchar": // character alone means character(1)
			return ir.Type{Kind: ir.OtherType, Name: "bpchar"}
		case "bit": // and bit alone bit(1)
			return ir.Type{Name: "varbit"}
		}
		t.Mods = nil
	case ir.DomainType: // its checks are asked for by themselves, where the answer can name them
		return parameterType(*t.Elem)
	case ir.EnumType, ir.OtherType:
	}
	return t
}

// cast is how an argument of a type is cast. Arrays of enums travel as text:
// pgx has no codec for a type that the application's connection never loaded.
func cast(t ir.Type) string {
	sql := parameterType(t).SQL()
	if t.Kind == ir.ArrayType && t.Elem.Kind == ir.EnumType {
		return "text[]::" + sql
	}
	return sql
}

// result is how a column of a type is selected. A domain needs nothing: the
// server announces it as what it is made of.
func result(column string, t ir.Type) string {
	if t.Kind == ir.ArrayType && t.Elem.Kind == ir.EnumType {
		return column + "::text[]"
	}
	return column
}

// quotedLiteral spells a constant of a type, so that operators resolve as they
// do for the column itself.
func quotedLiteral(text string, t ir.Type) string {
	return ir.Literal(text) + "::" + parameterType(t).SQL()
}
