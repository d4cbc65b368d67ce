package ir

// Privilege is a right on an object, spelled as GRANT spells it.
type Privilege string

// The privileges that generated code needs.
const (
	Usage  Privilege = "USAGE" // on a schema
	Select Privilege = "SELECT"
	Insert Privilege = "INSERT"
	Update Privilege = "UPDATE" // on columns
	Delete Privilege = "DELETE"
)

// Grant is a right that the role of the generated code needs.
type Grant struct {
	Schema    string
	Table     string // empty for the schema itself
	Privilege Privilege
	Columns   []string // of an Update, and of an Insert where a counter stands on the rows, sorted; empty for the whole table
	Why       string   // which operation needs it
}

// Object names what the grant is on.
func (g Grant) Object() ObjectID {
	if g.Table == "" {
		return ObjectID{Kind: NamespaceObject, Name: g.Schema}
	}
	return ObjectID{Kind: TableObject, Schema: g.Schema, Table: g.Table, Name: g.Table}
}
