package explore

import (
	"context"
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
	ahead []string // what was sent before it without a grant
	class class
	// local is true when nothing in it touches what others see.
	local bool
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
	open := !c.pg.IsClosed() && c.pg.PgConn().TxStatus() != idle
	q.class, q.local = classify(parts, open, c.actor.effect)
	q.class.serializable, q.class.checks = c.serializable, c.checks
	if len(parts) == 1 {
		q.kind = kindOf(parts[0].sql)
	}
	return q
}

// gated reports whether q waits for a grant. BEGIN and what touches nothing
// shared does so only in a full search.
func (q *request) gated(full bool) bool {
	return full || q.kind != Begin && !q.local
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
