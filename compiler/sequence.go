package compiler

import (
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
)

// outOfTurn is the SQLSTATE that our triggers raise for a number that a client
// brings and that is not the next one.
const outOfTurn = "PW005"

// sequence is a sequence block after its checks.
type sequence struct {
	decl    *dsl.Sequence
	label   string
	address string
	name    string // what its objects are named after, the table of last numbers first
	per     []*column
	column  *column
	key     *unique
	gapless bool
	counter ir.TableRef
}

// sequences compiles the sequence blocks of a table. It runs before the reads are
// made: nobody but a trigger gives the number.
func (c *compilation) sequences(t *table) {
	for _, decl := range t.decl.Sequences {
		s := &sequence{
			decl: decl, label: labelOf(decl.Block, decl.Rename), address: inside(t.address, "sequence", decl.Block),
			name: derivedName(t.ref.Name, decl.Name.Text, decl.Rename), gapless: decl.Gapless.V,
		}
		s.counter = ir.TableRef{Schema: t.ref.Schema, Name: s.name}
		if c.sequenceParts(t, s) {
			c.lowerSequence(t, s)
		}
	}
}

// sequenceParts reads the group and the column of the number.
func (c *compilation) sequenceParts(t *table, s *sequence) bool {
	decl := s.decl
	per, ok := c.lookupAll(t, decl.Per)
	s.per, s.column = per, c.lookup(t, decl.Column)
	if !ok || len(per) == 0 || s.column == nil || !s.column.known {
		return false
	}
	for i, col := range per {
		if !col.known || c.keyType(col, decl.Per[i].Range, "sequence") {
			return false
		}
		switch {
		case col == s.column:
			c.sequenceColumn(s, decl.Per[i], "makes the group and holds the number", "every row would be a group of its own")
			return false
		case col.null:
			c.sequenceColumn(s, decl.Per[i], "may be NULL", "rows without a group would have no number")
			return false
		}
	}
	col := s.column
	what, why := "", ""
	switch {
	case !familyOf(col.typ.Base()).integer:
		what, why = "is no integer", "the number is counted up by one"
	case col.null:
		what, why = "may be NULL", "every row has a number"
	case col.schema.Identity != ir.NoIdentity, col.schema.Default != "":
		what, why = "has a value of its own already", "the trigger gives the number where none is given"
	case col.decl.Immutable.V:
		what, why = "says immutable", "a number that is given never changes in any case"
	default:
		return true
	}
	c.sequenceColumn(s, decl.Column, what, why)
	return false
}

func (c *compilation) sequenceColumn(s *sequence, at dsl.Name, what, why string) {
	c.report(diag.Diagnostic{
		Code:        diag.GroupColumn,
		Detail:      "The column " + quote(at.Text) + " of sequence " + quote(s.label) + " " + what + ".",
		Subject:     at.Range,
		Label:       what,
		Consequence: "The numbers would not be 1, 2, 3 in each group: " + why + ".",
		Help:        columnOfNumbers(at, s.decl.Column, "number"),
	})
}

// columnOfNumbers says what to write where a column of a group cannot be what it
// is named for: the column of the numbers in the right form, or what else makes the
// group.
func columnOfNumbers(at, column dsl.Name, holds string) string {
	switch {
	case at.Text != column.Text:
		return "name columns in per that are NOT NULL: null = true leaves rows without a group"
	case at.Range != column.Range:
		return "name what rows of one group have in common: per = [list_id], and column = " + column.Text + " for the " + holds
	}
	return "column " + quote(column.Text) + " { type = bigint }"
}

// lowerSequence puts the table of last numbers, the unique key and the triggers
// into the schema.
func (c *compilation) lowerSequence(t *table, s *sequence) {
	origin := ir.Origin{Address: s.address, Pos: pos(s.decl.Header)}
	what := "sequence " + quote(s.label)
	if !c.claimRelation(s.counter, s.counter.Name, "the last numbers of "+what, s.decl.Header) ||
		!c.claimRelation(s.counter, s.counter.Name+"_pkey", "the key of the last numbers of "+what, s.decl.Header) ||
		!c.claimConstraint(t, s.name+"_key", "the key of "+what, s.decl.Header, true) {
		return
	}
	s.lowerKey(t, origin)
	last := s.lastNumbers(origin)
	guards := c.guardCounters(&last, "a trigger of "+what, "sequence "+s.label, origin, s.decl.Header)
	c.program.Schema.Tables = append(c.program.Schema.Tables, last)
	inv := &ir.Sequence{
		Per: columnList(s.per), Column: s.column.name, Gapless: s.gapless, Counter: s.counter, Fill: s.fill(t), Guards: guards,
		Base: ir.Facts{
			Address: s.address, Kind: "sequence", Table: t.ref,
			Promise:   s.promise(t),
			Mechanism: "the table " + s.counter.Name + " with the last number of each group, which a BEFORE INSERT trigger counts up for every client; UNIQUE (" + ir.Idents(s.key.columns) + ")",
			Reasons:   s.reasons(t),
			Violators: s.violators(t),
			Pos:       pos(s.decl.Header),
		},
	}
	inv.Base.Objects = append([]ir.ObjectID{
		{Kind: ir.TableObject, Schema: s.counter.Schema, Table: s.counter.Name, Name: s.counter.Name}, s.key.object,
	}, c.lowerNumbering(t, s, origin)...)
	s.key.facts = &inv.Base
	s.column.numbers = s
	t.sequences = append(t.sequences, s)
	t.invariants = append(t.invariants, inv)
}

// lowerKey adds the unique constraint over group and number.
func (s *sequence) lowerKey(t *table, origin ir.Origin) {
	u := &unique{name: s.name + "_key", plain: true, decl: &dsl.NoDuplicates{Block: s.decl.Block, Rename: s.decl.Rename, List: s.decl.List}}
	for i, col := range append(append([]*column(nil), s.per...), s.column) {
		at := s.decl.Column
		if i < len(s.per) {
			at = s.decl.Per[i]
		}
		u.decl.Columns = append(u.decl.Columns, dsl.KeyPart{Column: &at, Range: at.Range})
		u.parts, u.exprs, u.columns = append(u.parts, ir.IndexPart{Column: col.name}), append(u.exprs, nil), append(u.columns, col.name)
	}
	t.schema.Uniques = append(t.schema.Uniques, ir.Unique{Name: u.name, Columns: u.columns, Origin: origin})
	u.object = ir.ObjectID{Kind: ir.ConstraintObject, Schema: t.ref.Schema, Table: t.ref.Name, Name: u.name}
	t.indexed = append(t.indexed, u.columns)
	t.uniques = append(t.uniques, u)
	s.key = u
}

// lastNumbers is the table with the last number of each group.
func (s *sequence) lastNumbers(origin ir.Origin) ir.Table {
	table := ir.Table{
		Schema: s.counter.Schema, Name: s.counter.Name, Origin: origin, Comment: "Kept by the triggers of sequence " + s.label + ".",
		PrimaryKey: &ir.PrimaryKey{Name: s.counter.Name + "_pkey", Columns: columnList(s.per), Origin: origin},
	}
	for _, col := range s.per {
		table.Columns = append(table.Columns, ir.Column{Name: col.name, Type: col.typ, Origin: origin})
	}
	table.Columns = append(table.Columns, ir.Column{Name: s.last(), Type: ir.Type{Name: "int8"}, Origin: origin})
	return table
}

// last is the column with the last number, under a name that no column of the
// group has.
func (s *sequence) last() string {
	name := "last"
	for hasColumn(s.per, name) {
		name += "_"
	}
	return name
}

func hasColumn(list []*column, name string) bool {
	for _, col := range list {
		if col.name == name {
			return true
		}
	}
	return false
}

func (s *sequence) promise(t *table) string {
	text := "Rows of " + t.ref.Name + " with one " + and(columnList(s.per)) + " have the numbers 1, 2, 3 … in " + s.column.name
	if s.gapless {
		return text + ", none of them missing, and a row keeps its number for ever."
	}
	return text + ", in the order of their transactions; a row keeps its number, and no number is given twice."
}

func (s *sequence) reasons(t *table) []ir.Reason {
	group := and(columnList(s.per))
	reasons := []ir.Reason{
		{
			Choice: "a row with the last number, which is really updated",
			Why: "max + 1 is a race: two writers both see the same rows, and behind an advisory lock a transaction with an older snapshot still does. The " +
				"UPDATE of one row is what they meet on: READ COMMITTED waits and counts on, REPEATABLE READ and SERIALIZABLE get 40001. A transaction that " +
				"rolls back gives its number back.",
		},
		{
			Choice: "a BEFORE INSERT trigger",
			Why: "every client gets the next number, COPY and INSERT … SELECT too, without knowing of it and without a right on " + s.counter.Name +
				". A number that a client brings must be the next one, as when rows are loaded again (PW005).",
		},
		{
			Choice: "nobody else writes the last number",
			Why: "whoever could set it could leave numbers out, or have them given twice: triggers of " + s.counter.Name + " refuse every write that does not come " +
				"from the one that numbers (PW002).",
		},
		{
			Choice: "what it costs",
			Why: "whoever inserts holds the last number of " + group + " until the transaction ends: those of one " + group + " wait for each other. Insert last " +
				"in the transaction. Each row of a statement counts by itself.",
		},
	}
	if s.gapless {
		reasons = append(reasons, ir.Reason{
			Choice: "gapless",
			Why: "a DELETE is refused (PW002): cancel the row and keep it. A number that ON CONFLICT DO NOTHING, or another trigger, leaves without a row is " +
				"given again.",
		})
	} else {
		reasons = append(reasons, ir.Reason{
			Choice: "gaps",
			Why:    "a row that is deleted leaves one, and its number is not given again. That saves nobody a wait: gapless = true costs the same.",
		})
	}
	return append(reasons, truncateReason)
}

// fill are the statements that bring the last numbers in line with the rows. One
// that is higher was given to a row that is gone.
func (s *sequence) fill(t *table) []string {
	per, last := ir.Idents(columnList(s.per)), ir.Ident(s.last())
	return []string{
		"INSERT INTO " + s.counter.SQL() + " AS c (" + per + ", " + last + ") SELECT " + per + ", max(" + ir.Ident(s.column.name) + ") FROM " + t.ref.SQL() +
			" GROUP BY " + per + " ON CONFLICT (" + per + ") DO UPDATE SET " + last + " = greatest(c." + last + ", excluded." + last + ")",
	}
}

// violators finds groups whose numbers do not begin with 1, or with one missing.
func (s *sequence) violators(t *table) string {
	per, number := ir.Idents(columnList(s.per)), ir.Ident(s.column.name)
	broken := "min(" + number + ") < 1"
	if s.gapless {
		broken += " OR max(" + number + ") <> count(*)"
	}
	return "SELECT " + per + ", count(*) AS rows, max(" + number + ") AS last FROM " + t.ref.SQL() + " GROUP BY " + per + " HAVING " + broken
}

// lowerNumbering adds the trigger that gives numbers, and those that keep them.
func (c *compilation) lowerNumbering(t *table, s *sequence, origin ir.Origin) []ir.ObjectID {
	name, what, at := s.name+"_number", "a trigger of sequence "+quote(s.label), s.decl.Header
	if !c.claimName(space{functionSpace, t.ref.Schema, "", name}, what, at) || !c.claimName(space{triggerSpace, t.ref.Schema, t.ref.Name, name}, what, at) {
		return nil
	}
	c.program.Schema.Functions = append(c.program.Schema.Functions, ir.Function{
		Schema: t.ref.Schema, Name: name, Returns: "trigger", Language: "plpgsql", Body: s.body(t),
		SecurityDefiner: true, SearchPath: []string{"pg_catalog", "pg_temp"}, Origin: origin,
	})
	t.schema.Triggers = append(t.schema.Triggers, ir.Trigger{
		Name: name, Before: true, Events: []ir.TriggerEvent{ir.OnInsert}, FuncSchema: t.ref.Schema, FuncName: name, Origin: origin,
	})
	objects := []ir.ObjectID{
		{Kind: ir.FunctionObject, Schema: t.ref.Schema, Name: name},
		{Kind: ir.TriggerObject, Schema: t.ref.Schema, Table: t.ref.Name, Name: name},
	}
	kept := append(append([]*column(nil), s.per...), s.column)
	changes := make([]string, len(kept))
	for i, col := range kept {
		changes[i] = changed(col)
	}
	when, message := strings.Join(changes, " OR "), s.column.name+" of "+t.ref.Name+" never changes: it was given"
	update := []ir.TriggerEvent{ir.OnUpdate}
	f := freeze{
		label: s.label, address: s.address, name: s.name, columns: columnList(kept),
		doc: "the number of a row of " + t.ref.Name + ", or its group, would change",
	}
	triggers := []ir.Trigger{
		{Name: s.name, Events: update, When: when, Args: []string{frozen, s.name, message}},
		{Name: s.name + "_before", Before: true, Events: update, When: when, Args: []string{frozen, s.name, message}},
	}
	if s.gapless {
		triggers = append(triggers, ir.Trigger{
			Name: s.name + "_delete", Before: true, Events: []ir.TriggerEvent{ir.OnDelete},
			Args: []string{frozen, s.name, "a row of " + t.ref.Name + " that has a number is never deleted"},
		})
	}
	return append(objects, c.lowerFreeze(t, f, at, "sequence "+quote(s.label), triggers)...)
}

// body is the function that gives a row its number. A number that is there
// without its row was taken by one that was not stored after all: a gapless
// sequence gives it again.
func (s *sequence) body(t *table) string {
	per, last, number := ir.Idents(columnList(s.per)), ir.Ident(s.last()), ir.Ident(s.column.name)
	var values, match []string
	for _, col := range s.per {
		values = append(values, "NEW."+ir.Ident(col.name))
		match = append(match, "r."+ir.Ident(col.name)+" = NEW."+ir.Ident(col.name))
	}
	ofGroup := func(row string) string {
		list := make([]string, len(s.per))
		for i, col := range s.per {
			list[i] = row + "." + ir.Ident(col.name) + " = NEW." + ir.Ident(col.name)
		}
		return strings.Join(list, " AND ")
	}
	body := columnsFirst + "DECLARE\n  pawl_n bigint;\nBEGIN\n" +
		"  INSERT INTO " + s.counter.SQL() + " AS c (" + per + ", " + last + ") VALUES (" + strings.Join(values, ", ") + ", 1)\n" +
		"    ON CONFLICT (" + per + ") DO UPDATE SET " + last + " = c." + last + " + 1 RETURNING c." + last + " INTO pawl_n;\n"
	if s.gapless {
		body += "  IF pawl_n > 1 AND NOT EXISTS (SELECT FROM " + t.ref.SQL() + " AS r WHERE " + strings.Join(match, " AND ") + " AND r." + number + " = pawl_n - 1) THEN\n" +
			"    SELECT COALESCE(max(r." + number + "), 0) + 1 INTO pawl_n FROM " + t.ref.SQL() + " AS r WHERE " + strings.Join(match, " AND ") + ";\n" +
			"    UPDATE " + s.counter.SQL() + " AS c SET " + last + " = pawl_n WHERE " + ofGroup("c") + ";\n  END IF;\n"
	}
	wrong := "NEW." + number + " <> pawl_n"
	after := ""
	if !s.gapless {
		wrong = "NEW." + number + " < pawl_n"
		after = "  IF NEW." + number + " > pawl_n THEN\n    UPDATE " + s.counter.SQL() + " AS c SET " + last + " = NEW." + number + " WHERE " + ofGroup("c") + ";\n  END IF;\n"
	}
	return body +
		"  IF " + wrong + " THEN\n    RAISE EXCEPTION USING\n      ERRCODE = " + ir.Literal(outOfTurn) + ", SCHEMA = " + ir.Literal(t.ref.Schema) + ", TABLE = " + ir.Literal(t.ref.Name) +
		", CONSTRAINT = " + ir.Literal(s.name) + ",\n      MESSAGE = " + ir.Literal("sequence "+s.label+" gives the numbers of "+t.ref.Name) +
		",\n      HINT = 'leave the number out; the next one is ' || pawl_n;\n  END IF;\n" + after +
		"  NEW." + number + " := COALESCE(NEW." + number + ", pawl_n);\n  RETURN NEW;\nEND"
}
