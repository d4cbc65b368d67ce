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
	if err := s.skip(len(text)); err != nil {
		return nil, err
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
	end    int  // where the last token ended, comments included
	apart  bool // a comment stands before the next token
	pieces []piece
	open   []piece // parentheses and brackets that are not closed yet
}

func (s *scanner) step() *Error {
	t := s.tokens[s.next]
	s.next++
	if endsWrong(t) {
		return &Error{
			Kind: Syntax, Offset: int(t.Start), Length: 2, Name: "U&",
			Message: "texts and names with U& are not supported", Help: "write the characters themselves",
		}
	}
	before := s.end
	if err := s.skip(int(t.Start)); err != nil {
		return err
	}
	s.end = int(t.End)
	if t.Token == pg.Token_SQL_COMMENT || t.Token == pg.Token_C_COMMENT {
		s.apart = true
		return nil
	}
	p := piece{text: s.text[t.Start:t.End], token: t.Token, offset: int(t.Start), length: int(t.End - t.Start)}
	if len(s.pieces) > 0 && (s.apart || p.offset > before) {
		p.gap = blank
	}
	s.apart = false
	if err := s.refuse(p); err != nil {
		return err
	}
	if strings.HasSuffix(p.text, "@") && isOperator(p.text[0]) {
		if err := s.nameBehind(&p); err != nil {
			return err
		}
	}
	s.pieces = append(s.pieces, p)
	return nil
}

// endsWrong reports whether the scanner tells a wrong end for a token: a text or
// a name with U& may even come without a length.
func endsWrong(t *pg.ScanToken) bool {
	return t.Token == pg.Token_USCONST || t.Token == pg.Token_UIDENT
}

// skip makes sure that there is only white space up to the next token: if the
// scanner lost a part of the text, nothing that we say about it would be true.
func (s *scanner) skip(to int) *Error {
	if to < s.end || strings.Trim(s.text[s.end:to], " \t\n\r\f\v") != "" {
		return &Error{Kind: Syntax, Offset: s.end, Length: max(to-s.end, 0), Message: "PostgreSQL cannot read this"}
	}
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

// nameBehind looks at what stands directly behind an operator that ends in @. A
// name makes it an argument, unless other operator characters stand before the @.
func (s *scanner) nameBehind(p *piece) *Error {
	if s.next >= len(s.tokens) || int(s.tokens[s.next].Start) != s.end {
		return nil
	}
	t := s.tokens[s.next]
	if endsWrong(t) {
		return nil // which the next step refuses
	}
	name := s.text[t.Start:t.End]
	switch {
	case name[0] != '_' && name[0] < 0x80 && !isLetter(name[0]), operatorsBeforeNames[p.text]:
		return nil
	case p.text != "@":
		return swallowed(*p, name)
	case t.Token != pg.Token_IDENT && t.KeywordKind == pg.KeywordKind_NO_KEYWORD:
		return &Error{
			Kind: Syntax, Offset: p.offset, Length: int(t.End) - p.offset, Name: name,
			Message: "a quoted text stands where the name of an argument should",
		}
	}
	s.next++
	s.end = int(t.End)
	*p = piece{text: "@" + name, kind: argument, token: pg.Token_PARAM, offset: p.offset, length: s.end - p.offset, gap: p.gap, name: name}
	return nil
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
