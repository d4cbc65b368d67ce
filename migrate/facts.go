package migrate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/codegen/postgres"
	"github.com/pawldb/pawl/compiler/ir"
)

// facts are what planning has to know of the database beyond its schema.
type facts struct {
	tables   map[ir.TableRef]size
	rewrites map[ir.ObjectID]bool // columns whose change writes the table anew
	lost     map[ir.ObjectID]int64
}

// size is how big a table is. Only an empty one may be changed without regard
// for those who use it.
type size struct {
	empty bool
	rows  int64 // an estimate; negative when unknown
	bytes int64
}

// gather finds the facts for a list of changes.
func gather(ctx context.Context, conn *pgx.Conn, have *ir.Schema, changes []ir.Change, path []string, moves *relocation) (*facts, error) {
	f := &facts{tables: map[ir.TableRef]size{}, rewrites: map[ir.ObjectID]bool{}, lost: map[ir.ObjectID]int64{}}
	if len(changes) == 0 {
		return f, nil
	}
	err := snapshot(ctx, conn, func(tx pgx.Tx) error {
		for _, ref := range touched(changes, have) {
			if err := f.measure(ctx, tx, have, ref, moves.today(loss{table: ref}).table); err != nil {
				return fmt.Errorf("looking at %s: %w", ref.SQL(), err)
			}
		}
		return f.countLost(ctx, tx, changes, moves)
	})
	if err != nil {
		return nil, err
	}
	return f, f.tryRewrites(ctx, conn, changes, path)
}

// touched lists the tables that changes are about and that may exist.
func touched(changes []ir.Change, have *ir.Schema) []ir.TableRef {
	var refs []ir.TableRef
	for _, c := range changes {
		list := []ir.TableRef{{Schema: ir.ChangeObject(c).Schema, Name: ir.ChangeObject(c).Table}}
		if add, ok := c.(ir.AddConstraint); ok {
			if k, ok := add.Constraint.(ir.ForeignKey); ok {
				list = append(list, ir.TableRef{Schema: k.RefSchema, Name: k.RefTable})
			}
		}
		switch c := c.(type) {
		case ir.AddDomainCheck:
			list = append(list, userTables(domainUsers(have, c.Domain))...)
		case ir.ValidateDomainCheck:
			list = append(list, userTables(domainUsers(have, c.Domain))...)
		}
		for _, ref := range list {
			if ref.Name != "" && !slices.Contains(refs, ref) {
				refs = append(refs, ref)
			}
		}
	}
	return refs
}

// measure looks whether a table is empty. The estimates can say neither: they
// are as old as the last ANALYZE.
func (f *facts) measure(ctx context.Context, tx pgx.Tx, have *ir.Schema, ref, today ir.TableRef) error {
	i := slices.IndexFunc(have.Tables, func(t ir.Table) bool { return t.Ref() == ref })
	if i < 0 {
		return nil
	}
	t := &have.Tables[i]
	s := size{rows: t.Rows, bytes: t.Bytes}
	// The catalog's number of pages is as old as the last VACUUM or ANALYZE, and 0
	// for a table that has seen neither.
	err := limited(ctx, tx, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, "SELECT COALESCE(pg_relation_size(to_regclass($1)), 0)", today.SQL()).Scan(&s.bytes)
	})
	if err != nil && !unavailable(err) {
		return err
	}
	err = limited(ctx, tx, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, "SELECT NOT EXISTS (SELECT FROM "+today.SQL()+")").Scan(&s.empty)
	})
	if err != nil && !unavailable(err) {
		return err
	}
	if !s.empty && s.rows < 0 {
		// Never analysed: count, but no further than matters.
		s.rows, err = count(ctx, tx, fmt.Sprintf("SELECT count(*) FROM (SELECT FROM %s LIMIT %d) counted", today.SQL(), longLockRows))
		if err != nil {
			return err
		}
	}
	f.tables[ref] = s // not empty, where the server would not say
	return nil
}

// countLost counts what drops would lose.
func (f *facts) countLost(ctx context.Context, tx pgx.Tx, changes []ir.Change, moves *relocation) error {
	for _, c := range changes {
		l, loses := lossOf(c)
		if !loses {
			continue
		}
		rows, err := count(ctx, tx, moves.today(l).sql(-1))
		if err != nil {
			return err
		}
		f.lost[ir.ChangeObject(c)] = rows
	}
	return nil
}

// count runs a counting query for a few seconds; negative when it took longer or
// the role may not read the table.
func count(ctx context.Context, tx pgx.Tx, sql string) (int64, error) {
	rows := int64(-1)
	err := limited(ctx, tx, func(tx pgx.Tx) error { return tx.QueryRow(ctx, sql).Scan(&rows) })
	if unavailable(err) {
		return -1, nil
	}
	return rows, err
}

// tryRewrites asks the server whether changes of columns write their tables
// anew, by making each on an empty temporary table and looking whether its file
// changed. It knows about coercions, volatile defaults and domains, and about
// what a later version learns.
func (f *facts) tryRewrites(ctx context.Context, conn *pgx.Conn, changes []ir.Change, path []string) error {
	for _, c := range changes {
		var columns []ir.Column
		var trial ir.Change
		scratch := ir.TableRef{Schema: "pg_temp", Name: scratchFunction}
		switch c := c.(type) {
		case ir.AddColumn:
			if c.Column.Generated != "" {
				f.rewrites[ir.ChangeObject(c)] = true
				continue
			}
			if c.Column.Default == "" && c.Column.Identity == ir.NoIdentity && c.Column.Type.Kind != ir.DomainType {
				continue
			}
			column := c.Column
			if column.Type.Kind == ir.EnumType {
				// It may not exist yet, and the kind of type does not matter here.
				column.Type = ir.Type{Name: "text"}
			}
			trial = ir.AddColumn{Table: scratch, Column: column}
		case ir.AlterColumn:
			if c.From.Type.Equal(c.To.Type) {
				continue
			}
			columns = []ir.Column{{Name: c.From.Name, Type: c.From.Type}}
			bare := ir.Column{Name: c.To.Name, Type: c.To.Type, Null: true}
			trial = ir.AlterColumn{Table: scratch, From: ir.Column{Name: c.From.Name, Type: c.From.Type, Null: true}, To: bare}
		default:
			continue
		}
		rewrites, err := tryRewrite(ctx, conn, columns, trial, path)
		if err != nil {
			return fmt.Errorf("trying the change of %s: %w", ir.ChangeObject(c).SQL(), err)
		}
		f.rewrites[ir.ChangeObject(c)] = rewrites
	}
	return nil
}

// tryRewrite makes one change on a temporary table. What the server refuses here
// counts as a rewrite: the apply will say why.
func tryRewrite(ctx context.Context, conn *pgx.Conn, columns []ir.Column, trial ir.Change, path []string) (bool, error) {
	rewrites := true
	err := pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{AccessMode: pgx.ReadWrite}, func(tx pgx.Tx) error {
		setup := []string{
			printing, "SET LOCAL search_path = " + ir.Idents(slices.Concat(path, []string{"pg_temp"})),
			postgres.ScratchTable(scratchFunction, columns),
		}
		for _, sql := range setup {
			if _, err := tx.Exec(ctx, sql); err != nil {
				return err
			}
		}
		const file = "SELECT pg_relation_filenode('pg_temp." + scratchFunction + "'::regclass)::bigint"
		var before, after int64
		if err := tx.QueryRow(ctx, file).Scan(&before); err != nil {
			return err
		}
		for _, sql := range postgres.Statements(trial) {
			if _, err := tx.Exec(ctx, sql); err != nil {
				return err
			}
		}
		if err := tx.QueryRow(ctx, file).Scan(&after); err != nil {
			return err
		}
		rewrites = before != after
		return errScratchDone
	})
	switch {
	case errors.Is(err, errScratchDone):
		return rewrites, nil
	case sqlState(err) != "":
		return true, nil
	}
	return true, err
}
