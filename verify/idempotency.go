package verify

import (
	"context"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/internal/pgsql"
	"github.com/pawldb/pawl/verify/client"
	"github.com/pawldb/pawl/verify/explore"
)

// once is work that is done once for each key, on one key.
type once struct {
	*ir.Idempotency
	enums []ir.Enum
}

// idempotency: twins that ask for one key, work that fails, another payload, runs
// that have lost their key and do not know it, a reaper beside a key that is begun
// anew.
func (m *model) idempotency(i *ir.IdempotencyRule) {
	at := slices.IndexFunc(m.program.Idempotencies, func(o ir.Idempotency) bool { return o.Address == i.Base.Address })
	if at < 0 {
		return
	}
	o := &once{&m.program.Idempotencies[at], m.program.Schema.Enums}
	if i.Phased {
		m.phasedWork(o)
		return
	}
	m.atomicWork(o, i)
}

// The payloads that clients come with.
const (
	payload      = `\x61`
	otherPayload = `\x62`
)

// doneTwice is the rule that work is done once.
var doneTwice = rule{
	"the work of one key was done twice",
	"SELECT op, count(*) FROM pawl_effects.effect WHERE op = 'WORK' GROUP BY op HAVING count(*) > 1",
}

// doWork is the effect of a client's work.
func doWork(client string) string {
	return "INSERT INTO pawl_effects.effect (client, at, tab, op) VALUES (" + client + ", clock_timestamp(), 0, 'WORK')"
}

// keyValues are values for the arguments that make the key.
func (o *once) keyValues() map[string]string {
	values := map[string]string{}
	for _, f := range slices.Concat(o.Scope, o.Key) {
		t := f.Type.Base()
		value := "1"
		switch {
		case t.Kind == ir.EnumType:
			for _, e := range o.enums {
				if e.Schema == t.Schema && e.Name == t.Name {
					value = e.Values[0]
				}
			}
		case t.Name == "uuid":
			value = "00000000-0000-0000-0000-000000000001"
		case t.Name == "bool":
			value = "t"
		}
		values[f.Name] = value
	}
	return values
}

// arguments are those that all the steps take, by their names.
func (o *once) arguments(hash, fence string) map[string]*string {
	text := func(s string) *string { return &s }
	args := map[string]*string{
		"payload_hash": text(hash), "hash_version": text("1"), "owner": text("client " + fence), "fence": text(fence), "result": text("{}"),
		"status": text("200"), "body": text(`\x63`), "reference": text("r"), "limit": text("10"),
	}
	for name, value := range o.keyValues() {
		args[name] = &value
	}
	return args
}

// columns and values of the key, for fixtures and raw clients.
func (o *once) keySQL() (columns, values string) {
	of := o.keyValues()
	var names, list []string
	for _, f := range slices.Concat(o.Scope, o.Key) {
		value := of[f.Name]
		names, list = append(names, ir.Ident(f.Name)), append(list, literal(&value, f.Type))
	}
	return strings.Join(names, ", "), strings.Join(list, ", ")
}

// empty is the table without a key.
func (o *once) empty() string { return "TRUNCATE " + o.Table.SQL() + ";" + emptyEffects }

// answered are the columns of an answer, with values.
func (o *once) answered() (columns, values string) {
	if o.Reference {
		return "reference", "'r'"
	}
	return "status", "200"
}

// replacing is a mutant that writes a text in a statement otherwise.
func replacing(id, name string, op *ir.Operation, role ir.Role, old ...string) mutant {
	m := mutant{id: id, name: name}
	s := op.Statement(role)
	sql := s.SQL
	for i := 0; i < len(old); i += 2 {
		if !strings.Contains(sql, old[i]) {
			m.err = &missingText{old[i], s.SQL}
		}
		sql = strings.Replace(sql, old[i], old[i+1], 1)
	}
	m.statements = []replacement{{op.Address, role, sql}}
	m.diff = []string{"-" + s.SQL, "+" + sql}
	return m
}

// missingText says that a statement is spelled otherwise than a mutant expects.
type missingText struct{ text, sql string }

func (e *missingText) Error() string { return "there is no " + e.text + " in " + e.sql }

// withoutConditionOn makes a mutant for each condition of a statement that reads a
// column.
func withoutConditionOn(op *ir.Operation, role ir.Role, column string) []mutant {
	return rewriting(op, role, (*pgsql.Statement).WithoutConjuncts, func(_ int, e pgsql.Edit) (string, string, []string) {
		if !slices.Contains(e.Columns, column) {
			return "", "", nil
		}
		return "without-" + word(column), "without the condition " + e.Removed, nil
	})
}

// atomicWork brings the two steps of work in one transaction into conflict.
func (m *model) atomicWork(o *once, i *ir.IdempotencyRule) {
	enter, store := o.Step(ir.OnceEnter), o.Step(ir.OnceStore)
	twins := func(*site) (*scene, error) {
		return &scene{
			fixture: o.empty(), violators: []rule{doneTwice}, neverWait: "a twin waited for its twin, and kept a connection from others",
			actors: []actor{o.doing(payload, "1", nil), o.doing(payload, "2", nil)},
		}, nil
	}
	c := m.add("twins", "two clients ask for one key at the same moment", nil,
		func(_ context.Context, s *site) (*scene, error) { return twins(s) },
		replacing("without-lock", "without the lock", enter, ir.LockStatement, string(ir.AdvisoryTryXact)+"(", "0 < num_nonnulls("))
	c.whole = true

	columns, values := o.keySQL()
	answer, given := o.answered()
	rawWork := doWork("2") + ";\nINSERT INTO " + o.Table.SQL() + " (" + columns + ", payload_hash, hash_version, " + answer + ", expires_at) VALUES (" + values +
		", '\\x61', 1, " + given + ", clock_timestamp() + interval '1 hour')"
	c = m.add("raw", "a client that takes no lock does the work of the key", nil,
		func(context.Context, *site) (*scene, error) {
			return &scene{fixture: o.empty(), violators: []rule{doneTwice}, actors: []actor{o.doing(payload, "1", nil), rawIn(rawWork)}}, nil
		}, append(mutantWithout(m.index, i.Base.Objects[:2], "unique"), withoutConditionOn(store, ir.DueStatement, "expires_at")...)...)
	c.whole = true

	kept := rule{"the key of work that failed is kept", "SELECT " + columns + " FROM " + o.Table.SQL() +
		" WHERE NOT EXISTS (SELECT FROM pawl_effects.effect WHERE op = 'WORK')"}
	c = m.add("failure", "a client's work fails while another one asks for the key", nil,
		func(context.Context, *site) (*scene, error) {
			return &scene{
				fixture: o.empty(), violators: []rule{doneTwice, kept},
				actors: []actor{o.doing(payload, "1", errRollback), o.doing(payload, "2", nil)},
			}, nil
		}, mutant{
			id: "without-transaction", name: "with the answer stored before the work, in a transaction of its own",
			actors: map[int]func(context.Context, session, *variant) (any, error){0: o.storingFirst},
			diff:   []string{"-BEGIN", " the work", " the answer", "-COMMIT", "+COMMIT of the answer before the work"},
		})
	c.whole = true

	c = m.add("payload", "two clients ask for one key with different payloads", nil,
		func(context.Context, *site) (*scene, error) {
			return &scene{
				fixture: o.empty(), violators: []rule{doneTwice}, judge: oneAnswered,
				actors: []actor{o.doing(payload, "1", nil), o.doing(otherPayload, "2", nil)},
			}, nil
		}, mutant{
			id: "without-payload", name: "without comparing the payload",
			actors: map[int]func(context.Context, session, *variant) (any, error){
				0: func(ctx context.Context, conn session, v *variant) (any, error) {
					return o.do(ctx, conn, v, "", "1", nil)
				},
				1: func(ctx context.Context, conn session, v *variant) (any, error) {
					return o.do(ctx, conn, v, "", "2", nil)
				},
			},
			diff: []string{"-compare payload_hash with that of the row"},
		})
	c.whole = true
}

// oneAnswered demands that of two payloads one gets an answer at most.
func oneAnswered(j *judgement) []explore.Violation {
	answered := 0
	for n := range 2 {
		for _, d := range j.deeds(n) {
			if d.outcome.Answer == client.Repeated || d.op != nil && strings.HasSuffix(d.op.Address, "."+ir.OnceStore) && took(d) {
				answered++
				break
			}
		}
	}
	if answered < 2 {
		return nil
	}
	return []explore.Violation{{Rule: "two payloads of one key were both answered"}}
}

// doing is a client that does the work unless it is done. end ends the work.
func (o *once) doing(hash, who string, end error) actor {
	name := "do"
	if end != nil {
		name = "do and fail"
	}
	return actor{name: name, class: o.Address + hash + name, kind: ir.OnceOp, run: func(ctx context.Context, conn session, v *variant) (any, error) {
		return o.do(ctx, conn, v, hash, who, end)
	}}
}

// do is Do of package pawl, for work in one transaction. Without a hash no payload
// is compared.
func (o *once) do(ctx context.Context, conn session, v *variant, hash, who string, end error) (done deeds, err error) {
	args := o.arguments(hash, who)
	if hash == "" {
		args = o.arguments(payload, who)
	}
	_, err = inTransaction(ctx, conn, ir.ReadCommitted, func(tx pgx.Tx) error {
		entered, err := v.do(ctx, tx, client.Call{Operation: o.Step(ir.OnceEnter), Args: args})
		if err != nil {
			return err
		}
		d := &entered[0]
		done = entered
		switch row := d.outcome.Rows; {
		case len(row) > 0 && hash != "" && *row[0]["payload_hash"] != hash:
			d.outcome.Answer, d.outcome.About = client.Refused, "payload"
			return nil
		case len(row) > 0:
			d.outcome.Answer = client.Repeated
			return nil
		case d.outcome.Answer == client.Busy:
			return nil
		}
		if _, err := tx.Exec(ctx, doWork(who)); err != nil {
			return err
		}
		if end != nil {
			return end
		}
		stored, err := v.do(ctx, tx, client.Call{Operation: o.Step(ir.OnceStore), Args: args})
		if err != nil {
			return err
		}
		done = append(done, stored...)
		if stored[0].outcome.Answer == client.Busy {
			return errRollback
		}
		return nil
	})
	return done, err
}

// storingFirst stores the answer before its work, which then fails.
func (o *once) storingFirst(ctx context.Context, conn session, v *variant) (any, error) {
	var done deeds
	_, err := inTransaction(ctx, conn, ir.ReadCommitted, func(tx pgx.Tx) error {
		entered, err := v.do(ctx, tx, client.Call{Operation: o.Step(ir.OnceEnter), Args: o.arguments(payload, "1")})
		if err != nil || entered[0].outcome.Answer == client.Busy || len(entered[0].outcome.Rows) > 0 {
			return err
		}
		done, err = v.do(ctx, tx, client.Call{Operation: o.Step(ir.OnceStore), Args: o.arguments(payload, "1")})
		return err
	})
	return done, err
}

// rawIn is a client that sends SQL in a transaction of its own.
func rawIn(sql string) actor {
	return actor{name: "raw work", class: sql, run: func(ctx context.Context, conn session, _ *variant) (any, error) {
		var done deeds
		_, err := inTransaction(ctx, conn, ir.ReadCommitted, func(tx pgx.Tx) error {
			for _, statement := range strings.Split(sql, ";\n") {
				list, err := rawAnswer(tx.Exec(ctx, statement))
				if err != nil {
					return err
				}
				if done = list; list[0].code != "" {
					return errRollback
				}
			}
			return nil
		})
		return done, err
	}}
}
