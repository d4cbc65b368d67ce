package dsl

import (
	"strings"
	"testing"

	"github.com/pawldb/pawl/internal/diag"
)

// TestPlaceInsideSQL: an offset in the text leads to the character in the file,
// through quotes, escapes and heredocs. The mark is the column name `wrong`.
func TestPlaceInsideSQL(t *testing.T) {
	for name, attr := range map[string]string{
		"plain":                  `expr = "a = 1 AND wrong > 0"`,
		"escaped quotes":         `expr = "\"a\" = 'x' AND wrong > 0"`,
		"tab and unicode escape": `expr = "a = '\t\u00e4' AND wrong > 0"`,
		"escaped interpolation":  `expr = "a = '$${x}' AND wrong > 0"`,
		"letters of many bytes":  `expr = "a = 'äöü' AND wrong > 0"`,
		"heredoc":                "expr = <<SQL\na = 1\n  AND wrong > 0\nSQL",
		"flush heredoc":          "expr = <<-SQL\n      a = 1\n        AND wrong > 0\n    SQL",
		"in parentheses":         `expr = "(a = 1 AND (wrong > 0))"`,
	} {
		t.Run(name, func(t *testing.T) {
			src := "table \"t\" {\n  column \"a\" { type = text }\n  check \"c\" {\n    " + attr + "\n  }\n}\n"
			spec := load(t, src)
			text := spec.Tables[0].Checks[0].Expr
			if !text.Literal {
				t.Fatal("not literal")
			}
			offset := strings.Index(text.Text, "wrong")
			at, exact := diag.RangeAt(text.Range, spec.Sources["main.hcl"], offset, len("wrong"))
			if !exact {
				t.Fatal("the place cannot be told")
			}
			if got := src[at.Start.Byte:at.End.Byte]; got != "wrong" {
				t.Errorf("the place holds %q", got)
			}
			before := src[:strings.Index(src, "wrong")]
			if line := 1 + strings.Count(before, "\n"); at.Start.Line != line {
				t.Errorf("line %d, want %d", at.Start.Line, line)
			}
			column := 1 + len([]rune(before[strings.LastIndex(before, "\n")+1:]))
			if at.Start.Column != column {
				t.Errorf("column %d, want %d", at.Start.Column, column)
			}
		})
	}
}

// TestPlaceInsideSQLFunction looks at sql("…"): the place is that of the text,
// not of the call.
func TestPlaceInsideSQLFunction(t *testing.T) {
	src := `
locals { kept = sql("now() - wrong") }
table "t" {
  column "a" {
    type    = timestamptz
    default = sql("now() + wrong")
  }
  column "b" {
    type    = timestamptz
    default = local.kept
  }
  index "i" { columns = [desc(sql("lower(wrong)"))] }
}
`
	spec := load(t, src)
	table := spec.Tables[0]
	for name, text := range map[string]*SQL{
		"default": table.Columns[0].Default.SQL, "local": table.Columns[1].Default.SQL, "key": table.Indexes[0].Columns[0].Expr,
	} {
		at, exact := diag.RangeAt(text.Range, []byte(src), strings.Index(text.Text, "wrong"), 5)
		if !exact || !text.Literal || src[at.Start.Byte:at.End.Byte] != "wrong" {
			t.Errorf("%s: %v %v leads to %q", name, text.Literal, exact, src[at.Start.Byte:at.End.Byte])
		}
	}
}

// TestInterpolatedSQL: no place inside, the whole expression instead.
func TestInterpolatedSQL(t *testing.T) {
	src := "variable \"n\" { default = 3 }\ntable \"t\" {\n  column \"a\" { type = bigint }\n  check \"c\" { expr = \"a > ${var.n}\" }\n}\n"
	text := load(t, src).Tables[0].Checks[0].Expr
	if text.Text != "a > 3" || text.Literal || src[text.Range.Start.Byte:text.Range.End.Byte] != `"a > ${var.n}"` {
		t.Errorf("got %+v", text)
	}
}

// TestSQLTextAsValue: an attribute of SQL text takes sql("…") too, so that a
// local can hold it.
func TestSQLTextAsValue(t *testing.T) {
	spec := load(t, `
locals { positive = sql("a > 0") }
table "t" {
  column "a" { type = bigint }
  live = local.positive
  check "c" { expr = null == 1 ? "b" : "a > 1" }
  index "i" {
    columns = [a]
    where   = null
  }
}
`)
	table := spec.Tables[0]
	if table.Live.Text != "a > 0" || !table.Live.Literal {
		t.Errorf("live is %+v", table.Live)
	}
	if got := table.Checks[0].Expr; got.Text != "a > 1" || got.Literal {
		t.Errorf("the check is %+v", got)
	}
	if table.Indexes[0].Where != nil {
		t.Error("null counts as SQL")
	}
}
