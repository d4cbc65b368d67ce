package compiler

import (
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
	"github.com/pawldb/pawl/internal/pgsql"
)

// minGistBool is the first server major whose btree_gist knows boolean.
const minGistBool = 16

// span is a no_overlap after its checks.
type span struct {
	decl    *dsl.NoOverlap
	label   string
	name    string
	address string
	within  []*column
	// value is the range as SQL over the row; column is set when it is a column.
	value    *pgsql.Expr
	column   *column
	from, to *column // else these
	bounds   string  // [) or []
	bound    string  // the type of the bounds: timestamptz
	discrete bool
	where    *expression
	columns  []string // all that the constraint mentions
	facts    *ir.Facts
}

// noOverlaps compiles the no_overlap blocks of a table.
func (c *compilation) noOverlaps(t *table) {
	for _, decl := range t.decl.NoOverlaps {
		s := &span{
			decl: decl, label: labelOf(decl.Block, decl.Rename),
			name:    derivedName(t.ref.Name, decl.Name.Text, decl.Rename),
			address: inside(t.address, "no_overlap", decl.Block),
		}
		if c.overlapCapacity(decl) && c.overlapGroup(t, s) && c.overlapRange(t, s) && c.overlapWhere(t, s) {
			t.spans = append(t.spans, s)
			c.lowerOverlap(t, s)
		}
	}
}

// overlapCapacity refuses an exclusion that should let several in.
func (c *compilation) overlapCapacity(decl *dsl.NoOverlap) bool {
	if decl.Capacity.V <= 1 {
		return true
	}
	n := plainInt(decl.Capacity.V)
	c.report(diag.Diagnostic{
		Code:    diag.OverlapCapacity,
		Detail:  "A no_overlap lets one row of a group in at a time, and this one asks for " + n + ".",
		Subject: decl.Capacity.Range,
		Label:   "more than one",
		Consequence: "An exclusion constraint compares two rows and counts nothing: it would refuse the second one. Counting first and inserting then is a race: " +
			"two writers both count " + plainInt(decl.Capacity.V-1) + " and both go in.",
		Help: "give each place a row of its own, column \"slot\" { type = smallint } from 1 to " + n +
			", and add slot to `within`; or keep a counter on the parent row with a check, and change it with adjust",
	})
	return false
}

// overlapGroup reads the equality part.
func (c *compilation) overlapGroup(t *table, s *span) bool {
	within, ok := c.lookupAll(t, s.decl.Within)
	for i, col := range within {
		if !ok {
			break
		}
		at := s.decl.Within[i].Range
		ok = c.groupType(col, at) && c.overlapNotNull(col, at, "a group that is NULL is in no group: two rows with NULL in "+quote(col.name)+
			" never meet, and both are accepted")
	}
	s.within = within
	return ok
}

// groupType refuses types that have no equality for a GiST index.
func (c *compilation) groupType(col *column, at hcl.Range) bool {
	if !col.known {
		return false
	}
	f := familyOf(col.typ)
	d := diag.Diagnostic{
		Code:        diag.OverlapGroupType,
		Subject:     at,
		Consequence: "CREATE TABLE would fail: the exclusion constraint needs an operator class for every part.",
	}
	switch {
	case col.typ.Base().Name == "bool" && c.program.Postgres < minGistBool:
		d.Detail = "btree_gist knows boolean from PostgreSQL 16 on, and the output has to work on " + plainInt(c.program.Postgres) + "."
		d.Label = "boolean"
		d.Help = "put it into `where` instead, one no_overlap for each value, or set postgres = 16 in the pawl block"
	case !f.gist && f.rangeOf == "" && col.typ.Kind != ir.OtherType:
		d.Detail = "The column " + quote(col.name) + " has the type " + col.typ.SQL() + ", which btree_gist has no equality for."
		d.Label = col.typ.SQL()
		d.Help = "group by a column of a scalar type, such as bigint, text or uuid"
	default:
		return true
	}
	c.report(d)
	return false
}

// overlapNotNull refuses a column that may be NULL, which conflicts with
// nothing.
func (c *compilation) overlapNotNull(col *column, at hcl.Range, why string) bool {
	return c.forceNotNull(col, at, diag.Diagnostic{
		Code:        diag.OverlapNullable,
		Detail:      "The column " + quote(col.name) + " takes part in no_overlap and says null = true.",
		Label:       "may be NULL",
		Consequence: capital(why) + ".",
		Help:        "leave null = true out of column " + quote(col.name),
	})
}

// overlapRange reads the range, in either form.
func (c *compilation) overlapRange(t *table, s *span) bool {
	s.bounds = defaultBounds
	if s.decl.Bounds.Set {
		s.bounds = s.decl.Bounds.V
	}
	if s.decl.RangeColumn != nil {
		return c.overlapColumn(t, s)
	}
	if s.decl.From != nil && s.decl.To != nil {
		return c.overlapPair(t, s)
	}
	return false
}

// overlapColumn reads range = during.
func (c *compilation) overlapColumn(t *table, s *span) bool {
	at := s.decl.RangeColumn.Range
	col := c.lookup(t, *s.decl.RangeColumn)
	if col == nil || !col.known {
		return false
	}
	f := familyOf(col.typ)
	if f.rangeOf == "" {
		c.report(diag.Diagnostic{
			Code:        diag.OverlapRangeType,
			Detail:      "The column " + quote(col.name) + " has the type " + col.typ.SQL() + ", which is no range.",
			Subject:     at,
			Label:       col.typ.SQL(),
			Consequence: "Only ranges overlap: PostgreSQL has no && for this type.",
			Help:        "type = tstzrange, or range = { from = …, to = …, bounds = \"[)\" } over two columns",
		})
		return false
	}
	s.column, s.bound, s.discrete = col, f.rangeOf, f.discrete
	s.value = built(ir.Ident(col.name))
	if f.discrete && s.bounds == "[]" {
		c.report(diag.Diagnostic{
			Code:        diag.OverlapBounds,
			Detail:      "PostgreSQL stores every " + col.typ.SQL() + " in the form [), whatever was written.",
			Subject:     s.decl.Bounds.Range,
			Label:       "never []",
			Consequence: "A check for an upper bound that belongs to the range would refuse every row.",
			Help:        "leave bounds out: [2026-01-01,2026-01-31] is stored as [2026-01-01,2026-02-01)",
		})
		return false
	}
	return c.overlapNotNull(col, at, "a range that is NULL is in conflict with nothing: two such rows both count as booked")
}

// overlapPair reads range = { from = a, to = b, bounds = "[)" }.
func (c *compilation) overlapPair(t *table, s *span) bool {
	s.from, s.to = c.lookup(t, *s.decl.From), c.lookup(t, *s.decl.To)
	if s.from == nil || s.to == nil || !s.from.known || !s.to.known {
		return false
	}
	if !s.decl.Bounds.Set {
		return false // dsl demands them in this form
	}
	f := familyOf(s.from.typ)
	if f.spanType == "" || !s.from.typ.Base().Equal(s.to.typ.Base()) {
		c.report(diag.Diagnostic{
			Code:        diag.OverlapRangeType,
			Detail:      "The columns " + quote(s.from.name) + " (" + s.from.typ.SQL() + ") and " + quote(s.to.name) + " (" + s.to.typ.SQL() + ") make no range.",
			Subject:     s.decl.RangeExpr,
			Label:       "no range of these",
			Consequence: "PostgreSQL has ranges over integer, bigint, numeric, date, timestamp and timestamptz, with both bounds of one type.",
			Help:        "give both columns one of these types, timestamptz for moments",
		})
		return false
	}
	s.bound = s.from.typ.Base().Name
	s.value = built(f.spanType + "(" + ir.Ident(s.from.name) + ", " + ir.Ident(s.to.name) + ", " + ir.Literal(s.bounds) + ")")
	const why = "a bound that is NULL leaves the range open on that side"
	return c.overlapNotNull(s.from, s.decl.From.Range, why) && c.overlapNotNull(s.to, s.decl.To.Range, why)
}

func (c *compilation) overlapWhere(t *table, s *span) bool {
	where, ok := c.covered(t, s.decl.Block, s.decl.Where, s.decl.Since)
	s.where = where
	s.columns = append(columnList(s.within), columnsOf(s.value)...)
	if where != nil {
		s.columns = append(s.columns, columnsOf(where.Expr)...)
	}
	if ok {
		c.ignoresLive(t, s.decl.Block, s.decl.Where, where, "no_overlap")
	}
	if s.decl.AllowEmpty.V {
		c.finding(s.decl.Allow, diag.Diagnostic{
			Severity:    diag.Warning,
			Code:        diag.OverlapEmptyRange,
			Detail:      "allow_empty lets rows with an empty range in.",
			Subject:     s.decl.AllowEmpty.Range,
			Label:       "may be empty",
			Consequence: "Two rows with an empty range both succeed, and both count as booked.",
			Help:        "leave allow_empty out: pawl then adds CHECK (NOT isempty(…)); or say that it is meant: " + allowHint(diag.OverlapEmptyRange, "an empty range books nothing"),
		})
	}
	return ok
}

// lowerOverlap puts the constraint, its check and its trigger on the table and
// records what was decided.
func (c *compilation) lowerOverlap(t *table, s *span) {
	decl := s.decl
	what := "no_overlap " + quote(s.label)
	origin := ir.Origin{Address: s.address, Pos: pos(decl.Header)}
	if !c.claimConstraint(t, s.name, what, decl.Header, true) {
		return
	}
	exclude := ir.Exclude{Name: s.name, Method: "gist", Where: conditionSQL(s.where), Origin: origin}
	for _, col := range s.within {
		exclude.Elements = append(exclude.Elements, ir.ExcludeElement{Column: col.name, Operator: "="})
		if familyOf(col.typ).gist {
			c.needExtension("btree_gist", ir.Origin{
				Address: s.address, Pos: pos(decl.Header),
				Why: "an exclusion constraint compares " + col.typ.SQL() + " in a GiST index",
			})
		}
	}
	last := ir.ExcludeElement{Operator: "&&"}
	if s.column != nil {
		last.Column = s.column.name
	} else {
		last.Expr = s.value.SQL()
	}
	exclude.Elements = append(exclude.Elements, last)
	t.schema.Excludes = append(t.schema.Excludes, exclude)
	objects := []ir.ObjectID{{Kind: ir.ConstraintObject, Schema: t.ref.Schema, Table: t.ref.Name, Name: s.name}}
	objects = append(objects, c.lowerBounds(t, s, origin)...)
	prelock := !decl.Prelock.Set && defaultPrelock || decl.Prelock.V
	if prelock {
		objects = append(objects, c.lowerPrelock(t, s)...)
	}
	inv := &ir.NoOverlap{
		Within: columnList(s.within), Range: s.value.SQL(), Where: conditionSQL(s.where), Prelock: prelock,
		AllowEmpty: decl.AllowEmpty.V, AllowInf: decl.AllowInfinite.V,
		Base: ir.Facts{
			Address: s.address, Kind: "no_overlap", Table: t.ref,
			Promise:   overlapPromise(t, s),
			Mechanism: overlapMechanism(exclude),
			Reasons:   overlapReasons(t, s, prelock),
			Objects:   objects,
			Violators: overlapViolators(t, s),
			Pos:       pos(decl.Header),
		},
	}
	s.facts = &inv.Base
	t.invariants = append(t.invariants, inv)
}

// needExtension asks for an extension; the first declaration that needs it is
// its origin.
func (c *compilation) needExtension(name string, origin ir.Origin) {
	if _, have := c.extensions[name]; !have {
		c.extensions[name] = ir.Extension{Name: name, Schema: "public", Origin: origin}
	}
}

func (s *span) rangeWords() string {
	if s.column != nil {
		return s.column.name
	}
	return s.from.name + " to " + s.to.name
}

func overlapPromise(t *table, s *span) string {
	p := "No two rows of " + t.ref.Name
	if s.where != nil {
		p += " where " + s.where.SQL()
	}
	if len(s.within) > 0 {
		p += " with one " + and(columnList(s.within))
	}
	return p + " overlap in " + s.rangeWords() + "." + s.where.coverage()
}

func overlapMechanism(x ir.Exclude) string {
	parts := make([]string, len(x.Elements))
	for i, e := range x.Elements {
		value := e.Expr
		if e.Column != "" {
			value = ir.Ident(e.Column)
		}
		parts[i] = value + " WITH " + e.Operator
	}
	sql := "EXCLUDE USING gist (" + strings.Join(parts, ", ") + ")"
	if x.Where != "" {
		sql += " WHERE (" + x.Where + ")"
	}
	return sql
}

func overlapReasons(t *table, s *span, prelock bool) []ir.Reason {
	group := "the table"
	if len(s.within) > 0 {
		group = "one " + and(columnList(s.within))
	}
	reasons := []ir.Reason{
		{
			Choice: "exclusion constraint",
			Why: "looking for a free slot first and inserting then is a race: two writers both find it free. The constraint decides inside the " +
				"index, for every client; the second writer waits and gets 23P01.",
		},
		{
			Choice: "NOT NULL and CHECK " + s.name + "_bounds",
			Why: "NULL and empty ranges conflict with nothing, an infinite end with rows years away, and ranges that both include the instant " +
				"where they meet exclude each other. Such rows never get in.",
		},
	}
	if prelock {
		reasons = append(reasons, ir.Reason{
			Choice: "prelock",
			Why: "two inserts of one slot at the same moment each wait for the other's row, and PostgreSQL ends one with 40P01. A BEFORE trigger takes an " +
				"advisory lock on " + group + " first, for every client, so that the second writer meets 23P01. Writers of other groups do not wait.",
		})
	} else {
		reasons = append(reasons, ir.Reason{
			Choice: "no prelock",
			Why:    "prelock = false: two inserts of one slot at the same moment can end in 40P01, which is retried and then gives 23P01.",
		})
	}
	return append(reasons, whereReason(t, s.decl.Where, s.where)...)
}

// overlapViolators finds pairs of rows that overlap.
func overlapViolators(t *table, s *span) string {
	var conditions []string
	for _, col := range s.within {
		name := ir.Ident(col.name)
		conditions = append(conditions, "a."+name+" = b."+name)
	}
	conditions = append(conditions, s.value.Qualify("a").SQL()+" && "+s.value.Qualify("b").SQL(), differentRows(t))
	if s.where != nil {
		conditions = append(conditions, "("+s.where.Qualify("a").SQL()+")", "("+s.where.Qualify("b").SQL()+")")
	}
	return "SELECT " + rowNames(t, "a") + ", " + rowNames(t, "b") + " FROM " + t.ref.SQL() + " AS a JOIN " + t.ref.SQL() + " AS b ON " +
		strings.Join(conditions, " AND ")
}

// differentRows compares two aliases of a table so that each pair comes once.
func differentRows(t *table) string {
	if len(t.key) == 0 {
		return "a.ctid < b.ctid"
	}
	return "(" + keyOf(t, "a") + ") < (" + keyOf(t, "b") + ")"
}

func keyOf(t *table, alias string) string {
	list := make([]string, len(t.key))
	for i, col := range t.key {
		list[i] = alias + "." + ir.Ident(col.name)
	}
	return strings.Join(list, ", ")
}

// rowNames selects what names a row of an alias: its key, else its place.
func rowNames(t *table, alias string) string {
	if len(t.key) == 0 {
		return alias + ".ctid AS " + ir.Ident(alias+"_ctid")
	}
	list := make([]string, len(t.key))
	for i, col := range t.key {
		list[i] = alias + "." + ir.Ident(col.name) + " AS " + ir.Ident(alias+"_"+col.name)
	}
	return strings.Join(list, ", ")
}
