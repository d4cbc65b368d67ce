package devdb

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const (
	tempPrefix   = "pawl-pg-"   // temporary server folders
	socketPrefix = "pawl-sock-" // socket folders of servers whose own path will not do

	// maxSocketDir is the longest folder that can hold a socket: the system allows
	// 104 bytes with the final NUL on macOS and the BSDs, 108 on Linux.
	maxSocketDir = 104 - 1 - len("/.s.PGSQL.65535.lock")
)

// place is where a server keeps its files.
type place struct {
	dir       string // everything: locks, pipe, log; mode 0700, owned by the server's account
	data      string // PostgreSQL's data folder, in dir
	temporary bool   // dir goes with the server
}

func (p place) file(name string) string { return filepath.Join(p.dir, name) }

// temporaryPlace makes a fresh folder for a server, locked by the caller through
// the returned users file.
func temporaryPlace(owner account) (place, *os.File, error) {
	base, err := shortTempDir(owner)
	if err != nil {
		return place{}, nil, err
	}
	sweep(base, owner)
	dir, err := os.MkdirTemp(base, tempPrefix)
	if err != nil {
		return place{}, nil, fmt.Errorf("make a folder for the private server: %w", err)
	}
	users, err := tryLock(filepath.Join(dir, usersFile), syscall.LOCK_SH, owner)
	if err == nil {
		err = owner.own(dir)
	}
	if err != nil {
		if users != nil {
			unlock(users)
		}
		return place{}, nil, errors.Join(err, os.RemoveAll(dir))
	}
	return place{dir: dir, data: filepath.Join(dir, "data"), temporary: true}, users, nil
}

// shortTempDir returns a temporary folder that the account can reach and whose
// path leaves room for a socket.
func shortTempDir(owner account) (string, error) {
	const random = 10 // digits that MkdirTemp appends, at most
	for _, base := range []string{os.TempDir(), "/tmp"} {
		real, err := filepath.EvalSymlinks(base)
		if err != nil {
			continue
		}
		if len(real)+1+len(socketPrefix)+random > maxSocketDir {
			continue
		}
		if ok, err := owner.canReach(filepath.Join(real, "x")); err == nil && ok {
			return real, nil
		}
	}
	return "", fmt.Errorf("neither %s nor /tmp can hold the socket of a private server: set TMPDIR to a folder with a short path that user %d may enter", os.TempDir(), owner.uid)
}

// persistentPlace prepares dir for a persistent server, and tells which account
// runs it.
//
// Root's projects often lie where the account that runs the server cannot go
// (/root, a private home). Their data is kept in /var/lib/pawl/dev, in a folder
// named after the project's path, and dir gets a file "location" that says so.
func persistentPlace(dir string) (place, account, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return place{}, account{}, err
	}
	owner, err := accountFor(dir)
	if err != nil {
		return place{}, account{}, err
	}
	if err := makeFolders(dir); err != nil {
		return place{}, account{}, fmt.Errorf("make the private server's folder: %w", err)
	}
	dir, err = filepath.EvalSymlinks(dir)
	if err != nil {
		return place{}, account{}, err
	}
	ok, err := owner.canReach(dir)
	if err == nil && !ok {
		dir, err = placeElsewhere(dir, owner)
	}
	if err != nil {
		return place{}, account{}, err
	}
	data := filepath.Join(dir, "data")
	if _, err := os.Lstat(data); err == nil && !owner.ownsDir(data) {
		return place{}, account{}, fmt.Errorf("the private server's data in %s belongs to another user: run pawl as that user, or remove the folder and the data with it", data)
	}
	if err := errors.Join(owner.own(dir), os.Chmod(dir, 0o700)); err != nil {
		return place{}, account{}, fmt.Errorf("make the private server's folder private: %w", err)
	}
	return place{dir: dir, data: data}, owner, nil
}

// makeFolders is os.MkdirAll that gives each new folder to the owner of the one
// above it: root must not leave folders of its own in another user's project.
func makeFolders(dir string) error {
	err := os.Mkdir(dir, 0o755)
	if errors.Is(err, fs.ErrNotExist) {
		if err := makeFolders(filepath.Dir(dir)); err != nil {
			return err
		}
		err = os.Mkdir(dir, 0o755)
	}
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if os.Geteuid() != 0 {
		return nil
	}
	info, err := os.Stat(filepath.Dir(dir))
	if err != nil {
		return err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	return os.Lchown(dir, int(stat.Uid), int(stat.Gid))
}

// elsewhereRoot holds the data of root's projects that the server cannot enter.
const elsewhereRoot = "/var/lib/pawl/dev"

// placeElsewhere makes the folder that stands in for dir, and has each of the two
// name the other. It also removes the folders of projects that are gone.
func placeElsewhere(dir string, owner account) (string, error) {
	sweepElsewhere(owner)
	sum := sha256.Sum256([]byte(dir))
	elsewhere := filepath.Join(elsewhereRoot, hex.EncodeToString(sum[:8]))
	if err := os.MkdirAll(elsewhere, 0o755); err != nil {
		return "", fmt.Errorf("make the private server's folder (user %d, who runs it for root, cannot enter %s): %w", owner.uid, dir, err)
	}
	if ok, err := owner.canReach(elsewhere); err != nil || !ok {
		return "", errors.Join(fmt.Errorf("user %d, who runs the private server for root, can enter neither %s nor %s: make the folders above one of them passable", owner.uid, dir, elsewhere), err)
	}
	return elsewhere, errors.Join(
		os.WriteFile(filepath.Join(elsewhere, "project"), []byte(dir+"\n"), 0o644),
		os.WriteFile(filepath.Join(dir, "location"), []byte(elsewhere+"\n"), 0o644),
	)
}

// sweepElsewhere removes the data of projects whose .pawl/dev has been deleted. As
// sweep does, it leaves for the next time what it cannot remove.
func sweepElsewhere(owner account) {
	notes, err := filepath.Glob(filepath.Join(elsewhereRoot, "*", "project"))
	if err != nil {
		return
	}
	for _, note := range notes {
		text, err := os.ReadFile(note)
		if err != nil {
			continue
		}
		project := strings.TrimSuffix(string(text), "\n")
		if _, err := os.Lstat(project); errors.Is(err, fs.ErrNotExist) {
			sweepOne(filepath.Dir(note), owner)
		}
	}
}

// socketDir returns the folder for the server's socket: its own folder, or a
// short temporary one, made on the spot, when its path is too long or has a
// comma, which clients take for the end of a host.
// PostgreSQL's pid file records it for those who join later.
func (p place) socketDir(owner account) (string, error) {
	if len(p.dir) <= maxSocketDir && !strings.Contains(p.dir, ",") {
		return p.dir, nil
	}
	base, err := shortTempDir(owner)
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(base, socketPrefix)
	if err != nil {
		return "", fmt.Errorf("make a folder for the private server's socket: %w", err)
	}
	return dir, owner.own(dir)
}

// sweep removes what servers left behind whose processes, watcher included, were
// all killed: temporary folders that no process has locked. It does what it can;
// a folder it fails to remove is met again by the next sweep.
func sweep(base string, owner account) {
	dirs, err := filepath.Glob(filepath.Join(base, tempPrefix+"*"))
	if err != nil {
		return
	}
	for _, dir := range dirs {
		info, err := os.Lstat(dir)
		// A young folder may belong to a process that has not locked it yet, or to
		// a watcher about to remove it.
		if err != nil || time.Since(info.ModTime()) < time.Minute || !owner.ownsDir(dir) {
			continue
		}
		sweepOne(dir, owner)
	}
}

func sweepOne(dir string, owner account) {
	users, err := tryLock(filepath.Join(dir, usersFile), syscall.LOCK_EX, owner)
	if err != nil {
		return
	}
	defer unlock(users)
	data := filepath.Join(dir, "data")
	if file, ok := runningServer(data); ok {
		if err := syscall.Kill(file.pid, syscall.SIGQUIT); err != nil {
			return
		}
		for range 100 {
			if !isServer(file.pid, data) {
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
	os.RemoveAll(dir)
}
