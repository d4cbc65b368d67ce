package pgsql

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	pg "github.com/pganalyze/pg_query_go/v5"
	"github.com/pganalyze/pg_query_go/v5/parser"
)

// scan cuts a text into pieces with PostgreSQL's scanner. Comments are dropped,
// @name becomes one piece, and what no text may hold is refused: a second
// statement, parameters written by hand, parentheses that do not match.
func scan(text string) ([]piece, *Error) {
	if err := readable(text); err != nil {
		return nil, err
	}
	result, err := pg.Scan(text)
	if err != nil {
		return nil, scanError(text, err)
	}
	s := scanner{text: text, tokens: result.GetTokens()}
	for s.next < len(s.tokens) {
		if err := s.step(); err != nil {
			return nil, err
		}
	}
	if len(s.open) > 0 {
		return nil, &Error{Kind: Syntax, Offset: s.open[len(s.open)-1].offset, Length: 1, Message: "this parenthesis is never closed"}
	}
	if len(s.pieces) == 0 {
		return nil, &Error{Kind: Empty, Length: len(text), Message: "there is no SQL in this text"}
	}
	return s.pieces, nil
}

// readable refuses what the C parser would not see as it is.
func readable(text string) *Error {
	if i := strings.IndexByte(text, 0); i >= 0 {
		return &Error{Kind: Syntax, Offset: i, Length: 1, Message: "a NUL character cannot stand in SQL"}
	}
	if !utf8.ValidString(text) {
		return &Error{Kind: Syntax, Length: len(text), Message: "the text is not valid UTF-8"}
	}
	return nil
}

type scanner struct {
	text   string
	tokens []*pg.ScanToken
	next   int
	end    int // where the last token ended
	pieces []piece
	open   []piece // parentheses and brackets that are not closed yet
}

func (s *scanner) step() *Error {
	t := s.tokens[s.next]
	s.next++
	if t.Token == pg.Token_SQL_COMMENT || t.Token == pg.Token_C_COMMENT {
		return nil // the end stays where it was: a comment is a gap
	}
	p := piece{text: s.text[t.Start:t.End], token: t.Token, offset: int(t.Start), length: int(t.End - t.Start)}
	if int(t.Start) > s.end && len(s.pieces) > 0 {
		p.gap = blank
	}
	s.end = int(t.End)
	if err := s.refuse(p); err != nil {
		return err
	}
	if name, ok := s.adjacentName(); ok && strings.HasSuffix(p.text, "@") && isOperator(p.text[0]) {
		switch {
		case p.text == "@":
			s.next++
			s.end += len(name)
			p.text, p.kind, p.name, p.token = "@"+name, argument, name, pg.Token_PARAM
			p.length = len(p.text)
		case !operatorsBeforeNames[p.text]:
			return swallowed(p, name)
		}
	}
	s.pieces = append(s.pieces, p)
	return nil
}

// refuse checks a token that is wrong wherever it stands, and keeps track of
// parentheses.
func (s *scanner) refuse(p piece) *Error {
	switch p.token {
	case semicolon:
		return s.severalStatements(p)
	case pg.Token_PARAM:
		return &Error{
			Kind: Parameter, Offset: p.offset, Length: len(p.text), Name: p.text,
			Message: p.text + " is a parameter written by hand", Help: "declare an argument and write @name",
		}
	case openParen, openBracket:
		s.open = append(s.open, p)
	case closeParen, closeBracket:
		if len(s.open) == 0 || (s.open[len(s.open)-1].token == openParen) != (p.token == closeParen) {
			return &Error{Kind: Syntax, Offset: p.offset, Length: 1, Message: fmt.Sprintf("this %q closes nothing", p.text)}
		}
		s.open = s.open[:len(s.open)-1]
	}
	return nil
}

func (s *scanner) severalStatements(p piece) *Error {
	err := &Error{
		Kind: Several, Offset: p.offset, Length: 1, Name: ";",
		Message: "a second statement cannot stand here",
		Help:    "leave the semicolon and all that follows it out",
	}
	if strings.TrimSpace(s.text[p.offset+1:]) == "" {
		err.Message, err.Help = "a semicolon ends a statement, and this is a part of one", "leave the semicolon out"
	}
	return err
}

// adjacentName returns the unquoted name that stands directly behind the last
// token.
func (s *scanner) adjacentName() (string, bool) {
	if s.next >= len(s.tokens) {
		return "", false
	}
	t := s.tokens[s.next]
	if int(t.Start) != s.end || t.Token != pg.Token_IDENT && t.KeywordKind == pg.KeywordKind_NO_KEYWORD {
		return "", false
	}
	name := s.text[t.Start:t.End]
	return name, name[0] == '_' || name[0] >= 0x80 || isLetter(name[0])
}

// operatorsBeforeNames are the operators of PostgreSQL and its own extensions
// that end in @: <@ contained in, @@ matches, @-@ length of, ^@ starts with, and
// those of ltree. A name directly behind them is a column.
var operatorsBeforeNames = map[string]bool{
	"<@": true, "@@": true, "@@@": true, "@-@": true, "^@": true, "^<@": true, "?<@": true, "?@": true,
}

// swallowed is the error of an argument whose @ belongs to an operator.
func swallowed(p piece, name string) *Error {
	rest := strings.TrimSuffix(p.text, "@")
	return &Error{
		Kind: ArgumentOperator, Offset: p.offset, Length: len(p.text) + len(name), Name: p.text,
		Message: fmt.Sprintf("PostgreSQL reads the operator %s and the column %s here", p.text, name),
		Help:    fmt.Sprintf("put a space before @: %s @%s", rest, name),
	}
}

// scanError explains a text that the scanner cannot cut into tokens.
func scanError(text string, err error) *Error {
	message, offset := describe(err)
	at := byteOffset(text, offset)
	return &Error{Kind: Syntax, Offset: at, Length: len(text) - at, Message: message}
}

// describe takes the message and the place (in characters) out of an error of
// the parser. PostgreSQL's own wording is kept, without the quotation of the
// text, which the reader sees anyway.
func describe(err error) (message string, character int) {
	var pe *parser.Error
	if !errors.As(err, &pe) {
		return "PostgreSQL cannot parse this", 0
	}
	message, _, _ = strings.Cut(pe.Message, " at or near ")
	message, _, _ = strings.Cut(message, " at end of input")
	return message, max(pe.Cursorpos-1, 0)
}

// byteOffset turns an offset in characters into one in bytes.
func byteOffset(text string, characters int) int {
	for i := range text {
		if characters == 0 {
			return i
		}
		characters--
	}
	return len(text)
}
