package diag

// Codes of mistakes against the language that package dsl finds while it loads
// and decodes a project.
const (
	// ReservedBlock is a block that the language reserves and this version of
	// pawl does not compile yet.
	ReservedBlock Code = "reserved-block"
	// DuplicateName is a second declaration with a name that is taken.
	DuplicateName Code = "duplicate-name"
	// UnknownType is a column type that pawl does not know.
	UnknownType Code = "unknown-type"
	// InvalidDuration is a text that is not a length of time.
	InvalidDuration Code = "invalid-duration"
	// NameTooLong is an identifier of more than 63 bytes.
	NameTooLong Code = "name-too-long"
)

var languageCodes = []Entry{
	{
		Code:    ReservedBlock,
		Summary: "a block that this version does not compile yet",
		Explain: "The word is reserved for a construct of a later version. Skipping the block would leave out the " +
			"promise that it makes, so the project is refused as a whole.",
		Example: "rule \"someone_on_call\" {\n  on    = { shifts = [team_id] }\n  args  = { team_id = bigint }\n" +
			"  holds = \"SELECT count(*) >= 1 FROM shifts WHERE team_id = @team_id\"\n}\n",
	},
	{
		Code:    DuplicateName,
		Summary: "a name that is already taken",
		Explain: "Names become names in the database and in the generated code; two things with one name would " +
			"overwrite each other there.",
		Example: "enum \"seat_status\" { values = [\"free\", \"booked\"] }\nenum \"seat_status\" { values = [\"open\"] }\n",
	},
	{
		Code:    UnknownType,
		Summary: "a column type that does not exist",
		Explain: "Types are values of the language. A type of an extension is written type(\"ltree\").",
		Example: "table \"seats\" {\n  column \"id\" { type = bigint8 }\n  primary_key { columns = [id] }\n}\n",
	},
	{
		Code:    InvalidDuration,
		Summary: "a text that is not a length of time",
		Explain: "Durations are written as Go writes them, plus days: \"250ms\", \"5m\", \"72h\", \"7d\".",
		Example: "queue \"tasks\" {\n  column \"kind\" { type = text }\n  lease = \"5 minutes\"\n}\n",
	},
	{
		Code:    NameTooLong,
		Summary: "a name of more than 63 bytes",
		Explain: "PostgreSQL cuts longer names silently. Two names that differ only behind the cut would be one, and " +
			"an error from the database could not be led back to its constraint.",
		Example: "table \"a_table_whose_name_is_far_too_long_for_the_catalog_of_a_postgres_server\" {\n" +
			"  column \"id\" { type = bigint }\n  primary_key { columns = [id] }\n}\n",
	},
}
