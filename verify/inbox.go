package verify

import (
	"context"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/verify/client"
)

// messages is an inbox while its checks are made.
type messages struct{ *ir.Inbox }

// lostMessage is the rule that an id stands for work that was done.
func (b *messages) lostMessage() rule {
	return rule{
		"a message counts as done and its work is not",
		"SELECT message_id FROM " + b.Table.SQL() + " WHERE message_id NOT IN (SELECT op FROM pawl_effects.effect)",
	}
}

// messageTwice is the rule that each message is worked on once.
var messageTwice = rule{
	"what a message brings about was done twice",
	"SELECT op, count(*) FROM pawl_effects.effect WHERE op LIKE 'm%' GROUP BY op HAVING count(*) > 1",
}

// inbox brings two deliveries of the same messages into conflict.
func (m *model) inbox(i *ir.InboxRule) {
	at := slices.IndexFunc(m.program.Inboxes, func(b ir.Inbox) bool { return b.Address == i.Base.Address })
	b := &messages{&m.program.Inboxes[at]}
	one := b.Step(ir.InboxAccept)
	unguarded := slices.Concat(
		mutantWithout(m.index, i.Base.Objects[1:], "unique"),
		[]mutant{{id: "without-row-count", name: "without looking whether the id is new", without: client.Without{RowCount: true}, diff: []string{"-no row: acknowledge"}}},
	)
	for _, level := range levels {
		label, mutants := "twins", unguarded
		if level != ir.ReadCommitted {
			label, mutants = "twins-"+word(string(level)), nil
		}
		c := m.add(label, "one message arrives twice, at "+string(level), nil, func(context.Context, *site) (*scene, error) {
			return b.scene(b.receiving(level, "1", nil, one, "m1"), b.receiving(level, "2", nil, one, "m1")), nil
		}, mutants...)
		c.whole = true
	}
	c := m.add("failure", "the work of a message fails while it arrives again", nil, func(context.Context, *site) (*scene, error) {
		return b.scene(b.receiving(ir.ReadCommitted, "1", errRollback, one, "m1"), b.receiving(ir.ReadCommitted, "2", nil, one, "m1")), nil
	}, mutant{
		id: "without-transaction", name: "with the id committed before the work",
		actors: map[int]func(context.Context, session, *variant) (any, error){0: b.acceptingFirst},
		diff:   []string{" INSERT of the id", "+COMMIT", " the work", " COMMIT"},
	})
	c.whole = true
	b.batches(m)
	b.reaped(m)
}

// batches are two deliveries of two messages, each in its own order.
func (b *messages) batches(m *model) {
	many := b.Step(ir.InboxAcceptMany)
	m.add("batches", "two batches hold the same messages in different orders", []ir.TableRef{b.Table}, func(context.Context, *site) (*scene, error) {
		return b.scene(b.receiving(ir.ReadCommitted, "1", nil, many, "m1", "m2"), b.receiving(ir.ReadCommitted, "2", nil, many, "m2", "m1")), nil
	}, replacing("without-order", "without the order of the ids", many, ir.MainStatement, " ORDER BY id", ""))
}

// reaped is a message that arrives while ids are removed that are no longer
// remembered, and others that are.
func (b *messages) reaped(m *model) {
	reap, one := b.Step(ir.InboxReap), b.Step(ir.InboxAccept)
	c := m.add("reap", "a message arrives again while the reaper looks", nil, func(context.Context, *site) (*scene, error) {
		sc := b.scene(calling(reap, b.arguments("m1")), b.receiving(ir.ReadCommitted, "1", nil, one, "m1"))
		sc.fixture += "\nINSERT INTO " + b.Table.SQL() + " (source, message_id, received_at) VALUES (" + ir.Literal(b.Source) + ", 'm1', now()), (" +
			ir.Literal(b.Source) + ", 'm0', '-infinity');\nINSERT INTO pawl_effects.effect (client, at, tab, op) VALUES (0, now(), 0, 'm1'), (0, now(), 0, 'm0');"
		sc.violators = append(sc.violators, rule{
			"an id is gone that is still to be remembered",
			"SELECT 'm1' AS message_id WHERE NOT EXISTS (SELECT FROM " + b.Table.SQL() + " WHERE message_id = 'm1')",
		})
		return sc, nil
	}, withoutConditionOn(reap, ir.MainStatement, "received_at")...)
	c.whole = true
}

// scene is an inbox without a message.
func (b *messages) scene(actors ...actor) *scene {
	return &scene{fixture: "TRUNCATE " + b.Table.SQL() + ";" + emptyEffects, violators: []rule{messageTwice, b.lostMessage()}, actors: actors}
}

func (b *messages) arguments(ids ...string) map[string]*string {
	list, limit := "{"+strings.Join(ids, ",")+"}", "10"
	return map[string]*string{"message_id": &ids[0], "message_ids": &list, "limit": &limit}
}

// receiving is Receive, or ReceiveMany, of package pawl. end ends the work.
func (b *messages) receiving(level ir.Isolation, who string, end error, op *ir.Operation, ids ...string) actor {
	name := "receive"
	if end != nil {
		name = "receive and fail"
	}
	return actor{name: name, class: b.Address + string(level) + name + strings.Join(ids, ""), kind: ir.OnceOp, run: func(ctx context.Context, conn session, v *variant) (any, error) {
		var done deeds
		code, err := inTransaction(ctx, conn, level, func(tx pgx.Tx) error {
			accepted, err := v.do(ctx, tx, client.Call{Operation: op, Args: b.arguments(ids...)})
			if err != nil {
				return err
			}
			done = accepted
			if err := b.work(ctx, tx, who, &done[0], v, ids); err != nil {
				return err
			}
			return end
		})
		if code != "" {
			return deeds{{op: op, code: code}}, nil
		}
		return done, err
	}}
}

// work does what the messages bring about that are new. A client that does not
// look does it for all.
func (b *messages) work(ctx context.Context, tx pgx.Tx, who string, d *deed, v *variant, ids []string) error {
	fresh := ids
	if !v.without.RowCount {
		fresh = nil
		for _, row := range d.outcome.Rows {
			fresh = append(fresh, *row["message_id"])
		}
	}
	if len(fresh) == 0 {
		d.outcome.Answer = client.Repeated
	}
	for _, id := range fresh {
		sql := "INSERT INTO pawl_effects.effect (client, at, tab, op) VALUES (" + who + ", clock_timestamp(), 0, " + ir.Literal(id) + ")"
		if _, err := tx.Exec(ctx, sql); err != nil {
			return err
		}
	}
	return nil
}

// acceptingFirst commits the id before its work, which then fails.
func (b *messages) acceptingFirst(ctx context.Context, conn session, v *variant) (any, error) {
	return v.do(ctx, conn, client.Call{Operation: b.Step(ir.InboxAccept), Args: b.arguments("m1")})
}
