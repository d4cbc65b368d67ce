package cli

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/pawldb/pawl/cmd/pawl/internal/view"
	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/migrate"
)

// planArguments say what to plan and against which database.
type planArguments struct {
	database databaseArguments
	allow    allowances
	detailed bool // exit code 2 when there is something to apply
}

func newPlan(a *app) *cobra.Command {
	var arguments planArguments
	cmd := &cobra.Command{
		Use:   "plan",
		Short: "Show what apply would change in a database, and change nothing",
		Example: `  pawl plan --dev                       # against a private PostgreSQL
  pawl plan --url postgres://app@db/shop
  pawl plan --target production         # as its target block says
  pawl plan --detailed-exitcode         # in CI: 0 nothing to do, 2 changes
  pawl plan -v                          # with the SQL of each step`,
		Args: noArguments,
		RunE: a.run(func(ctx context.Context) error { return a.plan(ctx, arguments) }),
	}
	arguments.database.flags(a, cmd)
	arguments.allow.flags(cmd)
	cmd.Flags().BoolVar(&arguments.detailed, "detailed-exitcode", false, "exit code 2 when there is something to apply")
	return cmd
}

func (a *app) plan(ctx context.Context, arguments planArguments) (err error) {
	s, plan, _, err := a.show(ctx, arguments.database, arguments.allow, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	if arguments.detailed && !plan.Empty() {
		return said(exitChanges)
	}
	return nil
}

// show makes the plan of the project for a database and shows it, as plan and
// apply both begin. The caller closes the session.
func (a *app) show(ctx context.Context, database databaseArguments, allow allowances, aside bool) (*session, *migrate.Plan, *project, error) {
	if err := errors.Join(allow.check(), database.check()); err != nil {
		return nil, nil, nil, err
	}
	p, err := a.loadFor(database.target)
	if err != nil {
		return nil, nil, nil, err
	}
	s, err := a.connect(ctx, database, p.target)
	if err != nil {
		return nil, nil, nil, err
	}
	program := p.program
	if database.dev {
		// Nobody else makes there what the project reads, or the role of its code.
		program = program.Standalone()
		if err := migrate.MakeRole(ctx, s.conn, program.AppRole); err != nil {
			return nil, nil, nil, errors.Join(migrateError(err), s.close())
		}
	}
	plan, err := a.makePlan(ctx, s, program, migrate.PlanOptions{Protect: protected(p.target)})
	if err != nil {
		return nil, nil, nil, errors.Join(err, s.close())
	}
	v := planView(plan, s.target, allow)
	v.Aside = aside
	a.view.Planned(v)
	return s, plan, p, nil
}

// makePlan compares the database with the program.
func (a *app) makePlan(ctx context.Context, s *session, program *ir.Program, o migrate.PlanOptions) (*migrate.Plan, error) {
	done := a.slowly("looking at " + s.target)
	defer done()
	plan, err := migrate.NewPlan(ctx, s.conn, program, o)
	return plan, migrateError(err)
}

// planView is a plan in the words of the view.
func planView(p *migrate.Plan, target string, allow allowances) view.Plan {
	v := view.Plan{Database: target}
	for _, c := range p.Changes {
		v.Changes = append(v.Changes, view.Change{
			Action: view.Action(c.Action), Address: c.Address, Source: c.Pos.String(),
			Object: string(c.Object.Kind) + " " + c.Object.SQL(), Text: c.Text,
		})
	}
	for i, s := range p.Steps {
		v.Steps = append(v.Steps, stepView(i, s))
	}
	for _, h := range p.Hazards {
		v.Hazards = append(v.Hazards, view.Hazard{
			Kind: string(h.Kind), Address: h.Address, Source: h.Pos.String(), Text: h.Text, Help: h.Help, Rows: h.Rows,
			Allow: h.Allow, Allowed: h.Allow != "" && slices.Contains(allow.given, h.Allow),
		})
	}
	for _, b := range p.Violations {
		v.Violations = append(v.Violations, view.Violation{
			Address: b.Address, Source: b.Pos.String(), Text: b.Text, Count: b.Count, Samples: b.Samples,
		})
	}
	for _, id := range p.Unmanaged {
		v.Unmanaged = append(v.Unmanaged, string(id.Kind)+" "+id.SQL())
	}
	return v
}

func stepView(index int, s migrate.Step) view.Step {
	v := view.Step{
		Number: index + 1, Title: s.Title, SQL: s.SQL, Address: s.Address, Source: s.Pos.String(), Why: s.Why,
		Lock: s.Lock, Blocks: string(s.Blocks), Scans: s.Scans, Rewrites: s.Rewrite, Rows: s.Rows, Bytes: s.Bytes,
		Transaction: s.Transaction, Retry: string(s.Retry), Undo: s.Undo,
	}
	if s.Table.Name != "" {
		v.Table = s.Table.SQL()
	}
	return v
}

// migrateError gives what package migrate refuses its exit code.
func migrateError(err error) error {
	var (
		refusal     *migrate.RefusedError
		unmanaged   *migrate.UnmanagedError
		moved       *migrate.MoveError
		prevented   *migrate.PreventedError
		role        *migrate.RoleError
		data        *migrate.DataError
		composite   *migrate.CompositeError
		collation   *migrate.CollationError
		interrupted *migrate.InterruptedError
		step        *migrate.StepError
	)
	switch {
	case errors.As(err, &refusal), errors.As(err, &unmanaged), errors.As(err, &moved), errors.As(err, &prevented), errors.As(err, &role), errors.As(err, &data),
		errors.As(err, &composite), errors.As(err, &collation):
		return &failure{code: exitRefused, err: err}
	case errors.As(err, &interrupted):
		return &failure{code: exitInterrupted, err: err, help: "the next apply goes on from there"}
	case errors.As(err, &step):
		return failed(stepFailure(step), "")
	}
	return err
}
