package diag

// Codes of mistakes against the language that package dsl finds while it loads,
// evaluates and decodes a project.
const (
	// NotYet is a block, attribute or value that the language has and this
	// version of pawl does not compile yet.
	NotYet Code = "not-yet"
	// UnreadableFile is a file or directory that cannot be read.
	UnreadableFile Code = "unreadable-file"
	// MissingBlock is a block that its parent or the project cannot be without.
	MissingBlock Code = "missing-block"
	// DuplicateBlock is a second block where one is the most.
	DuplicateBlock Code = "duplicate-block"
	// DuplicateName is a second declaration, or a second entry of a list, with a
	// name that is taken.
	DuplicateName Code = "duplicate-name"
	// InvalidName is a name that is empty or cannot be written where it is used.
	InvalidName Code = "invalid-name"
	// NameTooLong is an identifier of more than 63 bytes.
	NameTooLong Code = "name-too-long"
	// UnknownType is a column type that pawl does not know.
	UnknownType Code = "unknown-type"
	// DiscouragedType is a type with a trap. It is a warning.
	DiscouragedType Code = "discouraged-type"
	// InvalidDuration is a text that is not a length of time.
	InvalidDuration Code = "invalid-duration"
	// InvalidChoice is a word that is not among those an attribute takes.
	InvalidChoice Code = "invalid-choice"
	// OutOfRange is a number or a length of time beyond its bounds.
	OutOfRange Code = "out-of-range"
	// EmptyList is a list without entries where one is needed.
	EmptyList Code = "empty-list"
	// Cycle is a value that needs itself.
	Cycle Code = "cycle"
	// MissingVariable is a variable with neither a default nor a value.
	MissingVariable Code = "missing-variable"
	// UnknownVariable is a --var for a variable that no block declares.
	UnknownVariable Code = "unknown-variable"
	// ModuleSource is a directory of a module that is none, or cannot be used.
	ModuleSource Code = "module-source"
	// RepeatedName is a block with for_each whose name is the same for all keys.
	RepeatedName Code = "repeated-name"
	// InvalidVariable is a value of a variable that a validation block refuses.
	InvalidVariable Code = "invalid-variable"
	// InvalidVersion is a text that is no version constraint.
	InvalidVersion Code = "invalid-version"
	// ToolVersion is a project that asks for another version of pawl.
	ToolVersion Code = "tool-version"
	// UnknownCode is an allow for a check that does not exist.
	UnknownCode Code = "unknown-code"
	// TooLarge is text or a value beyond the bounds that keep pawl from using
	// up the machine.
	TooLarge Code = "too-large"
)

var languageCodes = []Entry{
	{
		Code:    NotYet,
		Summary: "this belongs to a later version of pawl",
		Explain: "The language has the word, and this version does not compile it. Skipping it would leave out the " +
			"promise that it makes, so the project is refused as a whole.",
		Example: "acyclic \"folders\" {}\n",
	},
	{
		Code:    UnreadableFile,
		Summary: "a file of the project cannot be read",
		Explain: "All *.hcl files of the directory make the project. Without one of them tables and invariants would " +
			"be missing, and a plan could drop them.",
	},
	{
		Code:    MissingBlock,
		Summary: "a block is missing",
		Explain: "A project has one pawl block: what pawl creates belongs to the project that it names. " +
			"Other blocks are required where their parent means nothing without them.",
		Example: "table \"seats\" {\n  comment = \"no column, no seat\"\n}\n",
	},
	{
		Code:    DuplicateBlock,
		Summary: "a block that may stand once stands twice",
		Explain: "One of the two would silently win. Put everything in one block.",
		Example: "table \"seats\" {\n  column \"id\" { type = bigint }\n  column \"label\" { type = text }\n" +
			"  primary_key { columns = [id] }\n  primary_key { columns = [label] }\n}\n",
	},
	{
		Code:    DuplicateName,
		Summary: "a name that is already taken",
		Explain: "Names become names in the database and in the generated code; two things with one name would " +
			"overwrite each other there.",
		Example: "enum \"seat_status\" { values = [\"free\", \"booked\"] }\nenum \"seat_status\" { values = [\"open\"] }\n",
	},
	{
		Code:    InvalidName,
		Summary: "a name that cannot be used",
		Explain: "PostgreSQL takes any text as a name but the empty one and one with a NUL character. Names of " +
			"variables and arguments are written in expressions, so they are words.",
		Example: "table \"\" {\n  column \"id\" { type = bigint }\n  primary_key { columns = [id] }\n}\n",
	},
	{
		Code:    NameTooLong,
		Summary: "a name of more than 63 bytes",
		Explain: "PostgreSQL cuts longer names silently. Two names that differ only behind the cut would be one, and " +
			"an error from the database could not be led back to its constraint.",
		Example: "table \"a_table_whose_name_is_far_too_long_for_the_catalog_of_a_postgres_server\" {\n" +
			"  column \"id\" { type = bigint }\n  primary_key { columns = [id] }\n}\n",
	},
	{
		Code:    UnknownType,
		Summary: "a column type that does not exist",
		Explain: "Types are values of the language. A type of an extension is written type(\"ltree\").",
		Example: "table \"seats\" {\n  column \"id\" { type = bigint8 }\n  primary_key { columns = [id] }\n}\n",
	},
	{
		Code:    DiscouragedType,
		Summary: "a type with a trap",
		Explain: "PostgreSQL has types that it keeps for old programs and types that mean another thing than they " +
			"seem to. The project compiles; the message names the better type. Where the type is right, say so: " +
			"allow = { discouraged-type = \"the reason\" }.",
		Example: "table \"events\" {\n  column \"id\" { type = bigint }\n  column \"at\" { type = timestamp }\n" +
			"  primary_key { columns = [id] }\n}\n",
	},
	{
		Code:    InvalidDuration,
		Summary: "a text that is not a length of time",
		Explain: "Durations are written as Go writes them, plus days: \"250ms\", \"5m\", \"72h\", \"7d\".",
		Example: "queue \"tasks\" {\n  column \"kind\" { type = text }\n  lease = \"5 minutes\"\n}\n",
	},
	{
		Code:    InvalidChoice,
		Summary: "a word that this attribute does not take",
		Explain: "The attribute takes one of a few words. A word that was ignored would leave the default in force.",
		Example: "transaction \"default\" { isolation = \"read comitted\" }\n",
	},
	{
		Code:    OutOfRange,
		Summary: "a number beyond its bounds",
		Explain: "The message names the bounds. They are those of PostgreSQL, or those within which the generated " +
			"code keeps its promise.",
		Example: "singleton \"relay\" { key = 3000000000 }\n",
	},
	{
		Code:    EmptyList,
		Summary: "a list without entries",
		Explain: "A key of no columns, a move from no state or an enum without values could never be used.",
		Example: "enum \"seat_status\" { values = [] }\n",
	},
	{
		Code:    Cycle,
		Summary: "values that need each other",
		Explain: "Each of them waits for the value of the next, so none has one.",
		Example: "locals {\n  a = local.b\n  b = local.a\n}\n",
	},
	{
		Code:    MissingVariable,
		Summary: "a variable without a value",
		Explain: "A variable without a default must be given with --var, --var-file or PAWL_VAR_NAME, so that nobody forgets it.",
		Example: "variable \"lease\" { type = string }\n",
	},
	{
		Code:    UnknownVariable,
		Summary: "a value for a variable that does not exist",
		Explain: "Most often the name is misspelt, and the variable that was meant would keep its default.",
	},
	{
		Code:    ModuleSource,
		Summary: "a module that cannot be read",
		Explain: "A module is a directory inside the project, named by a path from the directory of the block that uses " +
			"it: source = \"./modules/log\". Nothing is fetched from elsewhere.",
		Example: "module \"log\" { source = \"./modules/log\" }\n",
	},
	{
		Code:    RepeatedName,
		Summary: "a repeated block whose name does not change",
		Explain: "A block with for_each declares one object for each key. Its label is the same for all of them, so the " +
			"name in the database has to come from each.key.",
		Example: "table \"log\" {\n  for_each = toset([\"orders\", \"items\"])\n  column \"id\" { type = bigint }\n" +
			"  primary_key { columns = [id] }\n}\n",
	},
	{
		Code:    InvalidVariable,
		Summary: "a value that its variable refuses",
		Explain: "The variable has a validation block, and its condition is false for this value. The message is the " +
			"one that the block gives.",
		Example: "variable \"hold_minutes\" {\n  type    = number\n  default = 0\n  validation {\n" +
			"    condition     = var.hold_minutes > 0\n    error_message = \"A hold needs a positive length.\"\n  }\n}\n",
	},
	{
		Code:    InvalidVersion,
		Summary: "a text that is no version constraint",
		Explain: "Constraints are written as Terraform writes them: \">= 0.1.0\", \"~> 1.2\", \">= 1.0, < 2.0\".",
	},
	{
		Code:    ToolVersion,
		Summary: "the project asks for another version of pawl",
		Explain: "required_version in the pawl block names the versions that the project was written for.",
	},
	{
		Code:    UnknownCode,
		Summary: "a check that does not exist is silenced",
		Explain: "An allow names the code of a check, as it stands in brackets in its message. With a misspelt code " +
			"the check would still speak.",
		Example: "table \"seats\" {\n  column \"id\" { type = bigint }\n  primary_key { columns = [id] }\n" +
			"  allow = { no-such-check = \"we know\" }\n}\n",
	},
	{
		Code:    TooLarge,
		Summary: "more than pawl reads",
		Explain: "Text that is nested hundreds of levels deep, numbers of thousands of digits and values of more than " +
			"64 kilobytes are refused, so that a broken generator cannot use up the memory of the machine.",
		Example: "locals { many = 1e5000 }\n",
	},
}
