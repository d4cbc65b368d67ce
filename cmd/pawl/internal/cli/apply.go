package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pawldb/pawl/cmd/pawl/internal/view"
	"github.com/pawldb/pawl/migrate"
)

// applyArguments say what to apply and to which database.
type applyArguments struct {
	database databaseArguments
	allow    allowances
	yes      bool // do not ask
	keep     bool // leave the private server up until Ctrl-C
}

func newApply(a *app) *cobra.Command {
	var arguments applyArguments
	cmd := &cobra.Command{
		Use:   "apply",
		Short: "Change a database into what the spec says",
		Example: `  pawl apply --dev --yes                # to a private PostgreSQL
  pawl apply --dev --yes --keep         # … which stays up until Ctrl-C; its URL goes to stdout, alone
  pawl apply --url postgres://app@db/shop
  pawl apply --yes --allow drop=table.bookings.column.note`,
		Args: noArguments,
		RunE: a.run(func(ctx context.Context) error { return a.apply(ctx, arguments) }),
	}
	arguments.database.flags(a, cmd)
	arguments.allow.flags(cmd)
	cmd.Flags().BoolVar(&arguments.keep, "keep", false, "with --dev: print the server's URL and keep it up until Ctrl-C")
	cmd.Flags().BoolVar(&arguments.yes, "yes", false, "do not ask before changing anything")
	return cmd
}

func (a *app) apply(ctx context.Context, arguments applyArguments) (err error) {
	if arguments.keep && (!arguments.database.dev || a.global.format != formatHuman) {
		return usageError("pawl apply --dev --keep", "--keep needs --dev, and a person who ends it")
	}
	s, plan, p, err := a.show(ctx, arguments.database, arguments.allow, arguments.keep)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	if !plan.Empty() {
		if err := a.permit(ctx, plan, s.target, arguments); err != nil {
			return err
		}
	}
	start := time.Now()
	if err := plan.Apply(ctx, s.conn, migrate.ApplyOptions{
		Allow: arguments.allow.given, LockTimeout: lockTimeout(p.target), Observe: a.observe,
	}); err != nil {
		return migrateError(err)
	}
	a.view.Applied(view.Applied{Database: s.target, Steps: len(plan.Steps), Seconds: time.Since(start).Seconds()})
	if arguments.keep {
		a.view.Serving(s.server.URL(devDatabase))
		<-ctx.Done() // Ctrl-C is how this ends, and no failure
	}
	return nil
}

// permit asks before anything changes, unless the answer is known to be no.
func (a *app) permit(ctx context.Context, plan *migrate.Plan, target string, arguments applyArguments) error {
	if err := plan.Permitted(arguments.allow.given); err != nil {
		return migrateError(err)
	}
	if arguments.yes {
		return nil
	}
	steps := fmt.Sprintf("Run these %d steps on %s?", len(plan.Steps), target)
	if len(plan.Steps) == 1 {
		steps = fmt.Sprintf("Run this step on %s?", target)
	}
	return a.confirm(ctx, steps, "--yes")
}

// observe tells the view how an apply goes on.
func (a *app) observe(e migrate.Event) {
	switch e.Kind {
	case migrate.EventWaiting:
		a.view.Progress("waiting for another apply: " + e.Text)
	case migrate.EventStart:
		// What takes no time needs no announcement; a scan or a build may take hours.
		if e.Step.Scans || e.Step.Rewrite || !e.Step.Transactional() {
			a.view.Progress(e.Step.Title + " …")
		}
	case migrate.EventRetry:
		a.view.Progress(fmt.Sprintf("%s: %s; trying again in %.1f s", e.Step.Title, scrub(e.Err.Error()), e.Wait.Seconds()))
	case migrate.EventDone:
		a.view.StepDone(view.StepDone{
			Number: e.Index + 1, Of: e.Total, Title: e.Step.Title, Address: e.Step.Address, Seconds: e.Elapsed.Seconds(),
		})
	}
}

// stepFailure is a failed step with all that the server said about it, for the
// person who has to put it right.
func stepFailure(e *migrate.StepError) error {
	lines := []string{e.Error()}
	if e.Detail != "" {
		lines = append(lines, "  detail: "+e.Detail)
	}
	if e.Violation != nil {
		for _, row := range e.Violation.Samples {
			lines = append(lines, "  row: "+row)
		}
	}
	if e.Hint != "" {
		lines = append(lines, "  hint: "+e.Hint)
	}
	switch {
	case e.Stand == 1:
		lines = append(lines, "  The first step of the plan stands; the next apply goes on from there.")
	case e.Stand > 1:
		lines = append(lines, fmt.Sprintf("  The first %d steps of the plan stand; the next apply goes on from there.", e.Stand))
	}
	return &described{text: strings.Join(lines, "\n"), error: e}
}

// described is an error with a text of its own.
type described struct {
	error
	text string
}

func (d *described) Error() string { return d.text }
func (d *described) Unwrap() error { return d.error }
