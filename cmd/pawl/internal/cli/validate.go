package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/pawldb/pawl/cmd/pawl/internal/view"
	"github.com/pawldb/pawl/codegen/golang"
	"github.com/pawldb/pawl/compiler/ir"
)

// validateArguments are the flags of validate.
type validateArguments struct {
	fix bool
}

func newValidate(a *app) *cobra.Command {
	var arguments validateArguments
	cmd := &cobra.Command{
		Use:   "validate",
		Short: "Check the spec and say what is wrong with it",
		Example: `  pawl validate
  pawl validate -C billing --var lease=10m
  pawl validate --fix               # first correct what is certain
  pawl validate --format github     # annotations on a pull request`,
		Args: noArguments,
		RunE: a.run(func(context.Context) error {
			if arguments.fix {
				if err := a.fix(); err != nil {
					return err
				}
			}
			p, err := a.load()
			if err != nil {
				return err
			}
			// What only the Go emitter can tell is still a mistake in the spec.
			if problems := golang.Check(p.program); len(problems) > 0 {
				return a.goProblems(p, problems)
			}
			a.view.Validated(validated(p.program))
			return nil
		}),
	}
	cmd.Flags().BoolVar(&arguments.fix, "fix", false, "edit the files where it is certain what was meant, then check")
	return cmd
}

// validated counts what a program declares.
func validated(p *ir.Program) view.Validated {
	v := view.Validated{Project: p.Project, Singletons: len(p.Singletons), Invariants: len(p.Invariants)}
	for _, r := range p.Repositories {
		if r.Queue != nil {
			v.Queues++
		} else {
			v.Tables++
		}
	}
	for range p.Operations() {
		v.Operations++
	}
	return v
}
