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

// resolveTable knows table.NAME and what is below it. A table's object depends
// on names and types alone, and of those only on what the reference names, so
// that two tables can point at each other.
func (p *project) resolveTable(r *reference) (cty.Value, bool) {
	name, ok := r.next()
	if !ok {
		return p.indexedRoot(r)
	}
	block := p.declared["table"][name]
	if block == nil {
		return p.undeclared(r, "table", name)
	}
	t := &tableObject{p: p, name: name, block: block, from: r.place()}
	member, ok := r.next()
	if !ok {
		return t.whole()
	}
	switch member {
	case "name":
		return t.text("name", name)
	case "schema":
		return t.schema()
	case "primary_key":
		return t.key(""), true
	case "column", "no_duplicates":
		return t.part(r, member)
	}
	p.report(diag.Diagnostic{
		Code:    diag.UnknownReference,
		Detail:  quote(pathText(r.path[:2])) + " has no member " + quote(member) + ".",
		Subject: r.place(),
		Help:    t.memberHelp(member),
	})
	return cty.NilVal, false
}

// tableObject evaluates parts of one table for a reference.
type tableObject struct {
	p     *project
	name  string
	block *hclsyntax.Block
	from  hcl.Range
}

// memberHelp suggests what was meant instead of an unknown member. A column's
// name right behind the table is the usual slip.
func (t *tableObject) memberHelp(member string) string {
	if t.p.partsOf(t.block)["column"][member] != nil {
		return "write table." + t.name + ".column." + member
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
			Detail:  "The table " + quote(t.name) + " has no " + noun + " " + quote(label) + ".",
			Subject: r.place(),
			Related: []diag.Related{{Range: labelRange(t.block), Text: "the table"}},
			Help:    didYouMean(label, slices.Sorted(maps.Keys(parts)), ""),
		})
	}
	return cty.NilVal, false
}

// one evaluates one column or key.
func (t *tableObject) one(typ, label string) (cty.Value, bool) {
	if typ == "no_duplicates" {
		return t.key(label), true
	}
	typeOf, ok := t.columnType(label)
	if !ok {
		return cty.NilVal, false
	}
	return cty.ObjectVal(map[string]cty.Value{"name": cty.StringVal(label), "type": typeOf}), true
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
	return t.p.node("table."+t.name, t.from, func() (cty.Value, bool) {
		name, nameOK := t.text("name", t.name)
		schema, schemaOK := t.schema()
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
	return cty.CapsuleVal(referenceCapsule, &Reference{Table: t.name, Key: key})
}

// columnType evaluates the type of a column. A column without one is reported
// where the table is decoded.
func (t *tableObject) columnType(label string) (cty.Value, bool) {
	attr := t.p.partsOf(t.block)["column"][label].Body.Attributes["type"]
	if attr == nil {
		return cty.NilVal, false
	}
	return t.p.node("table."+t.name+".column."+label, t.from, func() (cty.Value, bool) {
		v, ok := t.p.value(attr.Expr, &typeAttr)
		return v, ok && isType(v)
	})
}

// schema evaluates the schema that the table is in.
func (t *tableObject) schema() (cty.Value, bool) {
	return t.p.node("table."+t.name+".schema", t.from, func() (cty.Value, bool) {
		if attr := t.block.Body.Attributes["schema"]; attr != nil {
			return t.p.value(attr.Expr, &schemaAttr)
		}
		if pawl := t.p.declared["pawl"][""]; pawl != nil && pawl.Body.Attributes["schema"] != nil {
			return t.p.value(pawl.Body.Attributes["schema"].Expr, &schemaAttr)
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
	return t.p.node("table."+t.name+"."+attribute, t.from, func() (cty.Value, bool) {
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
