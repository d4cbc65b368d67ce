// Package dsl reads a project: its *.hcl files become a [Spec], evaluated and
// decoded, every field with the place it came from.
//
// The package knows the language and nothing of PostgreSQL's rules: it checks
// that blocks and attributes are those that exist, that values have the right
// kind and that SQL text parses. What a declaration means, and whether it can
// be kept, is for package compiler.
package dsl

import (
	"path"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2"

	"github.com/pawldb/pawl/internal/diag"
)

// Spec is a project as it was written, after evaluation: no expression is
// left, references to names are not resolved yet.
type Spec struct {
	Dir           string            // the project's directory
	Sources       map[string][]byte // file name as in ranges → text, for diagnostics
	Pawl          *Pawl
	Go            *GenerateGo
	SQL           *GenerateSQL
	Variables     []*Variable
	Enums         []*Enum
	Domains       []*Domain
	Tables        []*Table
	Data          []*Table // those of others: columns and keys alone
	Queues        []*Queue
	Singletons    []*Singleton
	Transactions  []*Transaction
	Policies      []*Policy
	Rules         []*Rule
	Idempotencies []*Idempotency
	Outboxes      []*Outbox
	Inboxes       []*Inbox
	Targets       []*Target
	Moved         []*Moved
	Removed       []*Removed
	Modules       []*Module // every use of a module
}

// Module is one use of a module. What it declares stands in the lists of the
// Spec, with the address as the Scope of each block.
type Module struct {
	Address string    // module.log["orders"]
	Dir     string    // as in the names of its files
	Header  hcl.Range // of the module block
	Stack   []diag.Related
}

// Trace adds to a diagnostic how the module that its place belongs to is used.
func (s *Spec) Trace(d *diag.Diagnostic) { s.TraceOf(d, "") }

// TraceOf is Trace for what is at an address: only the use of the module counts
// that it is declared by.
func (s *Spec) TraceOf(d *diag.Diagnostic, address string) {
	seen := make(map[hcl.Range]bool)
	for _, m := range s.Modules {
		if d.Subject.Filename == "" || path.Dir(d.Subject.Filename) != path.Clean(m.Dir) || seen[m.Header] {
			continue
		}
		if address != "" && !strings.HasPrefix(address, m.Address+".") {
			continue
		}
		seen[m.Header] = true
		d.Related = append(d.Related, m.Stack...)
	}
}

// Value is an attribute's value with its place. Set is false when the
// attribute was left out; Range is then that of the block's header, so that a
// diagnostic has a place in any case.
type Value[T any] struct {
	V     T
	Set   bool
	Range hcl.Range // of the expression
}

// Name is an identifier or label with its place.
type Name struct {
	Text  string
	Range hcl.Range
}

// SQL is a piece of SQL text. An offset in Text leads back to a place in the
// source with diag.RangeAt; Literal says whether the expression is one string
// without interpolation, where that is exact.
type SQL struct {
	Text    string
	Range   hcl.Range // of the whole expression, quotes included
	Literal bool
}

// Type is a column or argument type as written: a base type by PostgreSQL's
// internal name, an enum or a domain by its ID, or a list.
type Type struct {
	Name   string // int8, timestamptz; empty when one of those below is set
	Mods   []int
	Elem   *Type  // list(…)
	Enum   string // enum.booking_status
	Domain string // domain.positive_money
	Other  string // type("ltree")
	Range  hcl.Range
}

// KeyPart is one entry of a key list: a column or sql("…"), with what desc(),
// nulls_last() and opclass() say of it.
type KeyPart struct {
	Column     *Name
	Expr       *SQL
	Desc       bool
	NullsFirst bool
	NullsLast  bool
	OpClass    string
	Range      hcl.Range
}

// Reference points at a declared table, or at one of its keys.
type Reference struct {
	Table string // the ID of the table: rooms
	Data  bool   // the table is one of Spec.Data
	Key   string // the ID of a no_duplicates; empty for the primary key
	Range hcl.Range
}

// Allow silences one built-in check beside the block, with a reason.
type Allow struct {
	Code   Name
	Reason string
}

// Block is what every decoded block has.
type Block struct {
	Name   Name      // the label; zero for a block without one
	Header hcl.Range // type and labels
	Allow  []Allow
	Scope  string  // the module that it stands in, with a dot behind: module.log["orders"].
	Key    *string // of a block that for_each repeats

	Lifecycle *Lifecycle // nil where the block has none
}

// Lifecycle is a lifecycle block: what an apply must not do to the object of the
// block around it.
type Lifecycle struct {
	Header         hcl.Range
	PreventDestroy Value[bool]
	Ignore         []Name // attributes of the block around
}

// Pawl is the pawl block.
type Pawl struct {
	Block
	Project         Value[string]
	RequiredVersion Value[string]
	Postgres        Value[int]
	Schema          Value[string]
	AppRole         Value[string]
	AdvisoryClass   Value[int]
}

// GenerateGo is a generate "go" block.
type GenerateGo struct {
	Block
	Out     Value[string]
	Package Value[string]
	Runtime Value[string]
	// Adapters are what the package has options for: slog, otel.
	Adapters []Name
	// RaceTests asks for tests of the generated methods under every interleaving.
	RaceTests Value[bool]
	UUID      Value[string] // the Go type of uuid
}

// GenerateSQL is a generate "sql" block.
type GenerateSQL struct {
	Block
	Out Value[string]
}

// Variable is a variable block.
type Variable struct {
	Block
	Type        Value[string] // string, list(string), object({ n = number })
	Description Value[string]
	Validations []*Validation
}

// Validation is a validation block of a variable. The conditions were evaluated
// when the project was loaded; what is left is where they stand.
type Validation struct {
	Block
	Condition hcl.Range
	Message   hcl.Range
}

// Enum is an enum block.
type Enum struct {
	Block
	Schema  Value[string]
	Rename  Value[string] // name = "…"
	Values  []Name
	Comment Value[string]
}

// Domain is a domain block.
type Domain struct {
	Block
	Schema  Value[string]
	Rename  Value[string] // name = "…"
	Type    Type          // what it is made of
	Default *Default
	Comment Value[string]
	Checks  []*Check
}

// Table is a table block.
type Table struct {
	Block
	Schema       Value[string]
	Rename       Value[string] // name = "…"
	Comment      Value[string]
	Live         *SQL
	LiveStates   []Name // live = ["held"]
	AppendOnly   Value[bool]
	Version      *Name
	GoName       Value[string] // go { name = "…" }
	GoRow        Value[string] // go { row = "…" }
	Columns      []*Column
	PrimaryKey   *PrimaryKey
	ForeignKeys  []*ForeignKey
	Checks       []*Check
	Indexes      []*Index
	NoDuplicates []*NoDuplicates
	NoOverlaps   []*NoOverlap
	Transitions  []*Transitions
	Limits       []*Limit
	Cardinals    []*Cardinality
	Sequences    []*Sequence
	Orders       []*Ordered
	Adjusts      []*Adjust
	Edits        []*Edit
	Upserts      []*Upsert
}

// Column is a column block.
type Column struct {
	Block
	Type      Type
	Null      Value[bool]
	Default   *Default
	Identity  Value[string] // always | by default
	Comment   Value[string]
	Immutable Value[bool]
	Generated *SQL
	Collation Value[string]
	GoName    Value[string]
	GoType    Value[string]
	// ElementsNullable says that a list may hold NULL.
	ElementsNullable Value[bool]
}

// Limit is a limit block.
type Limit struct {
	Block
	Rename Value[string]
	Per    []Name
	List   hcl.Range // of per
	Max    Maximum
	Sum    *Name // nil to count rows
	Where  *SQL
	Since  *SQL // nil for all rows
}

// Sequence is a sequence block.
type Sequence struct {
	Block
	Rename  Value[string]
	Per     []Name
	List    hcl.Range // of per
	Column  Name
	Gapless Value[bool]
}

// Ordered is an ordered block.
type Ordered struct {
	Block
	Rename Value[string]
	Per    []Name
	List   hcl.Range // of per
	Column Name
}

// Cardinality is an at_most_one, at_least_one or exactly_one block.
type Cardinality struct {
	Block
	Kind   string // the type of the block
	Rename Value[string]
	Per    []Name
	List   hcl.Range // of per
	Where  *SQL
	Since  *SQL      // of at_most_one; nil for all rows
	Parent Reference // of a lower bound
}

// Maximum is what a limit allows: a number, or what a column of the parent row
// says.
type Maximum struct {
	Number string // as written; empty for a column
	Column string
	Table  string // the label of the table that it was named with, where that is known
	Range  hcl.Range
}

// Default is a column's default: sql("…"), or a constant that stands for
// itself.
type Default struct {
	SQL   *SQL   // sql("now()")
	Text  string // a string, number or bool constant, as text
	Kind  string // sql | string | number | bool | null
	Range hcl.Range
}

// PrimaryKey is a primary_key block.
type PrimaryKey struct {
	Block
	Rename  Value[string]
	Columns []Name
	List    hcl.Range // of the whole list
}

// ForeignKey is a foreign_key block.
type ForeignKey struct {
	Block
	Rename     Value[string]
	Columns    []Name
	List       hcl.Range
	References Reference
	OnDelete   Value[string]
	OnUpdate   Value[string]
}

// Check is a check block.
type Check struct {
	Block
	Rename Value[string]
	Expr   SQL
	Since  *SQL // nil for all rows
}

// Index is an index block.
type Index struct {
	Block
	Rename  Value[string]
	Columns []KeyPart
	Method  Value[string]
	Where   *SQL
	Include []Name
}

// NoDuplicates is a no_duplicates block.
type NoDuplicates struct {
	Block
	Rename     Value[string]
	Columns    []KeyPart
	List       hcl.Range
	Where      *SQL
	Since      *SQL          // nil for all rows
	Nulls      Value[string] // distinct | not_distinct
	Deferrable Value[bool]
}

// NoOverlap is a no_overlap block.
type NoOverlap struct {
	Block
	Rename        Value[string]
	Within        []Name
	RangeColumn   *Name // range = during, or
	From, To      *Name // range = { from = …, to = …, bounds = "[)" }
	RangeExpr     hcl.Range
	Capacity      Value[int]
	Bounds        Value[string]
	Where         *SQL
	Since         *SQL // nil for all rows
	Prelock       Value[bool]
	AllowEmpty    Value[bool]
	AllowInfinite Value[bool]
}

// Transitions is a transitions block.
type Transitions struct {
	Block
	Rename  Value[string] // name = "…"
	Column  Name
	Initial []Name
	Final   []Name
	Enforce Value[string] // database | code
	Repeat  Value[string] // noop | reject
	Since   *SQL          // nil for all rows
	Moves   []*Move
}

// Move is a move block.
type Move struct {
	Block
	Rename Value[string] // name = "…"
	From   []Name
	To     Name
	Args   []Arg
	Guard  *SQL
	Set    []Assignment

	Wait        Value[string] // nowait, or a duration
	Transaction *Name
}

// Arg is one entry of args.
type Arg struct {
	Name Name
	Type Type
}

// Assignment is one entry of set.
type Assignment struct {
	Column Name
	Expr   SQL
}

// Adjust is an adjust block.
type Adjust struct {
	Block
	Rename      Value[string] // name = "…"
	Args        []Arg
	Set         []Assignment
	Guard       *SQL
	Positive    []Name
	PositiveSet bool // positive = [] says: none
	Wait        Value[string]
	Transaction *Name
}

// Edit is an edit block.
type Edit struct {
	Block
	Rename      Value[string] // name = "…"
	Columns     []Name
	List        hcl.Range
	Rows        Value[string] // one, many
	Wait        Value[string] // nowait, or a duration
	Transaction *Name
}

// Queue is a queue block.
type Queue struct {
	Block
	Rename    Value[string] // name = "…"
	Schema    Value[string]
	Comment   Value[string]
	Columns   []*Column
	Lease     Value[time.Duration]
	Heartbeat Value[time.Duration]
	Attempts  Value[int]
	Backoff   *Backoff
	Group     *Group
	Retain    Value[time.Duration]
	GoName    Value[string]
	GoRow     Value[string]
}

// Group is the group block of a queue.
type Group struct {
	Block
	By   []Name
	Head Value[string] // block | skip
}

// Backoff is the backoff block of a queue.
type Backoff struct {
	Block
	Base   Value[time.Duration]
	Max    Value[time.Duration]
	Jitter Value[string] // full
}

// Singleton is a singleton block.
type Singleton struct {
	Block
	Rename  Value[string] // name = "…"
	Key     Value[int]
	Scope   Value[string] // transaction | leader
	Lease   Value[time.Duration]
	Session Value[bool]
}

// Transaction is a transaction block.
type Transaction struct {
	Block
	Isolation        Value[string]
	LockTimeout      Value[time.Duration]
	StatementTimeout Value[time.Duration]
	IdleTimeout      Value[time.Duration]
	Retry            *Retry
}

// Retry is the retry block of a transaction.
type Retry struct {
	Block
	Attempts Value[int]
	Base     Value[time.Duration]
	Max      Value[time.Duration]
	Budget   Value[time.Duration]
	On       []Name
}

// Upsert is an upsert block.
type Upsert struct {
	Block
	Rename      Value[string] // name = "…"
	Key         *Name         // the label of a no_duplicates; an empty text for the primary key
	Mode        Value[string] // reject | ignore | converge | versioned
	Version     *Name
	Update      []Name
	Batch       Value[string] // last | first | error
	Transaction *Name
}

// Idempotency is an idempotency block.
type Idempotency struct {
	Block
	Rename       Value[string] // name = "…"
	Unit         Value[string] // request | entity
	Mode         Value[string] // atomic | phased
	Key          []Arg
	Scope        []Arg
	Lease        Value[time.Duration]
	RPCTimeout   Value[time.Duration]
	RetryWindow  Value[time.Duration]
	Retain       Value[time.Duration]
	Response     Value[string] // body | reference
	Wait         Value[time.Duration]
	AuditExpired Value[bool]
	Phases       []*Phase
}

// Phase is a phase block of an idempotency.
type Phase struct {
	Block
	External Value[bool]
	Result   Type // zero when the phase keeps nothing
}

// Outbox is an outbox block.
type Outbox struct {
	Block
	Rename    Value[string] // name = "…"
	Schema    Value[string]
	Comment   Value[string]
	Aggregate []Name
	Columns   []*Column
	Retain    Value[time.Duration]
	Lease     Value[time.Duration]
	Heartbeat Value[time.Duration]
	Attempts  Value[int]
	Backoff   *Backoff
	GoName    Value[string]
	GoRow     Value[string]
}

// Inbox is an inbox block.
type Inbox struct {
	Block
	Rename Value[string] // name = "…"
	Source Value[string]
	Retain Value[time.Duration]
}

// Rule is a rule block.
type Rule struct {
	Block
	Rename     Value[string] // name = "…"
	Holds      *SQL
	Args       []Arg
	On         []TableColumns
	Parent     *Reference    // nil for none
	Enforce    Value[string] // database
	Operations []*RuleOperation
}

// TableColumns is one entry of `on`: a table, by its name, with columns of it.
type TableColumns struct {
	Table   Name
	Columns []Name
}

// RuleOperation is an operation block of a rule.
type RuleOperation struct {
	Block
	Rename      Value[string] // name = "…"
	Run         *SQL
	Args        []Arg
	Transaction *Name
}
