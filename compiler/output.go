package compiler

import (
	"path"
	"slices"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
)

// outputs checks where files are to be written. ".." may lead out of the
// project: a project in db/ writes into ../internal/store.
func (c *compilation) outputs() {
	var dir, file string
	if g := c.spec.Go; g != nil && g.Out.Set && c.relativeOut(g.Out, "store") {
		dir = path.Clean(g.Out.V)
	}
	if g := c.spec.SQL; g != nil && g.Out.Set && c.relativeOut(g.Out, "schema.sql") && c.namesFile(g.Out) {
		file = path.Clean(g.Out.V)
	}
	if dir != "" && file != "" {
		c.apartOutputs(dir, file)
	}
}

// relativeOut refuses an empty or absolute out.
func (c *compilation) relativeOut(out dsl.Value[string], example string) bool {
	d := diag.Diagnostic{Code: diag.OutputPath, Subject: out.Range, Help: "write out = " + quote(example)}
	switch {
	case strings.TrimSpace(out.V) == "":
		d.Detail, d.Label = "out is empty.", "no place"
		d.Consequence = "There is no place to write to."
	case strings.ContainsRune(out.V, 0):
		d.Detail, d.Label = "out holds a NUL character.", "no path"
		d.Consequence = "No file system takes it."
	case path.IsAbs(out.V):
		d.Detail, d.Label = "out = "+quote(out.V)+" is not relative to the project.", "absolute"
		d.Consequence = "The place exists on one machine alone: on another one the files would be missing, or written where nobody looks for them."
		d.Help += `; ".." may lead out of the project`
	default:
		return true
	}
	c.report(d)
	return false
}

// namesFile refuses a place for the DDL that can only be a directory.
func (c *compilation) namesFile(out dsl.Value[string]) bool {
	base := path.Base(path.Clean(out.V))
	if !strings.HasSuffix(out.V, "/") && base != "." && base != ".." {
		return true
	}
	c.report(diag.Diagnostic{
		Code:        diag.OutputPath,
		Detail:      "out = " + quote(out.V) + " is a directory, and the DDL is one file.",
		Subject:     out.Range,
		Label:       "a directory",
		Consequence: "The file could not be written.",
		Help:        "write out = " + quote(path.Join(out.V, "schema.sql")),
	})
	return false
}

// apartOutputs refuses a file for the DDL that the Go package stands in the way
// of. Beside the package's files it may lie.
func (c *compilation) apartOutputs(dir, file string) {
	d := diag.Diagnostic{Code: diag.OutputPath, Subject: c.spec.SQL.Out.Range, Label: "in the way of the Go package"}
	d.Related = []diag.Related{{Range: c.spec.Go.Out.Range, Text: "the Go package: " + quote(dir)}}
	d.Help = `out = "schema.sql"`
	rest, inside := strings.CutPrefix(file, dir+"/")
	if dir == "." {
		rest, inside = file, !strings.HasPrefix(file, "../")
	}
	switch {
	case file == dir || strings.HasPrefix(dir, file+"/"):
		d.Detail = "The DDL would be the file " + quote(file) + ", where the Go package needs a directory."
	case inside && rest == "pawl" && c.program.Go.Runtime == "copy":
		d.Detail = "The DDL would be the file " + quote(file) + ", where the copy of the runtime needs a directory."
	case inside && rest == "pawl/explore" && c.program.Go.Runtime == "copy" && c.program.Go.RaceTests:
		d.Detail = "The DDL would be the file " + quote(file) + ", where the copy of the explorer needs a directory."
	case inside && rest == "pawl/otelpawl" && c.program.Go.Runtime == "copy" && slices.Contains(c.program.Go.Adapters, ir.OtelAdapter):
		d.Detail = "The DDL would be the file " + quote(file) + ", where the copy of the adapter for OpenTelemetry needs a directory."
	case inside && !strings.Contains(rest, "/") && strings.HasSuffix(rest, ".go"):
		d.Detail = "The DDL would be the file " + quote(file) + ", one of the Go package's."
	default:
		return
	}
	d.Consequence = "One of the two could not be written, or Go would try to compile SQL."
	c.report(d)
}
