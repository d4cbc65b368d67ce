package devdb

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// childEnv makes the test binary a child process that only uses a server: what
// happens when a process dies can be seen from another process only.
const childEnv = "DEVDB_TEST_CHILD"

func TestMain(m *testing.M) {
	if text, ok := os.LookupEnv(childEnv); ok {
		if err := childMain(text); err != nil {
			fmt.Println(mustJSON(report{Err: err.Error()}))
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// task tells a child what to do.
type task struct {
	Dir    string // persistent, or "" for a temporary server
	BinDir string
	Notify bool // handle an interrupt: query the server, then stop it

	// Repository is where to fetch PostgreSQL from, of major FetchMajor.
	Repository string
	FetchMajor int
}

// report is a line of what a child says.
type report struct {
	PID    int
	Dir    string
	URL    string
	BinDir string
	Note   string
	Err    string
}

func mustJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// childMain starts or joins a server, reports it and keeps it until its standard
// input ends or, with Notify, an interrupt comes.
func childMain(text string) error {
	var job task
	if err := json.Unmarshal([]byte(text), &job); err != nil {
		return err
	}
	ctx := context.Background()
	if job.Notify {
		var stop context.CancelFunc
		ctx, stop = signal.NotifyContext(ctx, os.Interrupt)
		defer stop()
	}
	if job.Repository != "" {
		bin, err := fetchFrom(ctx, job.Repository, job.FetchMajor, io.Discard, ErrNotFound)
		if err != nil {
			return err
		}
		job.BinDir = bin.Dir
	}
	srv, err := Start(ctx, Options{Dir: job.Dir, BinDir: job.BinDir})
	if err != nil {
		return err
	}
	fmt.Println(mustJSON(report{PID: srv.PID(), Dir: srv.Dir(), URL: srv.URL("postgres"), BinDir: srv.Binaries().Dir}))
	released := make(chan struct{})
	go func() {
		io.Copy(io.Discard, os.Stdin)
		close(released)
	}()
	select {
	case <-released:
	case <-ctx.Done():
		// A server in the terminal's process group would be shutting down by now.
		time.Sleep(300 * time.Millisecond)
		if err := ping(srv.URL("postgres")); err != nil {
			return fmt.Errorf("after the interrupt: %w", err)
		}
		fmt.Println(mustJSON(report{Note: "interrupted, server alive"}))
	}
	return srv.Stop(context.Background())
}

// child is a running child process.
type child struct {
	t     *testing.T
	cmd   *exec.Cmd
	stdin io.Closer
	lines *bufio.Scanner
	report
}

// spawn starts a child as user uid (-1: this one's user), in a process group of
// its own, and waits for its first report.
func spawn(t *testing.T, job task, uid int) *child {
	t.Helper()
	c := launchChild(t, job, uid)
	c.report = c.next()
	return c
}

// launchChild is spawn that does not wait for the report.
func launchChild(t *testing.T, job task, uid int) *child {
	t.Helper()
	if job.BinDir == "" {
		job.BinDir = os.Getenv(binEnv)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Env = append(os.Environ(), childEnv+"="+mustJSON(job))
	if uid >= 0 {
		cmd.Path = publicCopy(t, self)
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}
		cmd.Env = append(cmd.Env, "HOME=/nonexistent")
		cmd.Dir = "/"
	}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return &child{t: t, cmd: cmd, stdin: stdin, lines: bufio.NewScanner(stdout)}
}

// publicCopy copies the test binary to where every user may run it.
func publicCopy(t *testing.T, self string) string {
	t.Helper()
	dir := publicTempDir(t)
	to := filepath.Join(dir, "devdb.test")
	if err := copyFile(self, to); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(to, 0o755); err != nil {
		t.Fatal(err)
	}
	return to
}

// publicTempDir is t.TempDir in a place that every user may enter.
func publicTempDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "devdb-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// next reads the child's next report, which must not be an error.
func (c *child) next() report {
	c.t.Helper()
	if !c.lines.Scan() {
		c.t.Fatalf("the child ended without a word: %v", c.lines.Err())
	}
	var r report
	if err := json.Unmarshal(c.lines.Bytes(), &r); err != nil {
		c.t.Fatalf("%s: %v", c.lines.Text(), err)
	}
	if r.Err != "" {
		c.t.Fatalf("child: %s", r.Err)
	}
	return r
}

// release lets the child stop its server and end.
func (c *child) release() {
	c.t.Helper()
	c.stdin.Close()
	c.wait()
}

func (c *child) wait() {
	c.t.Helper()
	if err := c.cmd.Wait(); err != nil {
		c.t.Fatalf("child: %v", err)
	}
}

// kill9 kills the child and waits until it is dead.
func (c *child) kill9() {
	c.t.Helper()
	if err := c.cmd.Process.Kill(); err != nil {
		c.t.Fatal(err)
	}
	c.cmd.Wait()
}

func ping(url string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	return conn.Ping(ctx)
}

// run executes statements on a database and fails the test when one fails.
func run(t *testing.T, url string, statements ...string) {
	t.Helper()
	conn := connect(t, url)
	for _, statement := range statements {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// ask returns the one text value that a query gives.
func ask(t *testing.T, url, query string) string {
	t.Helper()
	var answer string
	if err := connect(t, url).QueryRow(t.Context(), query).Scan(&answer); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return answer
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

// start starts a server that the test stops at its end at the latest.
func start(t *testing.T, o Options) *Server {
	t.Helper()
	if o.BinDir == "" {
		o.BinDir = os.Getenv(binEnv)
	}
	srv, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := srv.Stop(context.Background()); err != nil {
			t.Errorf("stop: %v", err)
		}
	})
	return srv
}

// binEnv is pgtest.BinEnv, which this package's own tests cannot import.
const binEnv = "PAWL_TEST_PG_BIN"

// eventually waits for a condition that another process brings about.
func eventually(t *testing.T, what string, met func() bool) {
	t.Helper()
	deadline := time.Now().Add(15 * time.Second)
	for !met() {
		if time.Now().After(deadline) {
			t.Fatalf("still not so after 15 s: %s", what)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func gone(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, os.ErrNotExist)
}

// dead reports whether a process has ended; a zombie has.
func dead(pid int) bool {
	if err := syscall.Kill(pid, 0); errors.Is(err, syscall.ESRCH) {
		return true
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return errors.Is(err, os.ErrNotExist) && !gone("/proc/self")
	}
	// pid (name) STATE …; the name may contain anything.
	_, after, _ := strings.Cut(string(stat), ") ")
	return strings.HasPrefix(after, "Z")
}

// ended waits until a process is dead. A server removes its pid file, which is what
// stopping waits for, a moment before it ends.
func ended(pid int) bool {
	for range 100 {
		if dead(pid) {
			return true
		}
		time.Sleep(20 * time.Millisecond)
	}
	return false
}

// psql connects with PostgreSQL's own client, where it is installed.
func psql(t *testing.T, url string) {
	t.Helper()
	client, err := exec.LookPath("psql")
	if err != nil {
		t.Log("psql is not installed")
		return
	}
	if out, err := exec.Command(client, url, "-c", "SELECT 1").CombinedOutput(); err != nil {
		t.Errorf("psql %s: %v\n%s", url, err, out)
	}
}
