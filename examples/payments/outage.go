package main

import (
	"bufio"
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"sync"

	"github.com/pawldb/pawl/examples/database"
)

// outages is what happens to the service and its database, and how often it has.
// They come as payments are made, and not by a clock: a slow machine has as many.
type outages struct {
	kill     chan struct{} // ends the process that runs
	kills    int
	restarts int
}

// supervise runs the service, one process after the other, until ctx ends. Each is
// ended by kill -9.
func (o *outages) supervise(ctx context.Context, listener *os.File, env []string, seen *tally) error {
	for ctx.Err() == nil {
		process, err := startService(listener, env, seen)
		if err != nil {
			return err
		}
		select {
		case <-o.kill:
			o.kills++
		case <-ctx.Done():
		case <-process.done:
			return errors.New("the service ended by itself")
		}
		_ = process.cmd.Process.Kill() // SIGKILL
		<-process.done
	}
	return nil
}

// disturb looks at how many payments are made: it kills the service whenever there
// are so many more, and restarts the database, without asking anybody, every fifth
// time. It ends when made is closed.
func (o *outages) disturb(ctx context.Context, server *database.Server, every int, made <-chan struct{}) error {
	n := 0
	for range made {
		if n++; n%every != 0 {
			continue
		}
		select {
		case o.kill <- struct{}{}:
		default: // the one before is still being replaced
		}
		if n%(5*every) != 0 {
			continue
		}
		if err := server.RestartImmediate(context.WithoutCancel(ctx)); err != nil {
			return err
		}
		o.restarts++
	}
	return nil
}

// process is a process of the service. done is closed when it has ended, and all
// that it wrote was read.
type process struct {
	cmd  *exec.Cmd
	done chan struct{}
}

func startService(listener *os.File, env []string, seen *tally) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self)
	cmd.Env, cmd.ExtraFiles, cmd.Stderr = append(os.Environ(), env...), []*os.File{listener}, os.Stderr
	reports, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{cmd, make(chan struct{})}
	go func() {
		defer close(p.done)
		for lines := bufio.NewScanner(reports); lines.Scan(); {
			seen.line(lines.Text())
		}
		_ = cmd.Wait()
	}()
	return p, nil
}

// listen opens the socket that all processes of the service share.
func listen() (file *os.File, url string, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, "", err
	}
	file, err = l.(*net.TCPListener).File()
	return file, "http://" + l.Addr().String(), errors.Join(err, l.Close())
}

// together runs functions until all have ended, and returns their errors. The
// first error cancels the others.
func together(ctx context.Context, all ...func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var group sync.WaitGroup
	for _, fn := range all {
		group.Go(func() {
			if err := fn(ctx); err != nil {
				cancel(err)
			}
		})
	}
	group.Wait()
	if err := context.Cause(ctx); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}
