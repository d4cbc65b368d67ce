// Package pawlsrc holds the source text of the runtime library, package
// [github.com/pawldb/pawl/pawl], so that the tool can copy it into a project
// (generate "go" with runtime = "copy", the default).
//
// It stands at the root of the module because go:embed reaches only downwards.
// Nothing of the runtime is linked into the tool by it: these are bytes.
package pawlsrc

import (
	"embed"
	"io/fs"
)

//go:embed pawl/*.go
var files embed.FS

// Runtime returns the folder of the runtime's Go files, its tests included;
// codegen/golang leaves those out when it copies.
func Runtime() fs.FS {
	folder, err := fs.Sub(files, "pawl")
	if err != nil {
		// fs.Sub fails only on a malformed path, and this one is a constant.
		panic("pawlsrc: " + err.Error())
	}
	return folder
}
