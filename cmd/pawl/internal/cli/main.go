package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/pawldb/pawl/cmd/pawl/internal/view"
	"github.com/pawldb/pawl/internal/diag"
)

// Main runs the command line of this process and returns its exit code.
func Main() int { return run(process()) }

// command makes a subcommand.
type command func(*app) *cobra.Command

// app is one run of the command line: the world outside, the flags that every
// command has and the view that they chose.
type app struct {
	system
	global globalArguments
	view   view.View
	// working is set when a command's own work began. An error before that is
	// one of usage, found by cobra.
	working bool
}

// run runs one command line. Tests add commands of their own.
func run(sys system, extra ...command) (code int) {
	a := &app{system: sys}
	// Until the flags are parsed, their errors need a view too.
	a.view = a.newView(formatIn(sys.args), colorAuto)
	ctx, stop := interruptible()
	defer stop()
	defer func() {
		if value := recover(); value != nil {
			code = a.bug(value, debug.Stack())
		}
		if err := a.view.Close(code); err != nil && code == exitOK {
			// A full disk or a closed pipe: the artefact did not arrive whole.
			code = exitFailed
			fmt.Fprintln(sys.stderr, "pawl: write the output:", err)
		}
	}()
	root := a.root(extra)
	root.SetArgs(sys.args)
	return a.finish(ctx, root.ExecuteContext(ctx))
}

// interruptible returns a context that ends with the first Ctrl-C, so that the
// step at hand can finish or roll back and a private server stops. The second
// Ctrl-C ends the process at once.
func interruptible() (context.Context, func()) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// finish says what has not been said of an error and returns the exit code.
func (a *app) finish(ctx context.Context, err error) int {
	if err == nil {
		return exitOK
	}
	f := a.classify(ctx, err)
	switch {
	case f.said:
	case f.outage != nil:
		a.view.Outage(*f.outage)
	default:
		a.view.Failure(view.Failure{Text: scrub(f.err.Error()), Help: scrub(f.help)})
	}
	return f.code
}

// classify gives an error its exit code, unless it has one.
func (a *app) classify(ctx context.Context, err error) *failure {
	var f *failure
	switch {
	case !errors.As(err, &f) && !a.working:
		return usageError("pawl -h lists the commands, pawl COMMAND -h the flags of one", "%w", err)
	case f == nil:
		f = failed(err, "")
	}
	if ctx.Err() != nil && f.code == exitFailed {
		// Whatever failed did so because it was told to stop.
		return &failure{code: exitInterrupted, err: fmt.Errorf("interrupted: %w", err)}
	}
	return f
}

// bug reports a panic: ours, whatever the input was.
func (a *app) bug(value any, stack []byte) int {
	a.view.Bug(diag.Bug{
		Message: scrub(fmt.Sprint(value)),
		Version: buildVersion().Version,
		Stack:   scrub(string(stack)),
	})
	return exitBug
}
