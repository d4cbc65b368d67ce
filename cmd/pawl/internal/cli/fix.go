package cli

import (
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/pawldb/pawl/cmd/pawl/internal/view"
	"github.com/pawldb/pawl/internal/diag"
)

// fixRounds bounds how often the files are edited: a mistake can hide others,
// which show when it is gone, but not many layers of them.
const fixRounds = 8

// fix edits the project's files where it is certain what was meant. Files
// without such a place are not touched.
func (a *app) fix() error {
	for range fixRounds {
		p, list, err := a.compile("")
		if err != nil {
			return err
		}
		fixes := list.Fixes()
		if len(fixes) == 0 {
			return nil
		}
		for _, file := range slices.Sorted(maps.Keys(fixes)) {
			if err := a.fixFile(file, p.sources[file], fixes[file]); err != nil {
				return err
			}
		}
	}
	return nil
}

// fixFile makes the edits of one file.
func (a *app) fixFile(file string, src []byte, fixes []diag.Fix) error {
	path := filepath.FromSlash(file)
	temporary, err := stage(path, diag.Apply(src, fixes))
	if err != nil {
		return unwritten(file, err)
	}
	if err := os.Rename(temporary, path); err != nil {
		return unwritten(file, err)
	}
	for _, f := range fixes {
		a.view.Fixed(view.Fixed{
			File: file, Line: f.Range.Start.Line, From: string(src[f.Range.Start.Byte:f.Range.End.Byte]), To: f.Text,
		})
	}
	return nil
}
