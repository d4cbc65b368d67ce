package devdb

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// pidFile is what a running PostgreSQL writes into postmaster.pid.
type pidFile struct {
	pid       int
	data      string // data folder
	port      int
	socketDir string // first unix socket folder
	ready     bool   // accepts connections
}

// readPidFile reads data/postmaster.pid. The error is fs.ErrNotExist when no
// server runs there; a file still being written has only its first lines, which
// leaves the rest zero.
func readPidFile(data string) (pidFile, error) {
	path := filepath.Join(data, "postmaster.pid")
	text, err := os.ReadFile(path)
	if err != nil {
		return pidFile{}, err
	}
	lines := strings.Split(string(text), "\n")
	line := func(n int) string {
		if n < len(lines) {
			return strings.TrimSpace(lines[n])
		}
		return ""
	}
	// A stand-alone backend (initdb) writes its pid negated: not a server.
	pid, err := strconv.Atoi(line(0))
	if err != nil || pid <= 0 {
		return pidFile{}, fmt.Errorf("%s does not begin with the pid of a server", path)
	}
	port, err := strconv.Atoi(line(3))
	if err != nil {
		port = 0 // not written yet
	}
	return pidFile{pid: pid, data: line(1), port: port, socketDir: line(4), ready: line(7) == "ready"}, nil
}

// runningServer returns the server that runs on data. ok is false when there is
// none: no pid file, or a stale one whose pid is dead or now another program's.
func runningServer(data string) (file pidFile, ok bool) {
	file, err := readPidFile(data)
	if err != nil {
		return pidFile{}, false
	}
	return file, isServer(file.pid, data)
}

// isServer reports whether pid is a live server on the data folder, rather than
// a program that was given a dead server's pid: PostgreSQL's main process works
// in its data folder from its first moments to its end. Where there is no /proc,
// its command line has to name the folder.
func isServer(pid int, data string) bool {
	if err := syscall.Kill(pid, 0); err != nil && !errors.Is(err, syscall.EPERM) {
		return false
	}
	if _, err := os.Stat("/proc/self/cwd"); err != nil {
		command, err := exec.Command("ps", "-ww", "-o", "command=", "-p", strconv.Itoa(pid)).Output()
		return err == nil && strings.Contains(string(command), "-D "+data)
	}
	cwd, err := os.Stat(fmt.Sprintf("/proc/%d/cwd", pid))
	if err != nil {
		return false // gone, a zombie, or not ours to look at: not our server
	}
	want, err := os.Stat(data)
	return err == nil && os.SameFile(cwd, want)
}

// disarmStalePid makes a pid file that a killed server left behind harmless, for
// a data folder on which no server runs. PostgreSQL refuses to start while the
// pid in it is alive, whatever program has that pid by now. It makes an exception
// for its parent, so that our own pid is put there; the rest of the file stays,
// for it names the shared memory that children of the killed server may still use.
func disarmStalePid(data string) error {
	path := filepath.Join(data, "postmaster.pid")
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, rest, _ := strings.Cut(string(text), "\n")
	// Written in place: the file keeps its owner.
	return os.WriteFile(path, []byte(strconv.Itoa(os.Getpid())+"\n"+rest), 0o600)
}
