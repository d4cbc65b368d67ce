package ir

// Schema is a set of database objects: what a program wants, or what
// inspection found. The order of its slices carries no meaning to a diff;
// columns are the exception, theirs is the order of CREATE TABLE.
//
// Fields named Printed hold what PostgreSQL prints for an object. Inspection
// fills them; normalisation fills them for a wanted schema by letting the
// server print it. Two objects are equal when their prints and flags are.
type Schema struct {
	Namespaces []Namespace
	Extensions []Extension
	Enums      []Enum
	Domains    []Domain
	Functions  []Function
	Tables     []Table
}

// Namespace is what PostgreSQL calls a schema.
type Namespace struct {
	Name   string
	Origin Origin `json:"-"`
}

// Extension is an extension that some object needs, btree_gist for instance.
type Extension struct {
	Name   string
	Schema string // where it stands; empty when the server decides
	Origin Origin `json:"-"`
}

// Enum is an enumerated type.
type Enum struct {
	Schema, Name string
	Values       []string
	Comment      string `json:",omitempty"` // left out when empty: it is younger than the hashes that databases hold
	Origin       Origin `json:"-"`
}

// Domain is a type made of another one, with conditions on its values.
type Domain struct {
	Schema, Name string
	Type         Type // what it is made of: a base type or a list of one
	Comment      string
	Checks       []Check // their expressions call the value VALUE
	Printed      string  `json:"-"` // format_type of what it is made of
	Origin       Origin  `json:"-"`
}

// Function is a function that triggers call. It takes no declared arguments.
type Function struct {
	Schema, Name    string
	Returns         string // "trigger"
	Language        string // "plpgsql"
	Body            string
	SecurityDefiner bool
	SearchPath      []string // SET search_path, in order
	Printed         string   `json:"-"`
	Origin          Origin   `json:"-"`
}

// Table is an ordinary table.
type Table struct {
	Schema, Name string
	Comment      string
	Columns      []Column
	PrimaryKey   *PrimaryKey
	Uniques      []Unique
	Excludes     []Exclude
	Checks       []Check
	ForeignKeys  []ForeignKey
	Indexes      []Index
	Triggers     []Trigger
	Rows         int64 `json:"-"` // inspection's estimate; negative when never analysed
	Bytes        int64 `json:"-"` // inspection: the size of the heap
	// Inspection: rows stand in partitions; it is a part of another table, or one is
	// a part of it, as a partition or by INHERITS; row security binds the owner too.
	Partitioned, Inherits, ForcesRowSecurity bool   `json:"-"`
	Origin                                   Origin `json:"-"`
}

// Identity says how an identity column takes its value.
type Identity string

// The kinds of identity, spelled as DDL spells them.
const (
	NoIdentity        Identity = ""
	IdentityAlways    Identity = "ALWAYS"
	IdentityByDefault Identity = "BY DEFAULT"
)

// Column is a column of a table.
type Column struct {
	Name     string
	Type     Type
	Null     bool
	Default  string // an SQL expression; empty for none
	Identity Identity
	// Generated is the expression over other columns that the server computes the
	// column from, and stores; empty for any other column.
	Generated string
	// Collation is the column's own, by its bare name; empty for the type's.
	Collation string
	Comment   string
	Printed   ColumnPrint `json:"-"`
	Origin    Origin      `json:"-"`
}

// ColumnPrint is how the catalog prints the parts of a column.
type ColumnPrint struct {
	Type    string // format_type, and the column's own collation
	Default string // pg_get_expr
}

// PrimaryKey is a table's primary key.
type PrimaryKey struct {
	Name    string
	Columns []string
	Printed string `json:"-"`
	Origin  Origin `json:"-"`
}

// Unique is a unique constraint. What no constraint can say, a predicate or an
// expression, is an [Index] with Unique set.
type Unique struct {
	Name             string
	Columns          []string
	NullsNotDistinct bool
	Deferrable       bool
	Deferred         bool   // INITIALLY DEFERRED
	Printed          string `json:"-"`
	Origin           Origin `json:"-"`
}

// Exclude is an exclusion constraint.
type Exclude struct {
	Name     string
	Method   string // "gist"
	Elements []ExcludeElement
	Where    string // an SQL predicate; empty for none
	Printed  string `json:"-"`
	Origin   Origin `json:"-"`
}

// ExcludeElement is one `expression WITH operator` of an exclusion constraint.
type ExcludeElement struct {
	Column   string // or
	Expr     string // an SQL expression
	Operator string // "=", "&&"
}

// Check is a check constraint.
type Check struct {
	Name    string
	Expr    string // an SQL predicate
	Invalid bool   `json:"-"` // found NOT VALID
	Printed string `json:"-"`
	Origin  Origin `json:"-"`
}

// Action is what a foreign key does to the referencing row.
type Action string

// The referential actions, spelled as DDL spells them.
const (
	NoAction   Action = "NO ACTION"
	Restrict   Action = "RESTRICT"
	Cascade    Action = "CASCADE"
	SetNull    Action = "SET NULL"
	SetDefault Action = "SET DEFAULT"
)

// ForeignKey is a foreign key constraint.
type ForeignKey struct {
	Name                string
	Columns             []string
	RefSchema, RefTable string
	RefColumns          []string
	OnDelete, OnUpdate  Action
	Invalid             bool   `json:"-"` // found NOT VALID
	Printed             string `json:"-"`
	Origin              Origin `json:"-"`
}

// Index is an index that is not the index of a constraint.
type Index struct {
	Name             string
	Unique           bool
	NullsNotDistinct bool
	Method           string // "btree"
	Parts            []IndexPart
	Include          []string
	Where            string // an SQL predicate; empty for none
	Invalid          bool   `json:"-"` // found with indisvalid or indisready false
	Printed          string `json:"-"`
	Origin           Origin `json:"-"`
}

// IndexPart is one key of an index.
type IndexPart struct {
	Column     string // or
	Expr       string // an SQL expression
	OpClass    string
	Desc       bool
	NullsFirst bool // PostgreSQL's own default is NULLS LAST, and FIRST for DESC
	NullsLast  bool
}

// TriggerEvent is a kind of write that fires a trigger.
type TriggerEvent string

// The trigger events, spelled as DDL spells them.
const (
	OnInsert   TriggerEvent = "INSERT"
	OnUpdate   TriggerEvent = "UPDATE"
	OnDelete   TriggerEvent = "DELETE"
	OnTruncate TriggerEvent = "TRUNCATE"
)

// Trigger is a trigger on a table. The rule that it enforces stands in When
// and Args, which the catalog prints back whole, so that a diff sees it.
type Trigger struct {
	Name                 string
	Before               bool // else AFTER
	Events               []TriggerEvent
	PerStatement         bool   // else FOR EACH ROW
	OldRows, NewRows     string `json:",omitempty"` // names of the transition tables; empty for none
	Deferred             bool   `json:",omitempty"` // a constraint trigger, INITIALLY DEFERRED
	When                 string // an SQL predicate over OLD and NEW; empty for none
	FuncSchema, FuncName string
	Args                 []string
	Disabled             bool   `json:"-"` // found disabled
	Printed              string `json:"-"`
	Origin               Origin `json:"-"`
}

// ObjectKind names the kinds of objects that pawl owns one by one, as
// pawl.object stores them.
type ObjectKind string

// The kinds of owned objects.
const (
	NamespaceObject  ObjectKind = "schema"
	ExtensionObject  ObjectKind = "extension"
	EnumObject       ObjectKind = "enum"
	DomainObject     ObjectKind = "domain"
	FunctionObject   ObjectKind = "function"
	TableObject      ObjectKind = "table"
	ColumnObject     ObjectKind = "column"
	ConstraintObject ObjectKind = "constraint" // primary key, unique, exclude, check, foreign key; of a domain: check
	IndexObject      ObjectKind = "index"
	TriggerObject    ObjectKind = "trigger"
)

// ObjectID identifies an object in a database. Table is empty for objects that
// stand in no table, equals Name for a table, and is the domain for a check of
// one: PostgreSQL lets no table have a domain's name.
type ObjectID struct {
	Kind                ObjectKind
	Schema, Table, Name string
}
