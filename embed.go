// Package pawlsrc holds the source text of what the tool copies into projects:
// the runtime library, package [github.com/pawldb/pawl/pawl] (generate "go" with
// runtime = "copy", the default), its adapter for OpenTelemetry, package
// [github.com/pawldb/pawl/pawl/otelpawl] (with adapters = ["otel"]), and the explorer,
// package [github.com/pawldb/pawl/verify/explore] (with race_tests = true).
//
// It stands at the root of the module because go:embed reaches only downwards.
// Nothing of them is linked into the tool by it: these are bytes.
package pawlsrc

import (
	"embed"
	"io/fs"
)

//go:embed pawl/*.go pawl/otelpawl/*.go verify/explore/*.go
var files embed.FS

// Runtime returns the folder of the runtime's Go files, its tests included;
// codegen/golang leaves those out when it copies.
func Runtime() fs.FS { return folder("pawl") }

// Otel returns the folder of the runtime's adapter for OpenTelemetry, as Runtime
// does.
func Otel() fs.FS { return folder("pawl/otelpawl") }

// Explorer returns the folder of the explorer's Go files, its tests included, as
// Runtime does.
func Explorer() fs.FS { return folder("verify/explore") }

func folder(path string) fs.FS {
	sub, err := fs.Sub(files, path)
	if err != nil {
		// fs.Sub fails only on a malformed path, and these are constants.
		panic("pawlsrc: " + err.Error())
	}
	return sub
}
