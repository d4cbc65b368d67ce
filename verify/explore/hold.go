package explore

import "context"

// BEGIN fixes the time that now() tells. Were it sent when the client comes to it,
// every transaction of a schedule would be as old as the schedule, whatever was
// granted first. So it is kept back, and sent by the step of the first statement.

// holdBack keeps a BEGIN back, and a SET or SAVEPOINT right behind it: send is
// called in the next step. tag is what the server will say when it succeeds. held
// is false when sql is to be sent like any other statement.
func (c *Conn) holdBack(ctx context.Context, sql string, send func(context.Context) error) (tag string, held bool) {
	if c.actor.full || c.actor.clock || ctx.Err() != nil || c.pg.IsClosed() {
		return "", false
	}
	// In a transaction that the server knows of, BEGIN says what it has to say at once.
	if len(c.held) == 0 && (kindOf(sql) != Begin || c.pg.PgConn().TxStatus() != idle) {
		return "", false
	}
	q := c.request(ctx, single(sql, nil))
	if tag = tagOf(sql); tag == "" || q.kind != Begin && !q.local {
		return "", false
	}
	c.ahead = append(c.ahead, q.sql)
	c.held = append(c.held, send)
	return tag, true
}

// holdScript is holdBack for a text that is sent as it stands.
func (c *Conn) holdScript(ctx context.Context, sql string) (tag string, held bool) {
	return c.holdBack(ctx, sql, func(ctx context.Context) error {
		_, err := c.pg.PgConn().Exec(ctx, sql).ReadAll()
		return err
	})
}

// sendHeld sends what was kept back. After the first error the rest is dropped, as
// is the statement that would follow.
func (c *Conn) sendHeld(ctx context.Context) error {
	held := c.held
	c.held = nil
	for _, send := range held {
		if err := send(ctx); err != nil {
			return err
		}
	}
	return nil
}

// tagOf returns the command tag of a statement that can be kept back, and nothing
// for all others: what they answer is not known beforehand.
func tagOf(sql string) string {
	first, rest := word(sql)
	switch second, _ := word(rest); {
	case first == "begin":
		return "BEGIN"
	case first == "start":
		return "START TRANSACTION"
	case first == "savepoint":
		return "SAVEPOINT"
	case first == "set" && second == "constraints":
		return "SET CONSTRAINTS"
	case first == "set":
		return "SET"
	}
	return ""
}
