package dsl_test

import (
	"io/fs"
	"testing"

	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
	"github.com/pawldb/pawl/internal/errorcorpus"
)

// TestErrors runs the wrong projects that this package refuses.
func TestErrors(t *testing.T) {
	errorcorpus.Run(t, "../testdata/errors", "lang-", func(fsys fs.FS) diag.List {
		_, list := dsl.Load(fsys, dsl.Options{Version: "0.1.0"})
		return list
	})
}
