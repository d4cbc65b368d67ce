package cli

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/internal/devdb/pgtest"
)

// smallSpec is a project of one table.
const smallSpec = `pawl {
  project = "rooms"
  schema  = "app"
}

table "rooms" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "name" { type = text }
  primary_key { columns = [id] }
  no_duplicates "name" { columns = [name] }
}
`

// background is a pawl that runs beside the test.
type background struct {
	cmd    *exec.Cmd
	mu     sync.Mutex
	stderr bytes.Buffer
}

// Write keeps what pawl says.
func (b *background) Write(text []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.stderr.Write(text)
}

func (b *background) said() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.stderr.String()
}

// start starts pawl in a folder. stdin may be nil.
func start(t *testing.T, dir string, stdin *os.File, args ...string) *background {
	t.Helper()
	b := &background{cmd: exec.Command("pawl", args...)}
	b.cmd.Dir = dir
	b.cmd.Stderr = b
	if stdin != nil {
		b.cmd.Stdin = stdin
	}
	if err := b.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.cmd.Process.Kill() })
	return b
}

// until waits for something to become true.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatalf("after 30 s still not so: %s", what)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// interrupt presses Ctrl-C once and returns the exit code.
func (b *background) interrupt(t *testing.T) int {
	t.Helper()
	if err := b.cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := b.cmd.Wait(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return b.cmd.ProcessState.ExitCode()
}

// A Ctrl-C while a step waits for a lock: exit code 130, nothing half done, and
// the next apply goes on.
func TestInterruptedApply(t *testing.T) {
	dir := folder(t, map[string]string{"rooms.hcl": smallSpec})
	url := pgtest.URL(t)
	mustRun(t, dir, "apply", "--yes", "--url", url)
	blocker, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer blocker.Close(context.Background())
	mustExec(t, blocker, "BEGIN; LOCK TABLE app.rooms IN ACCESS EXCLUSIVE MODE")

	more := strings.Replace(smallSpec, `column "name"`, "column \"floor\" {\n    type = integer\n    null = true\n  }\n  column \"name\"", 1)
	if err := os.WriteFile(filepath.Join(dir, "rooms.hcl"), []byte(more), 0o644); err != nil {
		t.Fatal(err)
	}
	pawl := start(t, dir, nil, "apply", "--yes", "--url", url)
	watcher, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer watcher.Close(context.Background())
	until(t, "apply waits for the lock", func() bool {
		var waits bool
		err := watcher.QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND locktype = 'relation')").Scan(&waits)
		if err != nil {
			t.Fatal(err)
		}
		return waits
	})
	if code := pawl.interrupt(t); code != exitInterrupted {
		t.Fatalf("exit code %d, not %d; it said:\n%s", code, exitInterrupted, pawl.said())
	}
	if !strings.Contains(pawl.said(), "interrupted") {
		t.Errorf("it did not say that it was interrupted:\n%s", pawl.said())
	}
	mustExec(t, blocker, "ROLLBACK")
	mustRun(t, dir, "apply", "--yes", "--url", url)
	mustRun(t, dir, "plan", "--detailed-exitcode", "--url", url)
}

// A server that does not answer: it is said what pawl waits for, and a Ctrl-C
// ends the wait.
func TestInterruptedConnect(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	dir := folder(t, map[string]string{"rooms.hcl": smallSpec})
	pawl := start(t, dir, nil, "plan", "--url", "postgres://app:s3cret@"+silent.Addr().String()+"/shop")
	until(t, "it says what it waits for", func() bool {
		return strings.Contains(pawl.said(), "connecting to app@"+silent.Addr().String()+"/shop …")
	})
	if code := pawl.interrupt(t); code != exitInterrupted {
		t.Errorf("exit code %d, not %d", code, exitInterrupted)
	}
	if strings.Contains(pawl.said(), "s3cret") {
		t.Errorf("it told the password:\n%s", pawl.said())
	}
}

func mustRun(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("pawl", args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("pawl %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func mustExec(t *testing.T, conn *pgx.Conn, sql string) {
	t.Helper()
	if _, err := conn.PgConn().Exec(t.Context(), sql).ReadAll(); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}
