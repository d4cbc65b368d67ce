package devdb

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// devDir returns the folder for a persistent server.
func devDir(t *testing.T) string {
	t.Helper()
	return filepath.Join(publicTempDir(t), ".pawl", "dev")
}

func TestProcessesShareAPersistentServer(t *testing.T) {
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
	if !dead(first.PID) {
		t.Errorf("the last one left, and server %d still runs", first.PID)
	}

	srv := start(t, Options{Dir: dir})
	run(t, srv.URL("postgres"), `INSERT INTO seat VALUES (1)`)
}

func TestJoinedServerIsStoppedByItsLastUser(t *testing.T) {
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
	for name, folder := range map[string]string{
		"long":  strings.Repeat("deep/er/", 20) + "project",
		"comma": "a,b",
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

func TestRootsProjectInAClosedFolder(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root has folders that its server cannot enter")
	}
	closed := t.TempDir() // mode 0700 above it
	dir := filepath.Join(closed, ".pawl", "dev")
	srv := start(t, Options{Dir: dir})
	t.Cleanup(func() { // before the server's, which is registered earlier: last in, first out
		if err := srv.Stop(context.Background()); err != nil {
			t.Error(err)
		}
		if err := os.RemoveAll(srv.Dir()); err != nil {
			t.Error(err)
		}
	})
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
	if joined := start(t, Options{Dir: dir}); joined.PID() != srv.PID() {
		t.Errorf("the second start did not find the first one's server")
	}
}
