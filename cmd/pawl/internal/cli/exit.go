package cli

import (
	"fmt"

	"github.com/pawldb/pawl/internal/diag"
)

// The exit codes. Scripts rely on them: a code keeps its meaning.
const (
	exitOK           = 0
	exitFailed       = 1   // I/O or the database
	exitChanges      = 2   // plan --detailed-exitcode: there is something to apply
	exitFindings     = 3   // the spec is wrong, --check found a difference, or verify a violation
	exitInconclusive = 4   // verify could not decide, and found nothing wrong
	exitRefused      = 5   // a drop or hazard that nobody allowed, or the answer was no
	exitUsage        = 64  // wrong flags or arguments
	exitBug          = 70  // pawl itself is wrong
	exitInterrupted  = 130 // Ctrl-C
)

// failure is why a command did not end with exitOK.
type failure struct {
	code   int
	err    error
	help   string       // what to do about it; may be empty
	said   bool         // the view has told the user already
	outage *diag.Outage // set when the database cannot be reached
}

func (f *failure) Error() string {
	if f.err == nil {
		return fmt.Sprintf("exit code %d", f.code)
	}
	return f.err.Error()
}

func (f *failure) Unwrap() error { return f.err }

// said is a failure whose reason the view has shown.
func said(code int) *failure { return &failure{code: code, said: true} }

// failed is an error of I/O or of the database.
func failed(err error, help string) *failure {
	return &failure{code: exitFailed, err: err, help: help}
}

// refused is work that pawl could do and does not without being told.
func refused(help, format string, args ...any) *failure {
	return &failure{code: exitRefused, err: fmt.Errorf(format, args...), help: help}
}

// usageError is a command line that cannot be understood or carried out.
func usageError(help, format string, args ...any) *failure {
	return &failure{code: exitUsage, err: fmt.Errorf(format, args...), help: help}
}
