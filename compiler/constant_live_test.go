package compiler_test

import (
	"strings"
	"testing"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/internal/diag"
)

// What the compiler takes for a default the server takes too, and the other
// way round, so that no text is refused that works.
func TestTextDefaultsLikeTheServer(t *testing.T) {
	conn := database(t, compile(t, items("")))
	for typ, texts := range map[string]string{
		"boolean":          "t|TRUE| yes |n|of|on|1|fal|maybe|o|2||truee",
		"smallint":         "1| -7 |+5|32767|-32768|32768|-32769|five|1.0|1e3||-|+ 5",
		"integer":          "2147483647|2147483648|99999999999999999999",
		"bigint":           "9223372036854775807|9223372036854775808",
		"numeric":          "1|.5|1.|1e5|NaN|-Infinity|inf|12,5|x||1e|--1|1e400",
		"double_precision": "1|.5|1e5|nan|-inf|Infinity|12,5|x|",
		"uuid":             "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11|{A0EEBC999C0B4EF8BB6D6BB9BD380A11}|a0eebc99-9c0b|x|",
		"date":             "2026-02-28|2026-02-30|2026-13-01|infinity|epoch|Jan 8, 1999|19990108|J2451187|1999.008|not a date|",
		"timestamptz":      "2026-02-28 10:00+02|2026-02-28T10:00:00Z|2026-02-31 10:00|-infinity|soon",
		"varchar(3)":       "abc|äöü|abc   |abcd|",
		"jsonb":            `{}|[1, "a"]|1|null|{a: 1}||tru`,
		"list(integer)":    "{}|{1,2}|[0:1]={1,2}|1,2|",
	} {
		for _, text := range strings.Split(texts, "|") {
			p, diags := load(t, "table \"t\" {\n  column \"a\" {\n    type = "+typ+"\n    default = "+quoted(text)+"\n  }\n}\n")
			refused := diags.HasErrors()
			for _, d := range diags {
				if d.Code != diag.DefaultValue {
					t.Errorf("%s %q: %s", typ, text, d.Code)
				}
			}
			sqlType := map[string]string{"double_precision": "double precision", "list(integer)": "integer[]"}[typ]
			if sqlType == "" {
				sqlType = typ
			}
			exec(t, conn, "BEGIN")
			_, err := conn.Exec(t.Context(), "CREATE TEMPORARY TABLE d (a "+sqlType+" DEFAULT "+ir.Literal(text)+") ON COMMIT DROP")
			if err == nil {
				_, err = conn.Exec(t.Context(), "INSERT INTO d DEFAULT VALUES")
			}
			exec(t, conn, "ROLLBACK")
			if refused != (err != nil) {
				t.Errorf("%s %q: the compiler refuses it: %v; the server says: %v (program %v)", typ, text, refused, err, p != nil)
			}
		}
	}
}

func quoted(text string) string { return `"` + strings.ReplaceAll(text, `"`, `\"`) + `"` }
