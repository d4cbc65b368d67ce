package migrate

import (
	"github.com/pawldb/pawl/codegen/postgres"
	"github.com/pawldb/pawl/compiler/ir"
)

func (p *planner) createIndex(c ir.CreateIndex) {
	if p.unused(c.Table) {
		p.build(c.Table, p.locking(c, share))
		return
	}
	p.line(c)
	s := p.concurrently(c, p.searchIndex(c))
	s.saves = []record{p.record(ir.ChangeObject(c))}
}

// searchIndex looks for duplicates before a unique index is built.
func (p *planner) searchIndex(c ir.CreateIndex) *probe {
	if !c.Index.Unique {
		return nil
	}
	pr := duplicates(c.Table, ir.ChangeObject(c), c.Index.Origin, c.Index)
	p.search(c, pr)
	return pr
}

// concurrently builds an index beside the writers. That the index will be the
// project's is recorded before: the build cannot be in one transaction with the
// record, and what an interrupted build leaves has to be known as ours.
//
// pr finds what would make the build fail; nil where nothing can.
func (p *planner) concurrently(c ir.CreateIndex, pr *probe) *Step {
	s := locked(p.part(c, describe(c)+" concurrently", postgres.BuildIndex(c.Table, c.Index)), shareUpdateExclusive)
	s.kind, s.Scans, s.probe = stepBuild, true, pr
	s.index = ir.ChangeObject(c)
	s.saves = []record{p.spare(c, c.Index.Name)}
	s.Undo = postgres.DropIndexOnline(c.Table.Schema, c.Index.Name)
	p.outside(s)
	return &p.steps[len(p.steps)-1]
}

func (p *planner) dropIndex(c ir.DropIndex) {
	p.weakerIndex(c)
	if c.Index.Invalid {
		delete(p.taken, c.Index.Name) // a new build may have the name
	}
	if p.unused(c.Table) {
		p.alone(p.locking(c, accessExclusive))
		return
	}
	p.line(c)
	p.dropConcurrently(c)
}

func (p *planner) dropConcurrently(c ir.DropIndex) {
	s := locked(p.part(c, describe(c)+" concurrently", postgres.DropIndexOnline(c.Table.Schema, c.Index.Name)), shareUpdateExclusive)
	s.kind = stepDrop
	s.index = ir.ChangeObject(c)
	_, s.forgets = p.records(c)
	s.Undo = undo(c)
	p.outside(s)
}

// replaceIndex builds the new index under a spare name and lets it take the
// place of the old one. An invalid index enforces nothing and helps nobody: it
// goes first.
func (p *planner) replaceIndex(drop ir.Change, c ir.CreateIndex) {
	p.replaced(c)
	p.narrower(drop, c)
	old, wasIndex := drop.(ir.DropIndex)
	switch {
	case p.unused(c.Table):
		p.inPlace(drop, c)
		return
	case wasIndex && old.Index.Invalid:
		p.dropConcurrently(old)
		s := p.concurrently(c, p.searchIndex(c))
		s.saves = []record{p.record(ir.ChangeObject(c))}
		return
	}
	rename := p.buildSpare(c)
	p.alone(p.removal(drop), rename)
}

// buildSpare builds an index under a spare name, and returns the step that gives
// it its own.
func (p *planner) buildSpare(c ir.CreateIndex) Step {
	pr := p.searchIndex(c)
	spare := c
	spare.Index.Name = p.spareName(ir.ChangeObject(c))
	p.concurrently(spare, pr)
	rename := locked(p.part(c, "name "+spare.Index.Name+" "+c.Index.Name,
		postgres.RenameIndex(c.Table.Schema, spare.Index.Name, c.Index.Name)), shareUpdateExclusive)
	rename.saves = []record{p.record(ir.ChangeObject(c))}
	rename.forgets = []ir.ObjectID{p.spare(c, spare.Index.Name).ID}
	return rename
}
