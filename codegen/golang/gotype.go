package golang

import (
	"go/token"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// Import paths of what generated code refers to.
const (
	pgxPath    = "github.com/jackc/pgx/v5"
	pgtypePath = "github.com/jackc/pgx/v5/pgtype"
)

// goType is the Go type that carries a value: a named type, with what stands
// before it and the types it is instantiated with.
type goType struct {
	prefix string // "", "*", "[]", "[]*"
	ident  ident
	args   []goType
	// nilable says that nil, or the type's own zero, already means NULL, so that a
	// column that may be NULL needs no pointer.
	nilable bool
}

// typ spells a type as this file has to write it.
func (w *writer) typ(t goType) string {
	text := t.prefix + w.qualify(t.ident)
	if len(t.args) == 0 {
		return text
	}
	args := make([]string, len(t.args))
	for i, arg := range t.args {
		args[i] = w.typ(arg)
	}
	return text + "[" + strings.Join(args, ", ") + "]"
}

// orNull is the type for a value that may be NULL: a pointer, because pointers
// scan for every type in every exec mode, where sql.Null does not.
func (t goType) orNull() goType {
	if t.nilable {
		return t
	}
	t.prefix = "*" + t.prefix
	return t
}

// listable reports whether pgx can send and read a []t: it knows no arrays of
// multiranges and of hstore, so their elements travel as their texts.
func (t goType) listable() bool {
	return t.ident != ident{pgtypePath, "Multirange"} && t.ident != ident{pgtypePath, "Hstore"}
}

// sliceOf is the type []t.
func sliceOf(t goType) goType {
	t.prefix = "[]" + t.prefix
	t.nilable = true
	return t
}

// withNullElements is the type of a list whose elements may be NULL: []*t.
func withNullElements(list goType) goType {
	elem := list
	elem.prefix = strings.TrimPrefix(list.prefix, "[]")
	// What a list has in place of a type that pgx knows no array of is a string.
	elem.nilable = elem.prefix != "" || nilableTypes[elem.ident]
	return sliceOf(elem.orNull())
}

// nilableTypes are the named types whose nil means NULL.
var nilableTypes = map[ident]bool{{"encoding/json", "RawMessage"}: true}

func named(path, name string) goType { return goType{ident: ident{path, name}} }

func pgtyped(name string, args ...goType) goType {
	return goType{ident: ident{pgtypePath, name}, args: args}
}

func rangeOf(bound goType) goType { return pgtyped("Range", bound) }

// multirangeOf is a slice, so nil is NULL; pgx panics on a pointer to it.
func multirangeOf(bound goType) goType {
	t := pgtyped("Multirange", rangeOf(bound))
	t.nilable = true
	return t
}

// baseTypes maps PostgreSQL's base types, by internal name, to the Go type that
// reads and writes them without loss in every exec mode of pgx. What is not here
// travels as its text.
var baseTypes = map[string]goType{
	"int2": named("", "int16"), "int4": named("", "int32"), "int8": named("", "int64"),
	"bool": named("", "bool"), "float4": named("", "float32"), "float8": named("", "float64"),
	"oid": named("", "uint32"), "xid8": named("", "uint64"),

	// A string or a float64 would lose NaN, infinity or digits.
	"numeric": pgtyped("Numeric"),

	"bytea": {prefix: "[]", ident: ident{"", "byte"}, nilable: true},
	// []byte and maps fail in the exec and simple modes; RawMessage does not.
	"json":  {ident: ident{"encoding/json", "RawMessage"}, nilable: true},
	"jsonb": {ident: ident{"encoding/json", "RawMessage"}, nilable: true},

	"uuid": pgtyped("UUID"),

	"timestamptz": named("time", "Time"),
	// A bare time.Time in these is shifted by the session's zone in some modes, and
	// a time.Duration turns one month into 720 hours.
	"timestamp": pgtyped("Timestamp"), "date": pgtyped("Date"), "time": pgtyped("Time"), "interval": pgtyped("Interval"),

	// netip.Addr cannot hold 10.0.0.1/8.
	"inet": named("net/netip", "Prefix"), "cidr": named("net/netip", "Prefix"),
	// net.HardwareAddr is sent as bytes in the exec and simple modes.
	"macaddr": named("", "string"),

	// pgx reads these in the binary format, which no string takes.
	"point": pgtyped("Point"), "line": pgtyped("Line"), "lseg": pgtyped("Lseg"), "box": pgtyped("Box"),
	"path": pgtyped("Path"), "polygon": pgtyped("Polygon"), "circle": pgtyped("Circle"),
	"xid": named("", "uint32"), "cid": named("", "uint32"), "tid": pgtyped("TID"),

	"bit": pgtyped("Bits"), "varbit": pgtyped("Bits"),
	"tsvector": pgtyped("TSVector"), "hstore": {ident: ident{pgtypePath, "Hstore"}, nilable: true},

	"int4range": rangeOf(pgtyped("Int4")), "int8range": rangeOf(pgtyped("Int8")), "numrange": rangeOf(pgtyped("Numeric")),
	"tsrange": rangeOf(pgtyped("Timestamp")), "tstzrange": rangeOf(pgtyped("Timestamptz")), "daterange": rangeOf(pgtyped("Date")),
	"int4multirange": multirangeOf(pgtyped("Int4")), "int8multirange": multirangeOf(pgtyped("Int8")),
	"nummultirange": multirangeOf(pgtyped("Numeric")), "tsmultirange": multirangeOf(pgtyped("Timestamp")),
	"tstzmultirange": multirangeOf(pgtyped("Timestamptz")), "datemultirange": multirangeOf(pgtyped("Date")),
}

// typeNames are the Go types that a program chooses.
type typeNames struct {
	enums map[string]string // by qualified SQL name
	uuid  goType            // of uuid; zero for pgx's own
}

// of returns the Go type of a PostgreSQL type.
func (n *typeNames) of(t ir.Type) goType {
	t = t.Base()
	switch t.Kind {
	case ir.ArrayType:
		if elem := n.of(*t.Elem); elem.listable() {
			return sliceOf(elem)
		}
		return sliceOf(named("", "string"))
	case ir.EnumType:
		if name, ok := n.enums[t.SQL()]; ok {
			return named("", name)
		}
	case ir.OtherType:
		t.Name = internalName(t.Name)
	case ir.BaseType, ir.DomainType:
	}
	if t.Name == "uuid" && n.uuid.ident != (ident{}) {
		return n.uuid
	}
	if known, ok := baseTypes[t.Name]; ok {
		return known
	}
	return named("", "string")
}

// internalName is the internal name of a type that is written as SQL spells it:
// type("DECIMAL(12, 2)") is read as a numeric is.
func internalName(written string) string {
	name, _, _ := strings.Cut(strings.ToLower(written), "(") // no type of ours needs quotes
	schema, bare, qualified := strings.Cut(name, ".")
	switch {
	case qualified && (schema == "pg_catalog" || bare == "hstore"): // which stands in the schema of its extension
		return bare
	case qualified:
		return name
	}
	if internal, ok := internalNames[name]; ok {
		return internal
	}
	return name
}

// internalNames are the internal names of what the SQL standard calls otherwise.
var internalNames = map[string]string{
	"smallint": "int2", "integer": "int4", "int": "int4", "bigint": "int8", "real": "float4", "float": "float8",
	"boolean": "bool", "decimal": "numeric", "dec": "numeric",
}

// enumArray reports whether a value travels as text[]: pgx knows no codec for
// the array of an enum, so statements cast it and arguments are converted.
func enumArray(t ir.Type) bool {
	t = t.Base()
	return t.Kind == ir.ArrayType && t.Elem.Base().Kind == ir.EnumType
}

// parseGoType reads a type as a go block writes it: "import/path.Type",
// "string", with [] and * before it. It reports false for anything else.
func parseGoType(text string) (goType, bool) {
	var t goType
	for {
		rest, ok := strings.CutPrefix(text, "[]")
		if ok {
			t.prefix += "[]"
		} else if rest, ok = strings.CutPrefix(text, "*"); ok {
			t.prefix += "*"
		} else {
			break
		}
		text = rest
	}
	t.nilable = t.prefix != ""
	slash := strings.LastIndexByte(text, '/')
	dot := strings.LastIndexByte(text, '.')
	if dot <= slash {
		if slash >= 0 || !predeclaredTypes[text] {
			return goType{}, false
		}
		t.ident = ident{"", text}
		return t, true
	}
	t.ident = ident{text[:dot], text[dot+1:]}
	if !token.IsIdentifier(t.ident.name) || !token.IsExported(t.ident.name) || !importable(t.ident.path) {
		return goType{}, false
	}
	return t, true
}

// importable reports whether path can stand in an import declaration, by the
// rules of the language and the go command.
func importable(path string) bool {
	for _, element := range strings.Split(path, "/") {
		if element == "" || element == "." || element == ".." {
			return false
		}
	}
	return !strings.ContainsFunc(path, func(r rune) bool {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
		return !letter && !strings.ContainsRune("-._~/+", r)
	})
}
