package golang

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// copyFolder adds the Go files of a folder to the output, in a folder of their
// own: the runtime, the explorer, an adapter. The header makes them ours: they are
// rewritten and removed with the rest.
func (e *emitter) copyFolder(from fs.FS, to string) {
	names, err := fs.Glob(from, "*.go")
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("it holds no Go files")
	}
	if err != nil {
		e.problems = append(e.problems, internalProblem("the source of "+to, err))
		return
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := fs.ReadFile(from, name)
		if err != nil {
			e.problems = append(e.problems, internalProblem(to+"/"+name, err))
			continue
		}
		// What stands beside the runtime imports the copy of it.
		text = bytes.ReplaceAll(text, []byte(strconv.Quote(ownRuntime)), []byte(strconv.Quote(e.runtime)))
		// The empty line keeps our header out of the package's doc comment.
		content := append([]byte(header+"\n"), text...)
		e.files = append(e.files, File{Path: path.Join(e.program.Go.Dir, to, name), Content: content})
	}
}
