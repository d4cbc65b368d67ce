package dsl

import (
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/pawldb/pawl/internal/diag"
)

// dataType is the block of a table that the project reads and does not own. Its
// first label says what it describes; today that is always a table.
const dataType = "data"

var dataSchema = blockSchema{
	Type: dataType, Label: "the name of the table", Object: true, NoAllow: true, Doc: "a table that is read and not owned",
	Attrs:  []attrSchema{schemaAttr, {Name: "name", Kind: stringKind, Doc: "the name in the database, instead of the label"}},
	Blocks: []*blockSchema{&dataColumnSchema, &dataPrimaryKeySchema, &dataKeySchema},
}

var dataColumnSchema = blockSchema{
	Type: "column", Label: "the name of the column", Object: true, Required: true, NoAllow: true, Doc: "a column that the table has",
	Attrs: []attrSchema{
		typeAttr,
		{Name: "null", Kind: boolKind, Doc: "whether it may be NULL there; it may not when absent"},
		columnNameAttr,
	},
}

var dataPrimaryKeySchema = blockSchema{
	Type: "primary_key", Once: true, NoAllow: true, Doc: "the key that references to the table mean",
	Attrs: []attrSchema{{Name: "columns", Kind: namesKind, Required: true, Doc: "the columns"}},
}

var dataKeySchema = blockSchema{
	Type: "no_duplicates", Label: "the name of the key", Object: true, NoAllow: true, Doc: "another key that references may name",
	Attrs: []attrSchema{{Name: "columns", Kind: namesKind, Required: true, Doc: "the columns"}, renameAttr},
}

// dataBlock checks the labels of a data block and returns the block with the
// last one alone, as every other block has it.
func (p *project) dataBlock(b *hclsyntax.Block) (*hclsyntax.Block, bool) {
	last := max(len(b.Labels)-1, 0)
	named := *b
	named.Labels, named.LabelRanges = b.Labels[last:], b.LabelRanges[last:]
	if len(b.Labels) == 2 && b.Labels[0] == "table" {
		return &named, true
	}
	d := diag.Diagnostic{
		Code:    diag.BlockLabels,
		Detail:  "A data block has two labels: \"table\", and the name of the table.",
		Subject: b.DefRange(),
		Help:    "write data \"table\" \"NAME\" { … }",
	}
	if len(b.Labels) > 0 {
		d.Help = "write data \"table\" " + quote(b.Labels[last]) + " { … }"
	}
	p.report(d)
	return &named, false
}

func (p *project) decodeData(block *hclsyntax.Block) {
	b := p.open(block, &dataSchema)
	t := &Table{Block: b.block, Schema: b.identifier("schema"), Rename: b.identifier("name")}
	for _, c := range b.each(&dataColumnSchema) {
		c.columnName()
		t.Columns = append(t.Columns, &Column{Block: c.block, Type: c.typ("type").Type, Null: c.flag("null")})
	}
	t.Columns = p.distinctColumns(t.Columns)
	if k := b.one(&dataPrimaryKeySchema); k != nil {
		t.PrimaryKey = &PrimaryKey{Block: k.block, Columns: k.names("columns"), List: k.rangeOf("columns")}
	}
	for _, k := range b.each(&dataKeySchema) {
		key := &NoDuplicates{Block: k.block, Rename: k.identifier("name"), List: k.rangeOf("columns")}
		for _, name := range k.names("columns") {
			key.Columns = append(key.Columns, KeyPart{Column: &name, Range: name.Range})
		}
		t.NoDuplicates = append(t.NoDuplicates, key)
	}
	p.spec.Data = append(p.spec.Data, t)
}

// resolveData knows data.table.NAME and what is below it, which is what
// table.NAME has.
func (p *project) resolveData(r *reference) (cty.Value, bool) {
	kind, ok := r.next()
	if !ok || kind != "table" || len(r.rest) == 0 {
		p.report(diag.Diagnostic{
			Code:    diag.UnknownReference,
			Detail:  "What a data block describes is data.table.NAME.",
			Subject: r.all.SourceRange(),
			Help:    "write data.table.NAME",
		})
		return cty.NilVal, false
	}
	return p.resolveTable(r, &dataSchema)
}
