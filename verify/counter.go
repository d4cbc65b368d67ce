package verify

import (
	"context"
	"slices"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/verify/fixture"
)

// guards: clients who write the counter by hand, and a parent that one statement
// deletes and puts back.
func (l places) guards(m *model) {
	tables := []ir.TableRef{l.t, l.rule.Counter}
	triggers := mutantWithout(l.index, l.rule.Guards, "trigger")
	spoil := func(label, name, suffix string, statement func(row fixture.Row) string) {
		without := slices.DeleteFunc(slices.Clone(triggers), func(t mutant) bool { return !strings.HasSuffix(t.id, suffix) })
		if len(without) == 0 {
			return
		}
		m.add(label, name, tables, func(ctx context.Context, s *site) (*scene, error) {
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
			sc := l.scene(set, raw(name, "", sql), raw(name, ir.Serializable, sql))
			sc.fixture += l.settle()
			sc.violators = append(sc.violators, rule{"rows count that no counter knows", l.uncounted()})
			return sc, nil
		}, without...)
	}
	counter, used := l.rule.Counter.SQL(), ir.Ident(l.rule.Used)
	spoil("raw-counter", "a raw UPDATE sets the counter", "_kept", func(fixture.Row) string {
		return "UPDATE " + counter + " SET " + used + " = " + used + " - 1"
	})
	if !l.rule.OnRow {
		spoil("raw-counter-delete", "a raw DELETE takes the counter away", "_kept_delete", func(fixture.Row) string { return "DELETE FROM " + counter })
		spoil("raw-counter-truncate", "a raw TRUNCATE takes the counters away", "_truncate", func(fixture.Row) string { return "TRUNCATE " + counter })
		return
	}
	insert, ok := l.putBack()
	if !ok {
		return
	}
	spoil("raw-again", "one statement deletes the parent and puts it back", "_again", func(fixture.Row) string { return insert })
}

// uncounted selects the rows of groups without a counter.
func (l places) uncounted() string {
	match := make([]string, len(l.rule.Per))
	for i, name := range l.rule.Per {
		match[i] = "c." + ir.Ident(name) + " = p." + ir.Ident(l.rule.Key[i])
	}
	return "SELECT c.* FROM (SELECT * FROM " + l.t.SQL() + " WHERE " + l.counted() + ") AS c WHERE NOT EXISTS (SELECT FROM " + l.rule.Counter.SQL() + " AS p WHERE " +
		strings.Join(match, " AND ") + ")"
}

// putBack deletes the parents and inserts them again; false where a foreign key
// refuses that by itself.
func (l places) putBack() (string, bool) {
	for _, child := range l.children(l.rule.Counter) {
		if child.key.OnDelete == ir.Restrict {
			return "", false
		}
	}
	var columns []string
	for _, c := range l.tables[l.rule.Counter].Columns {
		if c.Generated == "" && c.Name != l.rule.Used {
			columns = append(columns, c.Name)
		}
	}
	counter, list := l.rule.Counter.SQL(), ir.Idents(columns)
	return "WITH gone AS (DELETE FROM " + counter + " RETURNING *) INSERT INTO " + counter + " (" + list + ") OVERRIDING SYSTEM VALUE SELECT " + list + " FROM gone", true
}
