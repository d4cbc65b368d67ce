package migrate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// release is what removed blocks let go: objects that stay in the database and
// are taken out of pawl.object.
type release struct {
	blocks []ir.Removed             // those that let go of anything, in the program's order
	of     map[string][]ir.ObjectID // by the block's address
	gone   map[ir.ObjectID]bool     // all of them
}

// letGo takes what removed blocks let go out of the ledger, so that the rest of
// the planning sees objects of others.
func (p *planning) letGo() error {
	r := &release{of: map[string][]ir.ObjectID{}, gone: map[ir.ObjectID]bool{}}
	p.gone = r
	if len(p.program.Removed) == 0 {
		return nil
	}
	mine := slices.SortedFunc(maps.Keys(p.ledger.mine), compareIDs)
	for _, id := range mine {
		if block, ok := p.program.LetGo(p.ledger.mine[id].Address, id); ok {
			r.take(block, id)
		}
	}
	for _, id := range mine {
		// What others declared on a table or domain goes with it: a part cannot
		// belong to pawl where the whole does not.
		for _, whole := range []ir.ObjectID{tableID(ir.TableRef{Schema: id.Schema, Name: id.Table}), owner(id)} {
			if block, ok := p.program.LetGo(p.ledger.mine[whole].Address, whole); ok && r.gone[whole] {
				r.take(block, id)
			}
		}
	}
	r.functions(p)
	if len(r.gone) > 0 {
		l := *p.ledger
		l.mine = maps.Clone(l.mine)
		maps.DeleteFunc(l.mine, func(id ir.ObjectID, _ record) bool { return r.gone[id] })
		p.ledger = &l
	}
	return nil
}

// take notes an object under the block that lets go of it.
func (r *release) take(block ir.Removed, id ir.ObjectID) {
	if r.gone[id] {
		return
	}
	if r.of[block.From] == nil {
		r.blocks = append(r.blocks, block)
	}
	r.gone[id] = true
	r.of[block.From] = append(r.of[block.From], id)
}

// functions lets go of the functions that triggers which stay call, unless they
// are wanted.
func (r *release) functions(p *planning) {
	wanted := map[ir.ObjectID]bool{}
	for _, o := range p.objects {
		wanted[o.ID] = true
	}
	for i := range p.have.Tables {
		t := &p.have.Tables[i]
		for _, g := range t.Triggers {
			id := t.ID(ir.TriggerObject, g.Name)
			function := ir.ObjectID{Kind: ir.FunctionObject, Schema: g.FuncSchema, Name: g.FuncName}
			if _, mine := p.ledger.mine[function]; !mine || !r.gone[id] || wanted[function] {
				continue
			}
			if block, ok := p.program.LetGo(p.ledger.mine[id].Address, id); ok {
				r.take(block, function)
			} else if block, ok := p.program.LetGo(p.ledger.mine[tableID(t.Ref())].Address, tableID(t.Ref())); ok {
				r.take(block, function)
			}
		}
	}
}

// heads are the objects of a block that stand on nothing that is let go too:
// what a reader would name.
func (r *release) heads(block ir.Removed) []ir.ObjectID {
	var heads []ir.ObjectID
	for _, id := range r.of[block.From] {
		whole := id.Table != "" && id.Kind != ir.TableObject &&
			(r.gone[tableID(ir.TableRef{Schema: id.Schema, Name: id.Table})] || r.gone[owner(id)])
		told := !slices.Contains([]ir.ObjectKind{ir.FunctionObject, ir.TriggerObject, ir.ExtensionObject, ir.NamespaceObject}, id.Kind)
		if !whole && told {
			heads = append(heads, id)
		}
	}
	if len(heads) == 0 {
		heads = r.of[block.From]
	}
	return heads
}

// maxReleased bounds how many objects the title of a step names.
const maxReleased = 3

// release plans that what is let go is forgotten. Nothing else happens to it.
func (p *planner) release(r *release) {
	for _, block := range r.blocks {
		var names []string
		for _, id := range r.heads(block) {
			names = append(names, string(id.Kind)+" "+id.SQL())
			p.changes = append(p.changes, Change{
				Action: Release, Address: block.From, Pos: block.Pos, Object: id,
				Text: "let go of " + string(id.Kind) + " " + id.SQL() + ": it stays in the database",
			})
		}
		title := "let go of " + strings.Join(names, ", ")
		if len(names) > maxReleased {
			title = fmt.Sprintf("let go of %d objects of %s", len(names), block.From)
		}
		p.alone(Step{
			Title: title, Address: block.From, Pos: block.Pos, Why: "a removed block says so; nothing happens to what stands there",
			Blocks: BlocksNothing, Retry: RetryLock, Undo: "declare it again and import it",
			forgets: r.of[block.From],
		})
		for _, id := range r.of[block.From] {
			p.obstructs(block, id)
		}
	}
}

// obstructs notes a column that stays, on a table that goes on, and that takes no
// row of whoever does not know it.
func (p *planner) obstructs(block ir.Removed, id ir.ObjectID) {
	table := ir.TableRef{Schema: id.Schema, Name: id.Table}
	if id.Kind != ir.ColumnObject || p.tables[table] == nil {
		return
	}
	for i := range p.stands.Tables {
		if p.stands.Tables[i].Ref() != table {
			continue
		}
		for _, c := range p.stands.Tables[i].Columns {
			if c.Name == id.Name && !c.Null && c.Default == "" && c.Identity == ir.NoIdentity && c.Generated == "" {
				p.hazards = append(p.hazards, Hazard{
					Kind: HazardLetGo, Address: block.From, Pos: block.Pos, Rows: -1,
					Text: fmt.Sprintf("the column %s stays NOT NULL without a default: inserts of code that is generated from then on fail (23502)", id.SQL()),
					Help: fmt.Sprintf("ALTER TABLE %s ALTER COLUMN %s DROP NOT NULL first, or give it a default", table.SQL(), ir.Ident(id.Name)),
				})
			}
		}
	}
}

// hindered refuses drops of what an object needs that is not the project's, and
// stays: PostgreSQL would refuse them in the middle of the apply.
func (p *planner) hindered(changes []ir.Change) {
	for _, change := range changes {
		var users []string
		switch c := change.(type) {
		case ir.DropEnum:
			users = p.foreignColumns(ir.Qualified(c.Enum.Schema, c.Enum.Name))
		case ir.DropDomain:
			users = p.foreignColumns(ir.Qualified(c.Domain.Schema, c.Domain.Name))
		case ir.DropTable:
			users = p.foreignReferences(c.Table.Ref())
		}
		if len(users) == 0 {
			continue
		}
		h := p.hazard(HazardBlocked, change, -1, fmt.Sprintf("%s cannot be dropped: %s, which is not pawl's to change",
			ir.ChangeObject(change).SQL(), strings.Join(users, ", ")))
		h.Help = "let go of it too (removed { from = " + addressOf(change) + ", destroy = false }), or drop by hand what needs it"
		p.hazards = append(p.hazards, h)
	}
}

// foreignColumns names columns of a type that are not the project's.
func (p *planner) foreignColumns(typ string) (users []string) {
	p.eachForeign(func(t *ir.Table, mine *ir.Table) {
		for _, c := range t.Columns {
			is := c.Printed.Type == typ || c.Printed.Type == typ+"[]"
			if is && (mine == nil || !slices.ContainsFunc(mine.Columns, func(d ir.Column) bool { return d.Name == c.Name })) {
				users = append(users, "the column "+t.ID(ir.ColumnObject, c.Name).SQL()+" has the type")
			}
		}
	})
	return users
}

// foreignReferences names foreign keys to a table that are not the project's, and
// stand on another one.
func (p *planner) foreignReferences(ref ir.TableRef) (users []string) {
	p.eachForeign(func(t *ir.Table, mine *ir.Table) {
		for _, k := range t.ForeignKeys {
			to := ir.TableRef{Schema: k.RefSchema, Name: k.RefTable} == ref && t.Ref() != ref
			if to && (mine == nil || !slices.ContainsFunc(mine.ForeignKeys, func(l ir.ForeignKey) bool { return l.Name == k.Name })) {
				users = append(users, "the foreign key "+ir.Ident(k.Name)+" of "+t.Ref().SQL()+" refers to it")
			}
		}
	})
	return users
}

// eachForeign visits every table that stands, with the project's part of it; nil
// when it has none.
func (p *planner) eachForeign(visit func(stands, mine *ir.Table)) {
	for i := range p.stands.Tables {
		t := &p.stands.Tables[i]
		j := slices.IndexFunc(p.had.Tables, func(m ir.Table) bool { return m.Ref() == t.Ref() })
		if j < 0 {
			visit(t, nil)
		} else {
			visit(t, &p.had.Tables[j])
		}
	}
}
