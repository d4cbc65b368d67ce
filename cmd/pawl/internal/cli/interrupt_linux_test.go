package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A Ctrl-C at the prompt: the private server goes away with the command.
func TestInterruptedPromptStopsThePrivateServer(t *testing.T) {
	dir := folder(t, map[string]string{"rooms.hcl": smallSpec})
	pawl := start(t, dir, terminal(t), "apply", "--dev")
	until(t, "apply asks", func() bool { return strings.Contains(pawl.said(), `Only "yes" means yes`) })
	servers := serversOf(t, dir)
	if len(servers) == 0 {
		t.Fatal("no server process has the project's data folder; the test looks in the wrong place")
	}
	if code := pawl.interrupt(t); code != exitInterrupted {
		t.Fatalf("exit code %d, not %d; it said:\n%s", code, exitInterrupted, pawl.said())
	}
	until(t, "the private server is gone", func() bool { return len(serversOf(t, dir)) == 0 })
}

// serversOf lists the processes of the private server of a project.
func serversOf(t *testing.T, dir string) []string {
	t.Helper()
	home := filepath.Join(dir, ".pawl", "dev")
	// Where the server's account cannot reach the project, the folder says where
	// the data is.
	if elsewhere, err := os.ReadFile(filepath.Join(home, "location")); err == nil {
		home = strings.TrimSpace(string(elsewhere))
	}
	home, err := filepath.EvalSymlinks(home)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := os.ReadFile(filepath.Join(home, "data", "postmaster.pid"))
	if err != nil {
		return nil
	}
	number, _, _ := strings.Cut(string(pid), "\n")
	if _, err := os.Stat("/proc/" + number); err != nil {
		return nil
	}
	return []string{number}
}

// terminal opens a pseudo terminal for a command's stdin, at which nobody types.
func terminal(t *testing.T) *os.File {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { master.Close() })
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { slave.Close() })
	return slave
}
