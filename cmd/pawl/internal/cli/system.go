package cli

import (
	"io"
	"os"

	"golang.org/x/term"
)

// system is the world outside of a command line. Everything that a command
// reads of it or tells it goes through here.
type system struct {
	args   []string // without the program's name
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
	env    func(name string) (value string, set bool)
	// terminal reports whether a stream leads to a person.
	terminal func(stream any) bool
	// columns is the width of the terminal that a stream leads to, 0 for none.
	columns func(stream any) int
}

// process is the system of this process.
func process() system {
	return system{
		args:     os.Args[1:],
		stdin:    os.Stdin,
		stdout:   os.Stdout,
		stderr:   os.Stderr,
		env:      os.LookupEnv,
		terminal: isTerminal,
		columns:  terminalColumns,
	}
}

// getenv is a variable of the environment, "" when it is not set.
func (s system) getenv(name string) string {
	value, _ := s.env(name)
	return value
}

func isTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

func terminalColumns(stream any) int {
	file, ok := stream.(*os.File)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0
	}
	return width
}
