package dsl

import (
	"path"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/pawldb/pawl/internal/diag"
)

// generateSchema is what both kinds of generate blocks share.
var generateSchema = blockSchema{Type: "generate", Label: "what is generated", Doc: "files to write"}

var generateGoSchema = blockSchema{
	Type: "generate", Label: generateSchema.Label, NoAllow: true, Doc: "the Go package",
	Attrs: []attrSchema{
		{Name: "out", Kind: stringKind, Required: true, Doc: "the directory, relative to the project"},
		{Name: "package", Kind: stringKind, Doc: "the package's name; the last part of out when absent"},
		{Name: "runtime", Kind: stringKind, Doc: "copy, or the import path of the runtime"},
		{Name: "adapters", Kind: choicesKind, Choices: []string{"slog", "otel"}, Empty: true, Doc: "what calls are written to: options for New"},
		{Name: "race_tests", Kind: boolKind, Doc: "also write tests that try the races of each table in every order"},
		{Name: "uuid", Kind: stringKind, Doc: "the Go type of uuid: an import path, a dot and a type"},
	},
}

var generateSQLSchema = blockSchema{
	Type: "generate", Label: generateSchema.Label, NoAllow: true, Doc: "the DDL as one file",
	Attrs: []attrSchema{
		{Name: "out", Kind: stringKind, Required: true, Doc: "the file, relative to the project"},
	},
}

// generateKinds are the labels of generate blocks.
var generateKinds = map[string]*blockSchema{"go": &generateGoSchema, "sql": &generateSQLSchema}

func (p *project) decodeGenerate(block *hclsyntax.Block) {
	kind := labelText(block)
	schema := generateKinds[kind]
	switch {
	case len(block.Labels) == 0:
		p.label(block, &generateSchema)
		return
	case schema == nil:
		p.report(diag.Diagnostic{
			Code:    diag.InvalidChoice,
			Detail:  "pawl cannot generate " + quote(kind) + ".",
			Subject: labelRange(block),
			Help:    choiceHelp(kind, []string{"go", "sql"}),
		})
		return
	}
	b := p.open(block, schema)
	if kind == "sql" {
		p.spec.SQL = &GenerateSQL{Block: b.block, Out: b.text("out")}
		return
	}
	p.spec.Go = &GenerateGo{
		Block: b.block, Out: b.text("out"), Package: b.text("package"), Runtime: b.text("runtime"),
		Adapters: b.choices("adapters"), RaceTests: b.flag("race_tests"), UUID: b.text("uuid"),
	}
	if !p.spec.Go.Package.Set {
		p.spec.Go.Package.V = path.Base(p.spec.Go.Out.V)
	}
}
