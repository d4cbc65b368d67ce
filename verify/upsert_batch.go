package verify

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/internal/pgsql"
	"github.com/pawldb/pawl/verify/client"
	"github.com/pawldb/pawl/verify/explore"
	"github.com/pawldb/pawl/verify/fixture"
)

// upsertBatches: two batches with the same keys in another order while a third
// client holds one of their rows; and batches that have a key twice.
func (m *model) upsertBatches(u upserting) {
	var many *ir.Operation
	for _, o := range m.made(&u.rule.Base) {
		if o.Kind == ir.UpsertManyOp {
			many = o
		}
	}
	if many == nil {
		return
	}
	b := upsertBatch{u, many}
	tables := []ir.TableRef{u.t}
	if u.rule.Mode == "ignore" {
		// It locks no row that is there, so that no order is wrong, and of two with one key the
		// server leaves one out by itself: what has to be there is the key.
		if u.rule.Batch != "error" {
			m.add(many.Name+"-twice", "two clients "+u.op.Name+" a batch that has a key twice", tables,
				func(ctx context.Context, s *site) (*scene, error) { return b.twice(ctx, s) }, mutantWithout(m.index, u.rule.Base.Objects, "unique")...)
		}
		return
	}
	m.add(many.Name, "two clients "+u.op.Name+" the same two rows, named in opposite order, while a third holds one", tables,
		func(ctx context.Context, s *site) (*scene, error) { return b.crossed(ctx, s) }, m.reversed(many)...).whole = true
	if u.rule.Batch != "error" {
		m.add(many.Name+"-twice", "two clients "+u.op.Name+" a batch that has a key twice", tables,
			func(ctx context.Context, s *site) (*scene, error) { return b.twice(ctx, s) }, b.withoutWinner()...)
	}
}

// upsertBatch is the form of an upsert for many rows.
type upsertBatch struct {
	upserting
	many *ir.Operation
}

// args are the arguments of a batch: an array for each column.
func (b upsertBatch) args(rows ...map[string]*string) map[string]*string {
	args := map[string]*string{}
	for _, f := range b.many.Args {
		list := make([]*string, len(rows))
		for i, row := range rows {
			list[i] = row[f.Name]
		}
		args[f.Name] = ptr(arrayOrNull(list))
	}
	return args
}

// varied are the columns in which messages about one row differ.
func (b upsertBatch) varied() []string {
	key := b.keyColumns()
	var list []string
	for _, f := range b.repositories[b.t].Insert {
		t := b.column(b.t, f.Name).Type
		if !slices.Contains(key, f.Name) && !b.conditioned(f.Name) && t.Kind != ir.EnumType && t.Base().Name != "bool" {
			list = append(list, f.Name)
		}
	}
	return list
}

// conditioned reports a column that says whether the key covers a row.
func (b upsertBatch) conditioned(name string) bool {
	return b.rule.Where != "" && slices.Contains(columnsOf(b.rule.Where), name)
}

// crossed is two batches about two rows that are there.
func (b upsertBatch) crossed(ctx context.Context, s *site) (*scene, error) {
	set := s.maker.Set(s.conn)
	key := b.keyColumns()
	var rows, to [2]fixture.Row
	for i := range rows {
		var err error
		if rows[i], err = set.Add(ctx, b.t, fixture.Want{Where: b.covered(), Vary: key}); err != nil {
			return nil, err
		}
	}
	messages := s.maker.Set(s.conn) // in which the rows are not in the way of their own keys
	for i := range to {
		if _, err := messages.Propose(ctx, b.t, fixture.Want{Values: rows[i].Values}); err != nil {
			return nil, err
		}
		same := rows[i].Values
		values := pick(same, slices.DeleteFunc(slices.Sorted(maps.Keys(same)), func(name string) bool { return slices.Contains(b.newer(), name) }))
		var err error
		if to[i], err = messages.Propose(ctx, b.t, fixture.Want{Where: b.covered(), Values: values, Vary: b.newer()}); err != nil {
			return nil, err
		}
	}
	first := calling(b.many, b.args(to[0].Values, to[1].Values))
	second := calling(b.many, b.args(to[1].Values, to[0].Values))
	first.most, second.most = 2, 2
	first.class, second.class = "first", "second"
	sc := b.scene(set, holding("SELECT 1 FROM "+b.t.SQL()+" WHERE "+b.match(b.t, b.identify(b.t, rows[0].Values))+" FOR UPDATE"), first, second)
	sc.winners = &winners{2, 2}
	return sc, nil
}

// newer are the columns that are overwritten, and in which rows may be alike.
func (b upsertBatch) newer() []string {
	fixed := b.uniqueColumns(b.t)
	for _, k := range b.tables[b.t].ForeignKeys {
		fixed = append(fixed, k.Columns...)
	}
	return slices.DeleteFunc(b.varied(), func(name string) bool {
		return slices.Contains(fixed, name) || !slices.Contains(b.rule.Written(), name)
	})
}

// twice is two clients who send two messages about one row in one batch.
func (b upsertBatch) twice(ctx context.Context, s *site) (*scene, error) {
	set := s.maker.Set(s.conn)
	one, err := set.Propose(ctx, b.t, fixture.Want{Where: b.covered()})
	if err != nil {
		return nil, err
	}
	two, err := set.Propose(ctx, b.t, fixture.Want{Where: b.covered(), Values: pick(one.Values, b.keyColumns()), Vary: b.varied()})
	if err != nil {
		return nil, err
	}
	call := calling(b.many, b.args(one.Values, two.Values))
	call.most = 2
	sc := b.scene(set, call, call)
	sc.winners = &winners{2, 2}
	if b.rule.Version == "" { // else the higher one stands
		stands := two
		if b.rule.Batch == "first" {
			stands = one
		}
		sc.judge = func(j *judgement) []explore.Violation {
			return j.bad(rule{
				"another row of the batch stands than the declared one",
				"SELECT * FROM " + b.t.SQL() + " WHERE NOT (" + b.pairsOf(stands.Values) + ")",
			})
		}
	}
	return sc, nil
}

// pairsOf says that a row has the values that differ in messages.
func (b upsertBatch) pairsOf(values map[string]*string) string {
	var list []string
	for _, name := range b.varied() {
		list = append(list, same(ir.Ident(name), literal(values[name], b.column(b.t, name).Type)))
	}
	return all(list...)
}

// withoutWinner writes every row of a batch: the server refuses to overwrite one
// twice in one statement.
func (b upsertBatch) withoutWinner() []mutant {
	return rewriting(b.many, ir.MainStatement, (*pgsql.Statement).WithoutConjuncts, func(n int, e pgsql.Edit) (string, string, []string) {
		if n > 1 || !strings.HasPrefix(e.Removed, "sent.wins") {
			return "", "", nil // which rows are written comes first
		}
		return "without-winner", "without choosing one row of each key", nil
	})
}

// upsertOtherKeys: two upserts of different keys that have another unique key of
// the table in common: the second one is told so.
func (m *model) upsertOtherKeys(u upserting) {
	for _, invariant := range m.program.Invariants {
		other, ok := invariant.(*ir.NoDuplicates)
		if !ok || other.Base.Table != u.t || slices.Equal(other.Parts, u.rule.Key) {
			continue
		}
		d := duplicate{m.index, other, u.t}
		if len(d.columns()) == 0 || slices.ContainsFunc(u.keyColumns(), func(name string) bool { return slices.Contains(d.columns(), name) }) {
			continue // rows of two keys never share it
		}
		m.add(u.op.Name+"-"+addressLabel(other.Base.Address), "two clients "+u.op.Name+" rows that have another key in common", []ir.TableRef{u.t},
			func(ctx context.Context, s *site) (*scene, error) {
				set := s.maker.Set(s.conn)
				where := all(u.covered(), d.counted())
				one, err := set.Propose(ctx, u.t, fixture.Want{Where: where})
				if err != nil {
					return nil, err
				}
				two, err := set.Propose(ctx, u.t, fixture.Want{Where: where, Values: pick(one.Values, d.columns()), Vary: u.otherUniques(u.t, d.columns())})
				if err != nil {
					return nil, err
				}
				sc := u.scene(set, calling(u.op, argsOf(u.op, one.Values)), calling(u.op, argsOf(u.op, two.Values)))
				sc.winners = &winners{1, 1}
				sc.judge = func(j *judgement) []explore.Violation {
					if j.count(func(d deed) bool { return d.outcome.Answer == client.Violation }) == 1 {
						return nil
					}
					return []explore.Violation{{Rule: "nobody was told that the other key is taken"}}
				}
				return sc, nil
			}, mutantWithout(m.index, other.Base.Objects, "unique")...)
	}
}

// addressLabel is the last word of an address.
func addressLabel(address string) string {
	return address[strings.LastIndexByte(address, '.')+1:]
}

// upsertedEach is what a batch may do to a row: what the upsert of one may with one
// of its rows.
func (x *index) upsertedEach(d deed) string {
	single := x.operations[strings.TrimSuffix(d.op.Address, ".many")]
	if single == nil {
		return "false"
	}
	list := []string{"false"}
	for _, args := range columnsApart(d.op.Args, d.args) {
		list = append(list, "("+x.upserted(deed{op: single, table: d.table, args: args})+")")
	}
	return strings.Join(list, " OR ")
}

// written counts the rows of a batch of upserts that were inserted or updated.
func (d deed) written() int {
	results := d.op.Statement(ir.MainStatement).Results
	outcome := results[len(results)-2].Name // ahead of the row's place in the batch
	n := 0
	for _, row := range d.outcome.Rows {
		if v := row[outcome]; v != nil && (*v == string(ir.VerdictInserted) || *v == string(ir.VerdictUpdated)) {
			n++
		}
	}
	return n
}
