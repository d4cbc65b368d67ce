package devdb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func startTemporary(ctx context.Context, o Options) (*Server, error) {
	owner, err := serverAccount()
	if err != nil {
		return nil, err
	}
	bin, err := choose(ctx, o)
	if err != nil {
		return nil, err
	}
	home, users, err := temporaryPlace(owner)
	if err != nil {
		return nil, err
	}
	s := &Server{bin: bin, owner: owner, place: home, users: users}
	err = fillDataDir(ctx, bin, home.data, owner, o.Log)
	if err == nil {
		err = s.configure(o, temporarySettings)
	}
	if err == nil {
		err = s.launch(ctx, o.TCP)
	}
	if err != nil {
		return nil, errors.Join(err, unlock(users), os.RemoveAll(home.dir))
	}
	return s, nil
}

func startPersistent(ctx context.Context, o Options) (*Server, error) {
	home, owner, err := persistentPlace(o.Dir)
	if err != nil {
		return nil, err
	}
	turn, err := waitLock(ctx, home.file(lockFile), syscall.LOCK_EX, owner)
	if err != nil {
		return nil, err
	}
	defer unlock(turn)
	bin, err := chooseFor(ctx, o, home.data)
	if err != nil {
		return nil, err
	}
	// Under the start lock nobody holds users exclusively for long: only leavers
	// and sweepers do, and those hold the start lock or have nothing to do here.
	users, err := waitLock(ctx, home.file(usersFile), syscall.LOCK_SH, owner)
	if err != nil {
		return nil, err
	}
	s := &Server{bin: bin, owner: owner, place: home, users: users}
	joined, err := s.join(ctx, o)
	if err == nil && !joined {
		err = s.startHere(ctx, o)
	}
	if err != nil {
		return nil, errors.Join(err, unlock(users))
	}
	return s, nil
}

// startHere starts the server in its persistent folder, made on first use.
func (s *Server) startHere(ctx context.Context, o Options) error {
	// The data folder appears by a rename: a start that was killed halfway must not
	// leave half of one behind.
	if _, err := os.Stat(s.place.data); errors.Is(err, fs.ErrNotExist) {
		fresh := s.place.file("data.new")
		if err := os.RemoveAll(fresh); err != nil {
			return err
		}
		if err := fillDataDir(ctx, s.bin, fresh, s.owner, o.Log); err != nil {
			return err
		}
		if err := os.Rename(fresh, s.place.data); err != nil {
			return err
		}
	}
	// The log of one run is enough.
	if err := os.Remove(s.LogFile()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := s.configure(o, persistentSettings); err != nil {
		return err
	}
	if err := s.launch(ctx, o.TCP); err != nil {
		return errors.Join(err, s.removeSocketDir())
	}
	return nil
}

// choose finds the binaries for a server without data.
func choose(ctx context.Context, o Options) (Binaries, error) {
	if o.BinDir != "" {
		bin, err := At(o.BinDir)
		if err == nil && o.Major != 0 && bin.Major != o.Major {
			err = fmt.Errorf("%s holds PostgreSQL %s, and %d was asked for", bin.Dir, bin.Version, o.Major)
		}
		return bin, err
	}
	bin, err := Find(o.Major)
	if errors.Is(err, ErrNotFound) && os.Geteuid() != 0 {
		return fetch(ctx, o.Major, o.Log, err)
	}
	return bin, err
}

// chooseFor finds the binaries for the data folder, which need not exist yet.
func chooseFor(ctx context.Context, o Options, data string) (Binaries, error) {
	text, err := os.ReadFile(filepath.Join(data, "PG_VERSION"))
	if errors.Is(err, fs.ErrNotExist) {
		return choose(ctx, o)
	}
	if err != nil {
		return Binaries{}, err
	}
	major, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return Binaries{}, fmt.Errorf("%s is not a PostgreSQL data folder: its PG_VERSION says %q", data, strings.TrimSpace(string(text)))
	}
	if o.Major != 0 && o.Major != major {
		return Binaries{}, fmt.Errorf("the data in %s belongs to PostgreSQL %d, and %d was asked for: use another folder, or remove this one and its data with it", data, major, o.Major)
	}
	o.Major = major
	bin, err := choose(ctx, o)
	if err != nil {
		return Binaries{}, fmt.Errorf("the data in %s belongs to PostgreSQL %d (remove the folder to start anew with another): %w", data, major, err)
	}
	return bin, nil
}

// join makes this process a user of the server already running in the folder. It
// returns false when there is none any more.
func (s *Server) join(ctx context.Context, o Options) (bool, error) {
	file, ok := runningServer(s.place.data)
	if !ok {
		return false, nil
	}
	if o.TCP {
		return false, fmt.Errorf("the server in %s was started by another process: a TCP port can only be asked for at the start", s.place.dir)
	}
	watch, err := joinWatcher(ctx, s.place.dir)
	if err != nil {
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		// Its last user has died and its watcher is stopping it, or the watcher was
		// killed too. Either way the server has no owner.
		return false, s.stopPid(ctx, file.pid, syscall.SIGINT)
	}
	for !file.ready {
		if err := pause(ctx, 5*time.Millisecond); err != nil {
			return false, errors.Join(err, watch.Close())
		}
		if file, ok = runningServer(s.place.data); !ok {
			return false, watch.Close()
		}
	}
	s.watch, s.pid, s.socket, s.port = watch, file.pid, file.socketDir, file.port
	return true, nil
}
