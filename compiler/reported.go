package compiler

import (
	"cmp"
	"maps"
	"slices"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/internal/pgsql"
)

// reportedConstraint is a constraint, index or trigger of a table with what is
// needed to tell which writes can break it.
type reportedConstraint struct {
	ir.Reported
	owner   *table
	columns []string    // writing one of these can break it
	where   *expression // of a partial constraint
	derived bool        // a check: operations that derive their guard keep it
	moves   bool        // a transitions block: its own moves keep it
	needed  bool        // a lower bound: rows that come in cannot break it, and rows that go can
	rule    *rule       // a rule over several tables, which knows its writes itself
}

// reportedConstraints finds out which constraint can come back from which
// operation, and names each constraint for the generated errors.
func (c *compilation) reportedConstraints() {
	all := c.tables
	for _, q := range c.queueTables {
		all = append(slices.Clip(all), q.table)
	}
	own := map[*table][]reportedConstraint{}
	for _, t := range all {
		own[t] = c.reportedOf(t)
	}
	for _, t := range all {
		r := breakage{own: own}
		for _, w := range t.writes {
			op := &t.repository.Operations[w.operation]
			op.Errors = r.of(t, w)
			r.serializable(op)
		}
		t.repository.Reported = r.listFor(t)
	}
}

// reportedOf lists the table's own constraints, and the checks of the domains of
// its columns.
func (c *compilation) reportedOf(t *table) []reportedConstraint {
	list := t.reported()
	for i := range list {
		list[i].columns = t.withSources(list[i].columns)
	}
	for _, use := range c.domainUses(t) {
		for i, k := range use.domain.checks {
			list = append(list, reportedConstraint{owner: t, columns: use.columns, derived: true, Reported: ir.Reported{
				Name: k.name, Label: k.label, Kind: ir.CheckFailed, Code: "23514", Schema: use.domain.ir.Schema, Type: use.domain.ir.Name,
				Address: k.address, Doc: k.doc, Object: k.object(t), Hash: ir.Fingerprint(use.domain.ir.Checks[i]),
			}})
		}
	}
	return list
}

// reported lists the table's own constraints.
func (t *table) reported() []reportedConstraint {
	var list []reportedConstraint
	add := func(kind ir.ReportedKind, code, name, label, addr, doc string, columns, concerned []string, object ir.ObjectID, definition any) *reportedConstraint {
		list = append(list, reportedConstraint{owner: t, columns: concerned, Reported: ir.Reported{
			Name: name, Label: label, Kind: kind, Code: code, Schema: t.ref.Schema, Table: t.ref.Name,
			Columns: columns, Address: addr, Doc: doc, Object: object, Hash: ir.Fingerprint(definition),
		}})
		return &list[len(list)-1]
	}
	constraint := func(name string) ir.ObjectID {
		return ir.ObjectID{Kind: ir.ConstraintObject, Schema: t.ref.Schema, Table: t.ref.Name, Name: name}
	}
	if pk := t.schema.PrimaryKey; pk != nil {
		add(ir.Duplicate, "23505", pk.Name, "pkey", pk.Origin.Address, "a row with this "+and(pk.Columns)+" exists already",
			pk.Columns, pk.Columns, constraint(pk.Name), *pk)
	}
	for _, u := range t.uniques {
		doc := "another row has the same " + keyWords(u.parts)
		concerned := slices.Clone(u.columns)
		if u.where != nil {
			doc = "another row where " + u.where.SQL() + " has the same " + keyWords(u.parts)
			concerned = append(concerned, columnsOf(u.where.Expr)...)
		}
		if i := slices.IndexFunc(t.sequences, func(s *sequence) bool { return s.key == u }); i >= 0 {
			concerned = []string{t.sequences[i].column.name} // which a trigger gives
		}
		if u.facts != nil {
			add(ir.Duplicate, "23505", u.name, labelOf(u.decl.Block, u.decl.Rename), u.facts.Address, doc, u.columns, concerned, u.object, t.definition(u.object)).where = u.where
		}
	}
	for _, s := range t.spans {
		if s.facts == nil {
			continue
		}
		doc := "another row overlaps in " + s.rangeWords()
		if len(s.within) > 0 {
			doc = "another row with the same " + and(columnList(s.within)) + " overlaps in " + s.rangeWords()
		}
		id := constraint(s.name)
		add(ir.Overlap, "23P01", s.name, s.label, s.address, doc, append(columnList(s.within), columnsOf(s.value)...), s.columns, id, t.definition(id)).where = s.where
	}
	for _, k := range t.checks {
		if k.counts != nil {
			continue // the limit reports it
		}
		id := constraint(k.name)
		add(ir.CheckFailed, "23514", k.name, k.label, k.address, k.doc, k.columns, k.columns, id, t.definition(id)).derived = true
	}
	for _, r := range t.parents {
		adding := "there is no row of " + r.parent.ref.Name + " with this " + and(r.columns)
		removing := "rows of " + t.ref.Name + " still refer to it"
		id := constraint(r.schema.Name)
		v := add(ir.Reference, "23503", r.schema.Name, labelOf(r.decl.Block, r.decl.Rename), r.address, adding+", or "+removing, r.columns, r.columns, id, t.definition(id))
		v.Adding, v.Removing = adding, removing
	}
	for _, s := range t.states {
		if s.facts == nil || !s.database {
			continue
		}
		id := ir.ObjectID{Kind: ir.TriggerObject, Schema: t.ref.Schema, Table: t.ref.Name, Name: s.name + "_update"}
		add(ir.BadMove, badMove, s.name, s.label, s.address, s.column.name+" would not start or change as declared",
			[]string{s.column.name}, []string{s.column.name}, id, t.definition(id)).moves = true
	}
	for _, l := range t.counted {
		columns := columnList(l.per)
		if l.sum != nil {
			columns = append(columns, l.sum.name)
		}
		concerned := slices.Clone(columns)
		if l.where != nil {
			concerned = append(concerned, columnsOf(l.where.Expr)...)
		}
		r := add(ir.Exceeded, "23514", l.check, l.label, l.address, "limit "+l.label+" is reached", columns, concerned,
			ir.ObjectID{Kind: ir.ConstraintObject, Schema: l.counter.Schema, Table: l.counter.Name, Name: l.check},
			ir.Check{Name: l.check, Expr: ir.Ident(l.used) + " <= " + l.bound("")})
		r.Schema, r.Table, r.where = l.counter.Schema, l.counter.Name, l.where
	}
	for _, l := range t.leasts {
		columns := columnList(l.per)
		concerned := slices.Clone(columns)
		if l.where != nil {
			concerned = append(concerned, columnsOf(l.where.Expr)...)
		}
		id := ir.ObjectID{Kind: ir.TriggerObject, Schema: t.ref.Schema, Table: t.ref.Name, Name: l.name + "_delete"}
		r := add(ir.BrokenRule, tooFew, l.name, l.label, l.address, "a row of "+l.parent.ref.Name+" would be left without a "+l.rows(t), columns, concerned, id, t.definition(id))
		r.needed = true
	}
	for _, rule := range t.homeOf {
		i := slices.IndexFunc(rule.facts.Objects, func(id ir.ObjectID) bool { return id.Kind == ir.TriggerObject && id.Table == t.ref.Name })
		if i < 0 {
			continue // a name that is taken was reported
		}
		id := rule.facts.Objects[i]
		columns := columnList(rule.ruled(t).columns)
		add(ir.BrokenRule, brokenRule, rule.name, rule.label, rule.address, "the rule would not hold: "+rule.query.SQL(), columns, columns, id, t.definition(id)).rule = rule
	}
	for _, f := range t.freezes {
		id := ir.ObjectID{Kind: ir.TriggerObject, Schema: t.ref.Schema, Table: t.ref.Name, Name: f.name}
		add(ir.Frozen, frozen, f.name, f.label, f.address, f.doc, f.columns, f.columns, id, t.definition(id))
	}
	return list
}

// definition finds the object that an identity names.
func (t *table) definition(id ir.ObjectID) any {
	s := &t.schema
	switch id.Kind {
	case ir.ConstraintObject:
		for _, x := range s.Uniques {
			if x.Name == id.Name {
				return x
			}
		}
		for _, x := range s.Excludes {
			if x.Name == id.Name {
				return x
			}
		}
		for _, x := range s.Checks {
			if x.Name == id.Name {
				return x
			}
		}
		for _, x := range s.ForeignKeys {
			if x.Name == id.Name {
				return x
			}
		}
		if s.PrimaryKey != nil && s.PrimaryKey.Name == id.Name {
			return *s.PrimaryKey
		}
	case ir.IndexObject:
		for _, x := range s.Indexes {
			if x.Name == id.Name {
				return x
			}
		}
	case ir.TriggerObject:
		for _, x := range s.Triggers {
			if x.Name == id.Name {
				return x
			}
		}
	case ir.NamespaceObject, ir.ExtensionObject, ir.EnumObject, ir.DomainObject, ir.FunctionObject, ir.TableObject, ir.ColumnObject:
	}
	return nil
}

// breakage follows a write through referential actions.
type breakage struct {
	own   map[*table][]reportedConstraint
	found map[ir.ObjectID]reportedConstraint // of the operation at hand
	all   map[ir.ObjectID]reportedConstraint // of all operations of the table
	seen  map[*table]bool                    // tables whose deletes have been followed
	ruled map[string]bool                    // the rules whose rows the operation at hand writes
}

// of returns the names of the constraints that a write can break, sorted.
func (b *breakage) of(t *table, w write) []string {
	b.found, b.seen, b.ruled = map[ir.ObjectID]reportedConstraint{}, map[*table]bool{}, map[string]bool{}
	if b.all == nil {
		b.all = map[ir.ObjectID]reportedConstraint{}
	}
	switch {
	case w.inserts:
		b.insert(t)
		b.update(t, w)
	case w.deletes:
		b.delete(t)
	case len(w.updates) > 0:
		b.update(t, w)
	}
	names := make([]string, 0, len(b.found))
	for id, r := range b.found {
		if r.owner == t && r.Name == w.arbiter {
			continue
		}
		b.all[id] = r
		names = append(names, r.Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (b *breakage) note(r reportedConstraint) { b.found[r.Object] = r }

// insert can break whatever the given values take part in.
func (b *breakage) insert(t *table) {
	b.noteNeeded(t.members)
	b.noteRules(t, nil)
	for _, r := range t.begins {
		b.noteRule(r)
	}
	given := map[string]bool{}
	for _, f := range t.repository.Insert {
		given[f.Name] = true
	}
	for _, r := range b.own[t] {
		if !r.needed && r.rule == nil && slices.ContainsFunc(r.columns, func(name string) bool { return given[name] }) {
			b.note(r)
		}
	}
}

// noteNeeded notes the lower bounds of a table's rows, or of the rows that are its
// groups.
func (b *breakage) noteNeeded(leasts []*least) {
	for _, l := range leasts {
		for _, list := range b.own {
			for _, r := range list {
				if r.needed && r.Address == l.address {
					b.note(r)
				}
			}
		}
	}
}

// noteRules notes the rules that a write of some columns of a table can break, or of
// whole rows.
func (b *breakage) noteRules(t *table, columns []string) {
	for _, o := range t.ruledBy {
		if columns == nil && !o.groups || overlap(columnList(o.columns), columns) {
			b.noteRule(o.rule)
			b.ruled["the rule "+o.rule.label] = true
		}
	}
}

func (b *breakage) noteRule(rule *rule) {
	for _, r := range b.own[rule.home()] {
		if r.rule == rule {
			b.note(r)
		}
	}
}

// serializable raises the isolation level of an operation that writes what a rule
// looks at. A new group alone, of which nobody else can know yet, needs none.
func (b *breakage) serializable(op *ir.Operation) {
	if len(b.ruled) == 0 || op.Isolation == ir.Serializable {
		return
	}
	op.Isolation = ir.Serializable
	op.Reasons = append(withoutLevel(op.Reasons), serializableReason(slices.Sorted(maps.Keys(b.ruled))))
}

// update can break what the columns take part in, here and, where others refer
// to them, there.
func (b *breakage) update(t *table, w write) {
	b.noteRules(t, w.updates)
	for _, r := range b.own[t] {
		if r.rule != nil {
			continue
		}
		kept := w.guarded && (r.derived || r.moves)
		if !kept && overlap(r.columns, w.updates) && !r.covered(w) {
			b.note(r)
		}
	}
	for _, l := range t.bounds {
		if l.column != nil && !w.guarded && slices.Contains(w.updates, l.column.name) {
			b.noteLimit(l)
		}
	}
	for _, ref := range t.children {
		if !overlap(ref.target, w.updates) {
			continue
		}
		switch ref.schema.OnUpdate {
		case ir.NoAction, ir.Restrict:
			b.noteReference(ref)
		case ir.Cascade, ir.SetNull, ir.SetDefault:
			b.update(ref.child, write{updates: ref.columns})
		}
	}
}

// delete can break the foreign keys of children, and what their actions break.
func (b *breakage) delete(t *table) {
	if b.seen[t] {
		return
	}
	b.seen[t] = true
	b.noteNeeded(t.leasts)
	b.noteRules(t, nil)
	for _, ref := range t.children {
		switch ref.schema.OnDelete {
		case ir.NoAction, ir.Restrict:
			b.noteReference(ref)
		case ir.Cascade:
			b.delete(ref.child)
		case ir.SetNull, ir.SetDefault:
			b.update(ref.child, write{updates: ref.columns})
		}
	}
}

func (b *breakage) noteReference(ref *reference) {
	for _, r := range b.own[ref.child] {
		if r.Name == ref.schema.Name && r.Kind == ir.Reference {
			b.note(r)
		}
	}
}

// noteLimit notes a limit of another table, whose bound is written.
func (b *breakage) noteLimit(l *limit) {
	for _, list := range b.own {
		for _, r := range list {
			if r.Kind == ir.Exceeded && r.Address == l.address {
				b.note(r)
			}
		}
	}
}

func overlap(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}

// listFor is a table's own constraints and those of others that its operations
// can break, sorted.
func (b *breakage) listFor(t *table) []ir.Reported {
	var list []ir.Reported
	for _, r := range b.own[t] {
		list = append(list, r.Reported)
	}
	for id, r := range b.all {
		// A domain's check is reported of every table that uses it.
		if r.owner != t && !slices.ContainsFunc(b.own[t], func(mine reportedConstraint) bool { return mine.Object == id }) {
			inherited := r.Reported
			inherited.Inherited = true
			list = append(list, inherited)
		}
	}
	slices.SortFunc(list, func(x, y ir.Reported) int {
		return cmp.Or(cmp.Compare(boolInt(x.Inherited), boolInt(y.Inherited)), cmp.Compare(x.Schema, y.Schema),
			cmp.Compare(x.Table, y.Table), cmp.Compare(x.Type, y.Type), cmp.Compare(x.Name, y.Name))
	})
	return list
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// covered reports whether a write cannot break a partial constraint: it takes
// the row out of it, or the row was in it before and keeps its values.
func (r *reportedConstraint) covered(w write) bool {
	if r.where == nil {
		return false
	}
	values := map[string]*pgsql.Expr{}
	for _, a := range w.set {
		// Of other values than constants nothing would be known. Casts stay away:
		// they hide a literal from NeverTrue.
		if len(a.expr.Columns()) == 0 && len(a.expr.Args()) == 0 && mentions(r.where.Expr, []string{a.column.name}) {
			values[a.column.name] = a.expr
		}
	}
	if len(values) > 0 && r.where.Substitute(values).NeverTrue() {
		return true
	}
	if w.state == nil || overlap(r.Columns, w.updates) {
		return false
	}
	for _, from := range w.from {
		before := map[string]*pgsql.Expr{w.state.name: built(ir.Literal(from))}
		if !pgsql.Not(r.where.Substitute(before)).NeverTrue() {
			return false
		}
	}
	return true
}
