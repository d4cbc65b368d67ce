package diag

// Codes of blocks that say what becomes of what stands already.
const (
	// MovedAddress is a moved block that cannot be carried out.
	MovedAddress Code = "moved-address"
	// RemovedAddress is a removed block about what is still there.
	RemovedAddress Code = "removed-address"
)

var lifecycleCodes = []Entry{
	{
		Code:    MovedAddress,
		Summary: "a moved block that nothing can be made of",
		Explain: "A moved block says that what stood under one address stands under another one now, so that the plan renames it " +
			"instead of dropping it and making a new one. The old address is declared nowhere any more, the new one is, both are of " +
			"one kind, and no two things become one. Moves may follow each other: a database that missed the first makes both.",
		Example: "table \"guests\" {\n  column \"id\" { type = bigint }\n  primary_key { columns = [id] }\n}\n" +
			"moved {\n  from = table.visitors\n  to   = table.guets\n}\n",
	},
	{
		Code:    RemovedAddress,
		Summary: "a removed block about something that is declared",
		Explain: "A removed block says what becomes of something that is declared no more: with destroy = false it stays in the database " +
			"and pawl forgets it, with destroy = true it is dropped, as it would be without the block. What is still declared belongs to pawl.",
		Example: "table \"guests\" {\n  column \"id\" { type = bigint }\n  primary_key { columns = [id] }\n}\n" +
			"removed {\n  from    = table.guests\n  destroy = false\n}\n",
	},
}
