package migrate

import (
	"fmt"
	"strings"

	"github.com/pawldb/pawl/codegen/postgres"
	"github.com/pawldb/pawl/compiler/ir"
)

// domainUser is a column of a domain's type, as it stands.
type domainUser struct {
	table  *ir.Table
	column ir.Column
}

func (u domainUser) id() ir.ObjectID { return u.table.ID(ir.ColumnObject, u.column.Name) }

// domainUsers lists the columns of a schema that hold values of a domain, whoever
// made them.
func domainUsers(s *ir.Schema, d ir.Domain) []domainUser {
	var users []domainUser
	name := ir.Qualified(d.Schema, d.Name)
	for i := range s.Tables {
		t := &s.Tables[i]
		for _, c := range t.Columns {
			if c.Printed.Type == name {
				users = append(users, domainUser{t, c})
			}
		}
	}
	return users
}

func userTables(users []domainUser) []ir.TableRef {
	var refs []ir.TableRef
	for _, u := range users {
		if n := len(refs); n == 0 || refs[n-1] != u.table.Ref() {
			refs = append(refs, u.table.Ref())
		}
	}
	return refs
}

// addDomainCheck binds new values first and proves the stored ones in another
// transaction.
func (p *planner) addDomainCheck(c ir.AddDomainCheck) {
	users := domainUsers(p.stands, c.Domain)
	if len(users) == 0 {
		p.alone(p.step(c))
		return
	}
	s := p.step(c)
	s.SQL = []string{postgres.AddDomainNotValid(c.Domain, c.Check)}
	s.Title += ", for new values"
	p.alone(s)
	p.domainProof(ir.ValidateDomainCheck(c), c.Check.Name, users)
}

// validateDomainCheck proves a check that an interrupted apply left unproven.
func (p *planner) validateDomainCheck(c ir.ValidateDomainCheck) {
	p.line(c)
	p.domainProof(c, c.Check.Name, domainUsers(p.stands, c.Domain))
}

// domainProof reads all tables with values of the domain under a lock that keeps
// writers out. VALIDATE takes it by itself up to PostgreSQL 17. From 18 on it
// does not, and a statement that was planned before the check was there could
// still bring in a value behind the scan.
func (p *planner) domainProof(c ir.ValidateDomainCheck, name string, users []domainUser) {
	named := c.Check
	named.Name = name
	sql := postgres.Statements(ir.ValidateDomainCheck{Domain: c.Domain, Check: named})
	s := p.part(c, describe(c), sql...)
	if refs := userTables(users); len(refs) > 0 {
		s.SQL = append([]string{postgres.LockForReading(refs)}, s.SQL...)
		s = locked(s, share)
		s.Table, s.Scans = refs[0], true
		s.Rows, s.Bytes = p.together(refs)
		s.probe = unfit(c, users)
		p.domainLock(c, refs, s.Rows)
	}
	if name == c.Check.Name {
		s.saves = []record{p.record(ir.ChangeObject(c))}
	}
	s.Undo = "nothing to undo: new values are bound already"
	p.alone(s)
}

// together is the size of several tables; the rows are negative when those of
// one are unknown.
func (p *planner) together(refs []ir.TableRef) (rows, bytes int64) {
	for _, ref := range refs {
		size := p.facts.tables[ref]
		if rows += size.rows; size.rows < 0 {
			return -1, bytes
		}
		bytes += size.bytes
	}
	return rows, bytes
}

func (p *planner) domainLock(c ir.ValidateDomainCheck, refs []ir.TableRef, rows int64) {
	names := make([]string, len(refs))
	for i, ref := range refs {
		names[i] = ref.SQL()
	}
	h := p.hazard(HazardLock, c, rows, fmt.Sprintf("locked for writes while the values of %s in them are read: %s",
		ir.Qualified(c.Domain.Schema, c.Domain.Name), strings.Join(names, ", ")))
	h.Help = "apply when they are quiet; a check of a table is proved beside its writers"
	if rows < 0 || rows >= longLockRows {
		h.Allow = "long-lock=" + addressOf(c)
	}
	p.hazards = append(p.hazards, h)
}

// unfit is a probe for values that a domain's check refuses. The check calls the
// value VALUE, which in a sub-select is the name of its column.
func unfit(c ir.ValidateDomainCheck, users []domainUser) *probe {
	parts := make([]string, len(users))
	for i, u := range users {
		value := "pawl_row." + ir.Ident(u.column.Name)
		parts[i] = "SELECT " + ir.Literal(u.id().SQL()) + " AS " + ir.Ident("column") + ", to_jsonb(pawl_row.*) AS " + ir.Ident("row") +
			" FROM " + u.table.Ref().SQL() + " pawl_row WHERE EXISTS (SELECT FROM (SELECT " + value + " AS value) pawl_value WHERE NOT (" + c.Check.Expr + "\n))"
	}
	return &probe{
		object: ir.ChangeObject(c), origin: c.Check.Origin, one: "1 value does not pass the check", many: "%d values do not pass the check",
		query: strings.Join(parts, " UNION ALL "),
	}
}

// replaceDomainCheck adds the check under a spare name, proves it, and gives it
// the old one's name as that one goes.
func (p *planner) replaceDomainCheck(drop ir.DropDomainCheck, c ir.AddDomainCheck) {
	p.line(c)
	line := &p.changes[len(p.changes)-1]
	line.Action, line.Text = Replace, "replace check "+ir.Ident(c.Check.Name)+" on domain "+ir.Qualified(c.Domain.Schema, c.Domain.Name)

	id := ir.ChangeObject(c)
	spare := c.Check
	spare.Name = p.spareName(id)
	add := p.part(c, describe(c)+", for new values, as "+spare.Name, postgres.AddDomainNotValid(c.Domain, spare))
	add.saves = []record{p.spare(c, spare.Name)}
	p.alone(add)
	p.domainProof(ir.ValidateDomainCheck(c), spare.Name, domainUsers(p.stands, c.Domain))

	gone := p.part(drop, describe(drop), postgres.Statements(drop)...)
	rename := p.part(c, "name "+spare.Name+" "+c.Check.Name, postgres.RenameDomainCheck(c.Domain, spare.Name, c.Check.Name))
	rename.saves = []record{p.record(id)}
	rename.forgets = []ir.ObjectID{p.spare(c, spare.Name).ID}
	p.alone(gone, rename)
}

func (p *planner) dropDomainCheck(c ir.DropDomainCheck) {
	if !c.Check.Invalid && !spareCheck(c.Check) {
		p.weaker(c, "values that "+ir.Ident(c.Check.Name)+" refused are accepted from then on")
	}
	p.alone(p.step(c))
}

// domainOfAnotherType stops a plan: PostgreSQL changes no domain's type, and the
// columns cannot all change over to a new one without being written anew.
func (p *planner) domainOfAnotherType(drop ir.DropDomain, create ir.CreateDomain) {
	h := p.hazard(HazardBlocked, create, -1, fmt.Sprintf("the domain %s is made of %s, and cannot be made of %s instead",
		ir.Qualified(create.Domain.Schema, create.Domain.Name), drop.Domain.Printed, create.Domain.Type.SQL()))
	h.Help = "declare a domain of another name, give the columns that one, and take this one away"
	p.hazards = append(p.hazards, h)
}
