package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"github.com/pawldb/pawl/cmd/pawl/internal/view"
	"github.com/pawldb/pawl/codegen/postgres"
	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/verify"
	"github.com/pawldb/pawl/verify/report"
)

// verifyArguments say what to verify, how, and which forms of the report to
// write besides the one on stdout.
type verifyArguments struct {
	addresses []string
	options   verify.Options
	full      bool
	mutants   bool   // show the schedules that killed mutants
	replay    string // run this schedule alone
	list      bool   // only say what there is to verify
	mermaid   bool
	html      string // a file
	spec      string // a folder
}

func newVerify(a *app) *cobra.Command {
	var arguments verifyArguments
	cmd := &cobra.Command{
		Use:   "verify [ADDRESS...]",
		Short: "Run the operations in every interleaving, and show that each guard is needed",
		Example: `  pawl verify                           # everything, on a private PostgreSQL
  pawl verify table.bookings queue      # what stands below these addresses
  pawl verify --list                    # what can be verified, with the IDs of the checks
  pawl verify --html report.html --spec specs
  pawl verify --replay table.seats.transitions.status/book-book@without-row-count:0.0.1.1`,
		ValidArgsFunction: func(_ *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
			return a.verifiable(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			arguments.addresses = args
			return a.run(func(ctx context.Context) error { return a.verify(ctx, arguments) })(cmd, args)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&arguments.list, "list", false, "list the checks with their IDs and run nothing; -v lists the mutants too")
	flags.StringVar(&arguments.options.URL, "scratch-url", "", "a superuser's `URL` of a server to make databases on; else a private one is started")
	flags.IntVar(&arguments.options.Sessions, "sessions", 2, "`N` clients meet: 2, or 3")
	flags.BoolVar(&arguments.options.Stress, "stress", false, "also let real clients run at full speed, in rounds")
	flags.BoolVar(&arguments.options.Crash, "crash", false, "also cut connections, kill backends and restart the server")
	flags.BoolVar(&arguments.full, "no-reduce", false, "try every order, also those that are known to come out alike")
	flags.IntVar(&arguments.options.Workers, "workers", 0, "use `N` databases at once (default twice the processors)")
	flags.BoolVar(&arguments.mutants, "show-mutants", false, "also show the schedules that killed the mutants")
	flags.StringVar(&arguments.replay, "replay", "", "run the one schedule with this `ID` and show its timeline")
	flags.BoolVar(&arguments.mermaid, "mermaid", false, "print the schedules as Mermaid sequence diagrams instead")
	flags.StringVar(&arguments.html, "html", "", "also write the report to this `FILE`, a page that needs no network")
	flags.StringVar(&arguments.spec, "spec", "", "also write the schedules to this `DIR`, for PostgreSQL's isolationtester")
	return cmd
}

func (a *app) verify(ctx context.Context, arguments verifyArguments) error {
	if err := arguments.check(a.global.format); err != nil {
		return err
	}
	p, err := a.load()
	if err != nil {
		return err
	}
	if arguments.list {
		return a.listVerifiable(p.program, arguments.addresses)
	}
	options := arguments.options
	options.Addresses, options.Full = arguments.addresses, arguments.full
	options.Progress = a.checked
	options.Log = a.view.Progress
	if arguments.replay != "" {
		return a.replay(ctx, p.program, arguments, options)
	}
	found, err := a.runVerify(ctx, p.program, options)
	if err != nil {
		return a.verifyError(p.program, "", err)
	}
	if arguments.html != "" {
		if err := a.writePage(arguments.html, found); err != nil {
			return err
		}
	}
	examples := report.Counterexamples(found)
	if arguments.spec != "" {
		if err := a.writeSpecs(arguments.spec, p.program, examples); err != nil {
			return err
		}
	}
	if arguments.mermaid {
		a.view.Diagrams(diagramsOf(examples, arguments.mutants))
	} else {
		a.view.Verified(view.Verified{Report: found, Mutants: arguments.mutants})
	}
	switch report.Overall(found) {
	case verify.Violated, verify.Survived:
		return said(exitFindings)
	case verify.Inconclusive:
		return said(exitInconclusive)
	case verify.Holds, verify.Untried, verify.Killed, verify.Excused:
	}
	return nil
}

// runVerify runs the checks. Where there are none, no server is started for them.
func (a *app) runVerify(ctx context.Context, program *ir.Program, options verify.Options) (*verify.Report, error) {
	if len(options.Addresses) == 0 && len(verify.Subjects(program)) == 0 {
		return &verify.Report{Project: program.Project, Sessions: options.Sessions, Full: options.Full}, nil
	}
	done := a.slowly("verifying " + program.Project)
	defer done()
	return verify.Run(ctx, program, options)
}

// listVerifiable lists the checks below the addresses, all of them for none.
func (a *app) listVerifiable(program *ir.Program, addresses []string) error {
	all := listing(program)
	for _, address := range addresses {
		if len(chosen(all, []string{address}).Subjects) == 0 {
			return a.verifyError(program, "", &verify.UnknownError{Address: address})
		}
	}
	a.view.Verifiable(chosen(all, addresses))
	return nil
}

// check refuses what cannot be carried out together.
func (v *verifyArguments) check(format string) error {
	if v.list && (v.replay != "" || v.mermaid || v.html != "" || v.spec != "") {
		return usageError("pawl verify --list [ADDRESS...]", "--list runs nothing: it takes no --replay, --mermaid, --html or --spec")
	}
	if v.mermaid && format != formatHuman {
		return usageError("leave one of the two out: --json has the steps of every schedule", "--mermaid prints diagrams, and --format %s another form of the same", format)
	}
	if v.replay != "" && (len(v.addresses) > 0 || v.html != "" || v.spec != "" || v.full) {
		return usageError("pawl verify --replay ID, with --mermaid if you like", "--replay runs one schedule: it takes no address, --html, --spec or --no-reduce")
	}
	if v.options.Sessions != 2 && v.options.Sessions != 3 {
		return usageError("two find nearly all; three also what needs one that waits for one that waits", "--sessions cannot be %d: it is 2 or 3", v.options.Sessions)
	}
	if v.options.Workers < 0 {
		return usageError("", "--workers cannot be %d", v.options.Workers)
	}
	if v.options.URL == "" {
		return nil
	}
	if _, err := pgx.ParseConfig(v.options.URL); err != nil {
		return usageError("a URL looks like postgres://user:password@host:5432/name", "the server's address cannot be read: %s", scrub(err.Error()))
	}
	return nil
}

// checked tells of a check that is done.
func (a *app) checked(p verify.Progress) {
	what := p.Subject
	if p.Check != nil {
		what = fmt.Sprintf("%s: %s", p.Check.ID, p.Check.Verdict)
		switch p.Check.Phase {
		case verify.Stress:
			what += fmt.Sprintf(" in %d rounds", p.Check.Rounds)
		case verify.Crash:
			what += fmt.Sprintf(" through %d faults", p.Check.Rounds)
		case verify.Interleavings:
		}
	}
	a.view.Progress(fmt.Sprintf("[%*d/%d] %s", len(fmt.Sprint(p.Total)), p.Done, p.Total, what))
}

// replay runs one schedule again. What it shows is what it is for, so a schedule
// that breaks its rule is no failure of the command but a finding.
func (a *app) replay(ctx context.Context, program *ir.Program, arguments verifyArguments, options verify.Options) error {
	done := a.slowly("running " + arguments.replay)
	example, err := verify.Replay(ctx, program, arguments.replay, options)
	done()
	if err != nil {
		return a.verifyError(program, arguments.replay, err)
	}
	if arguments.mermaid {
		a.view.Diagrams([]string{report.Mermaid(example)})
	} else {
		a.view.Replayed(example)
	}
	switch run := example.Run; {
	case len(run.Violations) > 0:
		return said(exitFindings)
	case run.Stuck != "" || run.Deviation != "":
		return said(exitInconclusive)
	}
	return nil
}

func diagramsOf(examples []report.Example, mutants bool) []string {
	var diagrams []string
	for _, e := range examples {
		if e.Mutant == nil || mutants {
			diagrams = append(diagrams, report.Mermaid(e.Counterexample))
		}
	}
	return diagrams
}

// writePage writes the report as one HTML file.
func (a *app) writePage(name string, found *verify.Report) error {
	var page strings.Builder
	if err := report.HTML(&page, found); err != nil {
		return err
	}
	return a.writeReport(name, page.String())
}

// writeSpecs writes a specification for each schedule, mutants' too: what shows
// that a guard is needed is what others will want to repeat.
func (a *app) writeSpecs(dir string, program *ir.Program, examples []report.Example) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return unwritten(dir, err)
	}
	used := map[string]int{}
	for _, e := range examples {
		text, err := report.Spec(e.Counterexample, specOptions(program, e))
		if errors.Is(err, report.ErrNotExportable) {
			a.view.Progress("not exported: " + err.Error())
			continue
		}
		if err != nil {
			return err
		}
		name := fileName(e.Counterexample.ID)
		used[name]++
		if n := used[name]; n > 1 {
			name = fmt.Sprintf("%s-%d", name, n)
		}
		if err := a.writeReport(filepath.Join(dir, name+".spec"), text); err != nil {
			return err
		}
	}
	return nil
}

// writeReport writes a file that was asked for by name.
func (a *app) writeReport(name, text string) error {
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		return unwritten(name, err)
	}
	a.view.Progress("wrote " + name)
	return nil
}

// fileName is an ID as a file may be named on any system.
func fileName(id string) string {
	const longest = 200
	name := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '.', r == '-':
			return r
		}
		return '_'
	}, id)
	return strings.TrimLeft(name[:min(len(name), longest)], ".-")
}

// specOptions are what a specification needs to stand alone: the objects of the
// program and what they are about.
func specOptions(program *ir.Program, e report.Example) report.SpecOptions {
	o := report.SpecOptions{Gates: e.Counterexample.Gates, About: []string{e.Check.Name, e.Subject.Promise}}
	program = program.Standalone()
	for _, change := range program.Schema.Creation() {
		o.Schema = append(o.Schema, postgres.Statements(change)...)
	}
	for _, namespace := range program.Schema.Namespaces {
		o.Schemas = append(o.Schemas, namespace.Name)
	}
	if e.Mutant != nil {
		o.Schema = append(o.Schema, e.Mutant.Changes...)
		o.About = append(o.About, e.Mutant.Name)
		o.About = append(o.About, e.Mutant.Diff...)
	}
	return o
}
