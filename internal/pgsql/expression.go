package pgsql

import (
	"fmt"
	"strings"
	"sync"

	pg "github.com/pganalyze/pg_query_go/v5"
)

// Options changes how a text is read.
type Options struct {
	// What the text is called in messages, such as "guard". Empty means
	// "text".
	What string
}

func (o Options) what() string {
	if o.What == "" {
		return "text"
	}
	return o.What
}

// Expr is one SQL expression. It is immutable and safe for concurrent use.
type Expr struct {
	fragment
	values func() truth // which of TRUE, FALSE and NULL it can be
}

// ParseExpr reads a text that must be exactly one expression. Arguments are
// written @name.
func ParseExpr(text string, o Options) (*Expr, *Error) {
	if e, ok := parsed.get(text); ok {
		return e, nil
	}
	pieces, err := scan(text)
	if err != nil {
		return nil, err
	}
	if err := oneExpression(pieces, o); err != nil {
		return nil, err
	}
	const prefix, suffix = "SELECT (", ")"
	sql, starts := parseable(pieces)
	at := locator{text: text, sql: prefix + sql + suffix, from: len(prefix), to: len(prefix) + len(sql), starts: starts}
	tree, parseErr := pg.Parse(at.sql)
	if parseErr != nil {
		return nil, syntaxError(parseErr, pieces, at, o)
	}
	root := onlyTarget(tree)
	if root == nil {
		return nil, &Error{Kind: Several, Length: len(text), Message: "this is not exactly one " + o.what()}
	}
	if err := notStatement(root, pieces, o); err != nil {
		return nil, err
	}
	w := walker{pieces: pieces, at: at}
	if err := w.walk(root); err != nil {
		return nil, err
	}
	// The tree itself is not kept: ten thousand of them would fill the memory.
	values := possible(root)
	e := &Expr{fragment: fragment{pieces: w.merged()}, values: func() truth { return values }}
	parsed.put(text, e)
	return e, nil
}

// oneExpression refuses `a, b`: in parentheses it would be a row.
func oneExpression(pieces []piece, o Options) *Error {
	depth := 0
	for _, p := range pieces {
		depth += nesting(p.token)
		if depth == 0 && p.token == comma {
			return &Error{
				Kind: Several, Offset: p.offset, Length: 1, Name: ",",
				Message: fmt.Sprintf("the %s must be one expression, and a comma separates two", o.what()),
			}
		}
	}
	return nil
}

// parseable prints pieces for the parser, with the quoted name "@x" for the
// argument @x. A name and not $1, because libpg_query takes parameters where
// PostgreSQL does not, as in INTERVAL $1; the walker checks that each became a
// value. starts are the offsets of the pieces in the result.
func parseable(pieces []piece) (sql string, starts []int) {
	starts = make([]int, len(pieces))
	var b strings.Builder
	for i, p := range pieces {
		// Blanks on both sides: U&@x must not become the start of U&"...".
		if i > 0 && (p.gap == blank || p.kind == argument || pieces[i-1].kind == argument) {
			b.WriteByte(' ')
		}
		starts[i] = b.Len()
		if p.kind == argument {
			b.WriteString(`"` + p.text + `"`)
		} else {
			b.WriteString(p.text)
		}
	}
	return b.String(), starts
}

// onlyTarget returns the one expression of SELECT (...), or nil when the tree
// holds anything else.
func onlyTarget(tree *pg.ParseResult) *pg.Node {
	if len(tree.GetStmts()) != 1 {
		return nil
	}
	s := tree.Stmts[0].GetStmt().GetSelectStmt()
	if s == nil || len(s.TargetList) != 1 || s.Op > pg.SetOperation_SETOP_NONE {
		return nil
	}
	lists := len(s.DistinctClause) + len(s.FromClause) + len(s.GroupClause) + len(s.WindowClause) +
		len(s.ValuesLists) + len(s.SortClause) + len(s.LockingClause)
	if lists > 0 || s.IntoClause != nil || s.WhereClause != nil || s.HavingClause != nil ||
		s.LimitOffset != nil || s.LimitCount != nil || s.WithClause != nil {
		return nil
	}
	target := s.TargetList[0].GetResTarget()
	if target == nil || target.Name != "" || len(target.Indirection) > 0 {
		return nil
	}
	return target.Val
}

// notStatement refuses SELECT 1, which in our parentheses is a sub-select.
func notStatement(root *pg.Node, pieces []piece, o Options) *Error {
	sub := root.GetSubLink()
	if sub == nil || sub.SubLinkType != pg.SubLinkType_EXPR_SUBLINK || enclosed(pieces) {
		return nil
	}
	first := pieces[0]
	return &Error{
		Kind: NotExpression, Offset: first.offset, Length: len(first.text), Name: strings.ToUpper(first.text),
		Message: fmt.Sprintf("the %s must be one expression, and this is a query", o.what()),
	}
}

// syntaxError explains what the parser did not understand, at its place in the
// text of the user.
func syntaxError(err error, pieces []piece, at locator, o Options) *Error {
	first := pieces[0]
	if statements[strings.ToUpper(first.text)] {
		return &Error{
			Kind: NotExpression, Offset: first.offset, Length: len(first.text), Name: strings.ToUpper(first.text),
			Message: fmt.Sprintf("a statement stands where the %s should be", o.what()),
		}
	}
	message, character := describe(err)
	place := byteOffset(at.sql, character)
	if place >= at.to {
		return &Error{Kind: Syntax, Offset: len(at.text), Message: fmt.Sprintf("the %s ends too early", o.what())}
	}
	p := pieces[at.piece(place)]
	if message == "syntax error" {
		message = fmt.Sprintf("PostgreSQL does not expect %s here", p.text)
	}
	return &Error{Kind: Syntax, Offset: p.offset, Length: len(p.text), Name: p.text, Message: message}
}

// statements are the words that only a statement starts with.
var statements = map[string]bool{
	"INSERT": true, "UPDATE": true, "DELETE": true, "MERGE": true, "CREATE": true, "ALTER": true, "DROP": true,
	"TRUNCATE": true, "GRANT": true, "REVOKE": true, "COPY": true, "DO": true, "SET": true, "BEGIN": true, "COMMIT": true,
}

// locator leads places in the parsed SQL back to pieces.
type locator struct {
	text     string // what the user wrote
	sql      string // what was parsed
	from, to int    // the part of it that is the user's
	starts   []int  // where each piece starts, counted from there
}

// piece returns the index of the piece at a place in the parsed SQL. A place
// outside of all pieces gives the nearest one.
func (l locator) piece(place int) int {
	lo, hi := 0, len(l.starts)-1
	for lo < hi {
		mid := (lo + hi + 1) / 2
		if l.starts[mid] <= place-l.from {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	return lo
}

// parsed keeps expressions by their text: checks and guards are read by several
// phases of the compiler, and for_each repeats them.
var parsed cache

// cacheLimit bounds the cache, for the language server that runs for days.
const cacheLimit = 20_000

type cache struct {
	mu sync.Mutex
	m  map[string]*Expr
}

func (c *cache) get(text string) (*Expr, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.m[text]
	return e, ok
}

func (c *cache) put(text string, e *Expr) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.m == nil || len(c.m) >= cacheLimit {
		c.m = make(map[string]*Expr)
	}
	c.m[text] = e
}
