package cli

import (
	"github.com/pawldb/pawl/codegen/postgres"
	"github.com/pawldb/pawl/compiler/ir"
)

// object is one object of the wanted database, as the change that makes it.
type object struct {
	id     ir.ObjectID
	origin ir.Origin
	change ir.Change
	// inTable marks what CREATE TABLE states already: columns and constraints.
	inTable bool
}

// objectsOf lists everything in a schema, tables before what stands on them.
func objectsOf(s *ir.Schema) []object {
	var list []object
	add := func(change ir.Change, inTable bool) {
		list = append(list, object{ir.ChangeObject(change), ir.ChangeOrigin(change), change, inTable})
	}
	for _, change := range s.Creation() {
		add(change, false)
		if create, ok := change.(ir.CreateDomain); ok {
			for _, check := range create.Domain.Checks {
				add(ir.AddDomainCheck{Domain: create.Domain, Check: check}, true)
			}
		}
		if create, ok := change.(ir.CreateTable); ok {
			t := create.Table
			for _, column := range t.Columns {
				add(ir.AddColumn{Table: t.Ref(), Column: column}, true)
			}
			for _, constraint := range t.Constraints() {
				add(ir.AddConstraint{Table: t.Ref(), Constraint: constraint}, true)
			}
		}
	}
	return list
}

// ddl spells the object.
func (o object) ddl() []string {
	statements := postgres.Statements(o.change)
	for i := range statements {
		statements[i] += ";"
	}
	return statements
}
