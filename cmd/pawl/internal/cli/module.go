package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"golang.org/x/mod/modfile"
)

// importPath is the import path of a folder, which need not exist yet: that of
// the module around it and the way from there.
func importPath(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for root := dir; ; root = filepath.Dir(root) {
		text, err := os.ReadFile(filepath.Join(root, "go.mod"))
		if err == nil {
			return importPathIn(root, text, dir)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		if root == filepath.Dir(root) {
			return "", failed(fmt.Errorf("there is no go.mod at or above %s, so the generated package has no import path", dir),
				`go mod init example.com/name; or give generate "go" a runtime to import`)
		}
	}
}

func importPathIn(root string, text []byte, dir string) (string, error) {
	module := modfile.ModulePath(text)
	if module == "" {
		return "", failed(fmt.Errorf("%s names no module", filepath.Join(root, "go.mod")), "go mod init example.com/name")
	}
	rest, err := filepath.Rel(root, dir)
	if err != nil {
		return "", err
	}
	return path.Join(module, filepath.ToSlash(rest)), nil
}
