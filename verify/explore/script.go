package explore

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// Script returns a client that sends fixed statements one after the other, as
// they stand, with BEGIN and COMMIT among them. Like a person at a terminal it
// goes on after an error of the server.
//
// Its End.Value is an [Answers] of what the server said to each statement, and its
// End.Err the first error.
func Script(name string, statements ...string) Client {
	return Client{Name: name, Run: func(ctx context.Context, conn *Conn) (any, error) {
		var answers Answers
		var first error
		for _, sql := range statements {
			text, err := conn.say(ctx, sql)
			answers = append(answers, text)
			if first == nil {
				first = err
			}
			var pgErr *pgconn.PgError
			if err != nil && !errors.As(err, &pgErr) {
				break
			}
		}
		return answers, first
	}}
}

// Answers are what the server said to the statements of a [Script]: the rows,
// "(1, x) (2, y)", the command's tag when there are none, "UPDATE 1", or the
// code of an error, "40001".
type Answers []string

// String joins the answers.
func (a Answers) String() string { return strings.Join(a, "; ") }

// say runs a statement and returns the answer as text.
func (c *Conn) say(ctx context.Context, sql string) (string, error) {
	if tag, held := c.holdScript(ctx, sql); held {
		return tag, nil
	}
	var text string
	err := c.step(ctx, single(sql, nil), func() answer {
		results, err := c.pg.PgConn().Exec(ctx, sql).ReadAll()
		a := answerOfResults(c.pg.TypeMap(), results, err)
		text = a.text()
		return a
	})
	return text, err
}

// text spells an answer in a few words.
func (a answer) text() string {
	var pgErr *pgconn.PgError
	switch {
	case errors.As(a.err, &pgErr):
		return pgErr.Code
	case a.err != nil:
		return a.err.Error()
	case len(a.rows) == 0:
		return a.tag
	}
	rows := make([]string, len(a.rows))
	for i, row := range a.rows {
		rows[i] = "(" + strings.Join(row, ", ") + ")"
	}
	return strings.Join(rows, " ")
}
