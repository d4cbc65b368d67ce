package verify

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/verify/client"
	"github.com/pawldb/pawl/verify/explore"
)

// session is a connection that a client of a check runs on: one that waits for the
// explorer's grants, or one that does not wait, under stress.
type session interface {
	client.Beginner
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// deed is a call that a client made and what it was answered: what its caller
// believes has happened.
type deed struct {
	op      *ir.Operation // nil for a client that uses no generated code
	table   ir.TableRef   // that the operation belongs to
	args    map[string]*string
	outcome client.Outcome
	// code is the SQLSTATE that a raw client or a caller's transaction ended with;
	// nothing of it took place then.
	code string
	// rows is how many rows a raw client's statement says it has touched.
	rows int64
}

// String is the deed in a timeline and in the set of outcomes.
func (d deed) String() string {
	switch {
	case d.code != "":
		return "refused by the server (" + d.code + ")"
	case d.op == nil:
		return fmt.Sprintf("%d rows", d.rows)
	case d.outcome.About != "":
		return string(d.outcome.Answer) + " (" + d.outcome.About + ")"
	}
	return string(d.outcome.Answer)
}

// deeds are what one client did, in order.
type deeds []deed

func (d deeds) String() string {
	list := make([]string, len(d))
	for i := range d {
		list[i] = d[i].String()
	}
	return strings.Join(list, ", ")
}

// calling is an actor that calls one operation, outside any transaction.
func calling(op *ir.Operation, args map[string]*string) actor {
	return actor{
		name: op.Name, class: op.Address + spell(args), kind: op.Kind,
		run: func(ctx context.Context, conn session, v *variant) (any, error) {
			return v.do(ctx, conn, client.Call{Operation: op, Args: args})
		},
	}
}

// do performs a call as the variant has it.
func (v *variant) do(ctx context.Context, db client.DB, call client.Call) (deeds, error) {
	op := call.Operation
	call.Operation, call.Without = v.operation(op), v.without
	outcome, err := v.site.performer.Do(ctx, db, call)
	if err != nil {
		return nil, err
	}
	return deeds{{op: op, table: v.site.home[op.Address], args: call.Args, outcome: outcome}}, nil
}

// levels are those that a caller's own transaction may have beside a generated
// call. At the first the call is what it is alone, with its COMMIT a step apart.
var levels = []ir.Isolation{ir.ReadCommitted, ir.RepeatableRead, ir.Serializable}

// callingIn is an actor that calls an operation in a transaction of its own,
// begun at a level. The caller owns the transaction, so it gets 40001 to retry.
func callingIn(level ir.Isolation, op *ir.Operation, args map[string]*string) actor {
	return actor{
		name: op.Name + " in " + string(level), class: string(level) + op.Address + spell(args), kind: op.Kind,
		run: func(ctx context.Context, conn session, v *variant) (any, error) {
			var done deeds
			code, err := inTransaction(ctx, conn, level, func(tx pgx.Tx) error {
				list, err := v.do(ctx, tx, client.Call{Operation: op, Args: args})
				done = list
				if err == nil && (list[0].outcome.Answer == client.Violation || list[0].outcome.Answer == client.Busy) {
					return errRollback
				}
				return err
			})
			if code != "" {
				return deeds{{op: op, table: v.site.home[op.Address], args: args, code: code}}, nil
			}
			return done, err
		},
	}
}

// errRollback ends a transaction whose client has its answer.
var errRollback = errors.New("the transaction is over")

// inTransaction runs work in a transaction at a level. The codes that a caller
// has to expect at that level come back apart from errors.
func inTransaction(ctx context.Context, conn session, level ir.Isolation, work func(pgx.Tx) error) (code string, err error) {
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.TxIsoLevel(level)})
	if err != nil {
		return "", err
	}
	err = work(tx)
	if err == nil {
		err = tx.Commit(ctx)
	} else if rollback := tx.Rollback(ctx); rollback != nil {
		return "", errors.Join(err, rollback)
	}
	if errors.Is(err, errRollback) {
		return "", nil
	}
	var refused *pgconn.PgError
	if level != ir.ReadCommitted && errors.As(err, &refused) && refused.Code == "40001" {
		return refused.Code, nil
	}
	return "", err
}

// rawCodes are the answers that every client has to expect who writes what a
// rule forbids.
var rawCodes = []string{"23505", "23P01", "23503", "23001", "23514", "23502", "PW001", "PW002", "PW003", "PW004", "PW005", "PW006", "PW007"}

// raw is an actor that knows nothing of the generated code: it sends SQL.
func raw(name string, level ir.Isolation, sql string) actor {
	if level != "" && level != ir.ReadCommitted {
		name += " in " + string(level)
	}
	return actor{
		name: name, class: string(level) + sql,
		run: func(ctx context.Context, conn session, _ *variant) (any, error) {
			if level == "" {
				return rawAnswer(conn.Exec(ctx, sql))
			}
			var done deeds
			code, err := inTransaction(ctx, conn, level, func(tx pgx.Tx) error {
				list, err := rawAnswer(tx.Exec(ctx, sql))
				done = list
				if err == nil && list[0].code != "" {
					return errRollback
				}
				return err
			})
			if code != "" {
				return deeds{{code: code}}, nil
			}
			if err != nil { // a deferred rule speaks at COMMIT
				return rawAnswer(pgconn.CommandTag{}, err)
			}
			return done, nil
		},
	}
}

// rawAnswer tells a refusal that every client has to expect from an error.
func rawAnswer(tag pgconn.CommandTag, err error) (deeds, error) {
	var refused *pgconn.PgError
	if errors.As(err, &refused) && slices.Contains(rawCodes, refused.Code) {
		return deeds{{code: refused.Code}}, nil
	}
	if err != nil {
		return nil, err
	}
	return deeds{{rows: tag.RowsAffected()}}, nil
}

// copying is an actor that loads one row by COPY.
func copying(t ir.TableRef, columns []string, row map[string]*string) actor {
	sql := "COPY " + t.SQL() + " (" + ir.Idents(columns) + ") FROM STDIN"
	text := client.CopyRow(columns, row)
	return actor{
		name: "COPY", class: "COPY" + spell(row),
		run: func(ctx context.Context, conn session, _ *variant) (any, error) {
			switch c := conn.(type) {
			case *explore.Conn:
				return rawAnswer(c.CopyText(ctx, sql, text))
			case *pgx.Conn:
				return rawAnswer(c.PgConn().CopyFrom(ctx, strings.NewReader(text), sql))
			}
			return nil, fmt.Errorf("COPY over a %T", conn)
		},
	}
}

// spell writes values in a stable order.
func spell(values map[string]*string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(values)) {
		b.WriteString(" " + name + "=")
		if v := values[name]; v != nil {
			b.WriteString(*v)
		} else {
			b.WriteString("NULL")
		}
	}
	return b.String()
}
