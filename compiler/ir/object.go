package ir

import "fmt"

// Object is one object of a [Schema] as pawl.object records it.
type Object struct {
	ID     ObjectID
	Hash   string // fingerprint of the definition
	Origin Origin
}

// shell is what pawl.object remembers of a table itself: everything on it has
// a record of its own.
type shell struct{ Schema, Name, Comment string }

// Objects lists everything that stands in the schema, one by one, tables before
// what stands on them.
func (s *Schema) Objects() []Object {
	var list []Object
	add := func(id ObjectID, definition any, origin Origin) {
		list = append(list, Object{id, Fingerprint(definition), origin})
	}
	for _, n := range s.Namespaces {
		add(ObjectID{Kind: NamespaceObject, Name: n.Name}, n, n.Origin)
	}
	for _, e := range s.Extensions {
		add(ObjectID{Kind: ExtensionObject, Name: e.Name}, e, e.Origin)
	}
	for _, e := range s.Enums {
		add(ObjectID{Kind: EnumObject, Schema: e.Schema, Name: e.Name}, e, e.Origin)
	}
	for i := range s.Domains {
		list = append(list, s.Domains[i].Objects()...)
	}
	for _, f := range s.Functions {
		add(ObjectID{Kind: FunctionObject, Schema: f.Schema, Name: f.Name}, f, f.Origin)
	}
	for i := range s.Tables {
		list = append(list, s.Tables[i].Objects()...)
	}
	return list
}

// Objects lists the table and everything on it.
func (t *Table) Objects() []Object {
	list := []Object{{
		t.ID(TableObject, t.Name),
		Fingerprint(shell{t.Schema, t.Name, t.Comment}), t.Origin,
	}}
	add := func(kind ObjectKind, name string, definition any, origin Origin) {
		list = append(list, Object{t.ID(kind, name), Fingerprint(definition), origin})
	}
	for _, c := range t.Columns {
		add(ColumnObject, c.Name, c, c.Origin)
	}
	for _, c := range t.Constraints() {
		add(ConstraintObject, c.ConstraintName(), c, ConstraintOrigin(c))
	}
	for _, k := range t.ForeignKeys {
		add(ConstraintObject, k.Name, k, k.Origin)
	}
	for _, i := range t.Indexes {
		add(IndexObject, i.Name, i, i.Origin)
	}
	for _, g := range t.Triggers {
		add(TriggerObject, g.Name, g, g.Origin)
	}
	return list
}

// ID identifies an object that stands on the table, or the table itself.
func (t *Table) ID(kind ObjectKind, name string) ObjectID {
	return ObjectID{Kind: kind, Schema: t.Schema, Table: t.Name, Name: name}
}

// SQL names the object the way a person would write it: app.bookings,
// app.bookings.room_id, app.booking_status.
func (id ObjectID) SQL() string {
	if id.Table == "" || id.Kind == TableObject {
		return Qualified(id.Schema, id.Name)
	}
	return Qualified(id.Schema, id.Table) + "." + Ident(id.Name)
}

// ConstraintOrigin is the declaration that asked for a constraint.
func ConstraintOrigin(c Constraint) Origin {
	switch c := c.(type) {
	case PrimaryKey:
		return c.Origin
	case Unique:
		return c.Origin
	case Exclude:
		return c.Origin
	case Check:
		return c.Origin
	case ForeignKey:
		return c.Origin
	}
	panic(fmt.Sprintf("ir: constraint of type %T", c))
}

// ChangeOrigin is the declaration that a change is about: of the wanted object
// where there is one, else of the one that goes away.
func ChangeOrigin(c Change) Origin {
	_, origin := subject(c)
	return origin
}

// ChangeObject identifies the object that a change is about.
func ChangeObject(c Change) ObjectID {
	id, _ := subject(c)
	return id
}

func subject(c Change) (ObjectID, Origin) {
	on := func(t TableRef, kind ObjectKind, name string, origin Origin) (ObjectID, Origin) {
		return ObjectID{kind, t.Schema, t.Name, name}, origin
	}
	constraint := func(t TableRef, c Constraint) (ObjectID, Origin) {
		return on(t, ConstraintObject, c.ConstraintName(), ConstraintOrigin(c))
	}
	switch c := c.(type) {
	case CreateNamespace:
		return ObjectID{Kind: NamespaceObject, Name: c.Namespace.Name}, c.Namespace.Origin
	case CreateExtension:
		return ObjectID{Kind: ExtensionObject, Name: c.Extension.Name}, c.Extension.Origin
	case CreateEnum:
		return c.Enum.id(), c.Enum.Origin
	case AddEnumValue:
		return c.Enum.id(), c.Enum.Origin
	case SetEnumComment:
		return c.Enum.id(), c.Enum.Origin
	case DropEnum:
		return c.Enum.id(), c.Enum.Origin
	case CreateDomain:
		return c.Domain.ID(), c.Domain.Origin
	case DropDomain:
		return c.Domain.ID(), c.Domain.Origin
	case SetDomainComment:
		return c.Domain.ID(), c.Domain.Origin
	case AddDomainCheck:
		return c.Domain.CheckID(c.Check.Name), c.Check.Origin
	case ValidateDomainCheck:
		return c.Domain.CheckID(c.Check.Name), c.Check.Origin
	case DropDomainCheck:
		return c.Domain.CheckID(c.Check.Name), c.Check.Origin
	case ReplaceFunction:
		return c.Function.id(), c.Function.Origin
	case DropFunction:
		return c.Function.id(), c.Function.Origin
	case CreateTable:
		return c.Table.ID(TableObject, c.Table.Name), c.Table.Origin
	case DropTable:
		return c.Table.ID(TableObject, c.Table.Name), c.Table.Origin
	case SetTableComment:
		return on(c.Table, TableObject, c.Table.Name, c.Origin)
	case AddColumn:
		return on(c.Table, ColumnObject, c.Column.Name, c.Column.Origin)
	case DropColumn:
		return on(c.Table, ColumnObject, c.Column.Name, c.Column.Origin)
	case AlterColumn:
		return on(c.Table, ColumnObject, c.To.Name, c.To.Origin)
	case AddConstraint:
		return constraint(c.Table, c.Constraint)
	case ValidateConstraint:
		return constraint(c.Table, c.Constraint)
	case DropConstraint:
		return constraint(c.Table, c.Constraint)
	case CreateIndex:
		return on(c.Table, IndexObject, c.Index.Name, c.Index.Origin)
	case DropIndex:
		return on(c.Table, IndexObject, c.Index.Name, c.Index.Origin)
	case CreateTrigger:
		return on(c.Table, TriggerObject, c.Trigger.Name, c.Trigger.Origin)
	case DropTrigger:
		return on(c.Table, TriggerObject, c.Trigger.Name, c.Trigger.Origin)
	case EnableTrigger:
		return on(c.Table, TriggerObject, c.Trigger.Name, c.Trigger.Origin)
	}
	panic(fmt.Sprintf("ir: change of type %T", c))
}

// Objects lists the domain and its checks.
func (d *Domain) Objects() []Object {
	bare := *d
	bare.Checks = nil // they are objects of their own
	list := []Object{{d.ID(), Fingerprint(bare), d.Origin}}
	for _, c := range d.Checks {
		list = append(list, Object{d.CheckID(c.Name), Fingerprint(c), c.Origin})
	}
	return list
}

// ID identifies the domain.
func (d *Domain) ID() ObjectID {
	return ObjectID{Kind: DomainObject, Schema: d.Schema, Name: d.Name}
}

// CheckID identifies a check of the domain.
func (d *Domain) CheckID(name string) ObjectID {
	return ObjectID{Kind: ConstraintObject, Schema: d.Schema, Table: d.Name, Name: name}
}

// As is the domain as the type of a column.
func (d *Domain) As() Type {
	base := d.Type
	return Type{Kind: DomainType, Schema: d.Schema, Name: d.Name, Elem: &base}
}

func (e *Enum) id() ObjectID {
	return ObjectID{Kind: EnumObject, Schema: e.Schema, Name: e.Name}
}

func (f *Function) id() ObjectID {
	return ObjectID{Kind: FunctionObject, Schema: f.Schema, Name: f.Name}
}
