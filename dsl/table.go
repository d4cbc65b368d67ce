package dsl

import "github.com/hashicorp/hcl/v2/hclsyntax"

var tableSchema = blockSchema{
	Type: "table", Label: "the name of the table", Object: true, Doc: "a table with its invariants and operations",
	Attrs: []attrSchema{
		schemaAttr, renameAttr, commentAttr,
		{Name: "live", Kind: sqlKind, Doc: "which rows count, a condition or a list of states; invariants inherit it"},
		{Name: "append_only", Kind: boolKind, Doc: "rows are never changed or deleted, by no client"},
		{Name: "version", Kind: nameKind, Doc: "the column that every write raises; an update says which version it has read"},
	},
	Blocks: append([]*blockSchema{
		&columnSchema, &primaryKeySchema, &foreignKeySchema, &checkSchema, &indexSchema,
		&noDuplicatesSchema, &noOverlapSchema, &transitionsSchema, &adjustSchema, &editSchema, &upsertSchema, &limitSchema, &sequenceSchema, &orderedSchema, &atMostOneSchema, &atLeastOneSchema, &exactlyOneSchema, &goTableSchema,
	}, laterSchemas(laterTableBlocks)...),
}

// laterTableBlocks are blocks in a table of later versions, with what works
// today.
var laterTableBlocks = map[string]string{
	"hold":       laterBlocks["hold"],
	"window":     laterBlocks["window"],
	"balanced":   laterBlocks["balanced"],
	"acyclic":    laterBlocks["acyclic"],
	"pair":       laterBlocks["pair"],
	"registry":   laterBlocks["registry"],
	"same_value": laterBlocks["same_value"],
	"one_of":     laterBlocks["one_of"],
	"tick":       laterBlocks["tick"],
}

var goTableSchema = blockSchema{
	Type: "go", Once: true, Doc: "names in the generated Go code",
	Attrs: []attrSchema{
		{Name: "name", Kind: stringKind, Doc: "the repository's name"},
		{Name: "row", Kind: stringKind, Doc: "the row struct's name"},
	},
}

func (p *project) decodeTable(block *hclsyntax.Block) {
	b := p.open(block, &tableSchema)
	t := &Table{
		Block:        b.block,
		Schema:       b.identifier("schema"),
		Rename:       b.identifier("name"),
		Comment:      b.text("comment"),
		AppendOnly:   b.flag("append_only"),
		Version:      b.version(),
		Columns:      decodeColumns(b),
		PrimaryKey:   decodePrimaryKey(b),
		ForeignKeys:  decodeForeignKeys(b),
		Checks:       decodeChecks(b),
		Indexes:      decodeIndexes(b),
		NoDuplicates: decodeNoDuplicates(b),
		NoOverlaps:   decodeNoOverlaps(b),
		Transitions:  decodeTransitions(b),
		Adjusts:      decodeAdjusts(b),
		Edits:        decodeEdits(b),
		Limits:       decodeLimits(b),
		Upserts:      decodeUpserts(b),
		Cardinals:    decodeCardinalities(b),
		Sequences:    decodeSequences(b),
		Orders:       decodeOrders(b),
	}
	t.Live, t.LiveStates = b.live()
	t.GoName, t.GoRow = b.goNames("row")
	p.spec.Tables = append(p.spec.Tables, t)
}

// version reads the version column, nil when it was left out or refused.
func (b *body) version() *Name {
	n := b.name("version")
	if n.Text == "" {
		return nil
	}
	return &n
}

// live reads which rows count: a predicate, or a list of states.
func (b *body) live() (predicate *SQL, states []Name) {
	if expr, _ := b.attr("live"); expr != nil {
		if _, list := expr.(*hclsyntax.TupleConsExpr); list {
			return nil, b.states("live")
		}
	}
	return b.sql("live"), nil
}

// goNames reads the go block: the name, and one other attribute.
func (b *body) goNames(other string) (name, second Value[string]) {
	name, second = Value[string]{Range: b.header}, Value[string]{Range: b.header}
	for _, s := range b.schema.Blocks {
		if s.Type != "go" {
			continue
		}
		if g := b.one(s); g != nil {
			return g.text("name"), g.text(other)
		}
	}
	return name, second
}
