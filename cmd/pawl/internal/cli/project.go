package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pawldb/pawl/compiler"
	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
)

// project is a compiled spec and where it lies.
type project struct {
	dir     string
	program *ir.Program
	sources diag.Files
	targets []string    // the labels of the target blocks
	target  *dsl.Target // that the command works on; nil for none
}

// load reads and compiles the project, and shows what is wrong with it. An
// error says that nothing may be done with it.
func (a *app) load() (*project, error) { return a.loadFor("") }

// loadFor is load for a command that works on a target.
func (a *app) loadFor(target string) (*project, error) {
	done := a.slowlyHere("reading the spec")
	p, list, err := a.compile(target)
	done()
	if err != nil {
		return nil, err
	}
	a.view.Diagnostics(list, p.sources)
	if list.HasErrors() {
		return nil, said(exitFindings)
	}
	return p, nil
}

// compile reads and compiles the project. The program is nil when the list has
// errors. Of the targets, the one that is named is evaluated whole.
func (a *app) compile(target string) (*project, diag.List, error) {
	vars, err := a.global.variables()
	if err != nil {
		return nil, nil, err
	}
	files, err := a.global.varFiles()
	if err != nil {
		return nil, nil, err
	}
	dir := filepath.Clean(a.global.dir)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, nil, notADirectory(dir, err)
	}
	o := dsl.Options{Dir: displayDir(dir), Vars: vars, VarFiles: files, Env: a.env, Version: specVersion(), Target: target}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, notADirectory(dir, err)
	}
	defer func() { _ = root.Close() }() // nothing was written
	fsys := root.FS()                   // follows no link that leads out
	if a.global.outside {
		fsys = os.DirFS(dir)
		o.Outside = outsideOf(dir)
	}
	spec, list := dsl.Load(fsys, o)
	p := &project{dir: dir, sources: diag.Files(spec.Sources), target: targetOf(spec, target)}
	for _, t := range spec.Targets {
		p.targets = append(p.targets, t.Name.Text)
	}
	if !list.HasErrors() {
		program, more := compiler.Compile(spec)
		list.Extend(more)
		if !list.HasErrors() {
			p.program = program
		}
	}
	list.Sort()
	return p, list, nil
}

// outsideOf reads files that are not in a project, by their paths from there.
func outsideOf(dir string) func(name string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		info, err := os.Stat(name)
		if err == nil && !info.Mode().IsRegular() { // reading a pipe might never end
			err = errors.New("no regular file")
		}
		if err != nil {
			return nil, err
		}
		return os.ReadFile(name)
	}
}

func notADirectory(dir string, err error) error {
	if err == nil {
		err = errors.New("it is not a directory")
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return failed(fmt.Errorf("open the project %s: %w", dir, err), "-C DIR names the folder that holds the *.hcl files")
}

// displayDir is what stands before the names of files in messages: nothing for
// the working directory, so that a place can be clicked and copied either way.
func displayDir(dir string) string {
	if dir == "." {
		return ""
	}
	return dir
}
