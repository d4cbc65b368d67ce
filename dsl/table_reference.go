package dsl

import (
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/pawldb/pawl/internal/diag"
)

// referenceMember hides a Reference in the object of a table or key. It is no
// identifier, so that nothing in a project reads it.
const referenceMember = "(reference)"

// tableMembers are the members of table.NAME.
var tableMembers = []string{"name", "schema", "column", "no_duplicates", "primary_key"}

// resolveTable knows table.NAME and what is below it, or data.table.NAME, which
// the schema tells. A table's object depends
// on names and types alone, and of those only on what the reference names, so
// that two tables can point at each other.
func (p *project) resolveTable(r *reference, s *blockSchema) (cty.Value, bool) {
	name, ok := r.next()
	if !ok {
		return p.indexedRoot(r)
	}
	block := p.declared[s.Type][name]
	if block == nil {
		return p.undeclared(r, s.Type, name)
	}
	return p.ofRounds(r, block, s, func(q *project, r *reference) (cty.Value, bool) {
		t := &tableObject{p: q, schema: s, block: block, from: r.place()}
		return t.named(r)
	})
}

// named evaluates the table, or what a reference names below it.
func (t *tableObject) named(r *reference) (cty.Value, bool) {
	member, ok := r.next()
	if !ok {
		return t.whole()
	}
	switch member {
	case "name":
		return t.text("name", labelText(t.block))
	case "schema":
		return t.inSchema()
	case "primary_key":
		return t.key(""), true
	case "column", "no_duplicates":
		return t.part(r, member)
	}
	t.p.report(diag.Diagnostic{
		Code:    diag.UnknownReference,
		Detail:  quote(pathText(r.path[:len(r.path)-1])) + " has no member " + quote(member) + ".",
		Subject: r.place(),
		Help:    t.memberHelp(member),
	})
	return cty.NilVal, false
}

// tableObject evaluates parts of one table for a reference.
type tableObject struct {
	p      *project     // the round of the table, when it is repeated
	schema *blockSchema // of a table, or of one that is not the project's
	block  *hclsyntax.Block
	from   hcl.Range
}

// node names the table among the nodes of its module.
func (t *tableObject) node() string { return t.root() + t.p.localID(t.block) }

// root is how references to the table begin.
func (t *tableObject) root() string {
	if t.schema == &dataSchema {
		return "data.table."
	}
	return "table."
}

// memberHelp suggests what was meant instead of an unknown member. A column's
// name right behind the table is the usual slip.
func (t *tableObject) memberHelp(member string) string {
	if t.p.partsOf(t.block)["column"][member] != nil {
		return "write " + t.root() + labelText(t.block) + ".column." + member
	}
	return didYouMean(member, tableMembers, "")
}

// part evaluates table.NAME.column[.LABEL] or table.NAME.no_duplicates[.LABEL].
func (t *tableObject) part(r *reference, typ string) (cty.Value, bool) {
	parts := t.p.partsOf(t.block)[typ]
	label, ok := r.next()
	if !ok {
		return t.all(typ)
	}
	if parts[label] != nil {
		return t.one(typ, label)
	}
	noun := typ
	if typ == "no_duplicates" {
		noun = "key"
	}
	if !t.p.incomplete {
		t.p.report(diag.Diagnostic{
			Code:    diag.UnknownReference,
			Detail:  "The table " + quote(labelText(t.block)) + " has no " + noun + " " + quote(label) + ".",
			Subject: r.place(),
			Related: []diag.Related{{Range: labelRange(t.block), Text: "the table"}},
			Help:    didYouMean(label, slices.Sorted(maps.Keys(parts)), ""),
		})
	}
	return cty.NilVal, false
}

// one evaluates one column or key. One that is repeated is an object of all of
// them by key.
func (t *tableObject) one(typ, label string) (cty.Value, bool) {
	block := t.p.partsOf(t.block)[typ][label]
	s := ownBlockOf(t.schema, typ)
	if block.Body.Attributes[forEachAttr.Name] == nil {
		return t.single(typ, block, t.p)
	}
	members := make(map[string]cty.Value)
	for _, q := range t.p.rounds(block, s) {
		v, ok := t.single(typ, block, q)
		if !ok {
			return cty.NilVal, false
		}
		members[q.each.key] = v
	}
	return cty.ObjectVal(members), true
}

// single evaluates a column or key in one round.
func (t *tableObject) single(typ string, block *hclsyntax.Block, q *project) (cty.Value, bool) {
	if typ == "no_duplicates" {
		return t.key(q.localID(block)), true
	}
	name := cty.StringVal(labelText(block))
	if attr := block.Body.Attributes["name"]; q.keyOf(block) != nil && attr != nil {
		v, ok := q.value(attr.Expr, &renameAttr)
		if !ok || v.Type() != cty.String || v.IsNull() {
			return cty.NilVal, false
		}
		name = v
	}
	typeOf, ok := t.columnType(block, q)
	if !ok {
		return cty.NilVal, false
	}
	return cty.ObjectVal(map[string]cty.Value{"name": name, "type": typeOf}), true
}

// all evaluates all columns or keys.
func (t *tableObject) all(typ string) (cty.Value, bool) {
	members := make(map[string]cty.Value)
	for label := range t.p.partsOf(t.block)[typ] {
		v, ok := t.one(typ, label)
		if !ok {
			return cty.NilVal, false
		}
		members[label] = v
	}
	return cty.ObjectVal(members), true
}

// whole evaluates table.NAME itself.
func (t *tableObject) whole() (cty.Value, bool) {
	return t.p.node(t.node(), t.from, func() (cty.Value, bool) {
		name, nameOK := t.text("name", labelText(t.block))
		schema, schemaOK := t.inSchema()
		columns, columnsOK := t.all("column")
		keys, keysOK := t.all("no_duplicates")
		if !nameOK || !schemaOK || !columnsOK || !keysOK {
			return cty.NilVal, false
		}
		return cty.ObjectVal(map[string]cty.Value{
			"name": name, "schema": schema, "column": columns, "no_duplicates": keys,
			"primary_key": t.key(""), referenceMember: t.reference(""),
		}), true
	})
}

// key is the object of a key of the table; "" is the primary key.
func (t *tableObject) key(label string) cty.Value {
	return cty.ObjectVal(map[string]cty.Value{referenceMember: t.reference(label)})
}

func (t *tableObject) reference(key string) cty.Value {
	return cty.CapsuleVal(referenceCapsule, &Reference{Table: t.p.idOf(t.block), Key: key, Data: t.schema == &dataSchema})
}

// columnType evaluates the type of a column. A column without one is reported
// where the table is decoded.
func (t *tableObject) columnType(block *hclsyntax.Block, q *project) (cty.Value, bool) {
	attr := block.Body.Attributes["type"]
	if attr == nil {
		return cty.NilVal, false
	}
	return t.p.node(t.node()+".column."+q.localID(block), t.from, func() (cty.Value, bool) {
		v, ok := q.value(attr.Expr, &typeAttr)
		return v, ok && isType(v)
	})
}

// inSchema evaluates the schema that the table is in.
func (t *tableObject) inSchema() (cty.Value, bool) {
	return t.p.node(t.node()+".schema", t.from, func() (cty.Value, bool) {
		if attr := t.block.Body.Attributes["schema"]; attr != nil {
			return t.p.value(attr.Expr, &schemaAttr)
		}
		if pawl := t.p.root.declared["pawl"][""]; pawl != nil && pawl.Body.Attributes["schema"] != nil {
			return t.p.root.value(pawl.Body.Attributes["schema"].Expr, &schemaAttr)
		}
		return cty.StringVal(defaultSchema), true
	})
}

// text evaluates an attribute of the table that is text, or gives its default.
func (t *tableObject) text(attribute, otherwise string) (cty.Value, bool) {
	attr := t.block.Body.Attributes[attribute]
	if attr == nil {
		return cty.StringVal(otherwise), true
	}
	return t.p.node(t.node()+"."+attribute, t.from, func() (cty.Value, bool) {
		v, ok := t.p.value(attr.Expr, &renameAttr)
		return v, ok && v.Type() == cty.String && !v.IsNull()
	})
}

// defaultSchema is the schema of a project that names none.
const defaultSchema = "public"

// partsOf indexes the blocks inside a table by type and label. Of two blocks
// with one label it holds the first.
func (p *project) partsOf(table *hclsyntax.Block) map[string]map[string]*hclsyntax.Block {
	if parts := p.parts[table]; parts != nil {
		return parts
	}
	parts := make(map[string]map[string]*hclsyntax.Block)
	for _, b := range table.Body.Blocks {
		if parts[b.Type] == nil {
			parts[b.Type] = make(map[string]*hclsyntax.Block)
		}
		if len(b.Labels) > 0 && parts[b.Type][b.Labels[0]] == nil {
			parts[b.Type][b.Labels[0]] = b
		}
	}
	p.parts[table] = parts
	return parts
}
