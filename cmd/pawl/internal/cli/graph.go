package cli

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pawldb/pawl/cmd/pawl/internal/view"
	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/graph"
)

// graphArguments say what to draw and how.
type graphArguments struct {
	subject string
	form    string
	out     string // a file; empty for stdout
}

// subjects are what can be drawn, forms how.
var (
	subjects = map[string]func(*ir.Program) *graph.Graph{"tables": graph.Tables, "states": graph.States, "locks": graph.Locks}
	forms    = map[string]func(*graph.Graph) string{"mermaid": (*graph.Graph).Mermaid, "dot": (*graph.Graph).DOT, "svg": (*graph.Graph).SVG}
)

func newGraph(a *app) *cobra.Command {
	arguments := graphArguments{subject: "tables"}
	cmd := &cobra.Command{
		Use:   "graph [tables|states|locks]",
		Short: "Draw the tables, the state machines, or who locks what in which order",
		Example: `  pawl graph                          # tables and foreign keys, for a page in Markdown
  pawl graph states --as svg -o states.svg
  pawl graph locks --as dot | dot -Tpdf > locks.pdf`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError("draw one after the other", "pawl graph draws one subject at a time, and got %s", strings.Join(args, ", "))
			}
			return nil
		},
		ValidArgs: slices.Sorted(maps.Keys(subjects)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				arguments.subject = args[0]
			}
			return a.run(func(context.Context) error { return a.graph(arguments) })(cmd, args)
		},
	}
	names := slices.Sorted(maps.Keys(forms))
	cmd.Flags().StringVar(&arguments.form, "as", "mermaid", "`LANGUAGE` of the picture: "+strings.Join(names, ", "))
	cmd.Flags().StringVarP(&arguments.out, "out", "o", "", "write to `FILE` instead of stdout")
	if err := cmd.RegisterFlagCompletionFunc("as", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // the flag is not there, or has one already
	}
	return cmd
}

func (a *app) graph(arguments graphArguments) error {
	if err := oneOf("as", arguments.form, slices.Sorted(maps.Keys(forms))...); err != nil {
		return err
	}
	draw := subjects[arguments.subject]
	if draw == nil {
		return usageError("there are "+strings.Join(slices.Sorted(maps.Keys(subjects)), ", "), "pawl graph cannot draw %q", arguments.subject)
	}
	p, err := a.load()
	if err != nil {
		return err
	}
	drawn := draw(p.program)
	report := view.Graph{
		Subject: arguments.subject, Form: arguments.form, Nodes: len(drawn.Nodes), Edges: len(drawn.Edges),
		Text: forms[arguments.form](drawn), File: arguments.out,
	}
	if arguments.out != "" {
		if err := writePicture(arguments.out, report.Text); err != nil {
			return err
		}
	}
	a.view.Graphed(report)
	return nil
}

// writePicture writes a file whole, or leaves the one that is there.
func writePicture(file, text string) error {
	temporary, err := stage(file, []byte(text))
	if err == nil {
		err = os.Rename(temporary, file)
	}
	if err != nil {
		return unwritten(filepath.Clean(file), fmt.Errorf("the picture: %w", err))
	}
	return nil
}
