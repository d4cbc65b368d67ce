package diag

// Codes of declarations that PostgreSQL takes and that rarely mean what they
// say. Package compiler finds them, and all of them can be allowed.
const (
	// SoftDeleteInKey is a key that holds the column of a soft delete.
	SoftDeleteInKey Code = "soft-delete-in-key"
	// FlagInKey is a boolean in a key.
	FlagInKey Code = "flag-in-key"
	// NullGroup is a key whose group is a parent that may be missing.
	NullGroup Code = "null-group"
	// CaseSensitiveEmail is a key over an address as it was typed.
	CaseSensitiveEmail Code = "case-sensitive-email"
	// BusinessKey is a column that looks like a key and is in none.
	BusinessKey Code = "business-key"
	// HotKey is a move or adjust that changes a key over all rows.
	HotKey Code = "hot-key"
	// LooseState is a state column that several operations write without transitions.
	LooseState Code = "loose-state"
)

var pitfallCodes = []Entry{
	{
		Code:    SoftDeleteInKey,
		Summary: "the key holds the column of a soft delete",
		Explain: "UNIQUE (email, deleted_at) guards nothing: of rows that are not deleted the column is NULL, and to a unique index " +
			"NULL equals nothing. With NULLS NOT DISTINCT it guards, but two rows that are deleted in one transaction collide. Name the " +
			"rows that count with live in the table and leave the column out of the key.",
		Example: "table \"users\" {\n  column \"id\" { type = bigint }\n  column \"name\" { type = text }\n" +
			"  column \"deleted_at\" {\n    type = timestamptz\n    null = true\n  }\n  primary_key { columns = [id] }\n" +
			"  no_duplicates \"name\" {\n    columns = [name, deleted_at]\n    nulls   = \"distinct\"\n  }\n}\n",
	},
	{
		Code:    FlagInKey,
		Summary: "a boolean in a key allows one false as well as one true",
		Explain: "UNIQUE (namespace, is_default) is written for \"one default a namespace\" and also forbids a second row that is not " +
			"the default. Leave the flag out of the columns and choose the rows with where = \"is_default\".",
		Example: "table \"domains\" {\n  column \"id\" { type = bigint }\n  column \"namespace\" { type = text }\n" +
			"  column \"is_default\" { type = boolean }\n  primary_key { columns = [id] }\n" +
			"  no_duplicates \"one_default\" { columns = [namespace, is_default] }\n}\n",
	},
	{
		Code:    NullGroup,
		Summary: "rows without a parent are in no group of the key",
		Explain: "Where NULL means something (the top of a tree, the tenant that all share), nulls = \"distinct\" leaves exactly those " +
			"rows unguarded: two folders of the top may have one name. Count NULL as a value with nulls = \"not_distinct\", or " +
			"give the rows of the top a no_duplicates of their own with where = \"parent_id IS NULL\".",
		Example: "table \"folders\" {\n  column \"id\" { type = bigint }\n  column \"parent_id\" {\n    type = bigint\n" +
			"    null = true\n  }\n  column \"name\" { type = text }\n  primary_key { columns = [id] }\n" +
			"  foreign_key \"parent\" {\n    columns    = [parent_id]\n    references = table.folders\n  }\n" +
			"  no_duplicates \"name\" {\n    columns = [parent_id, name]\n    nulls   = \"distinct\"\n  }\n}\n",
	},
	{
		Code:    CaseSensitiveEmail,
		Summary: "a key over an address tells capitals from small letters",
		Explain: "Ann@example.com and ann@example.com are one mailbox and two values. One person then gets two accounts, and a login or a reset " +
			"of the password finds one of them. Put lower(email) into the key, or let a check demand that the address is stored in lower case.",
		Example: "table \"users\" {\n  column \"id\" { type = bigint }\n  column \"email\" { type = text }\n" +
			"  primary_key { columns = [id] }\n  no_duplicates \"email\" { columns = [email] }\n}\n",
	},
	{
		Code:    BusinessKey,
		Summary: "a column that looks like a key and is in none",
		Explain: "Code looks such a value up before it puts a row in. Two requests at the same moment both find nothing and both insert. " +
			"Only a unique key decides between them. The check goes by the name: _no, _code, email.",
		Example: "table \"orders\" {\n  column \"id\" { type = bigint }\n  column \"order_no\" { type = text }\n" +
			"  primary_key { columns = [id] }\n}\n",
	},
	{
		Code:    HotKey,
		Summary: "a move or adjust changes a key, which takes the strong row lock",
		Explain: "A write that changes a column of a unique key over all rows takes FOR UPDATE, and other writes FOR NO KEY UPDATE. Inserts " +
			"of rows that refer to this one take FOR KEY SHARE, which waits for the first and not for the second. On a column that " +
			"changes often each child waits for it, and deadlocks become likely.",
		Example: "table \"carts\" {\n  column \"id\" { type = bigint }\n  column \"revision\" { type = bigint }\n" +
			"  primary_key { columns = [id] }\n  no_duplicates \"revision\" { columns = [id, revision] }\n" +
			"  adjust \"touch\" { set = { revision = \"revision + 1\" } }\n}\ntable \"lines\" {\n" +
			"  column \"id\" { type = bigint }\n  column \"cart_id\" { type = bigint }\n  primary_key { columns = [id] }\n" +
			"  foreign_key \"cart\" {\n    columns    = [cart_id]\n    references = table.carts\n  }\n}\n",
	},
	{
		Code:    LooseState,
		Summary: "a state that several operations write and no transitions govern",
		Explain: "Each operation decides on the state that it read, and none of them names the state that it comes from in its UPDATE. Two " +
			"at the same moment then leave a state that no path leads to: shipped after it was cancelled. A transitions block makes " +
			"each change a conditional UPDATE, and keeps other clients to the declared moves.",
		Example: "table \"orders\" {\n  column \"id\" { type = bigint }\n  column \"status\" { type = text }\n" +
			"  primary_key { columns = [id] }\n  edit \"pay\" { columns = [status] }\n  edit \"ship\" { columns = [status] }\n" +
			"  edit \"cancel\" { columns = [status] }\n}\n",
	},
}
