package ir

// Creation lists the changes that make a schema in a new database, in
// dependency order: what a diff from a database that holds nothing but the
// schema "public" finds. A table's indexes and triggers follow it at once, so
// that a reader finds them together; foreign keys stand last, so that cycles
// of tables need no thought.
func (s *Schema) Creation() []Change {
	var changes []Change
	for _, namespace := range s.Namespaces {
		if namespace.Name != "public" {
			changes = append(changes, CreateNamespace{namespace})
		}
	}
	for _, extension := range s.Extensions {
		changes = append(changes, CreateExtension{extension})
	}
	for _, enum := range s.Enums {
		changes = append(changes, CreateEnum{enum})
	}
	for _, domain := range s.Domains {
		changes = append(changes, CreateDomain{domain})
	}
	for _, function := range s.Functions {
		changes = append(changes, ReplaceFunction{Function: function})
	}
	for i := range s.Tables {
		changes = append(changes, s.Tables[i].creation()...)
	}
	for i := range s.Tables {
		table := &s.Tables[i]
		for _, key := range table.ForeignKeys {
			changes = append(changes, AddConstraint{table.Ref(), key})
		}
	}
	return changes
}

// creation is a table with its indexes and triggers.
func (t *Table) creation() []Change {
	changes := []Change{CreateTable{*t}}
	for _, index := range t.Indexes {
		changes = append(changes, CreateIndex{t.Ref(), index})
	}
	for _, trigger := range t.Triggers {
		changes = append(changes, CreateTrigger{t.Ref(), trigger})
	}
	return changes
}

// Constraints lists the table's constraints except its foreign keys, in the
// order in which CREATE TABLE states them.
func (t *Table) Constraints() []Constraint {
	var list []Constraint
	if t.PrimaryKey != nil {
		list = append(list, *t.PrimaryKey)
	}
	for _, unique := range t.Uniques {
		list = append(list, unique)
	}
	for _, exclude := range t.Excludes {
		list = append(list, exclude)
	}
	for _, check := range t.Checks {
		list = append(list, check)
	}
	return list
}
