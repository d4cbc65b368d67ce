package compiler

import (
	"slices"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/internal/diag"
)

// version reads the version column of a table.
func (c *compilation) version(t *table) {
	if t.decl.Version == nil {
		return
	}
	col := c.lookup(t, *t.decl.Version)
	if col == nil || !col.known {
		return
	}
	d := diag.Diagnostic{
		Code: diag.VersionColumn, Subject: t.decl.Version.Range,
		Consequence: "An update could not tell whether its caller has read the row as it is.",
		Help:        "column " + quote(col.name) + " {\n  type    = bigint\n  default = 1\n}",
	}
	switch {
	case !familyOf(col.typ).integer:
		d.Detail, d.Label = "The version column "+quote(col.name)+" has the type "+col.typ.SQL()+".", "not an integer type"
	case col.null:
		d.Detail, d.Label = "The version column "+quote(col.name)+" says null = true.", "may be NULL"
	case col.decl.Immutable.V:
		d.Detail, d.Label = "The version column "+quote(col.name)+" is immutable.", "never changes"
	case slices.Contains(t.key, col):
		d.Detail, d.Label = "The version column "+quote(col.name)+" is in the primary key.", "the key"
	case col.schema.Identity != ir.NoIdentity:
		d.Detail, d.Label = "The version column "+quote(col.name)+" is an identity column.", "numbered by the server"
	case col.decl.Generated != nil:
		d.Detail, d.Label = "The version column "+quote(col.name)+" is generated.", "computed by the server"
	case col.schema.Default == "":
		d.Detail, d.Label = "The version column "+quote(col.name)+" has no default.", "no version to begin with"
	default:
		t.version, t.repository.Version = col, col.name
		return
	}
	c.report(d)
}

// withVersion are columns that a write changes, and the version with them.
func (t *table) withVersion(columns ...string) []string {
	if t.version != nil {
		columns = append(columns, t.version.name)
	}
	return columns
}

// raiseVersion is the end of a SET list that raises the version.
func (t *table) raiseVersion() string { return t.raiseVersionOf(&parameters{}) }

// raiseVersionOf is the same with the row as p has it.
func (t *table) raiseVersionOf(p *parameters) string {
	if t.version == nil {
		return ""
	}
	name := t.version.name
	return ", " + ir.Ident(name) + " = " + p.column(name) + " + 1"
}
