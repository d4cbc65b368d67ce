package explore

import (
	"context"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// idle is PostgreSQL's transaction status of a connection outside a transaction.
const idle = 'I'

// part is one statement of a request: a batch has several.
type part struct {
	sql    string
	args   []any
	effect Effect // what the method knows by itself; Unknown asks Scenario.Effect
}

func single(sql string, args []any) []part { return []part{{sql: sql, args: args}} }

// request is a step that a client wants to take.
type request struct {
	kind  Kind
	sql   string
	args  []string
	ahead []string // what is sent before it with the same grant, or was without one
	class class
	// local is true when nothing in it touches what others see, and gated when it
	// waits for a grant.
	local, gated bool
}

// request describes what c is about to send. It runs on the client's goroutine,
// where the connection's state may be looked at.
func (c *Conn) request(ctx context.Context, parts []part) request {
	q := request{kind: Statement}
	texts := make([]string, 0, len(parts))
	for _, p := range parts {
		sql, args := shown(ctx, c.pg, p)
		texts = append(texts, sql)
		q.args = append(q.args, args...)
		if strings.Contains(strings.ToLower(sql), "serializable") {
			c.serializable = true
		}
	}
	q.sql = strings.Join(texts, ";\n")
	known := !c.pg.IsClosed() && c.pg.PgConn().TxStatus() != idle
	open := known || len(c.held) > 0
	q.class, q.local = classify(parts, open, c.actor.effect)
	q.class.serializable, q.class.checks = c.serializable, c.checks
	if len(parts) == 1 {
		q.kind = kindOf(parts[0].sql)
	}
	c.admit(&q, parts, known)
	return q
}

// admit decides whether q waits for a grant. In a reduced search what touches
// nothing shared does not, unless it is with what BEGIN goes to the server: then the
// transaction's time is taken, and to be early or late is a difference. open says
// whether the server knows of a transaction before it.
func (c *Conn) admit(q *request, parts []part, open bool) {
	silent := q.kind == Begin || q.local
	begins := len(c.held) > 0 || !open && slices.ContainsFunc(parts, func(p part) bool { return kindOf(p.sql) == Begin })
	q.gated = c.actor.full || !silent || begins
	asks := c.actor.clock && !open && slices.ContainsFunc(parts, func(p part) bool { return mentionsTime(p.sql) })
	if begins && (silent || c.actor.clock) || asks {
		q.class.effect = Unknown
	}
}

// committed reports whether q, answered with a, made work visible to others.
func (q *request) committed(a answer, conn *pgx.Conn) bool {
	switch {
	case !q.class.ends || q.class.rollback || conn.IsClosed() || conn.PgConn().TxStatus() != idle:
		return false
	case q.kind == Commit:
		return a.err == nil && a.tag != "ROLLBACK"
	default:
		// A batch that failed may have committed before it did.
		return a.err == nil || q.class.explicit
	}
}

// shown returns the statement and its arguments as a reader should see them.
func shown(ctx context.Context, conn *pgx.Conn, p part) (sql string, args []string) {
	values := p.args
	sql = p.sql
	for len(values) > 0 {
		switch option := values[0].(type) {
		case pgx.QueryExecMode, pgx.QueryResultFormats, pgx.QueryResultFormatsByOID:
			values = values[1:]
			continue
		case pgx.QueryRewriter:
			// What cannot be rewritten is shown as it is; pgx reports the error.
			if s, v, err := option.RewriteQuery(ctx, conn, sql, values[1:]); err == nil {
				sql, values = s, v
			} else {
				values = values[1:]
			}
		}
		break
	}
	for _, v := range values {
		args = append(args, argText(v))
	}
	return sql, args
}

// answer is what the server said to a request.
type answer struct {
	tag     string
	columns []string
	rows    [][]string
	err     error
	commits bool
}

func tagUnless(err error, tag string) string {
	if err != nil {
		return ""
	}
	return tag
}
