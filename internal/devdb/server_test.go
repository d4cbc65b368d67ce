package devdb

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestTemporaryServer(t *testing.T) {
	t.Parallel()
	began := time.Now()
	srv := start(t, Options{Settings: map[string]string{"deadlock_timeout": "7ms", "max_connections": "50", "port": "1"}})
	t.Logf("PostgreSQL %s started in %v", srv.Binaries().Version, time.Since(began))

	url, drop, err := srv.Scratch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	run(t, url, `CREATE EXTENSION btree_gist`, `CREATE TABLE seat (id int PRIMARY KEY)`)
	for setting, want := range map[string]string{
		"server_encoding": "UTF8", "TimeZone": "UTC", "listen_addresses": "",
		"fsync": "off", "synchronous_commit": "on",
		"deadlock_timeout": "7ms", "max_connections": "50", // as asked for
		"port": "5432", // not open to the caller
	} {
		if got := ask(t, url, "SELECT current_setting('"+setting+"')"); got != want {
			t.Errorf("%s = %q, want %q", setting, got, want)
		}
	}
	if err := drop(t.Context()); err != nil { // although run's connection is still open
		t.Fatal(err)
	}
	if err := ping(url); err == nil {
		t.Errorf("the scratch database is still there after drop")
	}

	info, err := os.Stat(srv.Dir())
	if err != nil {
		t.Fatal(err)
	}
	if mode := info.Mode().Perm(); mode != 0o700 {
		t.Errorf("the server's folder has mode %o: others can reach its socket", mode)
	}
	if owner := info.Sys().(*syscall.Stat_t).Uid; owner == 0 {
		t.Errorf("the server's folder belongs to root, which cannot run it")
	}

	pid := srv.PID()
	for range 2 { // the second time it has nothing to do
		if err := srv.Stop(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if !dead(pid) || !gone(srv.Dir()) {
		t.Errorf("after Stop: server dead %v, folder gone %v", dead(pid), gone(srv.Dir()))
	}
}

func TestSecondStartNeedsNoInitdb(t *testing.T) {
	start(t, Options{}) // fills the cache
	var log bytes.Buffer
	start(t, Options{Log: &log})
	if log.Len() > 0 {
		t.Errorf("the second start was not served from the cache: %s", &log)
	}
}

func TestCacheStaysUsableWhenItsCopyFails(t *testing.T) {
	bin, err := choose(t.Context(), Options{BinDir: os.Getenv(binEnv)})
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	template, err := templateDir(bin)
	if err != nil {
		t.Fatal(err)
	}
	// A folder that is no data folder: its copy is made, then PostgreSQL would
	// refuse it; a link in it makes the copy itself fail.
	if err := os.MkdirAll(template, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/", filepath.Join(template, "link")); err != nil {
		t.Fatal(err)
	}
	if err := ping(start(t, Options{}).URL("postgres")); err != nil {
		t.Fatal(err)
	}
}

func TestTCPOnlyWhenAsked(t *testing.T) {
	t.Parallel()
	quiet, open := start(t, Options{}), start(t, Options{TCP: true})
	if url := quiet.TCPURL("postgres"); url != "" {
		t.Errorf("TCPURL = %q without Options.TCP", url)
	}
	if err := ping(open.TCPURL("postgres")); err != nil {
		t.Error(err)
	}
	if err := ping(open.URL("postgres")); err != nil {
		t.Error(err)
	}
	withoutPassword := strings.Replace(open.TCPURL("postgres"), ":"+open.password, "", 1)
	if err := ping(withoutPassword); err == nil {
		t.Errorf("the TCP port asks for no password")
	}
	if runtime.GOOS != "linux" {
		return // what the process listens on is read from /proc
	}
	if n := listening(t, quiet.PID()); n != 0 {
		t.Errorf("a server without Options.TCP listens on %d TCP ports", n)
	}
	if n := listening(t, open.PID()); n != 1 {
		t.Errorf("a server with Options.TCP listens on %d TCP ports, want 1", n)
	}
}

// listening counts the TCP ports on which a process listens.
func listening(t *testing.T, pid int) int {
	t.Helper()
	inodes := make(map[string]bool)
	for _, table := range []string{"tcp", "tcp6"} {
		text, err := os.ReadFile("/proc/net/" + table)
		if err != nil {
			continue // no IPv6
		}
		for _, line := range strings.Split(string(text), "\n") {
			const state, inode, listen = 3, 9, "0A"
			if fields := strings.Fields(line); len(fields) > inode && fields[state] == listen {
				inodes["socket:["+fields[inode]+"]"] = true
			}
		}
	}
	dir := fmt.Sprintf("/proc/%d/fd", pid)
	fds, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var n int
	for _, fd := range fds {
		if target, err := os.Readlink(filepath.Join(dir, fd.Name())); err == nil && inodes[target] {
			n++
		}
	}
	return n
}

func TestFailedStartShowsTheLogAndLeavesNothing(t *testing.T) {
	temp := publicTempDir(t)
	t.Setenv("TMPDIR", temp)
	srv, err := Start(t.Context(), Options{BinDir: os.Getenv(binEnv), Settings: map[string]string{"no_such_setting": "1"}})
	if err == nil {
		srv.Stop(context.Background())
		t.Fatal("a server started with a setting that does not exist")
	}
	if !strings.Contains(err.Error(), `unrecognized configuration parameter "no_such_setting"`) {
		t.Errorf("the error does not say what PostgreSQL said: %v", err)
	}
	left, err := os.ReadDir(temp)
	if err != nil {
		t.Fatal(err)
	}
	if len(left) > 0 {
		t.Errorf("the failed start left %v in the temporary folder", left)
	}
}

func TestStartGivesUpWithItsContext(t *testing.T) {
	cause := errors.New("second Ctrl-C")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	t.Setenv("TMPDIR", publicTempDir(t))
	srv, err := Start(ctx, Options{BinDir: os.Getenv(binEnv)})
	if err == nil {
		srv.Stop(context.Background())
	}
	if !errors.Is(err, cause) {
		t.Errorf("Start = %v, want %v", err, cause)
	}
}

func TestStartAsOrdinaryUser(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("not root: every other test is this test")
	}
	const nobody = 65534
	c := spawn(t, task{}, nobody)
	info, err := os.Stat(fmt.Sprintf("/proc/%d", c.PID))
	if err != nil {
		t.Fatal(err)
	}
	if uid := info.Sys().(*syscall.Stat_t).Uid; uid != nobody {
		t.Errorf("the server runs as user %d, want %d", uid, nobody)
	}
	if err := ping(c.URL); err != nil {
		t.Error(err)
	}
	c.release()
	if !dead(c.PID) || !gone(c.Dir) {
		t.Errorf("after Stop: server dead %v, folder gone %v", dead(c.PID), gone(c.Dir))
	}
}

func TestCrashAndRestart(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	srv := start(t, Options{})
	url, pid := srv.URL("postgres"), srv.PID()
	run(t, url, `CREATE TABLE seat (id int)`, `INSERT INTO seat VALUES (1)`)

	if err := srv.Kill9(ctx); err != nil {
		t.Fatal(err)
	}
	if !dead(pid) {
		t.Errorf("server %d survived Kill9", pid)
	}
	if err := ping(url); err == nil {
		t.Errorf("a killed server still answers")
	}
	if err := srv.Restart(ctx); err != nil {
		t.Fatal(err)
	}
	run(t, url, `INSERT INTO seat VALUES (2)`)

	pid = srv.PID()
	if err := srv.RestartImmediate(ctx); err != nil {
		t.Fatal(err)
	}
	if srv.PID() == pid {
		t.Errorf("RestartImmediate did not start another process")
	}
	if got := ask(t, url, `SELECT string_agg(id::text, ',' ORDER BY id) FROM seat`); got != "1,2" {
		t.Errorf("committed rows after two crashes: %s, want 1,2", got)
	}
	if err := srv.Stop(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := srv.Restart(ctx); err == nil {
		t.Errorf("a stopped server can be restarted, which has lost its data")
	}
	if !gone(srv.Dir()) {
		t.Errorf("%s is left behind", srv.Dir())
	}
}

func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		srv, err := Start(b.Context(), Options{BinDir: os.Getenv(binEnv)})
		if err != nil {
			b.Fatal(err)
		}
		if err := srv.Stop(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkScratch(b *testing.B) {
	srv, err := Start(b.Context(), Options{BinDir: os.Getenv(binEnv)})
	if err != nil {
		b.Fatal(err)
	}
	defer srv.Stop(context.Background())
	for b.Loop() {
		_, drop, err := srv.Scratch(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		if err := drop(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
