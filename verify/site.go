package verify

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/codegen/postgres"
	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/verify/client"
	"github.com/pawldb/pawl/verify/explore"
	"github.com/pawldb/pawl/verify/fixture"
)

// site is a database that holds the program's schema, with everything that a
// check needs on it. Each worker has one of its own.
type site struct {
	*index
	conn      *pgx.Conn // for DDL and for making up rows
	explorer  *explore.Explorer
	performer *client.Performer
	maker     *fixture.Maker
	watched   map[ir.TableRef]bool
	sessions  int             // how many clients meet, at least
	aside     map[string]bool // rules over several rows whose triggers are set aside
}

// openSite connects to a database made by [prepare] or cloned from one.
func openSite(ctx context.Context, url string, x *index, o Options) (*site, error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return nil, fmt.Errorf("connect to the scratch database: %w", err)
	}
	explorer, err := explore.Open(ctx, url, explore.Options{Clients: 3, Full: o.Full})
	if err != nil {
		_ = conn.Close(context.WithoutCancel(ctx))
		return nil, err
	}
	return &site{
		index: x, conn: conn, explorer: explorer, performer: client.New(x.program),
		maker: fixture.NewBeside(&x.program.Schema, x.countsOf()), watched: map[ir.TableRef]bool{},
		sessions: o.Sessions, aside: map[string]bool{},
	}, nil
}

// countsOf are the tables in which triggers keep what they know of the rows of
// another: how many there are in a group, or which number was the last.
func (x *index) countsOf() map[ir.TableRef][]ir.TableRef {
	beside := map[ir.TableRef][]ir.TableRef{}
	add := func(f ir.Facts, counts ir.TableRef) { beside[f.Table] = append(beside[f.Table], counts) }
	for _, invariant := range x.program.Invariants {
		switch i := invariant.(type) {
		case *ir.Limit:
			if !i.OnRow {
				add(i.Base, i.Counter)
			}
		case *ir.Sequence:
			add(i.Base, i.Counter)
		case *ir.Ordered:
			add(i.Base, i.Groups)
		default: // all others look at the rows themselves
		}
	}
	return beside
}

func (s *site) close(ctx context.Context) {
	ctx = context.WithoutCancel(ctx)
	_ = s.explorer.Close(ctx)
	_ = s.conn.Close(ctx)
}

// prepare builds the program's schema and the log of effects in an empty
// database, with the extensions that it takes for granted.
func prepare(ctx context.Context, conn *pgx.Conn, p *ir.Program) error {
	schema := &p.Standalone().Schema
	homes, err := extend(ctx, conn, schema)
	if err != nil {
		return err
	}
	path := ir.Idents(slices.Concat(postgres.SearchPath(schema), homes))
	for _, script := range []string{
		"SET search_path = " + path + ";\n" + postgres.Script(schema.Creation()) + "RESET search_path", effectLog,
	} {
		if _, err := conn.Exec(ctx, script, pgx.QueryExecModeSimpleProtocol); err != nil {
			return fmt.Errorf("build the schema in the scratch database: %w", err)
		}
	}
	return nil
}

// watch has the changes of tables recorded.
func (s *site) watch(ctx context.Context, tables []ir.TableRef) error {
	for _, t := range tables {
		if s.watched[t] {
			continue
		}
		if _, err := s.conn.Exec(ctx, watchTable(t)); err != nil {
			return fmt.Errorf("watch %s: %w", t.SQL(), err)
		}
		s.watched[t] = true
	}
	return nil
}

// keepRule leaves the triggers of one rule over several rows in place, and sets those
// of all others aside; an empty address all of them.
func (s *site) keepRule(ctx context.Context, address string) error {
	for _, i := range s.program.Invariants {
		f := i.Facts()
		aside := f.Address != address
		if _, ok := i.(*ir.SetRule); !ok || s.aside[f.Address] == aside {
			continue
		}
		for _, m := range mutantWithout(s.index, f.Objects, "trigger") {
			changes := m.restore
			if aside {
				changes = m.drop
			}
			if err := s.change(ctx, changes); err != nil {
				return err
			}
		}
		s.aside[f.Address] = aside
	}
	return nil
}

// change runs DDL.
func (s *site) change(ctx context.Context, changes []ir.Change) error {
	for _, c := range changes {
		for _, sql := range postgres.Statements(c) {
			if _, err := s.conn.Exec(ctx, sql, pgx.QueryExecModeSimpleProtocol); err != nil {
				return fmt.Errorf("%s: %w", sql, err)
			}
		}
	}
	return nil
}

// scenario is a scene for the explorer, as a mutant has it.
func (s *site) scenario(c *check, sc *scene, m *mutant, first bool) explore.Scenario {
	e := explore.Scenario{
		Name: c.id, Fixture: sc.fixture, StopAtFirst: first, FirstRows: sc.firstRows, Effect: s.effect,
		AfterCommit: sc.afterCommit,
		Judge: func(ctx context.Context, conn *pgx.Conn, run *explore.Run) ([]explore.Violation, error) {
			return sc.judgeAll(ctx, s.index, conn, run, c.about())
		},
	}
	if !c.whole {
		stops := c.stops
		if len(stops) == 0 {
			stops = c.tables
		}
		for _, t := range stops {
			e.Gates = append(e.Gates, t.SQL())
		}
	}
	for i, a := range sc.actors {
		run, class, v := a.run, a.class, m.variant(s, sc, i)
		if other := m.actors[i]; other != nil {
			run, class = other, ""
		}
		if m.rewrites[i] != nil {
			class = ""
		}
		e.Clients = append(e.Clients, explore.Client{Name: a.name, Class: class, Run: func(ctx context.Context, conn *explore.Conn) (any, error) {
			return run(ctx, conn, v)
		}})
	}
	return e
}

// effect classifies the statements of operations, whose locks the compiler
// knows. Whatever else is sent is unknown.
func (s *site) effect(sql string) explore.Effect {
	if op := s.operations[addressOf(sql)]; op != nil && op.Lock == ir.NoLock && isRead(op.Kind) {
		return explore.Read
	}
	return explore.Unknown
}

func isRead(k ir.OperationKind) bool { return k == ir.GetOp || k == ir.ListOp }
