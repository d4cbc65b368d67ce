package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"github.com/pawldb/pawl/cmd/pawl/internal/view"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
)

// fmtArguments say what to format and where the result goes.
type fmtArguments struct {
	paths []string // files and folders; none for the project, "-" alone for stdin
	check bool     // list what differs and change nothing
	diff  bool     // print the differences and change nothing
}

// stdinName stands for stdin among the arguments, stdinShown in messages.
const (
	stdinName  = "-"
	stdinShown = "<stdin>"
)

func newFmt(a *app) *cobra.Command {
	var arguments fmtArguments
	cmd := &cobra.Command{
		Use:   "fmt [PATH...]",
		Short: "Write the spec in its canonical form",
		Example: `  pawl fmt                   # the project, with the modules in it
  pawl fmt --check           # in CI: fails when a file is not formatted
  pawl fmt --diff a.hcl      # show what would change
  pawl fmt - < a.hcl         # from an editor: stdin to stdout`,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"hcl"}, cobra.ShellCompDirectiveFilterFileExt
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			arguments.paths = args
			return a.run(func(ctx context.Context) error { return a.fmt(ctx, arguments) })(cmd, args)
		},
	}
	cmd.Flags().BoolVar(&arguments.check, "check", false, checkUsage)
	cmd.Flags().BoolVar(&arguments.diff, "diff", false, "print the differences, write nothing")
	return cmd
}

// document is one text of the spec, before and after.
type document struct {
	shown     string // its name in messages
	text      []byte
	formatted []byte
	refused   bool // it cannot be read, and stays as it is
}

func (d *document) differs() bool { return !bytes.Equal(d.text, d.formatted) }

func (a *app) fmt(ctx context.Context, arguments fmtArguments) error {
	documents, err := a.documents(arguments.paths)
	if err != nil {
		return err
	}
	wrong := a.format(documents)
	report := arguments.report(documents)
	writes := !arguments.check && !arguments.diff
	switch stdin := slices.Contains(arguments.paths, stdinName); {
	case stdin && writes && !wrong:
		text := string(documents[0].formatted)
		report.Text = &text
	case writes && !stdin:
		if err := writeFormatted(ctx, documents); err != nil {
			return err
		}
	}
	a.view.Formatted(report)
	if wrong || arguments.check && len(report.Changed) > 0 {
		return said(exitFindings)
	}
	return nil
}

// documents reads what is to be formatted.
func (a *app) documents(paths []string) ([]document, error) {
	if slices.Contains(paths, stdinName) {
		if len(paths) > 1 {
			return nil, usageError("pawl fmt - < FILE", "stdin cannot be formatted together with files")
		}
		text, err := io.ReadAll(a.stdin)
		return []document{{shown: stdinShown, text: text}}, err
	}
	if len(paths) == 0 {
		paths = []string{"."}
	}
	var documents []document
	seen := map[string]bool{}
	for _, name := range paths {
		if !filepath.IsAbs(name) {
			name = filepath.Join(a.global.dir, name)
		}
		files, err := filesAt(name)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			if seen[file] {
				continue
			}
			seen[file] = true
			text, err := os.ReadFile(file)
			if err != nil {
				return nil, unreadable(file, err)
			}
			documents = append(documents, document{shown: file, text: text})
		}
	}
	return documents, nil
}

// filesAt are the files that one argument stands for: itself, or the sources of
// the project in a folder.
func filesAt(name string) ([]string, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, unreadable(name, err)
	case !info.IsDir():
		if filepath.Ext(name) != ".hcl" {
			return nil, usageError("specs are in *.hcl files; stdin takes any text: pawl fmt - < FILE", "%s is no *.hcl file", name)
		}
		return []string{name}, nil
	}
	files, err := dsl.SourceFiles(os.DirFS(name))
	if err != nil {
		return nil, unreadable(name, err)
	}
	if len(files) == 0 {
		return nil, failed(fmt.Errorf("%s holds no *.hcl file", name), "-C DIR names the folder of the project")
	}
	for i, file := range files {
		files[i] = filepath.Join(name, filepath.FromSlash(file))
	}
	return files, nil
}

func unreadable(name string, err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return failed(fmt.Errorf("read %s: %w", name, err), "")
}

// format formats each document, and shows what keeps those that cannot be read
// from being formatted.
func (a *app) format(documents []document) (wrong bool) {
	var list diag.List
	sources := diag.Files{}
	for i := range documents {
		d := &documents[i]
		var found diag.List
		d.formatted, found = dsl.Format(d.text, d.shown)
		d.refused = found.HasErrors()
		list.Extend(found)
		sources[d.shown] = d.text
	}
	list.Sort()
	a.view.Diagnostics(list, sources)
	return list.HasErrors()
}

func (arguments fmtArguments) report(documents []document) view.Formatted {
	report := view.Formatted{Check: arguments.check, Differ: arguments.diff}
	for i := range documents {
		d := &documents[i]
		if d.refused {
			continue
		}
		if !d.differs() {
			report.Unchanged++
			continue
		}
		report.Changed = append(report.Changed, d.shown)
		if arguments.diff {
			name := filepath.ToSlash(strings.TrimPrefix(d.shown, string(filepath.Separator)))
			report.Diffs = append(report.Diffs, string(diff.Diff("a/"+name, d.text, "b/"+name, d.formatted)))
		}
	}
	return report
}

// writeFormatted puts the formatted texts in their files. A file behind a symbolic link
// is written where it is.
func writeFormatted(ctx context.Context, documents []document) error {
	out := output{files: map[string][]byte{}}
	var d difference
	for i := range documents {
		if !documents[i].differs() {
			continue
		}
		file, err := filepath.EvalSymlinks(documents[i].shown)
		if err != nil {
			return unreadable(documents[i].shown, err)
		}
		name := filepath.ToSlash(file)
		if _, twice := out.files[name]; !twice {
			d.changed = append(d.changed, name)
		}
		out.files[name] = documents[i].formatted
	}
	return out.write(ctx, d)
}
