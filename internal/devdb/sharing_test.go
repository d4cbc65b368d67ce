package devdb

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// devDir returns the folder for a persistent server.
func devDir(t *testing.T) string {
	t.Helper()
	return filepath.Join(publicTempDir(t), ".pawl", "dev")
}

func TestProcessesShareAPersistentServer(t *testing.T) {
	t.Parallel()
	dir := devDir(t)
	const n = 3
	var children []*child
	for range n {
		children = append(children, launchChild(t, task{Dir: dir}, -1))
	}
	for _, c := range children {
		c.report = c.next()
	}
	first := children[0]
	for _, c := range children {
		if c.PID != first.PID || c.URL != first.URL {
			t.Errorf("not one server: %+v and %+v", first.report, c.report)
		}
	}
	run(t, first.URL, `CREATE TABLE seat (id int)`)

	// Whoever leaves, by Stop or by death, and whether or not it was the one that
	// started the server: the others keep it.
	children[0].release()
	if err := ping(first.URL); err != nil {
		t.Errorf("one of three stopped, and the server with it: %v", err)
	}
	children[1].kill9()
	if err := ping(first.URL); err != nil {
		t.Errorf("one of two was killed, and the server with it: %v", err)
	}
	children[2].release()
	if !ended(first.PID) {
		t.Errorf("the last one left, and server %d still runs", first.PID)
	}

	srv := start(t, Options{Dir: dir})
	run(t, srv.URL("postgres"), `INSERT INTO seat VALUES (1)`)
}

func TestJoinedServerIsStoppedByItsLastUser(t *testing.T) {
	t.Parallel()
	dir := devDir(t)
	a, b := start(t, Options{Dir: dir}), start(t, Options{Dir: dir})
	if a.PID() != b.PID() || a.URL("x") != b.URL("x") {
		t.Fatalf("two servers: %d at %s, %d at %s", a.PID(), a.URL("x"), b.PID(), b.URL("x"))
	}
	if err := b.RestartImmediate(t.Context()); err == nil {
		t.Errorf("one user can restart the server under the other")
	}
	if err := a.Stop(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := ping(b.URL("postgres")); err != nil {
		t.Errorf("the starter stopped, and the server with it: %v", err)
	}
	if err := b.Stop(context.Background()); err != nil {
		t.Fatal(err)
	}
	if !dead(b.PID()) {
		t.Errorf("the last one left, and server %d still runs", b.PID())
	}
}

func TestJoinThatAsksForSomethingElse(t *testing.T) {
	t.Parallel()
	dir := devDir(t)
	srv := start(t, Options{Dir: dir})
	other := MinMajor
	if srv.Binaries().Major == other {
		other++
	}
	for want, o := range map[string]Options{
		"remove this one and its data with it": {Dir: dir, Major: other},
		"can only be asked for at the start":   {Dir: dir, TCP: true, BinDir: os.Getenv(binEnv)},
	} {
		joined, err := Start(t.Context(), o)
		if err == nil {
			joined.Stop(context.Background())
			t.Errorf("%+v was granted", o)
		} else if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not say %q", err, want)
		}
	}
	if err := ping(srv.URL("postgres")); err != nil {
		t.Errorf("the refused joiners harmed the server: %v", err)
	}
}

func TestPathsThatCannotHoldASocket(t *testing.T) {
	t.Parallel()
	for name, folder := range map[string]string{
		"long":  strings.Repeat("deep/er/", 20) + "project",
		"blank": `my "project" +1`,
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(publicTempDir(t), folder, ".pawl", "dev")
			srv := start(t, Options{Dir: dir})
			if err := ping(srv.URL("postgres")); err != nil {
				t.Fatal(err)
			}
			joined := start(t, Options{Dir: dir})
			if joined.URL("postgres") != srv.URL("postgres") {
				t.Errorf("one server, two addresses: %s and %s", srv.URL("postgres"), joined.URL("postgres"))
			}
			psql(t, srv.URL("postgres"))
			for _, s := range []*Server{srv, joined} {
				if err := s.Stop(context.Background()); err != nil {
					t.Fatal(err)
				}
			}
			if srv.socket != srv.Dir() && !gone(srv.socket) {
				t.Errorf("the socket folder %s is left behind", srv.socket)
			}
		})
	}
}

func TestSocketStaysOutOfAFolderWithAComma(t *testing.T) {
	t.Parallel()
	owner, err := serverAccount()
	if err != nil {
		t.Fatal(err)
	}
	for dir, elsewhere := range map[string]bool{"/srv/ab": false, "/srv/a,b": true} {
		socket, err := place{dir: dir}.socketDir(owner)
		if err != nil {
			t.Fatal(err)
		}
		if (socket != dir) != elsewhere {
			t.Errorf("the socket for %s is in %s", dir, socket)
		}
		if socket != dir {
			if err := os.Remove(socket); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestRootsProjectInAClosedFolder(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root has folders that its server cannot enter")
	}
	closed := t.TempDir() // mode 0700 above it
	dir := filepath.Join(closed, ".pawl", "dev")
	srv := start(t, Options{Dir: dir})
	t.Cleanup(func() { os.RemoveAll(srv.Dir()) })
	if err := ping(srv.URL("postgres")); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "location"))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimSpace(string(text)); got != srv.Dir() {
		t.Errorf("%s/location says %s, the server is in %s", dir, got, srv.Dir())
	}
	joined := start(t, Options{Dir: dir})
	if joined.PID() != srv.PID() {
		t.Errorf("the second start did not find the first one's server")
	}

	// The data goes with the project, but not from under a server in use.
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	sweepElsewhere(srv.owner)
	if err := ping(srv.URL("postgres")); err != nil {
		t.Errorf("a server in use was swept: %v", err)
	}
	if err := errors.Join(joined.Stop(context.Background()), srv.Stop(context.Background())); err != nil {
		t.Fatal(err)
	}
	sweepElsewhere(srv.owner)
	if !gone(srv.Dir()) {
		t.Errorf("the project is gone, and its data still in %s", srv.Dir())
	}
}

func TestRootInAnotherUsersProject(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can")
	}
	t.Parallel()
	const nobody = 65534
	project := publicTempDir(t)
	if err := errors.Join(os.Chown(project, nobody, nobody), os.Chmod(project, 0o700)); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(project, ".pawl", "dev")
	srv := start(t, Options{Dir: dir})
	if srv.Dir() != dir {
		t.Errorf("the data is in %s, although its user can enter %s", srv.Dir(), dir)
	}
	for _, path := range []string{filepath.Dir(dir), dir, filepath.Join(dir, "data")} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if uid := info.Sys().(*syscall.Stat_t).Uid; uid != nobody {
			t.Errorf("%s belongs to user %d, its project to %d", path, uid, nobody)
		}
	}
	if err := srv.Stop(context.Background()); err != nil {
		t.Fatal(err)
	}
	// The user can go on with what root began.
	c := spawn(t, task{Dir: dir}, nobody)
	if err := ping(c.URL); err != nil {
		t.Error(err)
	}
	c.release()
}

func TestDataOfAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	t.Parallel()
	dir := devDir(t)
	data := filepath.Join(dir, "data")
	if err := errors.Join(os.MkdirAll(data, 0o755), os.Chown(data, 12345, 12345)); err != nil {
		t.Fatal(err)
	}
	srv, err := Start(t.Context(), Options{Dir: dir})
	if err == nil {
		srv.Stop(context.Background())
	}
	if err == nil || !strings.Contains(err.Error(), "belongs to another user") {
		t.Errorf("Start = %v", err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	if uid := info.Sys().(*syscall.Stat_t).Uid; uid != 0 {
		t.Errorf("the refused start gave the folder to user %d", uid)
	}
}
