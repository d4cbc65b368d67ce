//go:build unix

package pawl_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	osexec "os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pawldb/pawl/pawl"
)

var takeovers = flag.Int("takeovers", 4, "how often TestLeadersAsProcesses has leadership taken over, for each form of leader")

// sectionsSQL keeps what the judge looks at: for each guarded transaction the moments,
// numbered by one sequence, at which it was inside and at which it committed, and for
// each term when it began and what the lease before it was.
const sectionsSQL = `
CREATE SEQUENCE app.moments;
CREATE TABLE app.sections (
  term bigint NOT NULL,
  holder text NOT NULL,
  entered bigint PRIMARY KEY DEFAULT nextval('app.moments')
);
CREATE TABLE app.section_ends (entered bigint NOT NULL, ended bigint NOT NULL);
CREATE FUNCTION app.section_ends() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO app.section_ends VALUES (NEW.entered, nextval('app.moments'));
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER ends AFTER INSERT ON app.sections
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION app.section_ends();
CREATE TABLE app.terms (
  term bigint PRIMARY KEY,
  holder text NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  lease_before timestamptz NOT NULL
);
CREATE FUNCTION app.term_begins() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO app.terms (term, holder, lease_before) VALUES (NEW.term, NEW.holder, OLD.lease_until);
  RETURN NULL;
END $$;
CREATE TRIGGER begins AFTER UPDATE ON app.pawl_leader
  FOR EACH ROW WHEN (OLD.term <> NEW.term) EXECUTE FUNCTION app.term_begins();
`

// The judge's questions; each counts what must not be.
var verdicts = map[string]string{
	"a section of one term within one of another, or behind one of a later term": `
SELECT count(*) FROM (
  SELECT entered, max(ended) OVER (ORDER BY term ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
  FROM (SELECT term, min(entered) AS entered, max(ended) AS ended FROM app.sections JOIN app.section_ends USING (entered) GROUP BY term) AS of_term
) AS terms WHERE entered < before`,
	"a section of somebody whose term it was not": `
SELECT count(*) FROM app.sections AS s LEFT JOIN app.terms AS t ON t.term = s.term AND t.holder = s.holder WHERE t.term IS NULL`,
	"a term that began before the lease of the last one was over": `
SELECT count(*) FROM app.terms WHERE lease_before > at AND lease_before < 'infinity'`,
	"a term that was left out": `
SELECT coalesce(max(term), 0) - count(*) FROM app.terms`,
}

// What is done to a leader.
type blow string

const (
	paused  blow = "paused"   // and wakes up when somebody else leads
	killed  blow = "killed"   // by SIGKILL
	cutOff  blow = "cut off"  // all its connections are terminated
	seatCut blow = "lock cut" // the connection of its session lock is
)

// arena is a database for which processes contend.
type arena struct {
	*testing.T
	pool      *pgxpool.Pool
	url       string
	form      contender // what all of them have in common
	processes map[string]*process
	started   int
	took      map[blow][]time.Duration
}

// process is a contender that runs.
type process struct {
	contender
	cmd   *osexec.Cmd
	alive io.Closer // its standard input
}

// The leases are short, so that a thousand can run out, and the clocks of two of four
// contenders are wrong by a factor of ten.
const (
	contendedLease = 60 * time.Millisecond
	sectionIdle    = 3 * contendedLease
)

var clocks = []float64{1, 1, 0.1, 10}

func newArena(t *testing.T, form contender) *arena {
	t.Helper()
	url := database(t)
	a := &arena{T: t, url: url, pool: connect(t, url), form: form, processes: map[string]*process{}, took: map[blow][]time.Duration{}}
	_, err := a.pool.Exec(t.Context(), sectionsSQL, pgx.QueryExecModeSimpleProtocol)
	must(t, err)
	for _, clock := range clocks {
		a.start(clock)
	}
	t.Cleanup(func() {
		for _, p := range a.processes {
			_ = p.cmd.Process.Kill()
			_ = p.cmd.Wait()
		}
	})
	return a
}

// start starts a contender whose clock runs so fast.
func (a *arena) start(clock float64) {
	a.Helper()
	a.started++
	p := &process{contender: a.form}
	p.Name, p.URL, p.Clock, p.Lease = fmt.Sprintf("contender %d", a.started), a.url, clock, contendedLease
	config, err := json.Marshal(p.contender)
	must(a, err)
	self, err := os.Executable()
	must(a, err)
	p.cmd = osexec.Command(self)
	p.cmd.Env = append(os.Environ(), contenderVariable+"="+string(config))
	p.alive, err = p.cmd.StdinPipe()
	must(a, err)
	said, err := p.cmd.StderrPipe()
	must(a, err)
	must(a, p.cmd.Start())
	go func() {
		for lines := bufio.NewScanner(said); lines.Scan(); {
			a.Log(p.Name, "says:", lines.Text())
		}
	}()
	a.processes[p.Name] = p
}

// reigning waits for a term after one, and returns its number and who has it.
func (a *arena) reigning(after int64) (term int64, holder string) {
	a.Helper()
	a.until(func() bool {
		err := a.pool.QueryRow(a.Context(), "SELECT term, holder FROM app.terms WHERE term > $1 ORDER BY term DESC LIMIT 1", after).Scan(&term, &holder)
		return err == nil
	})
	return term, holder
}

// until waits for a condition.
func (a *arena) until(holds func() bool) {
	a.Helper()
	for end := time.Now().Add(30 * time.Second); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			a.Fatal("nobody leads any more")
		}
	}
}

// inside reports whether a guarded transaction of a process is open and waits for it.
func (a *arena) inside(holder string) bool {
	return number(a, a.pool, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1 AND state = 'idle in transaction'", holder) > 0
}

// strike does something to a leader that makes another one lead, and notes how long
// that took by the clock of the database.
func (a *arena) strike(with blow, term int64, holder string) {
	a.Helper()
	p := a.processes[holder]
	if with == paused && rand.N(2) == 0 { // in the middle of a section, when there is one
		for end := time.Now().Add(20 * time.Millisecond); !a.inside(holder) && time.Now().Before(end); {
			time.Sleep(time.Millisecond)
		}
	}
	var struck time.Time
	must(a, a.pool.QueryRow(a.Context(), "SELECT clock_timestamp()").Scan(&struck))
	terminate := "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1"
	switch with {
	case paused:
		must(a, p.cmd.Process.Signal(syscall.SIGSTOP))
		if p.Session { // its session lives on: nobody else leads until that ends
			number(a, a.pool, terminate, holder)
		}
	case killed:
		must(a, p.cmd.Process.Kill())
		_ = p.cmd.Wait()
		delete(a.processes, holder)
		a.start(p.Clock)
	case cutOff:
		number(a, a.pool, terminate, holder)
	case seatCut:
		number(a, a.pool, terminate+" AND pid IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory')", holder)
	}
	if with == cutOff && !p.Session {
		return // it may renew in time by another connection, and lead on
	}
	next, _ := a.reigning(term)
	var began time.Time
	must(a, a.pool.QueryRow(a.Context(), "SELECT min(at) FROM app.terms WHERE term > $1", term).Scan(&began))
	a.took[with] = append(a.took[with], began.Sub(struck))
	if with == paused {
		// It wakes up beside a leader who is at work.
		a.until(func() bool { return number(a, a.pool, "SELECT count(*) FROM app.sections WHERE term >= $1", next) > 0 })
		must(a, p.cmd.Process.Signal(syscall.SIGCONT))
	}
}

// workedOrOver counts the guarded transactions of a term, and the terms behind it.
const workedOrOver = "SELECT (SELECT count(*) FROM app.sections WHERE term = $1) + (SELECT count(*) FROM app.terms WHERE term > $1)"

// contest lets leadership be taken over so often, or until done says that it is
// enough, and returns how often that was.
func (a *arena) contest(takeovers int, done func() bool) int64 {
	a.Helper()
	blows := []blow{paused, killed, cutOff}
	if a.form.Session {
		blows = append(blows, seatCut)
	}
	term, struck := int64(0), 0
	for (term < int64(takeovers)+1 || struck < min(takeovers, len(blows))) && !done() {
		var holder string
		term, holder = a.reigning(term)
		if rand.N(4) > 0 { // mostly it has begun to work
			a.until(func() bool { return number(a, a.pool, workedOrOver, term) > 0 })
		}
		time.Sleep(rand.N(contendedLease / 4))
		if number(a, a.pool, "SELECT max(term) FROM app.terms") != term {
			continue // it has resigned meanwhile, or its clock was wrong
		}
		if a.processes[holder] == nil {
			continue // it was killed, and the server has still run the campaign that it had sent
		}
		a.strike(blows[struck%len(blows)], term, holder)
		struck++
	}
	return term - 1
}

// judge asks the database what happened, and returns what must not have.
func (a *arena) judge() (wrong []string) {
	a.Helper()
	for what, sql := range verdicts {
		if n := number(a, a.pool, sql); n != 0 {
			wrong = append(wrong, fmt.Sprintf("%d times %s", n, what))
		}
	}
	slices.Sort(wrong)
	return wrong
}

// report says how often leadership was taken over, and how long that took.
func (a *arena) report(taken int64) {
	sections := number(a, a.pool, "SELECT count(*) FROM app.sections")
	a.Logf("%d takeovers, %d guarded transactions", taken, sections)
	for _, with := range []blow{paused, killed, cutOff, seatCut} {
		if took := a.took[with]; len(took) > 0 {
			slices.Sort(took)
			a.Logf("a leader that is %s: replaced after p50 %v, p95 %v, max %v (%d times)", with,
				took[len(took)/2].Round(time.Millisecond), took[len(took)*95/100].Round(time.Millisecond), took[len(took)-1].Round(time.Millisecond), len(took))
		}
	}
}

// The clock of a process decides nothing: one whose clock is slow is still sure that it
// leads when the server's clock has ended its lease, and its guard refuses; one whose
// clock is fast cannot begin before that.
func TestWrongClocks(t *testing.T) {
	pool, s := open(t)
	contending := func(clock float64) pawl.Leader {
		c := contender{Lease: 500 * time.Millisecond, Clock: clock}
		return c.leader()
	}
	slow, fast := contending(0.01), contending(100)
	must(t, pawl.Lead(t.Context(), s, &slow, func(ctx cx, old pawl.Term) error {
		until := text(t, pool, "SELECT lease_until::text FROM app.pawl_leader")
		must(t, pawl.Lead(t.Context(), s, &fast, func(_ cx, next pawl.Term) error {
			if next.Number() == old.Number()+1 { // to its own clock each term is over at once, and it begins another
				early := number(t, pool, "SELECT count(*) FROM app.pawl_leader WHERE since < $1::text::timestamptz", until)
				want(t, "terms in the middle of a lease", early, int64(0))
			}
			return nil
		}, pawl.LeadPoll(5*time.Millisecond), quiet()))
		must(t, ctx.Err()) // it knows nothing of it
		_, err := pawl.InTx(ctx, s, func(ctx cx, tx *pawl.Session) (int, error) { return 0, old.Guard(ctx, tx) })
		want(t, "lost", errors.Is(err, pawl.ErrTermLost), true)
		return nil
	}, quiet()))
}

// Processes contend for leadership. They are stopped and woken up, killed, cut off
// from the database, and two have clocks that are wrong by a factor of ten. Never are
// there two terms within one guarded transaction, or one behind a later one.
func TestLeadersAsProcesses(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-long runs it, with as many takeovers as it is told")
	}
	never := func() bool { return false }
	for name, form := range map[string]contender{"lease": {Idle: sectionIdle}, "session": {Idle: sectionIdle, Session: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newArena(t, form)
			taken := a.contest(*takeovers, never)
			if wrong := a.judge(); len(wrong) > 0 {
				t.Error(strings.Join(wrong, "\n"))
			}
			a.report(taken)
		})
		t.Run(name+" without the guard", func(t *testing.T) {
			t.Parallel()
			open := form
			open.Unguarded, open.Idle = true, 0
			a := newArena(t, open)
			caught := func() bool { return len(a.judge()) > 0 }
			if taken := a.contest(50, caught); !caught() {
				t.Errorf("nothing is wrong after %d takeovers: the test proves nothing", taken)
			}
		})
	}
}
