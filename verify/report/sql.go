package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// class is what a piece of SQL is, as far as printing it elsewhere needs to know.
type class int

const (
	code       class = iota
	comment          // either form, with its marks
	quoted           // 'text', with its quotes
	escaped          // E'text', with its E
	identifier       // "name", with its quotes
	dollar           // $tag$text$tag$
	parameter        // $1
)

// piece is a stretch of SQL of one class.
type piece struct {
	class class
	text  string
}

// pieces cuts SQL into stretches, as PostgreSQL's own scanner delimits them
// with standard_conforming_strings on. The texts together are the input.
func pieces(sql string) []piece {
	var list []piece
	start := 0
	emit := func(end int, next int, c class) {
		if end > start {
			list = append(list, piece{code, sql[start:end]})
		}
		list = append(list, piece{c, sql[end:next]})
		start = next
	}
	for i := 0; i < len(sql); {
		rest := sql[i:]
		switch {
		case strings.HasPrefix(rest, "--"):
			end := i + lineLength(rest)
			emit(i, end, comment)
			i = end
		case strings.HasPrefix(rest, "/*"):
			end := i + commentLength(rest)
			emit(i, end, comment)
			i = end
		case rest[0] == '\'':
			begin, c := i, quoted
			if i > 0 && (sql[i-1] == 'E' || sql[i-1] == 'e') && i-1 >= start && (i < 2 || !isWord(sql[i-2])) {
				begin, c = i-1, escaped
			}
			end := i + quotedLength(rest, '\'', c == escaped)
			emit(begin, end, c)
			i = end
		case rest[0] == '"':
			end := i + quotedLength(rest, '"', false)
			emit(i, end, identifier)
			i = end
		case rest[0] == '$' && (i == 0 || !isWord(sql[i-1])):
			n, c := dollarLength(rest)
			if n == 0 {
				i++
				continue
			}
			emit(i, i+n, c)
			i += n
		default:
			i++
		}
	}
	if start < len(sql) {
		list = append(list, piece{code, sql[start:]})
	}
	return list
}

func isWord(c byte) bool {
	return c == '_' || c == '$' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func lineLength(s string) int {
	if n := strings.IndexByte(s, '\n'); n >= 0 {
		return n
	}
	return len(s)
}

// commentLength is the length of a block comment; they nest.
func commentLength(s string) int {
	depth := 0
	for i := 0; i+1 < len(s); i++ {
		switch s[i : i+2] {
		case "/*":
			depth++
			i++
		case "*/":
			depth--
			i++
			if depth == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}

// quotedLength is the length of a quoted text, quotes and all. A doubled quote
// stands for itself, and with backslashes an escaped one does.
func quotedLength(s string, quote byte, backslashes bool) int {
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && backslashes:
			i++
		case s[i] != quote:
		case i+1 < len(s) && s[i+1] == quote:
			i++
		default:
			return i + 1
		}
	}
	return len(s)
}

// dollarLength measures $1 and $tag$ … $tag$; 0 for a lone dollar sign.
func dollarLength(s string) (int, class) {
	n := 1
	for n < len(s) && s[n] != '$' && isWord(s[n]) {
		n++
	}
	if n > 1 && '0' <= s[1] && s[1] <= '9' {
		n = 1
		for n < len(s) && '0' <= s[n] && s[n] <= '9' {
			n++
		}
		return n, parameter
	}
	if n == len(s) || s[n] != '$' {
		return 0, code
	}
	tag := s[:n+1]
	if end := strings.Index(s[n+1:], tag); end >= 0 {
		return n + 1 + end + len(tag), dollar
	}
	return len(s), dollar
}

// withoutComment is SQL without the comments before its first word.
func withoutComment(sql string) string {
	list := pieces(sql)
	for len(list) > 0 && (list[0].class == comment || strings.TrimSpace(list[0].text) == "") {
		list = list[1:]
	}
	return join(list)
}

func join(list []piece) string {
	var b strings.Builder
	for _, p := range list {
		b.WriteString(p.text)
	}
	return b.String()
}

// withArguments is SQL with literals where its parameters stood. The statements
// of a batch, which semicolons part, count their parameters anew, and their
// arguments follow each other.
func withArguments(sql string, args []string) string {
	list := pieces(sql)
	used, highest := 0, 0
	for i, p := range list {
		if p.class == code && strings.Contains(p.text, ";") {
			used, highest = used+highest, 0
		}
		if p.class != parameter {
			continue
		}
		n, err := strconv.Atoi(p.text[1:])
		if err != nil || n < 1 || used+n > len(args) {
			continue
		}
		highest = max(highest, n)
		list[i].text = argument(args[used+n-1], join(list[i+1:]))
	}
	return join(list)
}

// argument is a literal of unknown type, as a parameter is sent, or NULL. Before
// a cast to an array it is the array's constructor, which needs no braces.
func argument(arg, rest string) string {
	if arg == "NULL" {
		return "NULL"
	}
	if castsToArray(rest) {
		if elements, ok := arrayElements(arg); ok {
			for i, e := range elements {
				if e == nil {
					elements[i] = new("NULL")
				} else {
					elements[i] = new(ir.Literal(*e))
				}
			}
			return "ARRAY[" + strings.Join(each(elements, func(e *string) string { return *e }), ", ") + "]"
		}
	}
	return ir.Literal(arg)
}

// castsToArray reports whether SQL begins with a cast to an array of one dimension
// whose type is spelled without quotes.
func castsToArray(sql string) bool {
	sql, ok := strings.CutPrefix(sql, "::")
	if !ok {
		return false
	}
	name := strings.TrimLeftFunc(sql, func(r rune) bool { return r == '.' || r == ' ' || r < 0x80 && isWord(byte(r)) })
	return len(name) < len(sql) && strings.HasPrefix(name, "[]")
}

// arrayElements reads the text form of an array of one dimension; nil for NULL. It
// gives up where PostgreSQL would not write it so.
func arrayElements(text string) (elements []*string, ok bool) {
	text, ok = strings.CutPrefix(text, "{")
	if !ok || !strings.HasSuffix(text, "}") {
		return nil, false
	}
	if text == "}" {
		return nil, true
	}
	for text != "" {
		var element *string
		if element, text, ok = arrayElement(text); !ok {
			return nil, false
		}
		elements = append(elements, element)
	}
	return elements, true
}

// arrayElement reads one element and the comma or the brace after it.
func arrayElement(text string) (element *string, rest string, ok bool) {
	if text[0] != '"' {
		end := strings.IndexAny(text, `,{}"\ `)
		if end < 1 || text[end] != ',' && text[end:] != "}" {
			return nil, "", false
		}
		if !strings.EqualFold(text[:end], "NULL") {
			element = new(text[:end])
		}
		return element, text[end+1:], text[end:] != ","
	}
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			if i++; i < len(text) {
				b.WriteByte(text[i])
			}
		case '"':
			rest = text[i+1:]
			if rest != "}" && (len(rest) < 2 || rest[0] != ',') {
				return nil, "", false
			}
			return new(b.String()), rest[1:], true
		default:
			b.WriteByte(text[i])
		}
	}
	return nil, "", false
}

// filledTables are the tables of a script's INSERT statements, each once, as the
// script spells them.
func filledTables(script string) []string {
	const insert = "INSERT INTO "
	var tables []string
	list := pieces(script)
	for i, p := range list {
		if p.class != code {
			continue
		}
		for _, after := range strings.Split(p.text, insert)[1:] {
			name, ended := tableName(after)
			for _, next := range list[i+1:] {
				if ended {
					break
				}
				part := next.text
				if next.class == code {
					part, ended = tableName(part)
				}
				name += part
			}
			if name != "" && !slices.Contains(tables, name) {
				tables = append(tables, name)
			}
		}
	}
	return tables
}

// tableName is what of code belongs to the name that it begins with, and whether
// the name ends there.
func tableName(code string) (name string, ended bool) {
	i := strings.IndexAny(code, " \n(")
	if i < 0 {
		return code, false
	}
	return code[:i], true
}

// withoutBraces is SQL that says the same and holds no "}", which ends a block
// of a .spec file wherever it stands: a string spells it as an escape, a name as
// a code point, and a comment does without.
func withoutBraces(sql string) (string, error) {
	if !strings.Contains(sql, "}") {
		return sql, nil
	}
	list := pieces(sql)
	for i, p := range list {
		if !strings.Contains(p.text, "}") {
			continue
		}
		unicode := i > 0 && list[i-1].class == code && strings.HasSuffix(strings.ToUpper(list[i-1].text), "U&")
		switch {
		case p.class == comment:
			list[i].text = strings.ReplaceAll(p.text, "}", ")")
		case unicode:
			list[i].text = strings.ReplaceAll(p.text, "}", `\007D`)
		case p.class == quoted:
			list[i].text = apart(list[:i]) + "E" + escapeBraces(strings.ReplaceAll(p.text, `\`, `\\`))
		case p.class == escaped:
			list[i].text = escapeBraces(p.text)
		case p.class == identifier:
			list[i].text = apart(list[:i]) + "U&" + strings.ReplaceAll(strings.ReplaceAll(p.text, `\`, `\\`), "}", `\007D`)
		case p.class == dollar:
			// The body is text like any other.
			tag := p.text[:strings.IndexByte(p.text[1:], '$')+2]
			body := strings.TrimSuffix(strings.TrimPrefix(p.text, tag), tag)
			list[i].text = "E" + escapeBraces("'"+strings.NewReplacer(`\`, `\\`, "'", "''").Replace(body)+"'")
		default:
			return "", fmt.Errorf("the SQL %q has a closing brace outside of strings, which a .spec file cannot hold", cut(sql, 60))
		}
	}
	return join(list), nil
}

// apart is a space where a letter would run into what stands before it.
func apart(before []piece) string {
	if len(before) == 0 {
		return ""
	}
	if text := before[len(before)-1].text; text != "" && isWord(text[len(text)-1]) {
		return " "
	}
	return ""
}

// escapeBraces replaces the braces of a string with backslash escapes.
func escapeBraces(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '}':
			b.WriteString(`\x7D`)
		case text[i] == '\\' && i+1 < len(text) && text[i+1] != '}':
			b.WriteString(text[i : i+2])
			i++
		case text[i] == '\\' && i+1 < len(text): // an escaped brace is a brace
		default:
			b.WriteByte(text[i])
		}
	}
	return b.String()
}
