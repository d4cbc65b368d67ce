package compiler

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
)

// element is what a policy judges, with its place.
type element struct {
	members dsl.Element
	pos     ir.Pos
}

// policies judges the program by the team's own rules. It runs last: a policy
// sees what is compiled, never what was meant.
func (c *compilation) policies() {
	elements := map[string][]element{}
	for _, p := range byLabel(c.spec.Policies, func(p *dsl.Policy) string { return p.Name.Text }) {
		if p.Judge == nil {
			continue // reported by dsl
		}
		kind := p.Each.V
		if elements[kind] == nil {
			elements[kind] = c.elements(kind)
		}
		c.policy(p, elements[kind])
	}
}

// policy judges the elements until an expression has no value.
func (c *compilation) policy(p *dsl.Policy, elements []element) {
	for _, e := range elements {
		verdict, wrong := p.Judge(e.members)
		if len(wrong) > 0 {
			c.noVerdict(p, e, wrong)
			return
		}
		if !verdict.Broken {
			continue
		}
		severity := diag.Error
		if p.Severity.V == "warning" {
			severity = diag.Warning
		}
		address, _ := e.members["address"].(string)
		d := diag.Diagnostic{
			Severity:    severity,
			Code:        diag.PolicyBroken,
			Detail:      verdict.Message,
			Subject:     c.header(e.pos),
			Label:       "policy." + p.Name.Text,
			Related:     []diag.Related{{Range: p.Require, Text: "required here"}},
			Consequence: "The team decided that this holds for all " + p.Each.V + " of the project.",
			Help:        "change it, or leave it out of the policy: when = each.address != " + quote(address),
		}
		c.spec.TraceOf(&d, address)
		c.diags.Add(d)
	}
}

// noVerdict reports an expression that has no value for an element.
func (c *compilation) noVerdict(p *dsl.Policy, e element, wrong diag.List) {
	for _, d := range wrong {
		d.Related = append(d.Related, diag.Related{Range: c.header(e.pos), Text: "for this one"})
		d.Consequence = "policy." + p.Name.Text + " would judge nothing."
		if d.Help == "" {
			d.Help = "write expressions that have a value for each of the " + p.Each.V
		}
		c.report(d)
	}
}

// header is the place of a block's type and labels, from where it starts.
func (c *compilation) header(at ir.Pos) hcl.Range {
	start := hcl.Pos{Line: at.Line, Column: at.Column, Byte: at.Byte}
	src := c.spec.Sources[at.File]
	text := string(src[min(at.Byte, len(src)):])
	text, _, _ = strings.Cut(text, "\n")
	text, _, _ = strings.Cut(text, "{")
	text = strings.TrimRight(text, " \t\r")
	end := hcl.Pos{Line: at.Line, Column: at.Column + utf8.RuneCountInString(text), Byte: at.Byte + len(text)}
	return hcl.Range{Filename: at.File, Start: start, End: end}
}

// elements lists what a policy goes over, in the order of the addresses' tables.
func (c *compilation) elements(kind string) []element {
	switch kind {
	case "tables":
		return c.tableElements()
	case "columns":
		return c.columnElements()
	case "invariants":
		return c.invariantElements()
	}
	return c.queueElements()
}

func (c *compilation) tableElements() []element {
	var list []element
	for _, t := range c.tables {
		list = append(list, element{pos: t.repository.Pos, members: dsl.Element{
			"address": t.address, "name": t.ref.Name, "schema": t.ref.Schema, "comment": t.schema.Comment,
			"columns": columnList(t.columns), "primary_key": columnList(t.key), "invariants": c.invariantsOf(t.ref),
		}})
	}
	return list
}

// invariantsOf lists the addresses of a table's invariants.
func (c *compilation) invariantsOf(ref ir.TableRef) []string {
	var list []string
	for _, inv := range c.program.Invariants {
		if f := inv.Facts(); f.Table == ref {
			list = append(list, f.Address)
		}
	}
	return list
}

// columnElements lists the declared columns, those of queues among them.
func (c *compilation) columnElements() []element {
	var list []element
	for _, t := range c.tables {
		list = append(list, columnsOfTable(t.ref, t.columns)...)
	}
	for _, q := range c.queueTables {
		list = append(list, columnsOfTable(q.ref, q.payload)...)
	}
	return list
}

func columnsOfTable(ref ir.TableRef, columns []*column) []element {
	var list []element
	for _, col := range columns {
		list = append(list, element{pos: col.schema.Origin.Pos, members: dsl.Element{
			"address": col.schema.Origin.Address, "name": col.name, "table": ref.Name, "schema": ref.Schema,
			"comment": col.schema.Comment, "type": typeWords(col.typ), "base_type": typeWords(col.typ.Base()),
			"null": col.null, "default": col.schema.Default, "identity": strings.ToLower(string(col.schema.Identity)),
			"generated": col.schema.Generated, "collation": col.schema.Collation,
		}})
	}
	return list
}

// typeWords spells a type as the language does, without blanks: numeric(12,2),
// timestamptz, list(text). An enum is its name.
func typeWords(t ir.Type) string {
	switch t.Kind {
	case ir.ArrayType:
		return "list(" + typeWords(*t.Elem) + ")"
	case ir.EnumType, ir.DomainType, ir.OtherType:
		return t.Name
	case ir.BaseType:
	}
	name := t.Name
	if word, ok := languageNames[name]; ok {
		name = word
	}
	if len(t.Mods) == 0 {
		return name
	}
	mods := make([]string, len(t.Mods))
	for i, m := range t.Mods {
		mods[i] = plainInt(m)
	}
	return name + "(" + strings.Join(mods, ",") + ")"
}

// languageNames are the words for types that PostgreSQL has another name for
// inside.
var languageNames = map[string]string{
	"int2": "smallint", "int4": "integer", "int8": "bigint", "float4": "real", "float8": "double_precision", "bool": "boolean", "bpchar": "char",
}

func (c *compilation) invariantElements() []element {
	var list []element
	for _, inv := range c.program.Invariants {
		f := inv.Facts()
		list = append(list, element{pos: f.Pos, members: dsl.Element{
			"address": f.Address, "kind": f.Kind, "name": f.Address[strings.LastIndex(f.Address, ".")+1:],
			"table": f.Table.Name, "schema": f.Table.Schema, "promise": f.Promise, "mechanism": f.Mechanism,
		}})
	}
	return list
}

func (c *compilation) queueElements() []element {
	var list []element
	for _, q := range c.queueTables {
		list = append(list, element{pos: q.repository.Pos, members: dsl.Element{
			"address": q.address, "name": q.ref.Name, "schema": q.ref.Schema, "comment": q.schema.Comment,
			"columns": slices.Clip(columnList(q.payload)), "lease_seconds": int64(q.config.Lease.Seconds()), "attempts": int64(q.config.Attempts),
		}})
	}
	return list
}
