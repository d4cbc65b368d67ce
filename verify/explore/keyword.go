package explore

import (
	"slices"
	"strings"
)

// kindOf recognises transaction control by the first words of a statement. A
// text of several statements is a Statement.
func kindOf(sql string) Kind {
	first, rest := word(sql)
	var kind Kind
	switch first {
	case "begin", "start":
		kind = Begin
	case "commit", "end":
		kind = Commit
	case "rollback", "abort":
		kind = Rollback
	default:
		return Statement
	}
	for second := ""; rest != ""; {
		if second, rest = word(rest); second == "to" && kind == Rollback {
			return Statement // to a savepoint
		}
		if second == ";" {
			if third, _ := word(rest); third != "" {
				return Statement
			}
		}
	}
	return kind
}

// several reports whether a text may hold more than one statement. A semicolon in
// a literal is taken for an end too: that costs schedules, no more.
func several(sql string) bool {
	_, rest, found := strings.Cut(sql, ";")
	return found && strings.TrimLeft(skipBlank(rest), "; \t\r\n") != ""
}

// mentionsTime reports whether a statement may ask for the time of its transaction.
// In a literal or a comment the word counts too: that costs schedules, no more.
func mentionsTime(sql string) bool {
	words := strings.FieldsFunc(strings.ToLower(sql), func(r rune) bool { return r < 0x80 && !isWordByte(byte(r)) })
	return slices.ContainsFunc(words, func(w string) bool {
		switch w {
		case "now", "current_timestamp", "transaction_timestamp", "current_date", "current_time", "localtime", "localtimestamp":
			return true
		}
		return false
	})
}

// word returns the first word of sql in lower case, or its first other
// character, and what follows. Blanks and comments before it are skipped; it is
// empty at the end.
func word(sql string) (first, rest string) {
	sql = skipBlank(sql)
	end := 0
	for end < len(sql) && isWordByte(sql[end]) {
		end++
	}
	if end == 0 && sql != "" {
		end = 1
	}
	return strings.ToLower(sql[:end]), sql[end:]
}

func isWordByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80
}

// skipBlank removes blanks and comments in front of sql.
func skipBlank(sql string) string {
	for {
		sql = strings.TrimLeft(sql, " \t\r\n\f\v")
		switch {
		case strings.HasPrefix(sql, "--"):
			_, sql, _ = strings.Cut(sql, "\n")
		case strings.HasPrefix(sql, "/*"):
			sql = skipComment(sql)
		default:
			return sql
		}
	}
}

// skipComment removes the block comment in front of sql; they nest.
func skipComment(sql string) string {
	depth := 0
	for sql != "" {
		switch {
		case strings.HasPrefix(sql, "/*"):
			depth, sql = depth+1, sql[2:]
		case strings.HasPrefix(sql, "*/"):
			depth, sql = depth-1, sql[2:]
		default:
			sql = sql[1:]
		}
		if depth == 0 {
			break
		}
	}
	return sql
}
