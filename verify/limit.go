package verify

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/verify/fixture"
)

// limit: clients who want the last place of a group, by every way that a row
// comes or begins to count, at every isolation level; a bound that goes below
// what is used; and ways past the counter.
func (m *model) limit(i *ir.Limit) {
	l := places{m.index, i, i.Base.Table}
	insert := m.operation(l.t, ir.InsertOp)
	if _, ok := l.before(); insert == nil || !ok {
		return
	}
	tables := []ir.TableRef{l.t}
	triggers := mutantWithout(m.index, i.Base.Objects, "trigger")
	counting := only(triggers, ir.OnInsert)
	last := func(label, name string, mutants []mutant, second func(s *site, row map[string]*string) actor) {
		m.add(label, name, tables, func(ctx context.Context, s *site) (*scene, error) {
			set, rows, err := l.arrivals(ctx, s, 0)
			if err != nil {
				return nil, err
			}
			sc := l.scene(set, calling(insert, argsOf(insert, rows[0])), second(s, rows[1]))
			sc.winners = &winners{1, 1}
			return sc, nil
		}, mutants...)
	}
	last("insert-insert", "two clients insert into the last place", counting, func(_ *site, row map[string]*string) actor {
		return calling(insert, argsOf(insert, row))
	})
	for _, level := range levels {
		mutants := counting
		if level != ir.ReadCommitted {
			mutants = append(slices.Clone(counting), l.lockInstead()...)
		}
		last("insert-"+word(level), "one of two inserts into the last place runs in "+string(level), mutants, func(_ *site, row map[string]*string) actor {
			return callingIn(level, insert, argsOf(insert, row))
		})
	}
	last("insert-raw", "a raw INSERT comes beside an insert into the last place", counting, func(_ *site, row map[string]*string) actor {
		return raw("raw INSERT", "", l.insertSQL(l.t, row))
	})
	last("insert-copy", "a COPY comes beside an insert into the last place", counting, func(s *site, row map[string]*string) actor {
		return s.loading(l.t, row)
	})
	m.add("raw-delete", "a raw DELETE gives a place back", tables, func(ctx context.Context, s *site) (*scene, error) {
		return l.leaving(ctx, s, func(row fixture.Row) string { return l.deleteSQL(l.t, l.identify(l.t, row.Values)) })
	}, only(triggers, ir.OnDelete)...)
	m.add("raw-truncate", "a raw TRUNCATE takes the rows and leaves the counters", tables, func(ctx context.Context, s *site) (*scene, error) {
		return l.leaving(ctx, s, func(fixture.Row) string { return "TRUNCATE " + l.t.SQL() + " CASCADE" })
	}, only(triggers, ir.OnTruncate)...)
	m.add("insert-move", "a raw UPDATE moves a row into the last place beside an insert", tables, func(ctx context.Context, s *site) (*scene, error) {
		return l.moved(ctx, s, insert)
	}, only(triggers, ir.OnUpdate)...)
	l.guards(m)
	if column := l.boundColumn(); column != "" {
		m.add("insert-lower", "a raw UPDATE takes the last place away while a client inserts into it", tables, func(ctx context.Context, s *site) (*scene, error) {
			return l.lowered(ctx, s, insert, column)
		}, mutantWithout(m.index, i.Base.Objects, "check")...)
	}
}

// places are the places of one limit.
type places struct {
	*index
	rule *ir.Limit
	t    ir.TableRef
}

// boundColumn is the column that holds the bound; empty when it is a number.
func (l places) boundColumn() string {
	for _, c := range l.tables[l.rule.Counter].Columns {
		if ir.Ident(c.Name) == l.rule.Max {
			return c.Name
		}
	}
	return ""
}

// before is what has to be used already, so that one place is left: nothing
// where the bound can be made 1. False for a bound that has no place.
func (l places) before() (int, bool) {
	if l.boundColumn() != "" {
		return 0, true
	}
	n, err := strconv.Atoi(l.rule.Max)
	return n - 1, err == nil && n > 0
}

// counted is the condition under which a row counts.
func (l places) counted() string {
	conditions := []string{orTrue(l.rule.Where)}
	for _, name := range l.rule.Per {
		conditions = append(conditions, ir.Ident(name)+" IS NOT NULL")
	}
	return all(conditions...)
}

// group puts a group into the set that has one place beside what is taken, and
// gives the values by which a row belongs to it.
func (l places) group(ctx context.Context, set *fixture.Set, taken int, vary ...string) (map[string]*string, error) {
	before, _ := l.before()
	values := map[string]*string{l.rule.Used: number(before)}
	if column := l.boundColumn(); column != "" {
		values[column] = number(1 + taken)
	}
	above, err := set.Add(ctx, l.rule.Counter, fixture.Want{Values: values, Vary: vary})
	if err != nil {
		return nil, err
	}
	link := map[string]*string{}
	for i, name := range l.rule.Per {
		link[name] = above.Values[l.rule.Key[i]]
	}
	if l.rule.Sum != "" {
		link[l.rule.Sum] = number(1)
	}
	return link, nil
}

// arrivals are two rows that want into one place.
func (l places) arrivals(ctx context.Context, s *site, taken int) (*fixture.Set, [2]map[string]*string, error) {
	set := s.maker.Set(s.conn)
	var rows [2]map[string]*string
	link, err := l.group(ctx, set, taken)
	if err != nil {
		return nil, rows, err
	}
	for i := range rows {
		vary := l.uniqueColumns(l.t)
		if i == 0 {
			vary = nil
		}
		row, err := set.Propose(ctx, l.t, fixture.Want{Values: maps.Clone(link), Where: all(l.counted(), orTrue(l.initial(l.t))), Vary: l.free(vary, link)})
		if err != nil {
			return nil, rows, err
		}
		rows[i] = row.Values
	}
	return set, rows, nil
}

// free are columns without those that have their value already.
func (l places) free(columns []string, fixed map[string]*string) []string {
	return slices.DeleteFunc(slices.Clone(columns), func(name string) bool { _, is := fixed[name]; return is })
}

// scene has the rule and its counter looked at after every COMMIT. A counter may
// stand above its rows by what the fixture says is used before.
func (l places) scene(set *fixture.Set, actors ...actor) *scene {
	return &scene{
		fixture: script(set, l.t, l.rule.Counter), actors: actors,
		violators: append(violators(&l.rule.Base),
			rule{"a counter is not what its rows say", l.drift()},
			rule{"more is used than there is", "SELECT * FROM " + l.rule.Counter.SQL() + " WHERE NOT (" + ir.Ident(l.rule.Used) + " <= " + l.rule.Max + ")"}),
	}
}

// drift selects the counters that are not what the rows say.
func (l places) drift() string {
	return "SELECT p.*, " + l.said() + " AS said FROM " + l.rule.Counter.SQL() + " AS p WHERE p." + ir.Ident(l.rule.Used) + " <> " + l.said()
}

// said is what the rows say of the counter p.
func (l places) said() string {
	before, _ := l.before()
	var match []string
	for i, name := range l.rule.Per {
		match = append(match, "c."+ir.Ident(name)+" = p."+ir.Ident(l.rule.Key[i]))
	}
	amount := "count(*)"
	if l.rule.Sum != "" {
		amount = "COALESCE(sum(c." + ir.Ident(l.rule.Sum) + "), 0)"
	}
	return strconv.Itoa(before) + " + (SELECT " + amount + " FROM (SELECT * FROM " + l.t.SQL() + " WHERE " + l.counted() + ") AS c WHERE " + strings.Join(match, " AND ") + ")"
}

// leaving has a row that a client takes away, twice.
func (l places) leaving(ctx context.Context, s *site, statement func(fixture.Row) string) (*scene, error) {
	set := s.maker.Set(s.conn)
	link, err := l.group(ctx, set, 1)
	if err != nil {
		return nil, err
	}
	row, err := set.Add(ctx, l.t, fixture.Want{Values: link, Where: l.counted()})
	if err != nil {
		return nil, err
	}
	sql := statement(row)
	sc := l.scene(set, raw("raw statement", "", sql), raw("raw statement", ir.RepeatableRead, sql))
	sc.fixture += l.settle()
	return sc, nil
}

// settle brings the counters in line with the rows of the fixture, and with what
// it says is used before.
func (l places) settle() string {
	return "\nBEGIN;\nSET LOCAL session_replication_role = replica;\nUPDATE " + l.rule.Counter.SQL() + " AS p SET " + ir.Ident(l.rule.Used) + " = " + l.said() + ";\nCOMMIT;"
}

// moved has a row of another group that a client moves into the last place.
func (l places) moved(ctx context.Context, s *site, insert *ir.Operation) (*scene, error) {
	set, rows, err := l.arrivals(ctx, s, 0)
	if err != nil {
		return nil, err
	}
	there, err := l.group(ctx, set, 0, l.rule.Key...)
	if err != nil {
		return nil, err
	}
	other, err := set.Add(ctx, l.t, fixture.Want{Values: there, Where: l.counted(), Vary: l.free(l.uniqueColumns(l.t), there)})
	if err != nil {
		return nil, err
	}
	update := l.updateSQL(l.t, l.identify(l.t, other.Values), pick(rows[1], l.rule.Per))
	sc := l.scene(set, calling(insert, argsOf(insert, rows[0])), raw("raw UPDATE", "", update))
	sc.fixture += l.settle()
	return sc, nil
}

// lowered has a client that takes the last place away.
func (l places) lowered(ctx context.Context, s *site, insert *ir.Operation, column string) (*scene, error) {
	set, rows, err := l.arrivals(ctx, s, 0)
	if err != nil {
		return nil, err
	}
	lower := "UPDATE " + l.rule.Counter.SQL() + " SET " + ir.Ident(column) + " = 0"
	return l.scene(set, calling(insert, argsOf(insert, rows[0])), raw("raw UPDATE of the bound", "", lower)), nil
}

// lockInstead counts behind a lock on the counter's row instead of writing it,
// where the rows alone say what is used.
func (l places) lockInstead() []mutant {
	before, _ := l.before()
	i := slices.IndexFunc(l.program.Schema.Functions, func(f ir.Function) bool {
		return slices.ContainsFunc(l.rule.Base.Objects, func(id ir.ObjectID) bool {
			return id.Kind == ir.FunctionObject && id.Schema == f.Schema && id.Name == f.Name
		}) && strings.HasSuffix(f.Name, "_insert")
	})
	if i < 0 || before != 0 {
		return nil
	}
	right := l.program.Schema.Functions[i]
	broken := right
	broken.Body = "BEGIN\n  PERFORM 1 FROM " + l.rule.Counter.SQL() + " FOR NO KEY UPDATE;\n  IF EXISTS (" + l.rule.Base.Violators +
		") THEN\n    RAISE EXCEPTION 'full' USING ERRCODE = '23514', SCHEMA = " + ir.Literal(l.rule.Counter.Schema) + ", TABLE = " +
		ir.Literal(l.rule.Counter.Name) + ", CONSTRAINT = " + ir.Literal(l.rule.Base.Objects[0].Name) + ";\n  END IF;\n  RETURN NULL;\nEND"
	return []mutant{{
		id: "lock-instead", name: "with a lock and a count instead of an UPDATE of the counter",
		drop:    []ir.Change{ir.ReplaceFunction{Function: broken, Exists: true}},
		restore: []ir.Change{ir.ReplaceFunction{Function: right, Exists: true}},
		diff:    []string{"-UPDATE " + l.rule.Counter.SQL() + " SET " + ir.Ident(l.rule.Used) + " = …", "+SELECT … FOR NO KEY UPDATE, then count"},
	}}
}
