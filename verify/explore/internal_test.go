package explore

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

func TestKindOf(t *testing.T) {
	for sql, want := range map[string]Kind{
		`begin`:                     Begin,
		` -- now` + "\n" + `BEGIN;`: Begin,
		`/* a /* b */ c */start transaction isolation level serializable`: Begin,
		`COMMIT`:                    Commit,
		`end; -- done`:              Commit,
		`commit prepared 'x'`:       Commit,
		`rollback`:                  Rollback,
		`abort work`:                Rollback,
		`rollback to savepoint a`:   Statement,
		`rollback work to a`:        Statement,
		`begin; update t set a = 1`: Statement,
		`select 1`:                  Statement,
		`beginning`:                 Statement,
		``:                          Statement,
		`-- nothing`:                Statement,
		`/* open`:                   Statement,
	} {
		if got := kindOf(sql); got != want {
			t.Errorf("kindOf(%q) = %s, want %s", sql, got, want)
		}
	}
}

func TestMentionsTime(t *testing.T) {
	for sql, want := range map[string]bool{
		`select now()`:                            true,
		`select pg_catalog.Now ( )`:               true,
		`insert into t values (CURRENT_DATE)`:     true,
		`select 'now'::timestamptz`:               true,
		`select '--', localtime`:                  true,
		`select a from t where b<localtimestamp`:  true,
		`select nowhere, now_, clock_timestamp()`: false,
		`select 1`: false,
		``:         false,
	} {
		if got := mentionsTime(sql); got != want {
			t.Errorf("mentionsTime(%q) = %v, want %v", sql, got, want)
		}
	}
}

func TestIndependent(t *testing.T) {
	read, write := class{effect: Read}, class{effect: Write}
	commit := class{effect: Local, ends: true}
	rollback := class{effect: Local, ends: true, rollback: true}
	alone := class{effect: Write, ends: true}
	checked := class{effect: Local, ends: true, checks: true}
	serializable := class{effect: Read, serializable: true}
	for _, test := range []struct {
		name    string
		a, b    class
		blocked bool
		want    bool
	}{
		{"two reads", read, read, false, true},
		{"two reads, somebody waits", read, read, true, true},
		{"read and write", read, write, false, true},
		{"two writes", write, write, false, false},
		{"read and commit", read, commit, false, false},
		{"read and rollback", read, rollback, false, true},
		{"read and rollback, somebody waits", read, rollback, true, false},
		{"write and commit", write, commit, false, false},
		{"write and rollback", write, rollback, false, false},
		{"two commits", commit, commit, false, true},
		{"two commits, somebody waits", commit, commit, true, false},
		{"commit and rollback", commit, rollback, false, true},
		{"two commits that check", commit, checked, false, false},
		{"read and autocommit", read, alone, false, false},
		{"commit and autocommit", commit, alone, false, false},
		{"reads, one serializable", read, serializable, false, false},
		{"read and unknown", read, class{}, false, false},
		{"reads, one with consequences", read, class{effect: Read, wide: true}, false, false},
	} {
		for range 2 {
			if got := independent(test.a, test.b, test.blocked); got != test.want {
				t.Errorf("%s: %v, want %v", test.name, got, test.want)
			}
			test.a, test.b = test.b, test.a
		}
	}
}

func TestArgText(t *testing.T) {
	n := 5
	var none *int
	var noTime *time.Time
	for _, test := range []struct {
		value any
		want  string
	}{
		{nil, "NULL"},
		{none, "NULL"},
		{noTime, "NULL"},
		{&n, "5"},
		{"it's", "it's"},
		{[]byte{1, 0xab}, `\x01ab`},
		{[]byte(nil), "NULL"},
		{[]string{"a", "b"}, "{a,b}"},
		{[]*int{&n, nil}, "{5,NULL}"},
		{[]int(nil), "NULL"},
		{[16]byte{0x12, 15: 0x34}, "12000000-0000-0000-0000-000000000034"},
		{time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC), "2026-01-02T03:04:05.000006Z"},
		{90 * time.Second, "1m30s"},
		{true, "true"},
	} {
		if got := argText(test.value); got != test.want {
			t.Errorf("argText(%#v) = %q, want %q", test.value, got, test.want)
		}
	}
}

func TestKeepPrefersFewSwitches(t *testing.T) {
	run := func(id string, clients ...int) *Run {
		r := &Run{ID: id}
		for _, c := range clients {
			r.Steps = append(r.Steps, Step{Client: c, Kind: Statement})
		}
		return r
	}
	var r Result
	for _, one := range []*Run{run("a", 0, 1, 0, 1), run("b", 0, 1, 0), run("c", 0, 0, 1, 1, 1), run("d", 0, 1, 1), run("e", 1, 0, 0)} {
		r.keep(one, 3)
	}
	got := ""
	for _, kept := range r.Counterexamples {
		got += kept.ID
	}
	if got != "dec" {
		t.Errorf("kept %q, want %q", got, "dec")
	}
}

func TestSeveral(t *testing.T) {
	for sql, want := range map[string]bool{
		`select 1`:            false,
		`select 1; -- done`:   false,
		`commit;;`:            false,
		`select 1; select 2`:  true,
		`commit; begin`:       true,
		`/* a; b */ select 1`: true, // taken for two, which is safe
	} {
		if got := several(sql); got != want {
			t.Errorf("several(%q) = %v, want %v", sql, got, want)
		}
	}
}

func TestTextOfSeveralStatementsIsUnknown(t *testing.T) {
	read := func(string) Effect { return Read }
	c, local := classify(single(`select 1; update t set a = 1; commit`, nil), true, read)
	if c.effect != Unknown || !c.ends || !c.explicit || local {
		t.Errorf("%+v, local %v", c, local)
	}
}

func TestEarKnowsWhichWaitWasChecked(t *testing.T) {
	nudges := make(chan struct{}, 1)
	e := &ear{nudge: nudges}
	for _, test := range []struct{ severity, message, lock string }{
		{"LOG", "process 7 still waiting for ShareLock on transaction 734 after 1.017 ms", "ShareLock on transaction 734"},
		{"NOTICE", "a client's own, about still waiting for dinner after work", "ShareLock on transaction 734"},
		{"LOG", "process 7 acquired ShareLock on transaction 734 after 3.000 ms", ""},
		{"LOG", "process 7 avoided deadlock for ShareLock on transaction 9 by rearranging queue order after 1.1 ms", ""},
		{"LOG", "process 7 still waiting for ExclusiveLock on tuple (0,1) of relation 5 of database 6 after 1.2 ms", "ExclusiveLock on tuple (0,1) of relation 5 of database 6"},
	} {
		e.hear(nil, &pgconn.Notice{SeverityUnlocalized: test.severity, Message: test.message})
		if got := e.lock(); got != test.lock {
			t.Errorf("after %q the lock is %q, want %q", test.message, got, test.lock)
		}
	}
	if len(nudges) != 1 {
		t.Error("nobody was woken")
	}
	e.forget()
	if got := e.lock(); got != "" {
		t.Errorf("after the statement the lock is still %q", got)
	}
}

func TestQueued(t *testing.T) {
	waits := func(client int) Step { return Step{Client: client, State: Waiting} }
	for _, test := range []struct {
		steps []Step
		want  bool
	}{
		{nil, false},
		{[]Step{{Client: 0, State: Done}, {Client: 1, State: Stopped}}, false},
		{[]Step{waits(1), waits(1)}, false}, // one client that waits twice has no rival
		{[]Step{waits(1), {Client: 0, State: Done}, waits(2)}, true},
	} {
		if got := queued(&Run{Steps: test.steps}); got != test.want {
			t.Errorf("%+v: %v", test.steps, got)
		}
	}
}
