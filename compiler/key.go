package compiler

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
	"github.com/pawldb/pawl/internal/pgsql"
)

// unique is what keeps rows apart: a no_duplicates after its checks.
type unique struct {
	decl    *dsl.NoDuplicates
	name    string
	parts   []ir.IndexPart
	exprs   []*expression // beside parts; nil for a plain column
	where   *expression
	columns []string // that the parts mention
	plain   bool     // columns alone, no predicate: a constraint
	object  ir.ObjectID
	facts   *ir.Facts
}

// primaryKey reads the primary_key block.
func (c *compilation) primaryKey(t *table) {
	decl := t.decl.PrimaryKey
	if decl == nil {
		c.missingKey(t)
		return
	}
	key, ok := c.primaryColumns(t, decl)
	if !ok {
		return
	}
	name := t.ref.Name + "_pkey"
	if decl.Rename.Set {
		name = decl.Rename.V
	}
	c.claimConstraint(t, name, "the primary key of table "+quote(t.label), decl.Header, true)
	t.key = key
	t.indexed = append(t.indexed, columnList(key))
	t.schema.PrimaryKey = &ir.PrimaryKey{
		Name: name, Columns: columnList(key),
		Origin: ir.Origin{Address: under(t.address, "primary_key"), Pos: pos(decl.Header)},
	}
}

// primaryColumns are the columns of a primary key. It is false when they cannot
// make one, which has been reported.
func (c *compilation) primaryColumns(t *table, decl *dsl.PrimaryKey) ([]*column, bool) {
	key, ok := c.lookupAll(t, decl.Columns)
	if !ok || len(key) == 0 {
		return nil, false
	}
	for i, col := range key {
		if col.null && col.decl.Null.Set {
			c.report(diag.Diagnostic{
				Code:        diag.NullablePrimaryKey,
				Detail:      "The column " + quote(col.name) + " stands in the primary key and says null = true.",
				Subject:     decl.Columns[i].Range,
				Label:       "may be NULL",
				Related:     []diag.Related{{Range: col.decl.Null.Range, Text: "null = true"}},
				Consequence: "PostgreSQL makes the columns of a primary key NOT NULL: the column would not be what the file says.",
				Help:        "leave null = true out of column " + quote(col.name),
			})
			return nil, false
		}
		if c.keyType(col, decl.Columns[i].Range, "primary_key") {
			return nil, false
		}
	}
	return key, true
}

// missingKey reports a table whose operations cannot name a row.
func (c *compilation) missingKey(t *table) {
	if !t.operates() {
		return
	}
	c.report(diag.Diagnostic{
		Code:        diag.PrimaryKeyMissing,
		Detail:      "The table " + quote(t.label) + " has operations and no primary key.",
		Subject:     t.decl.Header,
		Label:       "no primary_key",
		Consequence: "A move, an adjust or an edit is about one row. Without a key its UPDATE could hit several, and nothing would tell.",
		Help:        "primary_key { columns = [id] }",
	})
}

// keyType reports a column whose type has no order, which no key can hold.
func (c *compilation) keyType(col *column, at hcl.Range, what string) bool {
	if !col.known || !familyOf(col.typ).noOrder {
		return false
	}
	c.report(diag.Diagnostic{
		Code:        diag.KeyType,
		Detail:      "The column " + quote(col.name) + " has the type " + col.typ.SQL() + ", which " + withArticle(what) + " cannot hold.",
		Subject:     at,
		Label:       col.typ.SQL() + " has no order",
		Consequence: "PostgreSQL compares the values of a key with a btree, and this type has no operators for one: the statement would fail.",
		Help:        "use a column of another type, or an expression: sql(\"" + col.name + "::text\")",
	})
	return true
}

// keyPart reads one entry of a key list. ordered says that its type must have a
// btree order; whether it fits another kind of index is for the server to say.
func (c *compilation) keyPart(t *table, part dsl.KeyPart, what string, ordered bool) (ir.IndexPart, *expression, bool) {
	p := ir.IndexPart{OpClass: part.OpClass, Desc: part.Desc, NullsFirst: part.NullsFirst, NullsLast: part.NullsLast}
	switch {
	case part.Column != nil:
		col := c.lookup(t, *part.Column)
		if col == nil || ordered && part.OpClass == "" && c.keyType(col, part.Column.Range, what) {
			return p, nil, false
		}
		p.Column = col.name
		return p, nil, true
	case part.Expr != nil:
		e := c.parse(part.Expr, "key", row{table: t})
		if e == nil {
			return p, nil, false
		}
		if len(e.Columns()) == 0 {
			c.report(diag.Diagnostic{
				Code:        diag.KeyWithoutColumn,
				Detail:      "The key expression " + e.SQL() + " mentions no column.",
				Subject:     part.Expr.Range,
				Label:       "the same for every row",
				Consequence: "All rows have one value there: the table could hold a single row, or the part is of no use.",
				Help:        "name a column in it",
			})
			return p, nil, false
		}
		p.Expr = e.SQL()
		return p, e, true
	}
	return p, nil, false
}

// partColumns are the columns that a key part mentions.
func partColumns(p ir.IndexPart, e *expression) []string {
	if e != nil {
		return columnsOf(e.Expr)
	}
	return []string{p.Column}
}

// leadingColumns are the plain columns that an index begins with.
func leadingColumns(parts []ir.IndexPart) []string {
	var list []string
	for _, p := range parts {
		if p.Column == "" {
			break
		}
		list = append(list, p.Column)
	}
	return list
}

func sameColumns(a, b []string) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return len(a) > 0 && slices.Equal(a, b)
}

// keySQL spells the parts of a key: "tenant_id, lower(email)".
func keySQL(parts []ir.IndexPart) string {
	list := make([]string, len(parts))
	for i, p := range parts {
		list[i] = partSQL(p)
	}
	return strings.Join(list, ", ")
}

func partSQL(p ir.IndexPart) string {
	if p.Column != "" {
		return ir.Ident(p.Column)
	}
	return p.Expr
}

// keyWords spells the parts of a key in a sentence.
func keyWords(parts []ir.IndexPart) string {
	list := make([]string, len(parts))
	for i, p := range parts {
		list[i] = p.Column + p.Expr
	}
	return and(list)
}

// keyArguments are the arguments that find a row by this key: one for each
// column that the key mentions.
func (u *unique) keyArguments(t *table) []ir.Field {
	list := make([]ir.Field, len(u.columns))
	for i, name := range u.columns {
		list[i] = t.byName[name].field()
		list[i].Null = false
	}
	return list
}

// keyCondition finds the row of a key. In an expression each column is replaced
// by its argument, so that the index that computes the same can answer.
func (u *unique) keyCondition(p *parameters) string {
	conditions := make([]string, len(u.parts))
	for i, part := range u.parts {
		if u.exprs[i] == nil {
			conditions[i] = ir.Ident(part.Column) + " = " + p.ref(part.Column)
			continue
		}
		asked := map[string]*pgsql.Expr{}
		for _, name := range columnsOf(u.exprs[i].Expr) {
			asked[name] = argument(name)
		}
		conditions[i] = operand(u.exprs[i].Expr) + " = " + operandSQL(p.sql(u.exprs[i].Substitute(asked)))
	}
	return andWhere(strings.Join(conditions, " AND "), exprOf(u.where))
}
