package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
)

// globalArguments are the flags that every command has.
type globalArguments struct {
	dir     string
	color   string
	format  string
	json    bool
	verbose bool
	vars    []string
	files   []string // of variables
	outside bool
}

// The commands, in the order that help lists them.
var commands = []command{
	newInit, newValidate, newFmt, newExplain, newGraph, newGenerate, newPlan, newApply, newVerify, newVersion,
}

// root is the command line as a tree of commands.
func (a *app) root(extra []command) *cobra.Command {
	root := &cobra.Command{
		Use:   "pawl",
		Short: "Concurrency invariants: declared in HCL, kept by PostgreSQL, used from typed Go",
		Example: `  pawl init hotel                # a project to start from
  pawl generate                  # write the Go package and schema.sql
  pawl apply --url postgres://…  # change the database`,
		SilenceErrors:     true,
		SilenceUsage:      true,
		Args:              a.knownCommand,
		RunE:              a.noCommand,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return a.chooseView() },
	}
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetFlagErrorFunc(flagError)
	root.SetUsageTemplate(usageTemplate)
	root.SetHelpTemplate(helpTemplate)
	cobra.EnableCommandSorting = false
	a.globalFlags(root.PersistentFlags())
	root.Flags().Bool("version", false, "the same as the command version")
	_ = root.Flags().MarkHidden("version") // a habit to serve, not a line to read
	for _, command := range append(commands, extra...) {
		root.AddCommand(command(a))
	}
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	return root
}

func (a *app) globalFlags(flags *pflag.FlagSet) {
	g := &a.global
	flags.SortFlags = false
	flags.StringVarP(&g.dir, "chdir", "C", ".", "the project's `DIR`")
	flags.StringArrayVar(&g.vars, "var", nil, "set a variable of the spec, as `NAME=VALUE`; repeatable")
	flags.StringArrayVar(&g.files, "var-file", nil, "read variables of the spec from `FILE`; repeatable, --var wins")
	flags.BoolVar(&g.outside, "allow-outside", false, "let the spec read files outside of its directory")
	flags.StringVar(&g.format, "format", formatHuman, "`FORM` of the output: human, json, github")
	flags.BoolVar(&g.json, "json", false, "the same as --format json")
	flags.StringVar(&g.color, "color", colorAuto, "`WHEN` to use colour: auto, always, never")
	flags.BoolVarP(&g.verbose, "verbose", "v", false, "say more, the SQL for instance")
	// Cobra's own text for -h names the command, which makes each line different.
	flags.BoolP("help", "h", false, "show this help")
}

// noCommand is what pawl alone does.
func (a *app) noCommand(cmd *cobra.Command, _ []string) error {
	if asked, err := cmd.Flags().GetBool("version"); err == nil && asked {
		a.view.Version(buildVersion())
		return nil
	}
	return cmd.Help()
}

// run makes a command's RunE of its work.
func (a *app) run(work func(ctx context.Context) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, _ []string) error {
		a.working = true
		return work(cmd.Context())
	}
}

// knownCommand refuses a word that is no command, and suggests one that is.
func (a *app) knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	if near, ok := diag.Suggest(args[0], names); ok {
		return usageError("did you mean pawl "+near+"?", "there is no command %q", args[0])
	}
	return usageError("the commands are "+strings.Join(names, ", "), "there is no command %q", args[0])
}

// noArguments refuses arguments: the commands that use it take flags alone.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return usageError(cmd.CommandPath()+" -h shows its flags", "%s takes no arguments, and got %q", cmd.CommandPath(), args[0])
}

// flagError explains a flag that cannot be parsed.
func flagError(cmd *cobra.Command, err error) error {
	help := cmd.CommandPath() + " -h lists the flags"
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || unknown.GetSpecifiedShortnames() != "" {
		return usageError(help, "%w", err)
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near, ok := diag.Suggest(unknown.GetSpecifiedName(), names); ok {
		help = "did you mean --" + near + "?"
	}
	return usageError(help, "%s has no flag --%s", cmd.CommandPath(), unknown.GetSpecifiedName())
}

// variables are the values given with --var.
func (g *globalArguments) variables() (map[string]string, error) {
	values := map[string]string{}
	for _, pair := range g.vars {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return nil, usageError("write --var name=value", "--var %q has no name and value", pair)
		}
		if old, twice := values[name]; twice && old != value {
			return nil, usageError("", "--var sets %s twice: %q and %q", name, old, value)
		}
		values[name] = value
	}
	return values, nil
}

// varFiles reads the files given with --var-file, from the working directory.
func (g *globalArguments) varFiles() ([]dsl.VarFile, error) {
	var files []dsl.VarFile
	for _, name := range g.files {
		src, err := os.ReadFile(name)
		if err != nil {
			return nil, failed(fmt.Errorf("read the variables: %w", err), "--var-file names a file of lines NAME = VALUE")
		}
		files = append(files, dsl.VarFile{Name: name, Source: src})
	}
	return files, nil
}

// oneOf refuses a flag's value that is none of the choices.
func oneOf(flag, value string, choices ...string) error {
	for _, choice := range choices {
		if value == choice {
			return nil
		}
	}
	help := fmt.Sprintf("it is one of %s", strings.Join(choices, ", "))
	if near, ok := diag.Suggest(value, choices); ok {
		help = fmt.Sprintf("did you mean --%s %s?", flag, near)
	}
	return usageError(help, "--%s cannot be %q", flag, value)
}
