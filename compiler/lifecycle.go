package compiler

import (
	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
)

// lifecycles collects the lifecycle blocks of everything that owns an object.
func (c *compilation) lifecycles() {
	s := c.spec
	for _, e := range s.Enums {
		c.lifecycle(declared("enum", e.Block), e.Block)
	}
	for _, d := range s.Domains {
		at := declared("domain", d.Block)
		c.lifecycle(at, d.Block)
		for _, k := range d.Checks {
			c.lifecycle(inside(at, "check", k.Block), k.Block)
		}
	}
	for _, t := range s.Tables {
		c.tableLifecycles(declared("table", t.Block), t)
	}
	for _, q := range s.Queues {
		at := declared("queue", q.Block)
		c.lifecycle(at, q.Block)
		for _, col := range q.Columns {
			c.lifecycle(inside(at, "column", col.Block), col.Block)
		}
	}
	for _, r := range s.Rules {
		c.lifecycle(declared("rule", r.Block), r.Block)
	}
	for _, i := range s.Idempotencies {
		c.lifecycle(declared("idempotency", i.Block), i.Block)
	}
	for _, o := range s.Outboxes {
		at := declared("outbox", o.Block)
		c.lifecycle(at, o.Block)
		for _, col := range o.Columns {
			c.lifecycle(inside(at, "column", col.Block), col.Block)
		}
	}
	for _, i := range s.Inboxes {
		c.lifecycle(declared("inbox", i.Block), i.Block)
	}
	sortByName(c.program.Lifecycles, func(l ir.Lifecycle) string { return l.Address })
}

func (c *compilation) tableLifecycles(at string, t *dsl.Table) {
	c.lifecycle(at, t.Block)
	if k := t.PrimaryKey; k != nil {
		c.lifecycle(under(at, "primary_key"), k.Block)
	}
	for _, b := range t.Columns {
		c.lifecycle(inside(at, "column", b.Block), b.Block)
	}
	for _, b := range t.ForeignKeys {
		c.lifecycle(inside(at, "foreign_key", b.Block), b.Block)
	}
	for _, b := range t.Checks {
		c.lifecycle(inside(at, "check", b.Block), b.Block)
	}
	for _, b := range t.Indexes {
		c.lifecycle(inside(at, "index", b.Block), b.Block)
	}
	for _, b := range t.NoDuplicates {
		c.lifecycle(inside(at, "no_duplicates", b.Block), b.Block)
	}
	for _, b := range t.NoOverlaps {
		c.lifecycle(inside(at, "no_overlap", b.Block), b.Block)
	}
	for _, b := range t.Transitions {
		c.lifecycle(inside(at, "transitions", b.Block), b.Block)
	}
	for _, b := range t.Sequences {
		c.lifecycle(inside(at, "sequence", b.Block), b.Block)
	}
	for _, b := range t.Orders {
		c.lifecycle(inside(at, "ordered", b.Block), b.Block)
	}
	for _, b := range t.Cardinals {
		c.lifecycle(inside(at, b.Kind, b.Block), b.Block)
	}
	for _, b := range t.Limits {
		c.lifecycle(inside(at, "limit", b.Block), b.Block)
	}
}

// lifecycle takes over the block of one declaration.
func (c *compilation) lifecycle(address string, b dsl.Block) {
	decl := b.Lifecycle
	if decl == nil {
		return
	}
	l := ir.Lifecycle{Address: address, PreventDestroy: decl.PreventDestroy.V, Pos: pos(decl.Header)}
	for _, name := range decl.Ignore {
		l.Ignore = append(l.Ignore, name.Text)
	}
	c.program.Lifecycles = append(c.program.Lifecycles, l)
}
