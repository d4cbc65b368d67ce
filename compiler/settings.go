package compiler

import (
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
)

// The first half of an advisory lock's key: below the oid of any table that a
// user can make, so that singletons never share a key with the locks that
// triggers take per group, whose first half is a table's oid.
const (
	minAdvisoryClass = 1
	maxAdvisoryClass = 16383
)

// settings reads the pawl and generate blocks.
func (c *compilation) settings() {
	p := c.program
	p.Postgres, p.DefaultSchema = defaultPostgres, defaultSchema
	if pawl := c.spec.Pawl; pawl != nil {
		p.Project = pawl.Project.V
		c.appRole(pawl.AppRole)
		set(&p.Postgres, pawl.Postgres)
		if pawl.Schema.Set && c.checkSchema(pawl.Schema) {
			p.DefaultSchema = pawl.Schema.V
		}
		c.advisoryClass(pawl.AdvisoryClass)
	}
	if g := c.spec.Go; g != nil {
		p.Go = &ir.GoOutput{Dir: g.Out.V, Package: g.Package.V, Runtime: g.Runtime.V, UUID: g.UUID.V, RaceTests: g.RaceTests.V, Pos: pos(g.Header)}
		for _, a := range g.Adapters {
			p.Go.Adapters = append(p.Go.Adapters, ir.Adapter(a.Text))
		}
		if p.Go.Runtime == "" {
			p.Go.Runtime = "copy"
		}
	}
	if g := c.spec.SQL; g != nil {
		p.SQL = &ir.SQLOutput{File: g.Out.V, Pos: pos(g.Header)}
	}
	for _, t := range c.spec.Targets {
		if t.Pooler.Set {
			p.Pooler = ir.Pooler(t.Pooler.V)
		}
	}
	c.outputs()
}

// checkSchema refuses the schemas that belong to the server or to pawl.
func (c *compilation) checkSchema(v dsl.Value[string]) bool {
	name := v.V
	if name != "pawl" && name != "information_schema" && !strings.HasPrefix(name, "pg_") {
		return true
	}
	c.report(diag.Diagnostic{
		Code:        diag.ReservedSchema,
		Detail:      "The schema " + quote(name) + " is not the project's to use.",
		Subject:     v.Range,
		Label:       "reserved",
		Consequence: "PostgreSQL keeps names that start with pg_ for itself, and pawl keeps its own records in the schema pawl.",
		Help:        `schema = "app"`,
	})
	return false
}

// schemaOf is the schema of an object: its own, or the project's.
func (c *compilation) schemaOf(v dsl.Value[string]) string {
	if v.Set && c.checkSchema(v) {
		return v.V
	}
	return c.program.DefaultSchema
}

func (c *compilation) advisoryClass(v dsl.Value[int]) {
	if !v.Set {
		return
	}
	if v.V < minAdvisoryClass || v.V > maxAdvisoryClass {
		c.report(diag.Diagnostic{
			Code:    diag.AdvisoryClass,
			Detail:  "advisory_class = " + strconv.Itoa(v.V) + " lies outside 1 to 16383.",
			Subject: v.Range,
			Label:   "from 1 to 16383",
			Consequence: "From 16384 on a class is the oid of some table, which pawl's triggers use as the class of their own locks: " +
				"a singleton would wait for writers of that table, and they for it.",
			Help: "advisory_class = 4201   # any number from 1 to 16383 that no other program on this database uses",
		})
		return
	}
	c.program.AdvisoryClass = int32(v.V) //nolint:gosec // at most 16383
}

// pawlRange is the place of the pawl block, for what is missing in it.
func (c *compilation) pawlRange(otherwise hcl.Range) hcl.Range {
	if c.spec.Pawl != nil {
		return c.spec.Pawl.Header
	}
	return otherwise
}

// appRole reads the role that generated code runs as. PostgreSQL keeps some names
// for itself: PUBLIC means everybody.
func (c *compilation) appRole(role dsl.Value[string]) {
	if role.V == "" {
		return
	}
	if role.V != "public" && role.V != "none" && !strings.HasPrefix(role.V, "pg_") {
		c.program.AppRole = role.V
		return
	}
	c.report(diag.Diagnostic{
		Code:        diag.InvalidName,
		Detail:      quote(role.V) + " is no role of an application: PostgreSQL keeps the name for itself.",
		Subject:     role.Range,
		Label:       "reserved",
		Consequence: "A grant to public is one to everybody who can connect; the other names can be no role's that the application has to itself.",
		Help:        `the name of the role that the application connects as: app_role = "app"`,
	})
}
