package cli

import (
	"bytes"
	"context"
	"errors"
	"path"
	"path/filepath"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/spf13/cobra"

	pawlsrc "github.com/pawldb/pawl"
	"github.com/pawldb/pawl/cmd/pawl/internal/view"
	"github.com/pawldb/pawl/codegen/golang"
	"github.com/pawldb/pawl/codegen/postgres"
	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/internal/diag"
)

// generateArguments say what to do with what the spec generates.
type generateArguments struct {
	check bool // compare with the disk and change nothing
}

// checkUsage explains --check, which means the same wherever something is written.
const checkUsage = "list the files that would change, write nothing; exit code 3 if there are any"

func newGenerate(a *app) *cobra.Command {
	var arguments generateArguments
	cmd := &cobra.Command{
		Use:   "generate",
		Short: "Write the Go package and the SQL file that the spec asks for",
		Example: `  pawl generate
  pawl generate --check      # in CI: fails when the output is not up to date
  //go:generate pawl generate -C ../spec`,
		Args: noArguments,
		RunE: a.run(func(ctx context.Context) error { return a.generate(ctx, arguments) }),
	}
	cmd.Flags().BoolVar(&arguments.check, "check", false, checkUsage)
	return cmd
}

func (a *app) generate(ctx context.Context, arguments generateArguments) error {
	p, err := a.load()
	if err != nil {
		return err
	}
	if p.program.Go == nil && p.program.SQL == nil {
		return failed(errors.New("the spec generates nothing"), `add generate "go" { out = "store" }`)
	}
	done := a.slowlyHere("generating")
	out, err := a.render(p)
	done()
	if err != nil {
		return err
	}
	d, err := out.compare()
	if err != nil {
		return failed(err, "")
	}
	report := view.Generated{
		Check: arguments.check, Changed: p.shown(d.changed), Missing: p.shown(d.missing), Stale: p.shown(d.stale), Foreign: p.shown(d.foreign), Unchanged: d.unchanged,
	}
	if arguments.check {
		a.view.Generated(report)
		if !report.Clean() {
			return said(exitFindings)
		}
		return nil
	}
	if len(d.foreign) > 0 {
		return foreignFiles(p.shown(d.foreign))
	}
	if err := out.write(ctx, d); err != nil {
		return err
	}
	a.view.Generated(report)
	return nil
}

// shown are files as the user would name them.
func (p *project) shown(names []string) []string {
	shown := make([]string, len(names))
	for i, name := range names {
		shown[i] = filepath.Join(p.dir, filepath.FromSlash(name))
	}
	return shown
}

// render makes all the files that the spec asks for, in memory.
func (a *app) render(p *project) (output, error) {
	out := output{root: p.dir, files: map[string][]byte{}}
	if sql := p.program.SQL; sql != nil {
		out.files[path.Clean(filepath.ToSlash(sql.File))] = []byte(postgres.Schema(p.program))
	}
	if p.program.Go == nil {
		return out, nil
	}
	options, err := p.goOptions()
	if err != nil {
		return out, err
	}
	files, problems := golang.Generate(p.program, pawlsrc.Runtime(), options)
	if len(problems) > 0 {
		return out, a.goProblems(p, problems)
	}
	for _, file := range files {
		out.files[path.Clean(file.Path)] = file.Content
	}
	dir := path.Clean(filepath.ToSlash(p.program.Go.Dir))
	out.owned = []string{dir, path.Join(dir, "pawl"), path.Join(dir, "pawl", "explore"), path.Join(dir, "pawl", "otelpawl")}
	return out, nil
}

// goOptions finds what the output needs beside the program: its own import path, an
// adapter, and for race tests the schema and the explorer.
func (p *project) goOptions() (golang.GenerateOptions, error) {
	options := golang.GenerateOptions{Otel: pawlsrc.Otel()}
	if p.program.Go.RaceTests {
		options.Explorer, options.Schema = pawlsrc.Explorer(), postgres.Schema(p.program.Standalone())
	} else if p.program.Go.Runtime != golang.RuntimeCopy {
		return options, nil
	}
	var err error
	options.ImportPath, err = importPath(filepath.Join(p.dir, filepath.FromSlash(p.program.Go.Dir)))
	return options, err
}

// goProblems shows what keeps the spec from becoming Go.
func (a *app) goProblems(p *project, problems []golang.Problem) error {
	var list diag.List
	for _, problem := range problems {
		if problem.Internal {
			panic(problem.Text)
		}
		list.Add(diag.Diagnostic{
			Code: diag.GoName, Subject: headerAt(problem.Pos, p.sources), Detail: problem.Text, Help: problem.Help,
			Consequence: "The generated package would not compile, or not say what it means.",
		})
	}
	list.Sort()
	a.view.Diagnostics(list, p.sources)
	return said(exitFindings)
}

// headerAt is the header of the block that begins at a place, or the rest of the
// line: the program keeps only where a declaration begins.
func headerAt(pos ir.Pos, sources diag.Sources) hcl.Range {
	start := hcl.Pos{Line: pos.Line, Column: pos.Column, Byte: pos.Byte}
	end := start
	if text, ok := sources.Source(pos.File); ok && pos.Byte < len(text) {
		line, _, _ := bytes.Cut(text[pos.Byte:], []byte("\n"))
		header, _, _ := bytes.Cut(line, []byte("{"))
		header = bytes.TrimRight(header, " \t\r")
		end.Byte += len(header)
		end.Column += utf8.RuneCount(header)
	}
	return hcl.Range{Filename: pos.File, Start: start, End: end}
}
