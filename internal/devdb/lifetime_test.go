package devdb

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestKilledParentLeavesNothing(t *testing.T) {
	t.Parallel()
	c := spawn(t, task{}, -1)
	if err := ping(c.URL); err != nil {
		t.Fatal(err)
	}
	c.kill9()
	eventually(t, "the server of a killed process stops", func() bool { return dead(c.PID) })
	eventually(t, "its folder goes", func() bool { return gone(c.Dir) })
}

func TestKilledParentOfPersistentServer(t *testing.T) {
	t.Parallel()
	dir := devDir(t)
	c := spawn(t, task{Dir: dir}, -1)
	run(t, c.URL, `CREATE TABLE seat (id int)`)
	c.kill9()
	eventually(t, "the server of a killed process stops", func() bool { return dead(c.PID) })

	srv := start(t, Options{Dir: dir})
	run(t, srv.URL("postgres"), `INSERT INTO seat VALUES (1)`)
}

// A Ctrl-C in a terminal goes to all processes of the foreground group.
func TestInterruptReachesTheCommandNotTheServer(t *testing.T) {
	t.Parallel()
	c := spawn(t, task{Notify: true}, -1)
	if err := syscall.Kill(-c.cmd.Process.Pid, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if r := c.next(); r.Note != "interrupted, server alive" {
		t.Errorf("the child says %q", r.Note)
	}
	c.wait()
	if !dead(c.PID) || !gone(c.Dir) {
		t.Errorf("after the interrupt: server dead %v, folder gone %v", dead(c.PID), gone(c.Dir))
	}
}

func TestSweepAfterWatcherWasKilledToo(t *testing.T) {
	needProc(t)
	temp := publicTempDir(t)
	t.Setenv("TMPDIR", temp)
	c := spawn(t, task{}, -1)
	killWatcher(t, c.Dir)
	c.kill9()
	time.Sleep(200 * time.Millisecond)
	if dead(c.PID) {
		t.Fatal("the server stopped without a watcher: this test shows nothing")
	}

	start(t, Options{})
	if dead(c.PID) || gone(c.Dir) {
		t.Errorf("a folder younger than a minute was swept: it may be one about to be locked")
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(c.Dir, old, old); err != nil {
		t.Fatal(err)
	}
	start(t, Options{})
	if !dead(c.PID) || !gone(c.Dir) {
		t.Errorf("after the sweep: orphan dead %v, folder gone %v", dead(c.PID), gone(c.Dir))
	}
}

func TestSweepSparesServersInUse(t *testing.T) {
	t.Setenv("TMPDIR", publicTempDir(t))
	srv := start(t, Options{})
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(srv.Dir(), old, old); err != nil {
		t.Fatal(err)
	}
	start(t, Options{})
	if err := ping(srv.URL("postgres")); err != nil {
		t.Error(err)
	}
}

func TestPersistentServerWithoutWatcherIsReplaced(t *testing.T) {
	t.Parallel()
	needProc(t)
	dir := devDir(t)
	c := spawn(t, task{Dir: dir}, -1)
	run(t, c.URL, `CREATE TABLE seat (id int)`)
	killWatcher(t, c.Dir)
	c.kill9()

	srv := start(t, Options{Dir: dir})
	if srv.PID() == c.PID {
		t.Errorf("an orphan that nothing watches was joined")
	}
	if !dead(c.PID) {
		t.Errorf("the orphan %d still runs", c.PID)
	}
	run(t, srv.URL("postgres"), `INSERT INTO seat VALUES (1)`)
}

// needProc skips tests that look at other processes.
func needProc(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
}

// killWatcher kills the watcher of the server in dir: the shell whose first
// argument is dir.
func killWatcher(t *testing.T, dir string) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		line, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(line), "\x00pawl-watch\x00"+dir+"\x00") {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Fatalf("no watcher for %s", dir)
}

func TestStalePidFile(t *testing.T) {
	t.Parallel()
	dir := devDir(t)
	srv := start(t, Options{Dir: dir})
	run(t, srv.URL("postgres"), `CREATE TABLE seat (id int)`)
	crash(t, srv)
	// PostgreSQL minds only the pids of its own account's processes.
	stranger := exec.Command("sleep", "600")
	srv.owner.run(stranger)
	if err := stranger.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stranger.Process.Kill()
		stranger.Wait()
	})
	for name, pid := range map[string]int{
		"of a dead process":  srv.PID(),
		"of another program": stranger.Process.Pid,
	} {
		t.Run(name, func(t *testing.T) {
			putPid(t, filepath.Join(srv.Dir(), "data", "postmaster.pid"), pid)
			putPid(t, filepath.Join(srv.Dir(), ".s.PGSQL.5432.lock"), pid)
			again := start(t, Options{Dir: dir})
			run(t, again.URL("postgres"), `INSERT INTO seat VALUES (1)`)
			crash(t, again) // a stale file for the next round
		})
	}
	if dead(stranger.Process.Pid) {
		t.Errorf("a program that got a dead server's pid was stopped")
	}
}

// crash kills the server and gives it up.
func crash(t *testing.T, srv *Server) {
	t.Helper()
	if err := syscall.Kill(srv.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the killed server dies", func() bool { return dead(srv.PID()) })
	if err := srv.Stop(context.Background()); err != nil {
		t.Fatal(err)
	}
	if gone(filepath.Join(srv.Dir(), "data", "postmaster.pid")) {
		t.Fatal("no stale pid file: this test shows nothing")
	}
}

// putPid makes pid the first line of a lock file that a server left behind.
func putPid(t *testing.T, path string, pid int) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "\n")
	if err := os.WriteFile(path, fmt.Appendf(nil, "%d\n%s", pid, rest), 0o600); err != nil {
		t.Fatal(err)
	}
}
