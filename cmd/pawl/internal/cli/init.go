package cli

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pawldb/pawl/cmd/pawl/internal/view"
)

// scaffold is a project to start from. It is right as it stands; init changes its
// name alone.
//
//go:embed scaffold/*.hcl
var scaffold embed.FS

// scaffoldName is the project's name in scaffold.
const scaffoldName = `"example"`

// initArguments say where the project goes.
type initArguments struct {
	dir string // relative to -C; empty for that itself
}

func newInit(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "init [DIR]",
		Short: "Write a small project to start from",
		Example: `  pawl init             # here
  pawl init hotel       # in a folder of its own, which need not exist`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError("pawl init hotel", "pawl init takes one folder, and got %d", len(args))
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.run(func(context.Context) error {
				return a.init(initArguments{dir: strings.Join(args, "")})
			})(cmd, args)
		},
	}
}

func (a *app) init(arguments initArguments) error {
	dir := arguments.dir
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(a.global.dir, dir)
	}
	name, err := projectName(dir)
	if err != nil {
		return err
	}
	if err := noProjectIn(dir); err != nil {
		return err
	}
	files, err := scaffoldFiles(dir, name)
	if err != nil {
		return err
	}
	if err := writeNew(dir, files); err != nil {
		return err
	}
	report := view.Initialized{Project: name, Dir: dir}
	for _, f := range files {
		report.Files = append(report.Files, filepath.Join(dir, f.name))
	}
	a.view.Initialized(report)
	return nil
}

// newFile is a file that init writes.
type newFile struct {
	name string // inside the project
	text []byte
}

// scaffoldFiles are the files of a new project. Generated Go has to have an import
// path, so a folder in no Go module becomes one.
func scaffoldFiles(dir, name string) ([]newFile, error) {
	entries, err := scaffold.ReadDir("scaffold")
	if err != nil {
		return nil, err
	}
	var files []newFile
	for _, entry := range entries {
		text, err := scaffold.ReadFile("scaffold/" + entry.Name())
		if err != nil {
			return nil, err
		}
		text = bytes.Replace(text, []byte(scaffoldName), []byte(strconv.Quote(name)), 1)
		files = append(files, newFile{entry.Name(), text})
	}
	if _, err := importPath(dir); err != nil {
		files = append(files, newFile{"go.mod", []byte("module example.com/" + name + "\n\ngo 1.26\n")})
	}
	return files, nil
}

// noProjectIn refuses a folder that holds a spec already.
func noProjectIn(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return unreadable(dir, err)
	}
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), ".hcl") {
			return refused("pawl init NAME makes a project in a new folder", "%s holds a spec already: %s", dir, entry.Name())
		}
	}
	return nil
}

// writeNew writes files that must not exist, all or none.
func writeNew(dir string, files []newFile) (err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return unwritten(dir, err)
	}
	var made []string
	defer func() {
		if err == nil {
			return
		}
		for _, name := range made {
			err = errors.Join(err, os.Remove(name))
		}
	}()
	for _, f := range files {
		name := filepath.Join(dir, f.name)
		file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(err, fs.ErrExist) {
			return refused("move it away, or start in a new folder: pawl init NAME", "%s exists already", name)
		}
		if err != nil {
			return unwritten(name, err)
		}
		made = append(made, name)
		_, err = file.Write(f.text)
		if err := errors.Join(err, file.Close()); err != nil {
			return unwritten(name, err)
		}
	}
	return nil
}

// projectName makes a project's name of its folder's: the letters, digits and
// underscores of it, in small letters.
func projectName(dir string) (string, error) {
	full, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("find the folder %s: %w", dir, err)
	}
	var b strings.Builder
	for _, r := range strings.ToLower(filepath.Base(full)) {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9' && b.Len() > 0:
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
	}
	const longest = 40 // bytes; an identifier of PostgreSQL has 63, and some are longer than the project's name
	name := strings.TrimRight(b.String()[:min(b.Len(), longest)], "_")
	if name == "" {
		name = "app"
	}
	return name, nil
}
