package devdb

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// account is the user that runs the server and owns its files.
type account struct {
	uid, gid int
	dropped  bool // another user than this process: only root can arrange that
}

// serverAccount is this process's user, or, as PostgreSQL refuses to run as root,
// the user postgres or nobody for root.
func serverAccount() (account, error) {
	if os.Geteuid() != 0 {
		return account{uid: os.Geteuid(), gid: os.Getegid()}, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, errUID := strconv.Atoi(u.Uid)
		gid, errGID := strconv.Atoi(u.Gid)
		if err := errors.Join(errUID, errGID); err != nil {
			return account{}, fmt.Errorf("user %s: %w", name, err)
		}
		return account{uid: uid, gid: gid, dropped: true}, nil
	}
	return account{}, errors.New("PostgreSQL refuses to run as root, and this system has neither a user postgres nor nobody to run it as: run pawl as an ordinary user")
}

// accountFor is the account for a persistent server in dir. Root working in
// another user's project (sudo) runs the server as that user, who then can use it
// too, and who may enter the project in any case. It has to be a user that the
// system knows by name, or initdb fails.
func accountFor(dir string) (account, error) {
	self, err := serverAccount()
	if err != nil || !self.dropped {
		return self, err
	}
	for ; ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if errors.Is(err, fs.ErrNotExist) && dir != filepath.Dir(dir) {
			continue
		}
		if err != nil {
			return account{}, err
		}
		stat, ok := info.Sys().(*syscall.Stat_t)
		if !ok || stat.Uid == 0 {
			return self, nil
		}
		if _, err := user.LookupId(strconv.Itoa(int(stat.Uid))); err != nil {
			return self, nil
		}
		return account{uid: int(stat.Uid), gid: int(stat.Gid), dropped: true}, nil
	}
}

// run makes cmd run as the account, in a session of its own: a Ctrl-C in the
// terminal and a hang-up of it then reach pawl alone, which decides what to do
// with the server.
func (a account) run(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if a.dropped {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}
	}
}

// own gives path to the account.
func (a account) own(path string) error {
	if !a.dropped {
		return nil
	}
	return os.Lchown(path, a.uid, a.gid)
}

// ownsDir reports whether path is a folder (not a link to one) of the account.
func (a account) ownsDir(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.IsDir() {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == a.uid
}

// canReach reports whether the account may pass through every folder above
// path. Only root has to ask: its own folders, such as /root, are closed to the
// account that runs the server. Parts of path that do not exist yet are taken to
// be made passable.
func (a account) canReach(path string) (bool, error) {
	if !a.dropped {
		return true, nil
	}
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return false, err
		case !a.mayEnter(info):
			return false, nil
		}
		if dir == filepath.Dir(dir) {
			return true, nil
		}
	}
}

func (a account) mayEnter(dir fs.FileInfo) bool {
	stat, ok := dir.Sys().(*syscall.Stat_t)
	if !ok {
		return false
	}
	mode := dir.Mode().Perm()
	switch {
	case int(stat.Uid) == a.uid:
		return mode&0o100 != 0
	case int(stat.Gid) == a.gid:
		return mode&0o010 != 0
	}
	return mode&0o001 != 0
}

// RunAs makes cmd, not started yet, run as the user of the server: for what
// works beside a server and refuses to run as root, as PostgreSQL does.
func (s *Server) RunAs(cmd *exec.Cmd) { s.owner.run(cmd) }

// Own gives a file or folder to the user of the server.
func (s *Server) Own(path string) error { return s.owner.own(path) }
