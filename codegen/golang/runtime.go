package golang

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// copyRuntime adds the runtime's files to the output, in a folder of their own.
// The header makes them ours: they are rewritten and removed with the rest.
func (e *emitter) copyRuntime(runtime fs.FS) {
	names, err := fs.Glob(runtime, "*.go")
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("it holds no Go files")
	}
	if err != nil {
		e.problems = append(e.problems, internalProblem("the runtime", err))
		return
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := fs.ReadFile(runtime, name)
		if err != nil {
			e.problems = append(e.problems, internalProblem("pawl/"+name, err))
			continue
		}
		// The empty line keeps our header out of the package's doc comment.
		content := append([]byte(header+"\n"), text...)
		e.files = append(e.files, File{Path: path.Join(e.program.Go.Dir, "pawl", name), Content: content})
	}
}
