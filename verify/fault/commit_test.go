package fault_test

import (
	"net"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pawldb/pawl/internal/devdb/pgtest"
	"github.com/pawldb/pawl/internal/faultproxy"
)

// Versions 5.9.1 and 5.9.2 of pgx called a COMMIT whose answer was lost safe to
// retry, though it had been executed. Whatever the driver is upgraded to: an end
// of the connection during COMMIT, or during a statement that commits by itself,
// is an error, and never one that is safe to retry.
func TestDriverNeverRetriesWhatMayBeDone(t *testing.T) {
	statements := map[string]struct {
		match faultproxy.Matcher
		run   func(*testing.T, *pgx.Conn) error
	}{
		"COMMIT": {faultproxy.Commit, func(t *testing.T, conn *pgx.Conn) error {
			tx, err := conn.Begin(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := tx.Exec(t.Context(), `INSERT INTO loose VALUES ('a')`); err != nil {
				t.Fatal(err)
			}
			return tx.Commit(t.Context())
		}},
		"statement without arguments": {faultproxy.Runs("INSERT"), func(t *testing.T, conn *pgx.Conn) error {
			_, err := conn.Exec(t.Context(), `INSERT INTO loose VALUES ('a')`)
			return err
		}},
		"statement with arguments": {faultproxy.Runs("INSERT"), func(t *testing.T, conn *pgx.Conn) error {
			_, err := conn.Exec(t.Context(), `INSERT INTO loose VALUES ($1)`, "a")
			return err
		}},
		"batch": {faultproxy.Runs("INSERT"), func(t *testing.T, conn *pgx.Conn) error {
			var b pgx.Batch
			b.Queue(`INSERT INTO loose VALUES ($1)`, "a")
			return conn.SendBatch(t.Context(), &b).Close()
		}},
	}
	direct := connect(t, database(t, pgtest.URL(t)))
	for _, loss := range []struct {
		name   string
		action faultproxy.Action
		rows   int
	}{
		{"cut before it was sent", faultproxy.Cut, 0},
		{"cut after it was executed", faultproxy.SwallowReply, 1},
	} {
		for name, statement := range statements {
			t.Run(loss.name+"/"+name, func(t *testing.T) {
				if _, err := direct.Exec(t.Context(), `TRUNCATE loose`); err != nil {
					t.Fatal(err)
				}
				proxy, err := faultproxy.Start(func() (net.Conn, error) {
					return net.Dial(pgconn.NetworkAddress(direct.Config().Host, direct.Config().Port))
				}, faultproxy.On(statement.match, loss.action))
				if err != nil {
					t.Fatal(err)
				}
				defer proxy.Close()
				err = statement.run(t, connect(t, proxy.URL(direct.Config().User, direct.Config().Database)))
				if err == nil || pgconn.SafeToRetry(err) {
					t.Errorf("error %v, safe to retry: %t", err, pgconn.SafeToRetry(err))
				}
				var rows int
				if err := direct.QueryRow(t.Context(), `SELECT count(*) FROM loose`).Scan(&rows); err != nil {
					t.Fatal(err)
				}
				if rows != loss.rows {
					t.Errorf("%d rows, want %d", rows, loss.rows)
				}
			})
		}
	}
}
