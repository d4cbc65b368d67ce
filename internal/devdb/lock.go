package devdb

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// Two lock files order the processes that share a server folder. Both are flock
// locks: the kernel drops them with their holder, so none can be stale.
//
//   - "lock" is held exclusively while a process starts, joins or leaves.
//   - "users" is held shared by each process as long as it uses the server. A
//     process that can have it exclusively knows that nobody else is using it.
const (
	lockFile  = "lock"
	usersFile = "users"
)

// errLocked says that another process holds the lock.
var errLocked = errors.New("locked by another process")

// tryLock opens path, making it for owner if need be, and locks it in the given
// flock mode without waiting. unlock gives it back.
func tryLock(path string, mode int, owner account) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	// After root has used a user's server, the user must be able to.
	err = owner.own(path)
	if err == nil {
		err = relock(f, mode)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// relock changes the mode of a lock already open, without waiting.
func relock(f *os.File, mode int) error {
	for {
		err := syscall.Flock(int(f.Fd()), mode|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EWOULDBLOCK):
			return errLocked
		case err != nil:
			return fmt.Errorf("lock %s: %w", f.Name(), err)
		}
		return nil
	}
}

// unlock gives up a lock and closes its file. Closing alone would not do at once: a
// program that this process is just starting holds a copy of every open file for a
// moment, and the lock goes with the last copy.
func unlock(f *os.File) error {
	return errors.Join(syscall.Flock(int(f.Fd()), syscall.LOCK_UN), f.Close())
}

// waitLock is tryLock that waits for its turn until ctx ends. It polls, because
// a blocking flock could not be given up when ctx ends.
func waitLock(ctx context.Context, path string, mode int, owner account) (*os.File, error) {
	for {
		f, err := tryLock(path, mode, owner)
		if !errors.Is(err, errLocked) {
			return f, err
		}
		if err := pause(ctx, 10*time.Millisecond); err != nil {
			return nil, fmt.Errorf("waiting for another pawl that is starting or stopping the server in this folder (%s): %w", path, err)
		}
	}
}

// pause sleeps for d, or less when ctx ends first; then it returns ctx's error.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}
