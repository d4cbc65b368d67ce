package ir

import "strings"

// MaxIdent is the longest identifier that PostgreSQL keeps whole, in bytes.
const MaxIdent = 63

// Ident spells an identifier so that PostgreSQL reads it back as it is: bare
// where that is safe, quoted otherwise. It is the one place that quotes
// identifiers.
func Ident(name string) string {
	if bareIdent(name) && !reserved[name] {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

// Qualified spells schema.name; the name alone when schema is empty.
func Qualified(schema, name string) string {
	if schema == "" {
		return Ident(name)
	}
	return Ident(schema) + "." + Ident(name)
}

// Idents spells a comma-separated list of identifiers.
func Idents(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = Ident(name)
	}
	return strings.Join(quoted, ", ")
}

// Literal spells a string constant. It is the one place that quotes literals.
// A backslash makes it an E string, which reads the same whatever
// standard_conforming_strings says.
func Literal(text string) string {
	quoted := "'" + strings.ReplaceAll(text, "'", "''") + "'"
	if strings.Contains(text, `\`) {
		return "E" + strings.ReplaceAll(quoted, `\`, `\\`)
	}
	return quoted
}

func bareIdent(name string) bool {
	for i := 0; i < len(name); i++ {
		c := name[i]
		switch {
		case c == '_' || 'a' <= c && c <= 'z':
		case i > 0 && '0' <= c && c <= '9':
		default:
			return false
		}
	}
	return name != ""
}

// reserved holds the key words of PostgreSQL 14 to 18 that cannot stand bare
// in every place where a table, column or type name may stand: all classes but
// the unreserved one, as quote_ident does.
var reserved = words(`
all analyse analyze and any array as asc asymmetric authorization between bigint binary bit boolean both
case cast char character check coalesce collate collation column concurrently constraint create cross
current_catalog current_date current_role current_schema current_time current_timestamp current_user
dec decimal default deferrable desc distinct do else end except exists extract false fetch float for foreign
freeze from full grant greatest group grouping having ilike in initially inner inout int integer intersect
interval into is isnull join json json_array json_arrayagg json_exists json_object json_objectagg json_query
json_scalar json_serialize json_table json_value lateral leading least left like limit localtime localtimestamp
merge_action national natural nchar none normalize not notnull null nullif numeric offset on only or order out outer
overlaps overlay placing position precision primary real references returning right row select session_user
setof similar smallint some substring symmetric system_user table tablesample then time timestamp to trailing treat trim
true union unique user using values varchar variadic verbose when where window with xmlattributes xmlconcat
xmlelement xmlexists xmlforest xmlnamespaces xmlparse xmlpi xmlroot xmlserialize xmltable`)

func words(list string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(list) {
		set[word] = true
	}
	return set
}
