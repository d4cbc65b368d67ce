package compiler

import (
	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
)

// indexes reads the index blocks of a table.
func (c *compilation) indexes(t *table) {
	for _, decl := range t.decl.Indexes {
		ix, order, where, ok := c.index(t, decl)
		if !ok || !c.claimRelation(t.ref, ix.Name, "index "+quote(decl.Name.Text), decl.Header) {
			continue
		}
		t.schema.Indexes = append(t.schema.Indexes, ix)
		if ix.Where == "" && (ix.Method == defaultMethod || ix.Method == "hash") {
			t.indexed = append(t.indexed, leadingColumns(ix.Parts))
		}
		t.listed = append(t.listed, listed{decl: decl, index: ix, exprs: order, where: where})
	}
}

// index reads one index block: the index, the expressions beside its parts and
// its predicate.
func (c *compilation) index(t *table, decl *dsl.Index) (ix ir.Index, exprs []*expression, where *expression, ok bool) {
	ix = ir.Index{
		Name:   derivedName(t.ref.Name, decl.Name.Text, decl.Rename),
		Method: defaultMethod,
		Origin: ir.Origin{Address: inside(t.address, "index", decl.Block), Pos: pos(decl.Header)},
	}
	ok = len(decl.Columns) > 0
	if decl.Method.Set {
		ix.Method = decl.Method.V
	}
	for _, part := range decl.Columns {
		p, e, good := c.keyPart(t, part, "index", ix.Method == defaultMethod)
		ok = ok && good
		ix.Parts, exprs = append(ix.Parts, p), append(exprs, e)
	}
	include, good := c.lookupAll(t, decl.Include)
	ix.Include = columnList(include)
	where = c.predicate(t, decl.Where, "predicate")
	ix.Where = conditionSQL(where)
	return ix, exprs, where, ok && good && (decl.Where == nil || where != nil)
}
