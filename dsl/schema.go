package dsl

import (
	"slices"
	"time"
)

// kind is what an attribute takes.
type kind uint8

const (
	stringKind     kind = iota // text
	choiceKind                 // one of a few words
	boolKind                   // true or false
	intKind                    // a whole number between Min and Max
	durationKind               // "5m"
	sqlKind                    // SQL text
	typeKind                   // a type: bigint, enum.x
	wordKind                   // a keyword without quotes: tables, columns
	shapeKind                  // the type of a variable: string, list(number)
	constantKind               // string, number, bool or sql("…")
	anyKind                    // any value
	nameKind                   // one column of the own table
	namesKind                  // columns of the own table: [id, name]
	keysKind                   // a key list: [id, sql("lower(email)"), desc(at)]
	spanKind                   // a range column or { from, to, bounds }
	statesKind                 // states: ["held"]
	choicesKind                // some of a few words: ["slog", "otel"]
	stateKind                  // one state
	ownKeyKind                 // primary_key, no_duplicates.name
	referenceKind              // table.rooms, table.rooms.no_duplicates.name
	operationKind              // transaction.hot
	argsKind                   // { n = bigint }
	columnsOfKind              // { shifts = [team_id, on_call] }
	setKind                    // { sent = "sent + @n" }
	reasonsKind                // { code = "reason" }
	addressKind                // table.rooms.column.id, which need not exist
	attributesKind             // attributes of the block around: [comment]
)

// attrSchema declares one attribute of a block.
type attrSchema struct {
	Name     string
	Kind     kind
	Required bool
	Choices  []string      // of a choiceKind, choicesKind or wordKind
	Later    string        // not in this version: what to write today
	LaterOf  []string      // choices that are not in this version
	Min, Max int64         // of an intKind
	Shortest time.Duration // of a durationKind; a millisecond when zero
	Zero     bool          // a durationKind that may be 0
	Empty    bool          // a list that may be empty
	Ignored  bool          // no promise and no statement rests on it: ignore_changes may name it
	Doc      string        // one phrase, for the index of attributes
}

// blockSchema declares one block type.
type blockSchema struct {
	Type     string
	Label    string // what the label names; empty for a block without one
	Object   bool   // the label becomes a name in the database
	Repeats  bool   // for_each works, although it is no object: an operation, a singleton
	Once     bool   // at most one in its parent
	Required bool   // at least one in its parent
	Later    string // not in this version: what to write today
	Open     bool   // any attribute may stand here
	NoAllow  bool   // no built-in check is about this block alone
	Doc      string
	Attrs    []attrSchema
	Blocks   []*blockSchema
}

// commonAttrs stand in every block.
var commonAttrs = []attrSchema{
	{Name: "allow", Kind: reasonsKind, Doc: "built-in checks that are silenced here, each with a reason"},
	forEachAttr,
}

// commonBlocks stand in every block that owns an object of the database.
var commonBlocks = []*blockSchema{&lifecycleSchema}

// common are the attributes that the block has beside its own.
func (s *blockSchema) common() []attrSchema {
	return slices.DeleteFunc(slices.Clone(commonAttrs), func(a attrSchema) bool {
		return a.Kind == reasonsKind && s.NoAllow || a.Name == forEachAttr.Name && !s.repeatable()
	})
}

// attrOf finds an attribute of a block, or nil.
func attrOf(s *blockSchema, name string) *attrSchema {
	for _, attrs := range [][]attrSchema{s.Attrs, s.common()} {
		if i := slices.IndexFunc(attrs, func(a attrSchema) bool { return a.Name == name }); i >= 0 {
			return &attrs[i]
		}
	}
	return nil
}

// blockOf finds a block type inside a block, or nil.
func blockOf(s *blockSchema, typ string) *blockSchema {
	if own := ownBlockOf(s, typ); own != nil {
		return own
	}
	if s.owns() {
		return findBlock(commonBlocks, typ)
	}
	return nil
}

// owns reports whether a block of the type makes an object of the database that
// belongs to pawl.
func (s *blockSchema) owns() bool { return s.Object && !s.NoAllow || s.Type == primaryKeySchema.Type }

// ownBlockOf is blockOf without the blocks that may stand everywhere.
func ownBlockOf(s *blockSchema, typ string) *blockSchema { return findBlock(s.Blocks, typ) }

func findBlock(blocks []*blockSchema, typ string) *blockSchema {
	if i := slices.IndexFunc(blocks, func(b *blockSchema) bool { return b.Type == typ }); i >= 0 {
		return blocks[i]
	}
	return nil
}

// attrNames lists the attributes that work today.
func attrNames(s *blockSchema) []string {
	var names []string
	for _, a := range slices.Concat(s.Attrs, s.common()) {
		if a.Later == "" {
			names = append(names, a.Name)
		}
	}
	return names
}

// blockTypes lists the block types that work today.
func blockTypes(s *blockSchema) []string {
	var types []string
	for _, b := range s.Blocks {
		if b.Later == "" {
			types = append(types, b.Type)
		}
	}
	if s.owns() {
		types = append(types, lifecycleSchema.Type)
	}
	return types
}

// renameAttr gives an object another name than its label says.
var renameAttr = attrSchema{Name: "name", Kind: stringKind, Doc: "the name in the database, instead of the one made from the label"}

// operationNameAttr gives what has no name in the database another name in Go
// than its label says.
var operationNameAttr = attrSchema{Name: "name", Kind: stringKind, Doc: "the name in Go, instead of the label"}

var commentAttr = attrSchema{Name: "comment", Kind: stringKind, Ignored: true, Doc: "COMMENT ON in the database"}

var schemaAttr = attrSchema{Name: "schema", Kind: stringKind, Doc: "the schema, instead of the project's"}

var transactionAttr = attrSchema{Name: "transaction", Kind: operationKind, Doc: "transaction.NAME: the settings this operation runs with"}

// sinceAttr leaves old rows out of an invariant.
var sinceAttr = attrSchema{Name: "since", Kind: sqlKind, Doc: "which rows it covers, for data that is broken already: created_at >= '2026-01-01'"}

// laterSinceAttr stands where a rule is about the rows of another table.
var laterSinceAttr = attrSchema{Name: "since", Kind: sqlKind, Later: "repair the old groups first", Doc: "covers new rows only"}

// Durations are whole milliseconds, PostgreSQL's unit for timeouts: of "1ns" it
// would make 0, which there means no limit at all. Its timeouts have 32 bits.
const (
	shortest = time.Millisecond
	longest  = 24 * 24 * time.Hour
)
