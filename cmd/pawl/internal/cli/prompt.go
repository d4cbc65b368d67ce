package cli

import (
	"bufio"
	"context"
	"fmt"
	"strings"
)

// confirm asks a question that only the word yes answers. Nobody is asked who
// is not there: without a terminal the error names the flag to give instead.
func (a *app) confirm(ctx context.Context, question, flag string) error {
	if !a.terminal(a.stdin) {
		return refused("look at the plan, then give "+flag, "there is no terminal to ask on, so nothing was changed")
	}
	fmt.Fprintf(a.stderr, "%s Only \"yes\" means yes: ", question)
	answer, err := a.readLine(ctx)
	if err != nil {
		return err
	}
	if strings.TrimSpace(answer) != "yes" {
		return refused("", "the answer was no, so nothing was changed")
	}
	return nil
}

// readLine reads a line from the user, or gives up with ctx: a read from a
// terminal cannot be interrupted, so it is left behind.
func (a *app) readLine(ctx context.Context) (string, error) {
	line := make(chan string, 1)
	go func() {
		// The end of the input is an empty answer.
		text, _ := bufio.NewReader(a.stdin).ReadString('\n')
		line <- text
	}()
	select {
	case text := <-line:
		return text, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
