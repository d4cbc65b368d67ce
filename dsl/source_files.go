package dsl

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// SourceFiles lists the files that make up a project: the *.hcl files of its
// folder and those of the folders inside it that module blocks name, sorted.
// Nothing is evaluated, so that it answers for a project with mistakes too; a
// module that it cannot find is left out.
//
// The error is that of reading the project's own folder.
func SourceFiles(fsys fs.FS) ([]string, error) {
	names, err := hclFiles(fsys, ".")
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{".": true}
	for i := 0; i < len(names); i++ {
		for _, dir := range moduleFolders(fsys, names[i]) {
			if seen[dir] || !fs.ValidPath(dir) {
				continue
			}
			seen[dir] = true
			if more, err := hclFiles(fsys, dir); err == nil {
				names = append(names, more...)
			}
		}
	}
	slices.Sort(names)
	return names, nil
}

// hclFiles lists the source files of one folder.
func hclFiles(fsys fs.FS, dir string) ([]string, error) {
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, entry := range entries {
		if isSource(entry) {
			names = append(names, path.Join(dir, entry.Name()))
		}
	}
	return names, nil
}

// isSource reports whether an entry of a project's folder belongs to the project.
func isSource(entry fs.DirEntry) bool {
	return strings.HasSuffix(entry.Name(), ".hcl") && !strings.HasPrefix(entry.Name(), ".") && !entry.IsDir()
}

// moduleFolders are the folders that the module blocks of a file name.
func moduleFolders(fsys fs.FS, name string) []string {
	src, err := fs.ReadFile(fsys, name)
	if err != nil || syntaxErrors(src, name).HasErrors() {
		return nil
	}
	file, _ := hclsyntax.ParseConfig(src, name, hcl.InitialPos)
	body, ok := file.Body.(*hclsyntax.Body)
	if !ok {
		return nil
	}
	var dirs []string
	for _, block := range body.Blocks {
		source := block.Body.Attributes["source"]
		if block.Type != "module" || source == nil {
			continue
		}
		value, diags := source.Expr.Value(nil)
		if !diags.HasErrors() && value.Type() == cty.String && value.IsKnown() && !value.IsNull() {
			dirs = append(dirs, path.Join(path.Dir(name), value.AsString()))
		}
	}
	return dirs
}
