package ir

// Change is one difference between two schemas: what a diff finds and
// codegen/postgres spells. It is a closed set; a step of a plan looks only at the
// changes it is about.
type Change interface{ change() }

// TableRef names a table.
type TableRef struct{ Schema, Name string }

// SQL spells the table, qualified and quoted.
func (t TableRef) SQL() string { return Qualified(t.Schema, t.Name) }

// Ref names the table.
func (t *Table) Ref() TableRef { return TableRef{t.Schema, t.Name} }

// The changes. Each carries the whole objects it is about, so that an emitter
// and a plan need nothing else.
type (
	// CreateNamespace creates a schema.
	CreateNamespace struct{ Namespace Namespace }
	// CreateExtension installs an extension.
	CreateExtension struct{ Extension Extension }
	// CreateEnum creates an enumerated type.
	CreateEnum struct{ Enum Enum }
	// AddEnumValue adds one value, before or after a neighbour.
	AddEnumValue struct {
		Enum          Enum
		Value         string
		Before, After string // at most one is set
	}
	// SetEnumComment changes an enum's comment.
	SetEnumComment struct {
		Enum     Enum
		From, To string
	}
	// DropEnum drops an enumerated type.
	DropEnum struct{ Enum Enum }
	// CreateDomain creates a domain with its checks.
	CreateDomain struct{ Domain Domain }
	// DropDomain drops a domain with its checks.
	DropDomain struct{ Domain Domain }
	// SetDomainComment changes a domain's comment.
	SetDomainComment struct {
		Domain   Domain
		From, To string
	}
	// AddDomainCheck adds a check to a domain that exists.
	AddDomainCheck struct {
		Domain Domain
		Check  Check
	}
	// ValidateDomainCheck validates a check that was found NOT VALID.
	ValidateDomainCheck struct {
		Domain Domain
		Check  Check
	}
	// DropDomainCheck drops a check of a domain.
	DropDomainCheck struct {
		Domain Domain
		Check  Check
	}
	// ReplaceFunction creates a function or replaces its body.
	ReplaceFunction struct {
		Function Function
		Exists   bool
		Was      Function // where it exists
	}
	// DropFunction drops a function.
	DropFunction struct{ Function Function }
	// CreateTable creates a table with its columns, primary key, unique, exclude and
	// check constraints; its foreign keys, indexes and triggers are changes of their own.
	CreateTable struct{ Table Table }
	// DropTable drops a table with everything on it.
	DropTable struct{ Table Table }
	// AddColumn adds a column.
	AddColumn struct {
		Table  TableRef
		Column Column
	}
	// DropColumn drops a column.
	DropColumn struct {
		Table  TableRef
		Column Column
	}
	// AlterColumn changes what a column is, but for its name.
	AlterColumn struct {
		Table    TableRef
		From, To Column
	}
	// AddConstraint adds a constraint to a table that exists.
	AddConstraint struct {
		Table      TableRef
		Constraint Constraint
	}
	// ValidateConstraint validates a constraint that was found NOT VALID.
	ValidateConstraint struct {
		Table      TableRef
		Constraint Constraint
	}
	// DropConstraint drops a constraint.
	DropConstraint struct {
		Table      TableRef
		Constraint Constraint
	}
	// CreateIndex builds an index.
	CreateIndex struct {
		Table TableRef
		Index Index
	}
	// DropIndex drops an index.
	DropIndex struct {
		Table TableRef
		Index Index
	}
	// CreateTrigger creates a trigger.
	CreateTrigger struct {
		Table   TableRef
		Trigger Trigger
	}
	// DropTrigger drops a trigger.
	DropTrigger struct {
		Table   TableRef
		Trigger Trigger
	}
	// EnableTrigger enables a trigger that was found disabled.
	EnableTrigger struct {
		Table   TableRef
		Trigger Trigger
	}
	// SetTableComment changes a table's comment.
	SetTableComment struct {
		Table    TableRef
		From, To string
		Origin   Origin
	}
)

func (CreateNamespace) change()     {}
func (CreateExtension) change()     {}
func (CreateEnum) change()          {}
func (AddEnumValue) change()        {}
func (SetEnumComment) change()      {}
func (DropEnum) change()            {}
func (CreateDomain) change()        {}
func (DropDomain) change()          {}
func (SetDomainComment) change()    {}
func (AddDomainCheck) change()      {}
func (ValidateDomainCheck) change() {}
func (DropDomainCheck) change()     {}
func (ReplaceFunction) change()     {}
func (DropFunction) change()        {}
func (CreateTable) change()         {}
func (DropTable) change()           {}
func (AddColumn) change()           {}
func (DropColumn) change()          {}
func (AlterColumn) change()         {}
func (AddConstraint) change()       {}
func (ValidateConstraint) change()  {}
func (DropConstraint) change()      {}
func (CreateIndex) change()         {}
func (DropIndex) change()           {}
func (CreateTrigger) change()       {}
func (DropTrigger) change()         {}
func (EnableTrigger) change()       {}
func (SetTableComment) change()     {}

// Constraint is a constraint of a table: a closed set.
type Constraint interface {
	// ConstraintName is the name that PostgreSQL reports.
	ConstraintName() string
	constraint()
}

// ConstraintName is the constraint's name.
func (c PrimaryKey) ConstraintName() string { return c.Name }

// ConstraintName is the constraint's name.
func (c Unique) ConstraintName() string { return c.Name }

// ConstraintName is the constraint's name.
func (c Exclude) ConstraintName() string { return c.Name }

// ConstraintName is the constraint's name.
func (c Check) ConstraintName() string { return c.Name }

// ConstraintName is the constraint's name.
func (c ForeignKey) ConstraintName() string { return c.Name }

func (PrimaryKey) constraint() {}
func (Unique) constraint()     {}
func (Exclude) constraint()    {}
func (Check) constraint()      {}
func (ForeignKey) constraint() {}

// Retyped reports whether the column gets another type or another order of its
// texts: what is built over its values is built anew.
func (c AlterColumn) Retyped() bool {
	return !c.From.Type.Equal(c.To.Type) || c.From.Collation != c.To.Collation
}
