package migrate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// relocation is what moved blocks make of what stands: which objects get another
// identity, which records another address, and which values of enums another
// label. The zero value moves nothing.
type relocation struct {
	to      map[ir.ObjectID]ir.ObjectID // old identity → new, of everything that stands and gets one
	from    map[ir.ObjectID]ir.ObjectID // the reverse
	records map[ir.ObjectID]record      // by new identity: those that change, with the hash they had
	labels  map[ir.ObjectID][][2]string // by an enum's new identity: old label → new
	domains map[ir.ObjectID]bool        // those that stand: they keep their names
}

func (r *relocation) empty() bool { return len(r.records) == 0 && len(r.labels) == 0 }

// id is what an object that stands will be.
func (r *relocation) id(old ir.ObjectID) ir.ObjectID {
	if now, moves := r.to[old]; moves {
		return now
	}
	return old
}

// table is what a table that stands will be.
func (r *relocation) table(old ir.TableRef) ir.TableRef {
	now := r.id(tableID(old))
	return ir.TableRef{Schema: now.Schema, Name: now.Name}
}

// column is what a column that stands will be called.
func (r *relocation) column(t ir.TableRef, old string) string {
	return r.id(ir.ObjectID{Kind: ir.ColumnObject, Schema: t.Schema, Table: t.Name, Name: old}).Name
}

// today is a loss in the names that stand before the renames.
func (r *relocation) today(l loss) loss {
	id := tableID(l.table)
	if l.column != "" {
		id = ir.ObjectID{Kind: ir.ColumnObject, Schema: l.table.Schema, Table: l.table.Name, Name: l.column}
	}
	if old, moved := r.from[id]; moved {
		l.table.Schema, l.table.Name = old.Schema, old.Table
		if l.column != "" {
			l.column = old.Name
		}
	}
	return l
}

func tableID(t ir.TableRef) ir.ObjectID {
	return ir.ObjectID{Kind: ir.TableObject, Schema: t.Schema, Table: t.Name, Name: t.Name}
}

// niche is what objects have in common of which one can become the other.
type niche struct {
	address string // the new one
	kind    ir.ObjectKind
	word    string // of constraints: "check"
}

// relocate finds what moved blocks make of what stands. Moves that were made
// already find nothing to do.
func relocate(program *ir.Program, have *ir.Schema, l *ledger, all map[ir.ObjectID]string) (*relocation, error) {
	r := &relocation{
		to: map[ir.ObjectID]ir.ObjectID{}, from: map[ir.ObjectID]ir.ObjectID{},
		records: map[ir.ObjectID]record{}, labels: map[ir.ObjectID][][2]string{},
		domains: map[ir.ObjectID]bool{},
	}
	for i := range have.Domains {
		r.domains[ir.ObjectID{Kind: ir.DomainObject, Schema: have.Domains[i].Schema, Name: have.Domains[i].Name}] = true
	}
	if len(program.Moved) == 0 {
		return r, nil
	}
	stand := slices.SortedFunc(maps.Keys(l.mine), compareIDs)
	stand = slices.DeleteFunc(stand, func(id ir.ObjectID) bool { _, exists := all[id]; return !exists })
	words, wantedWords := constraintWords(have), constraintWords(&program.Schema)
	olds, news := map[niche][]ir.ObjectID{}, map[niche][]ir.ObjectID{}
	var order []niche
	for _, id := range stand {
		if now := program.Address(l.mine[id].Address); now != l.mine[id].Address && !r.domains[owner(id)] {
			n := niche{now, id.Kind, words[id]}
			if olds[n] == nil {
				order = append(order, n)
			}
			olds[n] = append(olds[n], id)
		}
	}
	for _, o := range program.Schema.Objects() {
		n := niche{o.Origin.Address, o.ID.Kind, wantedWords[o.ID]}
		news[n] = append(news[n], o.ID)
	}
	// Tables first: what stands on them has to stay on them.
	slices.SortStableFunc(order, func(a, b niche) int { return rank(a.kind) - rank(b.kind) })
	for _, n := range order {
		if err := r.match(program, n, olds[n], news[n], l, all); err != nil {
			return nil, err
		}
		if n.kind == ir.TableObject {
			r.carryAlong(all)
		}
	}
	for _, id := range stand {
		was := l.mine[id]
		now := record{Project: was.Project, Address: program.Address(was.Address), ID: r.id(id), SpecHash: was.SpecHash, Prevented: was.Prevented}
		if now.Address != was.Address || now.ID != was.ID {
			r.records[now.ID] = now
		}
	}
	for old, now := range r.to {
		r.from[now] = old
	}
	return r, r.relabel(program, have, l)
}

// owner is the domain that an object is or stands on, if it does so at all.
func owner(id ir.ObjectID) ir.ObjectID {
	name := id.Name
	if id.Table != "" {
		name = id.Table
	}
	return ir.ObjectID{Kind: ir.DomainObject, Schema: id.Schema, Name: name}
}

func rank(k ir.ObjectKind) int {
	if k == ir.TableObject {
		return 0
	}
	return 1
}

// constraintWords says of each constraint of a schema which kind it is.
func constraintWords(s *ir.Schema) map[ir.ObjectID]string {
	words := map[ir.ObjectID]string{}
	for i := range s.Tables {
		t := &s.Tables[i]
		for _, c := range t.Constraints() {
			words[t.ID(ir.ConstraintObject, c.ConstraintName())] = constraintWord(c)
		}
		for _, k := range t.ForeignKeys {
			words[t.ID(ir.ConstraintObject, k.Name)] = constraintWord(k)
		}
	}
	return words
}

// match pairs what stands in a niche with what is wanted there: first what ends
// most alike, as names made from a label do, and at last the only two that are
// left.
func (r *relocation) match(program *ir.Program, n niche, olds, news []ir.ObjectID, l *ledger, all map[ir.ObjectID]string) error {
	olds, news = slices.Clone(olds), slices.Clone(news)
	for len(olds) > 0 && len(news) > 0 {
		best, x, y := 0, 0, 0
		for i, old := range olds {
			for j, now := range news {
				if same := alike(old.Name, now.Name); same > best {
					best, x, y = same, i, j
				}
			}
		}
		if best == 0 && (len(olds) > 1 || len(news) > 1) {
			break
		}
		if err := r.become(program, n, olds[x], news[y], l, all); err != nil {
			return err
		}
		olds, news = slices.Delete(olds, x, x+1), slices.Delete(news, y, y+1)
	}
	return nil
}

// alike counts the bytes that two names have in common at their end; a name is
// most like itself.
func alike(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	if a == b {
		n++
	}
	return n
}

// become notes that an object gets another identity.
func (r *relocation) become(program *ir.Program, n niche, old, now ir.ObjectID, l *ledger, all map[ir.ObjectID]string) error {
	if here := r.id(old); now.Table != "" && now.Kind != ir.TableObject && (here.Schema != now.Schema || here.Table != now.Table) {
		return nil // it stays on its table
	}
	_, taken := all[now]
	_, mine := l.mine[now]
	switch {
	case old == now:
	case taken && mine && r.id(now) == now && (n.kind == ir.TableObject || n.kind == ir.ColumnObject || n.kind == ir.EnumObject):
		m, _ := program.MovedBy(n.address)
		return &MoveError{Moved: m, Old: old, New: now}
	case taken && r.id(now) == now:
		// Whose it is, and what becomes of it, is for the diff to say.
	default:
		r.to[old] = now
	}
	return nil
}

// carryAlong moves everything that stands on a table with it.
func (r *relocation) carryAlong(all map[ir.ObjectID]string) {
	for id := range all {
		if id.Table == "" || id.Kind == ir.TableObject {
			continue
		}
		now, moves := r.to[tableID(ir.TableRef{Schema: id.Schema, Name: id.Table})]
		if moves {
			r.to[id] = ir.ObjectID{Kind: id.Kind, Schema: now.Schema, Table: now.Name, Name: id.Name}
		}
	}
}

// relabel finds the values of enums that get another label.
func (r *relocation) relabel(program *ir.Program, have *ir.Schema, l *ledger) error {
	for _, e := range have.Enums {
		id := ir.ObjectID{Kind: ir.EnumObject, Schema: e.Schema, Name: e.Name}
		was, mine := l.mine[id]
		if !mine {
			continue
		}
		address := program.Address(was.Address)
		for _, label := range e.Values {
			now := program.Label(address, label)
			if now == label {
				continue
			}
			if slices.Contains(e.Values, now) {
				m, _ := program.MovedBy(address)
				return &MoveError{Moved: m, Old: id, New: id, Labels: [2]string{label, now}}
			}
			r.labels[r.id(id)] = append(r.labels[r.id(id)], [2]string{label, now})
		}
	}
	return nil
}

// MoveError says that a moved block cannot be carried out, because what it would
// make stands beside what it would make it of. Nothing was done.
type MoveError struct {
	Moved    ir.Moved
	Old, New ir.ObjectID
	Labels   [2]string // of an enum's value
}

// Error names both and says what to do.
func (e *MoveError) Error() string {
	kind, old, now := string(e.Old.Kind), e.Old.SQL(), e.New.SQL()
	if e.Labels != [2]string{} {
		kind, old, now = "value", fmt.Sprintf("%q of %s", e.Labels[0], old), fmt.Sprintf("%q", e.Labels[1])
	}
	return fmt.Sprintf("the %s %s cannot become %s: both stand, and both are the project's.\n"+
		"Take over by hand what is needed of one of them and drop it, or remove the moved block %s.",
		kind, old, now, strings.TrimSpace(where(ir.Origin{Address: e.Moved.To, Pos: e.Moved.Pos})))
}
