package verify

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/verify/client"
	"github.com/pawldb/pawl/verify/explore"
)

// judgement is one schedule in front of a judge.
type judgement struct {
	*index
	ctx  context.Context
	conn *pgx.Conn
	run  *explore.Run
}

// deeds are what a client did; empty when an error ended it.
func (j *judgement) deeds(client int) deeds {
	list, _ := j.run.Ends[client].Value.(deeds)
	return list
}

// count is how many deeds of all clients meet a condition.
func (j *judgement) count(is func(deed) bool) int {
	n := 0
	for i := range j.run.Ends {
		for _, d := range j.deeds(i) {
			if is(d) {
				n++
			}
		}
	}
	return n
}

// took reports a deed that its caller takes for done.
func took(d deed) bool {
	if d.op == nil {
		return d.code == "" && d.rows > 0
	}
	return d.code == "" && d.outcome.Answer == client.OK
}

// judgeAll asks everything that is asked of every schedule: that no error reached a
// caller which the declaration does not allow, that each ok explains exactly one
// change, and that each change is one that was declared.
func (s *scene) judgeAll(ctx context.Context, x *index, conn *pgx.Conn, run *explore.Run, t ir.TableRef) ([]explore.Violation, error) {
	j := &judgement{x, ctx, conn, run}
	found := undeclared(run)
	if s.neverWait != "" && run.Waits > 0 {
		found = append(found, explore.Violation{Rule: s.neverWait})
	}
	if s.judge != nil {
		found = append(found, s.judge(j)...)
	}
	found = append(found, j.wrongWinners(s.winners)...)
	unexplained, err := j.unexplained(t, s.bookkeeping)
	if err != nil {
		return nil, err
	}
	found = append(append(found, unexplained...), j.undeclaredChanges()...)
	for _, r := range s.effects {
		bad, err := evidence(ctx, conn, rule{r.broken, badEffects(t, r.sql)})
		if err != nil {
			return nil, err
		}
		found = append(found, bad...)
	}
	return found, nil
}

// afterCommit asks the violators queries.
func (s *scene) afterCommit(ctx context.Context, conn *pgx.Conn) ([]explore.Violation, error) {
	var found []explore.Violation
	for _, r := range s.violators {
		bad, err := evidence(ctx, conn, r)
		if err != nil {
			return nil, err
		}
		found = append(found, bad...)
	}
	return found, nil
}

// undeclared reports errors that reached a client.
func undeclared(run *explore.Run) []explore.Violation {
	var found []explore.Violation
	for i, end := range run.Ends {
		if end.Err == nil {
			continue
		}
		text := end.Err.Error()
		var answer *pgconn.PgError
		if errors.As(end.Err, &answer) {
			text = answer.Message + " (" + answer.Code + ")"
		}
		found = append(found, explore.Violation{
			Rule: fmt.Sprintf("s%d got an error that its declaration does not allow: %s", i, text),
		})
	}
	return found
}

// unexplained compares what the callers of operations were told with what was
// changed: each ok is one change, and nothing else is any.
func (j *judgement) unexplained(t ir.TableRef, bookkeeping string) ([]explore.Violation, error) {
	if t == (ir.TableRef{}) {
		return nil, nil
	}
	counts, err := effectCounts(j.ctx, j.conn, t, bookkeeping)
	if err != nil {
		return nil, err
	}
	var found []explore.Violation
	for i, end := range j.run.Ends {
		if end.Err != nil {
			continue
		}
		want, known := 0, false
		for _, d := range j.deeds(i) {
			n, ok := d.effects(t)
			want, known = want+n, known || ok
		}
		if known && counts[i] != want {
			found = append(found, explore.Violation{
				Rule: fmt.Sprintf("s%d was answered %s, which is %d changes of %s, and made %d", i, j.deeds(i), want, t.Name, counts[i]),
			})
		}
	}
	return found, nil
}

// wrongWinners counts who was told that their work is done. A rule that lets
// nobody through is as wrong as one that lets everybody.
func (j *judgement) wrongWinners(w *winners) []explore.Violation {
	if w == nil || len(undeclared(j.run)) > 0 {
		return nil
	}
	switch n := j.count(took); {
	case n < w.least:
		return []explore.Violation{{Rule: fmt.Sprintf("%d of the clients got what they asked for, and at least %d should have", n, w.least)}}
	case n > w.most:
		return []explore.Violation{{Rule: fmt.Sprintf("%d of the clients got what they asked for, and only %d may", n, w.most)}}
	}
	return nil
}

// undeclaredChanges are changes by the callers of operations that are not what
// their operation declares.
func (j *judgement) undeclaredChanges() []explore.Violation {
	var found []explore.Violation
	for i := range j.run.Ends {
		for _, d := range j.deeds(i) {
			if d.op == nil || d.table == (ir.TableRef{}) || len(j.deeds(i)) > 1 {
				continue
			}
			if d.outcome.Answer == client.NotFound && (d.op.Kind == ir.InsertOp || d.op.Kind == ir.EnqueueOp) {
				found = append(found, explore.Violation{Rule: fmt.Sprintf("s%d inserted a row, got none back, and no error says why", i)})
			}
			who := "c.client <> " + strconv.Itoa(i)
			found = append(found, j.bad(rule{
				fmt.Sprintf("s%d made a change that %s does not declare", i, d.op.Address),
				badEffects(d.table, who+" OR "+all(j.declared(d), j.returned(d))),
			})...)
		}
	}
	return found
}

// effects is how many changes of a table the caller of an operation was told
// of; false when the deed says nothing about that.
func (d deed) effects(t ir.TableRef) (int, bool) {
	if d.op == nil || d.table != t {
		return 0, false
	}
	if many := d.args["ids"]; many != nil {
		// Whoever is told ok takes all for done; some may be where others are refused.
		if d.outcome.Answer == client.OK {
			return 1 + strings.Count(*many, ","), true
		}
		return len(d.outcome.Rows), true
	}
	if d.code != "" || d.outcome.Answer != client.OK {
		return 0, true
	}
	//exhaustive:enforce
	switch d.op.Kind {
	case ir.EditOp:
		if d.unchanged() {
			return 0, true // nothing to write
		}
		return 1, true
	case ir.InsertOp, ir.UpdateOp, ir.DeleteOp, ir.MoveOp, ir.AdjustOp, ir.UpsertOp, ir.EnqueueOp, ir.FailOp, ir.ReleaseOp:
		return 1, true
	case ir.UpsertManyOp:
		return d.written(), true
	case ir.MoveManyOp, ir.AdjustManyOp, ir.EditManyOp, ir.EnqueueManyOp, ir.ClaimOp, ir.CompleteOp, ir.HeartbeatOp:
		return len(d.outcome.Rows), true
	case ir.ArrangeOp, ir.RuleOp: // as many as it takes
	case ir.InsertManyOp, ir.GetOp, ir.GetLockedOp, ir.GetManyOp, ir.ListOp, ir.SingletonOp, ir.SingletonTry,
		ir.ReapOp, ir.CampaignOp, ir.RenewOp, ir.ResignOp, ir.GuardOp, ir.OnceOp:
		return 0, false
	}
	return 0, false
}

// unchanged reports an edit whose function left the row as it was.
func (d deed) unchanged() bool {
	if len(d.outcome.Rows) == 0 {
		return false
	}
	for name, v := range d.outcome.Read {
		after := d.outcome.Rows[0][name]
		if (v == nil) != (after == nil) || v != nil && *v != *after {
			return false
		}
	}
	return true
}

// bad asks a query whose rows break a rule. That it cannot be asked is reported
// like a violation: nothing may pass because of it.
func (j *judgement) bad(r rule) []explore.Violation {
	found, err := evidence(j.ctx, j.conn, r)
	if err != nil {
		return []explore.Violation{{Rule: err.Error()}}
	}
	return found
}

// evidence runs a query whose rows break a rule.
func evidence(ctx context.Context, conn *pgx.Conn, r rule) ([]explore.Violation, error) {
	rows, err := conn.Query(ctx, r.sql, pgx.QueryResultFormats{pgx.TextFormatCode})
	if err != nil {
		return nil, fmt.Errorf("ask for what breaks a rule: %w\n%s", err, r.sql)
	}
	defer rows.Close()
	v := explore.Violation{Rule: r.broken}
	for rows.Next() {
		row := make([]string, len(rows.RawValues()))
		for i, value := range rows.RawValues() {
			row[i] = "NULL"
			if value != nil {
				row[i] = string(value)
			}
		}
		v.Rows = append(v.Rows, row)
	}
	for _, f := range rows.FieldDescriptions() {
		v.Columns = append(v.Columns, f.Name)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("ask for what breaks a rule: %w\n%s", err, r.sql)
	}
	if len(v.Rows) == 0 {
		return nil, nil
	}
	return []explore.Violation{v}, nil
}
