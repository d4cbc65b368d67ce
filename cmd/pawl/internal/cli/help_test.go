package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// screen is the height of the terminal that help has to fit.
const screen = 36

func TestHelpFitsAScreen(t *testing.T) {
	a := &app{system: system{env: func(string) (string, bool) { return "", false }}}
	root := a.root(nil)
	for _, cmd := range append(root.Commands(), root) {
		if cmd.Name() == "completion" || cmd.Name() == "help" {
			continue // cobra's own
		}
		t.Run(cmd.Name(), func(t *testing.T) {
			text := helpOf(t, cmd)
			lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
			if len(lines) > screen {
				t.Errorf("help has %d lines, more than %d:\n%s", len(lines), screen, text)
			}
			for _, line := range lines {
				if len(line) > 120 {
					t.Errorf("a line has %d columns: %s", len(line), line)
				}
			}
			if cmd.HasExample() && strings.Index(text, "Examples:") > strings.Index(text, "Usage:") {
				t.Errorf("examples do not come first:\n%s", text)
			}
			if cmd.Short == "" {
				t.Error("the command does not say what it does")
			}
		})
	}
}

func helpOf(t *testing.T, cmd *cobra.Command) string {
	t.Helper()
	var b bytes.Buffer
	cmd.Root().SetOut(&b)
	if err := cmd.Help(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Shorts are few, and a flag means the same everywhere.
func TestFlagsFollowTheConventions(t *testing.T) {
	a := &app{system: system{env: func(string) (string, bool) { return "", false }}}
	root := a.root(nil)
	usages := map[string]string{}
	for _, cmd := range append(root.Commands(), root) {
		if cmd.Name() == "completion" || cmd.Name() == "help" {
			continue
		}
		for _, flag := range flagsOf(cmd) {
			if flag.Shorthand != "" && !strings.Contains("Cfohv", flag.Shorthand) {
				t.Errorf("%s has the short flag -%s", cmd.CommandPath(), flag.Shorthand)
			}
			if before, seen := usages[flag.Name]; seen && before != flag.Usage {
				t.Errorf("--%s means two things: %q and %q", flag.Name, before, flag.Usage)
			}
			usages[flag.Name] = flag.Usage
		}
	}
}

func flagsOf(cmd *cobra.Command) []*pflag.Flag {
	var flags []*pflag.Flag
	cmd.Flags().VisitAll(func(f *pflag.Flag) { flags = append(flags, f) })
	cmd.PersistentFlags().VisitAll(func(f *pflag.Flag) { flags = append(flags, f) })
	return flags
}
