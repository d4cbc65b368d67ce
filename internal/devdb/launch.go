package devdb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// launch starts postgres on the data folder, with its watcher, and waits until it
// accepts connections.
func (s *Server) launch(ctx context.Context, tcp bool) error {
	if err := s.clearStale(); err != nil {
		return err
	}
	read, write, err := makeWatchPipe(s.place.dir, s.owner)
	if err != nil {
		return err
	}
	defer read.Close()
	log, err := os.OpenFile(s.LogFile(), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return errors.Join(err, write.Close())
	}
	defer log.Close()
	if err := s.owner.own(s.LogFile()); err != nil {
		return errors.Join(err, write.Close())
	}

	signal, remove := "INT", ""
	switch {
	case s.place.temporary:
		signal, remove = "QUIT", s.place.dir
	case s.socket != s.place.dir:
		remove = s.socket
	}
	args := []string{"-c", watcherScript, "pawl-watch", s.place.dir, s.place.data, signal, remove, s.bin.program("postgres"), "-D", s.place.data}
	for _, setting := range s.settings {
		args = append(args, "-c", setting)
	}
	cmd := exec.Command("/bin/sh", args...)
	cmd.Dir = s.place.dir
	cmd.Env = serverEnv(s.place.dir)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.ExtraFiles = []*os.File{read}
	s.owner.run(cmd)
	if err := cmd.Start(); err != nil {
		return errors.Join(fmt.Errorf("start PostgreSQL: %w", err), write.Close())
	}
	p := &process{cmd: cmd, exited: make(chan struct{})}
	go func() {
		// How it ended stands in the log; what matters here is that it did.
		_ = cmd.Wait()
		close(p.exited)
	}()
	s.watch, s.process, s.pid = write, p, cmd.Process.Pid
	err = s.awaitReady(ctx)
	if err == nil && tcp {
		err = s.setPassword(ctx)
	}
	if err != nil {
		stopErr := s.end(context.WithoutCancel(ctx), syscall.SIGQUIT)
		return errors.Join(err, stopErr)
	}
	return nil
}

// clearStale removes what a killed server left behind and would keep a new one
// from starting. The caller knows that no server runs.
func (s *Server) clearStale() error {
	socket := filepath.Join(s.socket, fmt.Sprintf(".s.PGSQL.%d", s.port))
	for _, path := range []string{socket, socket + ".lock"} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return disarmStalePid(s.place.data)
}

// awaitReady waits until the server that we started says in its pid file that it
// accepts connections.
func (s *Server) awaitReady(ctx context.Context) error {
	for {
		file, err := readPidFile(s.place.data)
		if err == nil && file.pid == s.pid && file.ready {
			return nil
		}
		select {
		case <-s.process.exited:
			return fmt.Errorf("PostgreSQL %s did not start: %s\n%s", s.bin.Version, s.process.cmd.ProcessState, s.logTail())
		case <-ctx.Done():
			return fmt.Errorf("waiting for PostgreSQL %s to start: %w\n%s", s.bin.Version, context.Cause(ctx), s.logTail())
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// logTail is the end of the server's log, for an error message.
func (s *Server) logTail() string {
	text, err := os.ReadFile(s.LogFile())
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-12):], "\n")
}
