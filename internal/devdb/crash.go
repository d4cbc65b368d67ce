package devdb

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"
)

// Kill9, Restart and RestartImmediate are for tests of crashes. They refuse
// persistent servers, which other processes may be using.

// Kill9 kills the server's main process as the kernel would when out of memory,
// and returns when it is gone. Its children notice and go within moments. The data
// stays as the crash left it, for [Server.Restart]; without one, Stop only cleans
// up.
func (s *Server) Kill9(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.mayRestart(); err != nil {
		return err
	}
	// The watcher would remove the data.
	if err := s.dismissWatcher(); err != nil {
		return err
	}
	if err := syscall.Kill(s.pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return err
	}
	if !s.awaitGone(ctx, s.pid, killPatience) {
		return fmt.Errorf("the private server (pid %d) is still there after kill -9", s.pid)
	}
	return nil
}

// RestartImmediate stops the server without a checkpoint, cutting off every
// connection, and starts it again, which replays the log as after a crash. The
// server has the same URL as before and another PID.
func (s *Server) RestartImmediate(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.mayRestart(); err != nil {
		return err
	}
	if err := s.end(ctx, syscall.SIGQUIT); err != nil {
		return err
	}
	return s.relaunch(ctx)
}

// Restart starts the server again after [Server.Kill9].
func (s *Server) Restart(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.mayRestart(); err != nil {
		return err
	}
	return s.relaunch(ctx)
}

func (s *Server) mayRestart() error {
	switch {
	case s.stopped:
		return errors.New("the private server has been stopped")
	case !s.place.temporary:
		return errors.New("only a temporary private server can be crashed or restarted: other processes may be using this one")
	}
	return nil
}

// killPatience is how long a killed process and its children get to disappear.
const killPatience = 6 * time.Second

// relaunch starts the stopped server anew. Children of a killed server hold on to
// its shared memory for a moment, and as long as they do a new one refuses to
// start: it is tried again.
func (s *Server) relaunch(ctx context.Context) error {
	deadline := time.Now().Add(killPatience)
	for {
		err := s.launch(ctx, false)
		if err == nil || ctx.Err() != nil || time.Now().After(deadline) {
			return err
		}
		if waitErr := pause(ctx, 50*time.Millisecond); waitErr != nil {
			return errors.Join(err, waitErr)
		}
	}
}
