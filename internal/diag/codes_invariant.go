package diag

// Codes of mistakes in invariants and operations that package compiler finds.
const (
	// OverlapEmptyRange is a no_overlap over a range that may be empty.
	OverlapEmptyRange Code = "overlap-empty-range"
	// NullableKey is a no_duplicates over a nullable column that does not say
	// what NULL means.
	NullableKey Code = "nullable-key"
	// UnknownState is a move from or to a state that the column does not have.
	UnknownState Code = "unknown-state"
)

var invariantCodes = []Entry{
	{
		Code:    OverlapEmptyRange,
		Summary: "a range that can be empty is never in conflict",
		Explain: "An empty range overlaps nothing, not even itself. Two bookings with an empty range would both " +
			"succeed, and both would count as booked. pawl adds CHECK (NOT isempty(range)) unless allow_empty is set.",
	},
	{
		Code:    NullableKey,
		Summary: "a key over a nullable column must say what NULL means",
		Explain: "A unique constraint takes two NULLs for different values, so any number of rows with NULL " +
			"succeed. Write nulls = \"distinct\" when that is meant and nulls = \"not_distinct\" when it is not.",
		Example: "table \"accounts\" {\n  column \"id\" { type = bigint }\n  column \"email\" {\n    type = text\n    null = true\n  }\n" +
			"  primary_key { columns = [id] }\n  no_duplicates \"email\" { columns = [email] }\n}\n",
	},
	{
		Code:    UnknownState,
		Summary: "a move names a state that the column does not have",
		Explain: "The move could never run, or would fail with an error of the database on every call.",
		Example: "enum \"seat_status\" { values = [\"free\", \"booked\"] }\ntable \"seats\" {\n  column \"id\" { type = bigint }\n" +
			"  column \"status\" { type = enum.seat_status }\n  primary_key { columns = [id] }\n" +
			"  transitions \"status\" {\n    column  = status\n    initial = [\"free\"]\n    move \"book\" {\n" +
			"      from = [\"fre\"]\n      to   = \"booked\"\n    }\n  }\n}\n",
	},
}
