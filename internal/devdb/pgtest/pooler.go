package pgtest

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/internal/devdb"
)

// PoolerServers is how many connections to a database a [Pooler] opens: fewer
// than a test has clients, so that they have to share.
const PoolerServers = 4

// Pooler is PgBouncer in transaction mode in front of a test's server: each
// transaction of a client goes to the server connection that has waited longest,
// so that no client can count on finding its own again.
type Pooler struct{ dir string }

// poolerPort is part of the socket's file name; nothing listens on TCP.
const poolerPort = 6432

// StartPooler starts a pooler in front of srv. It ends with the test, and with
// the process however that ends. A machine without PgBouncer fails the test.
func StartPooler(t testing.TB, srv *devdb.Server) *Pooler {
	t.Helper()
	binary, err := findPooler()
	if err != nil {
		t.Fatal(err)
	}
	// Not t.TempDir: the path of a unix socket must be short.
	dir, err := os.MkdirTemp("", "pooler")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	p := &Pooler{dir: dir}
	config := filepath.Join(dir, "pgbouncer.ini")
	if err := p.configure(config, srv); err != nil {
		t.Fatal(err)
	}
	// The shell waits for the end of its input, which comes with our own end.
	cmd := exec.Command("sh", "-c", `"$0" -q "$1" & read -r _; kill "$!"; wait "$!"`, binary, config)
	srv.RunAs(cmd)
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	hold, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = hold.Close()
		_ = cmd.Wait() // the shell's status is that of a process that was killed
	})
	if err := p.awaitStart(t.Context()); err != nil {
		_ = hold.Close()
		_ = cmd.Wait()
		t.Fatalf("PgBouncer did not start: %v\n%s", err, output.String())
	}
	return p
}

// URL is the address of a database by way of the pooler.
func (p *Pooler) URL(database string) string {
	query := url.Values{"host": {p.dir}, "port": {fmt.Sprint(poolerPort)}, "sslmode": {"disable"}}
	return "postgres://postgres@/" + url.PathEscape(database) + "?" + query.Encode()
}

func findPooler() (string, error) {
	// Debian keeps it where an ordinary user's PATH does not look.
	for _, name := range []string{"pgbouncer", "/usr/sbin/pgbouncer"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("these tests need PgBouncer: apt-get install pgbouncer")
}

// configure writes the pooler's settings where the server's user can read them.
func (p *Pooler) configure(path string, srv *devdb.Server) error {
	server, err := pgx.ParseConfig(srv.URL("postgres"))
	if err != nil {
		return err
	}
	text := fmt.Sprintf(`[databases]
* = host=%s port=%d user=%s
[pgbouncer]
unix_socket_dir = %s
listen_port = %d
auth_type = any
pool_mode = transaction
default_pool_size = %d
server_round_robin = 1
max_client_conn = 200
`, server.Host, server.Port, server.User, p.dir, poolerPort, PoolerServers)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		return err
	}
	return srv.Own(p.dir)
}

// awaitStart waits until the pooler passes a connection on.
func (p *Pooler) awaitStart(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, p.URL("postgres"))
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(10 * time.Millisecond):
		}
	}
}
