package verify

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/internal/devdb/pgtest"
	"github.com/pawldb/pawl/verify/client"
)

// TestQueueOfOneAttempt: a task that may be tried once only is dead when its lease
// runs out, and the promise holds all the same.
func TestQueueOfOneAttempt(t *testing.T) {
	if testing.Short() {
		t.Skip("it explores a whole queue")
	}
	p := seats(t)
	replace(t, p, "claim", ir.MainStatement, "attempt >= 10", "attempt >= 1")
	replace(t, p, "claim", ir.MainStatement, "attempt < 10", "attempt < 1")
	for range 2 { // the state, and the time of the next attempt
		replace(t, p, "fail", ir.MainStatement, "attempt < 10", "attempt < 1")
	}
	for _, i := range p.Invariants {
		if q, ok := i.(*ir.QueueRule); ok {
			q.Attempts = 1
		}
	}
	demandTeeth(t, run(t, p, Options{Addresses: []string{"queue.tasks"}}), nil)
}

// replace changes the compiled SQL of an operation of the queue tasks.
func replace(t *testing.T, p *ir.Program, op string, role ir.Role, old, with string) {
	t.Helper()
	s := newIndex(p).operations["queue.tasks."+op].Statement(role)
	changed := strings.Replace(s.SQL, old, with, 1)
	if changed == s.SQL {
		t.Fatalf("%s has no %q:\n%s", op, old, s.SQL)
	}
	s.SQL = changed
}

// spoil is a compiled statement of the queue gone wrong.
type spoil struct {
	name, check, op string
	role            ir.Role
	old, with       string
}

// spoils are what a faulty compiler could have written, each with the check that
// has to notice.
var spoils = []spoil{
	{"claims dead tasks", "claim-enqueue", "claim", ir.MainStatement, "WHERE state = 'ready'", "WHERE state IN ('ready', 'dead')"},
	{"claims scheduled tasks", "claim-enqueue", "claim", ir.MainStatement, "WHERE state = 'ready'", "WHERE state IN ('ready', 'scheduled')"},
	{"claims held tasks", "claim-enqueue", "claim", ir.MainStatement, "AND lease_until < statement_timestamp()", ""},
	{"makes tasks ready before their time", "claim-enqueue", "claim", ir.DueStatement, " AND run_at <= statement_timestamp()", ""},
	{"never makes tasks ready", "claim-due", "claim", ir.DueStatement, "run_at <= statement_timestamp()", "false"},
	{"never takes over", "claim-claim", "claim", ir.MainStatement, "lease_until < statement_timestamp()", "false"},
	{"takes the newest", "claim-enqueue", "claim", ir.MainStatement, "ORDER BY id LIMIT", "ORDER BY id DESC LIMIT"},
	{"takes more than the limit", "claim-enqueue", "claim", ir.MainStatement, "$1::integer - (SELECT count(*) FROM again)", "$1::integer"},
	{"takes without an end to the attempts", "claim-worn", "claim", ir.MainStatement, "FROM expired WHERE attempt < 10", "FROM expired"},
	{"buries nothing", "claim-worn", "claim", ir.MainStatement, "attempt >= 10", "attempt >= 99"},
	{"buries too early", "claim-claim", "claim", ir.MainStatement, "attempt < 10", "attempt < 9"},
	{"a lease of an hour", "claim-share", "claim", ir.MainStatement, "$2::bigint * interval '1 microsecond'", "$2::bigint * interval '0' + interval '1 hour'"},
	{"a lease that has run out", "claim-share", "claim", ir.MainStatement, "clock_timestamp() + $2::bigint * interval '1 microsecond'", "'2001-01-01'::timestamptz + $2::bigint * interval '0'"},
	{"no attempt counted", "claim-share", "claim", ir.MainStatement, "attempt = t.attempt + 1, ", ""},
	{"no fence raised", "claim-share", "claim", ir.MainStatement, "fence = t.fence + 1,", "fence = t.fence,"},
	{"no attempt counted and no fence raised", "claim-claim", "claim", ir.MainStatement, "attempt = t.attempt + 1, fence = t.fence + 1,", ""},
	{"hands out another fence", "claim-share", "claim", ir.MainStatement, "t.fence, t.attempt", "t.fence - 1 AS fence, t.attempt"},
	{"completes what is not held", "late-complete", "complete", ir.MainStatement, "WHERE t.state = 'running'", "WHERE true"},
	{"completes another worker's task", "ghost-complete", "complete", ir.MainStatement, "AND t.fence = c.fence", ""},
	{"completes without deleting", "complete-complete", "complete", ir.MainStatement, "DELETE FROM app.tasks\n", "UPDATE app.tasks SET state = 'ready', lease_until = NULL\n"},
	{"fails what is not held", "late-fail", "fail", ir.MainStatement, "AND state = 'running'", ""},
	{"fails another worker's task", "ghost-fail", "fail", ir.MainStatement, "AND fence = $2::bigint", "AND fence >= $2::bigint"},
	{"never dead", "fail-last", "fail", ir.MainStatement, "CASE WHEN attempt < 10 THEN 'scheduled' ELSE 'dead' END", "'scheduled'"},
	{"dead at once", "ghost-fail", "fail", ir.MainStatement, "CASE WHEN attempt < 10 THEN 'scheduled' ELSE 'dead' END", "'dead'"},
	{"forgets the error", "fail-last", "fail", ir.MainStatement, "last_error = $3::text", "last_error = left($3::text, 0)"},
	{"fails without a pause", "ghost-fail", "fail", ir.MainStatement, "clock_timestamp() + make_interval", "run_at + 0 * make_interval"},
	{"renews what is not held", "late-heartbeat", "heartbeat", ir.MainStatement, "WHERE t.state = 'running'", "WHERE true"},
	{"renews nothing", "ghost-heartbeat", "heartbeat", ir.MainStatement, "clock_timestamp() + $3::bigint * interval '1 microsecond'", "lease_until + $3::bigint * interval '0'"},
	{"renews for an hour", "ghost-heartbeat", "heartbeat", ir.MainStatement, "$3::bigint * interval '1 microsecond'", "$3::bigint * interval '0' + interval '1 hour'"},
	{"releases what is not held", "late-release", "release", ir.MainStatement, "AND state = 'running'", ""},
	{"lowers the attempt twice", "late-complete", "release", ir.MainStatement, "attempt - 1", "attempt - 2"},
	{"puts dead tasks in", "claim-enqueue", "enqueue", ir.MainStatement, "(kind, body)\nVALUES ($1::text, $2::jsonb)", "(kind, body, state)\nVALUES ($1::text, $2::jsonb, 'dead')"},
	{"puts tried tasks in", "claim-enqueue", "enqueue", ir.MainStatement, "(kind, body)\nVALUES ($1::text, $2::jsonb)", "(kind, body, attempt)\nVALUES ($1::text, $2::jsonb, 3)"},
}

// TestQueueSpoiled spoils one compiled statement at a time: a check that says that
// such a queue holds would be worth nothing. The schema is the same for all, and
// so they share a database.
func TestQueueSpoiled(t *testing.T) {
	longRun(t)
	sound := seats(t)
	st := scratchSite(t, sound)
	for i, s := range spoils {
		if !taken(i, 8) {
			continue
		}
		t.Run(strings.ReplaceAll(s.name, " ", "-"), func(t *testing.T) {
			p := seats(t)
			replace(t, p, s.op, s.role, s.old, s.with)
			st.index, st.performer = newIndex(p), client.New(p)
			c := findCheck(t, st.index, "queue.tasks/"+s.check)
			sc, err := st.stage(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			got, err := st.explorer.Explore(t.Context(), st.scenario(c, sc, &mutant{}, true))
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Counterexamples) == 0 {
				t.Fatalf("%s finds nothing in %d schedules; inconclusive are %d", c.id, got.Schedules, len(got.Inconclusive))
			}
			for _, v := range got.Counterexamples[0].Violations {
				t.Log(v.Rule)
			}
		})
	}
}

// scratchSite is a database with a program's schema.
func scratchSite(t *testing.T, p *ir.Program) *site {
	t.Helper()
	url := pgtest.URL(t)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	err = prepare(t.Context(), conn, p)
	_ = conn.Close(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s, err := openSite(t.Context(), url, newIndex(p), Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.close(t.Context()) })
	return s
}

// findCheck is a check by its ID.
func findCheck(t *testing.T, x *index, id string) *check {
	t.Helper()
	for _, s := range models(x) {
		for _, c := range s.checks {
			if c.id == id {
				return c
			}
		}
	}
	t.Fatalf("there is no check %s", id)
	return nil
}
