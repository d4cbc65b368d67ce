package compiler_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pawldb/pawl/compiler/ir"
)

func transaction(t *testing.T, p *ir.Program, name string) ir.Transaction {
	t.Helper()
	for _, x := range p.Transactions {
		if x.Name == name {
			x.Pos = ir.Pos{}
			return x
		}
	}
	t.Fatalf("no transaction %s in %v", name, p.Transactions)
	return ir.Transaction{}
}

func TestTransactionDefaults(t *testing.T) {
	want := ir.Transaction{
		Name: "default", Isolation: ir.ReadCommitted, LockTimeout: time.Second,
		Retry: ir.Retry{Attempts: 5, Base: 10 * time.Millisecond, Max: time.Second, Budget: 10 * time.Second, On: []string{"40001", "40P01"}},
	}
	if diff := cmp.Diff(want, transaction(t, compile(t, `enum "x" { values = ["a"] }`), "default")); diff != "" {
		t.Error(diff)
	}
	p := compile(t, `
transaction "hot" {
  lock_timeout      = "50ms"
  statement_timeout = "2s"
  retry {
    attempts = 2
    on       = ["55P03", "40P01"]
  }
}
singleton "relay" { key = 1 }`)
	want.Name, want.LockTimeout, want.StatementTimeout = "hot", 50*time.Millisecond, 2*time.Second
	want.Retry.Attempts, want.Retry.On = 2, []string{"40P01", "55P03"}
	if diff := cmp.Diff(want, transaction(t, p, "hot")); diff != "" {
		t.Error(diff)
	}
}

// A singleton that hangs in its transaction would keep its lock for ever.
func TestSingletonsAreBounded(t *testing.T) {
	p := compile(t, `singleton "relay" { key = 1 }`)
	if d := transaction(t, p, "singleton").IdleTimeout; d != time.Minute {
		t.Errorf("idle timeout %s", d)
	}
	if d := transaction(t, p, "default").IdleTimeout; d != 0 {
		t.Errorf("other transactions are bounded to %s", d)
	}
	for _, c := range []struct {
		block string
		want  time.Duration
	}{
		{`transaction "default" { idle_timeout = "9s" }`, 9 * time.Second},
		{`transaction "singleton" { idle_timeout = "8s" }`, 8 * time.Second},
		{`transaction "singleton" { idle_timeout = "0s" }`, 0},
	} {
		p, diags := load(t, "singleton \"relay\" { key = 1 }\n"+c.block)
		if p == nil {
			t.Log(diags) // dsl may refuse a zero
			continue
		}
		if d := transaction(t, p, "singleton").IdleTimeout; d != c.want {
			t.Errorf("%s: %s", c.block, d)
		}
	}
	op := operation(t, p, "singleton.relay.run")
	if op.Transaction != "singleton" || op.Lock != ir.AdvisoryXact || op.LockKey != 1 {
		t.Errorf("%+v", op)
	}
	if got := statement(t, p, "singleton.relay.try_run", ir.LockStatement); got != "SELECT pg_try_advisory_xact_lock(77, 1) AS acquired" {
		t.Error(got)
	}
}

func TestQueueSettings(t *testing.T) {
	p := compile(t, "queue \"q\" { lease = \"90s\" }")
	q := p.Repositories[0].Queue
	want := &ir.Queue{Lease: 90 * time.Second, Heartbeat: 30 * time.Second, Attempts: 12, BackoffBase: time.Second, BackoffMax: time.Hour}
	if diff := cmp.Diff(want, q); diff != "" {
		t.Error(diff)
	}
	// 1 s doubles 12 times to pass an hour.
	has(t, statement(t, p, "queue.q.fail", ir.MainStatement), "least(3600, 1 * 2 ^ least(attempt - 1, 12))")
	p = compile(t, "queue \"q\" {\n lease = \"90s\"\n backoff {\n base = \"250ms\"\n max = \"250ms\"\n }\n}")
	has(t, statement(t, p, "queue.q.fail", ir.MainStatement), "least(0.25, 0.25 * 2 ^ least(attempt - 1, 0))")
}

// A schema is made unless it is public, which is there.
func TestNamespaces(t *testing.T) {
	p := compile(t, "pawl { project = \"x\" }\ntable \"a\" {\n column \"id\" { type = bigint }\n}\ntable \"b\" {\n schema = \"other\"\n column \"id\" { type = bigint }\n}\n")
	if len(p.Schema.Namespaces) != 1 || p.Schema.Namespaces[0].Name != "other" || p.DefaultSchema != "public" {
		t.Errorf("%v in %s", p.Schema.Namespaces, p.DefaultSchema)
	}
}

// Generated code respects a pooler, so the program says it whichever target has
// it, and without anything of the environment.
func TestPooler(t *testing.T) {
	p := compile(t, `
target "here" { url = env("NOWHERE") }
target "there" {
  url    = env("NOWHERE")
  pooler = "transaction"
}`)
	if p.Pooler != ir.TransactionPooler {
		t.Errorf("the program says %q of the pooler", p.Pooler)
	}
	if p := compile(t, `target "here" { url = env("NOWHERE") }`); p.Pooler != ir.NoPooler {
		t.Errorf("without a pooler the program says %q", p.Pooler)
	}
}
