package faultproxy_test

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/pawldb/pawl/internal/devdb/pgtest"
	"github.com/pawldb/pawl/internal/faultproxy"
)

// through opens a connection through a new proxy and one past it, to the same
// database, which holds an empty table seat.
func through(t *testing.T, rules ...faultproxy.Rule) (proxy *faultproxy.Proxy, via, direct *pgx.Conn) {
	t.Helper()
	config, err := pgx.ParseConfig(pgtest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	proxy, err = faultproxy.Start(func() (net.Conn, error) {
		network, address := pgconn.NetworkAddress(config.Host, config.Port)
		return net.Dial(network, address)
	}, rules...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := proxy.Close(); err != nil {
			t.Error(err)
		}
	})
	direct = connect(t, config.ConnString())
	if _, err := direct.Exec(t.Context(), `CREATE TABLE seat (id int)`); err != nil {
		t.Fatal(err)
	}
	return proxy, connect(t, proxy.URL(config.User, config.Database)), direct
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func seats(t *testing.T, conn *pgx.Conn) (n int) {
	t.Helper()
	if err := conn.QueryRow(t.Context(), `SELECT count(*) FROM seat`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestForwardsAndKnowsTheSQL(t *testing.T) {
	proxy, via, direct := through(t)
	insert := `INSERT INTO seat VALUES ($1)`
	for id := range 2 {
		if _, err := via.Exec(t.Context(), insert, id); err != nil {
			t.Fatal(err)
		}
	}
	if n := seats(t, direct); n != 2 {
		t.Errorf("%d seats", n)
	}
	var texts []string
	for _, f := range proxy.Frames() {
		if f.EndsRoundTrip() {
			texts = append(texts, f.SQL)
		}
	}
	// The first round trip prepares and executes nothing.
	if got := strings.Join(texts, "|"); got != "|"+insert+"|"+insert {
		t.Errorf("round trips carried %q", got)
	}
	if n := proxy.RoundTrips(); n != 3 {
		t.Errorf("%d round trips", n)
	}
	proxy.Reset()
	if n := proxy.RoundTrips(); n != 0 {
		t.Errorf("%d round trips after Reset", n)
	}
}

func TestCutLosesTheMessage(t *testing.T) {
	_, via, direct := through(t, faultproxy.On(faultproxy.Runs("INSERT"), faultproxy.Cut))
	if _, err := via.Exec(t.Context(), `INSERT INTO seat VALUES (1)`); err == nil {
		t.Error("the client was not told")
	}
	if n := seats(t, direct); n != 0 {
		t.Errorf("%d seats, though the server never saw the message", n)
	}
}

func TestSwallowReplyLosesTheAnswer(t *testing.T) {
	for name, args := range map[string][]any{"simple": nil, "extended": {pgx.QueryExecModeExec, 1}} {
		t.Run(name, func(t *testing.T) {
			_, via, direct := through(t, faultproxy.On(faultproxy.Runs("INSERT"), faultproxy.SwallowReply))
			sql := `INSERT INTO seat VALUES (1)`
			if args != nil {
				sql = `INSERT INTO seat VALUES ($1::int)`
			}
			if _, err := via.Exec(t.Context(), sql, args...); err == nil {
				t.Error("the client got an answer")
			}
			if n := seats(t, direct); n != 1 {
				t.Errorf("%d seats, though the server had answered before the cut", n)
			}
		})
	}
}

func TestDelay(t *testing.T) {
	_, via, _ := through(t, faultproxy.On(faultproxy.Runs("SELECT 1"), faultproxy.Delay))
	start := time.Now()
	if _, err := via.Exec(t.Context(), `SELECT 1`); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(start); took < faultproxy.DelayTime {
		t.Errorf("it took %s", took)
	}
}

func TestOnceAndCommit(t *testing.T) {
	proxy, via, _ := through(t, faultproxy.Once(faultproxy.Commit, faultproxy.Delay))
	for i, slow := range []bool{true, false} {
		if _, err := via.Exec(t.Context(), `BEGIN`); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if _, err := via.Exec(t.Context(), `COMMIT`); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); (took >= faultproxy.DelayTime) != slow {
			t.Errorf("commit %d took %s", i, took)
		}
	}
	proxy.SetRules(func(f faultproxy.Frame) faultproxy.Action {
		if _, ends := f.Message.(*pgproto3.Terminate); ends {
			return faultproxy.Cut
		}
		return faultproxy.Forward
	})
	if err := via.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
