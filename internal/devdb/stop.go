package devdb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"
)

// stopPatience is how long an orderly stop may take before an immediate one.
const stopPatience = 20 * time.Second

// Stop ends this process's use of the server: a temporary server is stopped and
// its folder removed, a persistent one is stopped when no other process uses it.
// Once ctx ends it no longer waits for an orderly stop but forces one. Stopping
// twice is harmless.
func (s *Server) Stop(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return nil
	}
	s.stopped = true
	if s.place.temporary {
		err := s.end(ctx, syscall.SIGQUIT)
		return errors.Join(err, os.RemoveAll(s.place.dir), unlock(s.users))
	}
	return s.leave(ctx)
}

// leave gives up a persistent server, and stops it if nobody else uses it.
func (s *Server) leave(ctx context.Context) error {
	// Should the wait for our turn be cut short, going away without looking is
	// safe: the watcher stops the server if we were the last.
	turn, err := waitLock(ctx, s.place.file(lockFile), syscall.LOCK_EX, s.owner)
	if err != nil {
		return errors.Join(err, s.closeWatch(), unlock(s.users))
	}
	defer unlock(turn)
	err = relock(s.users, syscall.LOCK_EX)
	switch {
	case err == nil:
		err = errors.Join(s.end(ctx, syscall.SIGINT), s.removeSocketDir())
	case errors.Is(err, errLocked):
		err = s.closeWatch()
	}
	return errors.Join(err, unlock(s.users))
}

// removeSocketDir removes the folder of the socket of a stopped server, where that
// is not the server's own folder.
func (s *Server) removeSocketDir() error {
	if s.socket == s.place.dir {
		return nil
	}
	return os.RemoveAll(s.socket)
}

// end stops the server with signal and dismisses its watcher.
func (s *Server) end(ctx context.Context, signal syscall.Signal) error {
	if err := s.stopPid(ctx, s.pid, signal); err != nil {
		// The end of the pipe leaves the rest to the watcher.
		return errors.Join(err, s.closeWatch())
	}
	return s.dismissWatcher()
}

// dismissWatcher tells the watcher that there is nothing left to do for it.
func (s *Server) dismissWatcher() error {
	if s.watch == nil {
		return nil
	}
	_, err := io.WriteString(s.watch, "quit\n")
	if errors.Is(err, syscall.EPIPE) {
		err = nil // somebody has killed it
	}
	return errors.Join(err, s.closeWatch())
}

// closeWatch closes our end of the watcher's pipe.
func (s *Server) closeWatch() error {
	if s.watch == nil {
		return nil
	}
	watch := s.watch
	s.watch = nil
	return watch.Close()
}

// stopPid sends signal to the server and waits until it is gone. Once ctx or the
// patience ends it forces an immediate shutdown, and at last kills it.
func (s *Server) stopPid(ctx context.Context, pid int, signal syscall.Signal) error {
	for _, step := range []struct {
		signal   syscall.Signal
		patience time.Duration
	}{{signal, stopPatience}, {syscall.SIGQUIT, killPatience}, {syscall.SIGKILL, killPatience}} {
		if !s.alive(pid) {
			return nil
		}
		if err := syscall.Kill(pid, step.signal); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("stop the private server (pid %d): %w", pid, err)
		}
		if s.awaitGone(ctx, pid, step.patience) {
			return nil
		}
		ctx = context.WithoutCancel(ctx)
	}
	return fmt.Errorf("the private server (pid %d, data %s) cannot be stopped", pid, s.place.data)
}

func (s *Server) awaitGone(ctx context.Context, pid int, patience time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for s.alive(pid) {
		if pause(ctx, 2*time.Millisecond) != nil {
			return !s.alive(pid)
		}
	}
	return true
}

// alive reports whether pid still is the server on our data folder.
func (s *Server) alive(pid int) bool {
	if s.process != nil && s.process.cmd.Process.Pid == pid {
		select {
		case <-s.process.exited:
			return false
		default:
			return true
		}
	}
	return isServer(pid, s.place.data)
}
