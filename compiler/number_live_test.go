package compiler_test

import (
	"testing"

	"github.com/pawldb/pawl/compiler/ir"
)

const walletSpec = `
table "wallets" {
  column "id" { type = bigint }
  column "bal" { type = numeric }
  column "heat" { type = double_precision }
  column "most" {
    type = numeric
    null = true
  }
  column "state" { type = text }
  primary_key { columns = [id] }
  check "bal" { expr = "bal >= 0" }
  check "heat" { expr = "heat >= 0" }
  check "most" { expr = "most > 0" }
  adjust "take" {
    args = { amt = numeric }
    set  = { bal = "bal - @amt" }
  }
  adjust "warm" {
    args     = { by = double_precision }
    set      = { heat = "heat + @by" }
    positive = []
  }
  adjust "limit" { set = { most = "@most" } }
  transitions "state" {
    column  = state
    initial = ["open"]
    final   = ["closed"]
    move "close" {
      from = ["open"]
      to   = "closed"
      args = { fee = numeric }
      set  = { bal = "bal - @fee", most = "@most" }
    }
  }
}
`

// NaN passes > 0 and every CHECK with a lower limit, and a balance of NaN is
// one for good. Without the demands it gets in: the test proves that too.
func TestNaNIsBadInput(t *testing.T) {
	p := compile(t, walletSpec)
	conn := database(t, p)
	exec(t, conn, "INSERT INTO app.wallets VALUES (1, 10, 1, NULL, 'open')")
	for _, c := range []struct {
		operation string
		cut       string // the line of the demand
		subject   string
		args      []any
		fine      bool
	}{
		{"adjust.take", "'Infinity'", "amt", []any{"NaN"}, false},
		{"adjust.take", "'Infinity'", "amt", []any{"Infinity"}, false},
		{"adjust.take", "'Infinity'", "amt", []any{"1.5"}, true},
		{"adjust.warm", "'Infinity'", "by", []any{"NaN"}, false},
		{"adjust.warm", "'Infinity'", "by", []any{"Infinity"}, false},
		{"adjust.warm", "'Infinity'", "by", []any{"-Infinity"}, false},
		{"adjust.warm", "'Infinity'", "by", []any{"-0.5"}, true},
		{"adjust.limit", "'NaN'", "most", []any{"NaN"}, false},
		{"adjust.limit", "'NaN'", "most", []any{"Infinity"}, true},
		{"adjust.limit", "'NaN'", "most", []any{nil}, true},
		{"transitions.state.close", "'Infinity'", "fee", []any{"NaN", "1"}, false},
		{"transitions.state.close", "'NaN'", "most", []any{"1", "NaN"}, false},
		{"transitions.state.close", "'NaN'", "most", []any{"-1", nil}, true},
	} {
		address := "table.wallets." + c.operation
		args := append([]any{int64(1)}, c.args...)
		exec(t, conn, "BEGIN")
		got := must(t, conn, p, address, ir.MainStatement, args...)
		exec(t, conn, "ROLLBACK")
		if (len(got) == 1) != c.fine {
			t.Errorf("%s%v changes %d rows", c.operation, c.args, len(got))
		}
		if c.fine {
			continue
		}
		why := one(t, conn, p, address, ir.ExplainStatement, args...)
		if why["verdict"] != string(ir.VerdictInput) || why["subject"] != c.subject {
			t.Errorf("%s%v: %v about %v", c.operation, c.args, why["verdict"], why["subject"])
		}
		if c.args[0] != "NaN" {
			continue
		}
		exec(t, conn, "BEGIN")
		mutant := cutLine(t, statement(t, p, address, ir.MainStatement), c.cut)
		if c.operation == "transitions.state.close" {
			args[2] = "1"
		}
		tag, err := conn.Exec(t.Context(), mutant, args...)
		exec(t, conn, "ROLLBACK")
		if err != nil || tag.RowsAffected() != 1 {
			t.Errorf("%s%v: without the demand %d rows change, %v: this test proves nothing", c.operation, c.args, tag.RowsAffected(), err)
		}
	}
}
