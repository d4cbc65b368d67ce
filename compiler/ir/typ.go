package ir

import (
	"strconv"
	"strings"
)

// TypeKind tells the families of types apart that back ends treat differently.
type TypeKind uint8

// The kinds of a [Type].
const (
	BaseType   TypeKind = iota // int8, text, numeric, tstzrange, …
	EnumType                   // an enum that the program declares
	DomainType                 // a domain that the program declares
	ArrayType                  // Elem holds the element
	OtherType                  // type("ltree"): whatever the server knows
)

// Type is a PostgreSQL type.
type Type struct {
	Kind   TypeKind
	Schema string // of an enum or domain; empty for a base type
	Name   string // PostgreSQL's internal name: int8, timestamptz, numeric, tstzrange, booking_status
	Mods   []int  // numeric(12,2) has 12 and 2
	Elem   *Type  // of an array; of a domain, its base
}

// SQL spells the type, qualified and quoted, as DDL and casts need it.
func (t Type) SQL() string {
	//exhaustive:enforce
	switch t.Kind {
	case ArrayType:
		return t.Elem.SQL() + "[]"
	case EnumType, DomainType:
		return Qualified(t.Schema, t.Name)
	case OtherType:
		return t.Name
	case BaseType:
	}
	name := t.Name
	if long, ok := sqlNames[name]; ok {
		name = long
	}
	if len(t.Mods) == 0 {
		return name
	}
	mods := make([]string, len(t.Mods))
	for i, m := range t.Mods {
		mods[i] = strconv.Itoa(m)
	}
	list := "(" + strings.Join(mods, ", ") + ")"
	// The precision of these stands inside the name: timestamp(3) with time zone.
	if head, tail, ok := strings.Cut(name, " with"); ok {
		return head + list + " with" + tail
	}
	return name + list
}

// Base is the type without modifiers, and a domain's underlying type: what
// decides how a value travels.
func (t Type) Base() Type {
	if t.Kind == DomainType {
		return t.Elem.Base()
	}
	t.Mods = nil
	return t
}

// Equal reports whether two types are the same type to PostgreSQL.
func (t Type) Equal(u Type) bool { return t.SQL() == u.SQL() }

// sqlNames spells the internal names that DDL readers know by another one.
var sqlNames = map[string]string{
	"int2": "smallint", "int4": "integer", "int8": "bigint",
	"float4": "real", "float8": "double precision", "bool": "boolean",
	"bpchar": "character", "varchar": "character varying",
	"timestamptz": "timestamp with time zone", "timestamp": "timestamp without time zone",
	"timetz": "time with time zone", "time": "time without time zone",
	"varbit": "bit varying",
}
