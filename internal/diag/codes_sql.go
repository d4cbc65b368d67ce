package diag

// Codes of mistakes in SQL texts. Package pgsql finds them; its Kind constants
// are spelled the same, so that Code(err.Kind) converts one into the other.
const (
	// SQLSyntax is a text that PostgreSQL cannot parse.
	SQLSyntax Code = "sql-syntax"
	// SQLEmpty is a text with nothing but blanks and comments in it.
	SQLEmpty Code = "sql-empty"
	// SQLSeveral is a text of more than one expression or statement.
	SQLSeveral Code = "sql-several"
	// SQLNotExpression is a statement where an expression is expected, or the
	// other way round.
	SQLNotExpression Code = "sql-not-expression"
	// SQLWrites is a SELECT that writes or locks rows.
	SQLWrites Code = "sql-writes"
	// SQLParameter is a parameter like $1 written by hand.
	SQLParameter Code = "sql-parameter"
	// ArgumentOperator is an operator that swallows the @ of an argument.
	ArgumentOperator Code = "argument-operator"
	// UnknownColumn is a column that the table does not have.
	UnknownColumn Code = "unknown-column"
	// ForeignColumn is a column of another table.
	ForeignColumn Code = "foreign-column"
	// UnknownArgument is an @name that is not declared.
	UnknownArgument Code = "unknown-argument"
	// SubSelect is a SELECT inside an expression that reads one row only.
	SubSelect Code = "sub-select"
	// Aggregate is an aggregate or window function in such an expression.
	Aggregate Code = "aggregate"
	// SetReturning is a function that returns many rows.
	SetReturning Code = "set-returning"
	// StarColumn is a * in place of columns.
	StarColumn Code = "star-column"
	// NullComparison is a comparison with the word NULL.
	NullComparison Code = "null-comparison"
	// NeverTrue is a predicate that holds for no row.
	NeverTrue Code = "never-true"
	// NotImmutable is a function whose result changes with time or settings,
	// where PostgreSQL keeps the result.
	NotImmutable Code = "not-immutable"
	// FrozenTime is a text such as 'now' that becomes one moment when it is read.
	FrozenTime Code = "frozen-time"
	// VolatileFunction is a function that gives another result at each call.
	VolatileFunction Code = "volatile-function"
	// SessionBehindPooler is what needs a session where a pooler gives none.
	SessionBehindPooler Code = "session-behind-pooler"
)

// checkExample is a table with one CHECK, the smallest file that holds SQL.
func checkExample(expr string) string {
	return "table \"seats\" {\n  column \"id\" { type = bigint }\n  column \"status\" { type = text }\n" +
		"  primary_key { columns = [id] }\n  check \"status\" { expr = \"" + expr + "\" }\n}\n"
}

// adjustExample is a table with one adjust, the smallest file with arguments.
func adjustExample(value string) string {
	return "table \"items\" {\n  column \"id\" { type = bigint }\n  column \"stock\" { type = bigint }\n" +
		"  primary_key { columns = [id] }\n  adjust \"reserve\" {\n    args = { qty = bigint }\n" +
		"    set  = { stock = \"" + value + "\" }\n  }\n}\n"
}

// partialExample is a table with one partial no_duplicates.
func partialExample(where string) string {
	return "table \"holds\" {\n  column \"id\" { type = bigint }\n  column \"seat\" { type = bigint }\n" +
		"  column \"until\" { type = timestamptz }\n  primary_key { columns = [id] }\n" +
		"  no_duplicates \"one_hold\" {\n    columns = [seat]\n    where   = \"" + where + "\"\n  }\n}\n"
}

var sqlCodes = []Entry{
	{
		Code:    SQLSyntax,
		Summary: "this SQL cannot be parsed",
		Explain: "The text is read with PostgreSQL's own parser, so the server would refuse it too: the generated " +
			"statement would fail on every call.",
		Example: checkExample("status = = 'free'"),
	},
	{
		Code:    SQLEmpty,
		Summary: "an SQL text is empty",
		Explain: "There is nothing to check. Leave the attribute out instead.",
		Example: checkExample("  -- nothing"),
	},
	{
		Code:    SQLSeveral,
		Summary: "more than one expression or statement",
		Explain: "The text becomes part of a larger statement. A second expression or statement in it would run " +
			"unseen, with the rights of whoever applies or calls it.",
		Example: checkExample("status = 'free'; DROP TABLE seats"),
	},
	{
		Code:    SQLNotExpression,
		Summary: "another kind of SQL is expected here",
		Explain: "Most texts are one expression, such as `stock >= 0`; `holds` is one SELECT. A whole statement " +
			"has no value that could be compared or stored.",
		Example: checkExample("SELECT status = 'free'"),
	},
	{
		Code:    SQLWrites,
		Summary: "this SELECT writes or locks rows",
		Explain: "A rule only looks. If it changed or locked rows, checking it would change what it checks, and " +
			"two checks could wait for each other.",
	},
	{
		Code:    SQLParameter,
		Summary: "a parameter is written by hand",
		Explain: "pawl numbers the parameters of the final statement itself, so $1 would be bound to some other " +
			"value. Declare an argument and write @name.",
		Example: adjustExample("stock - $1"),
	},
	{
		Code:    ArgumentOperator,
		Summary: "an operator swallows the @ of an argument",
		Explain: "PostgreSQL reads operator characters that stand together as one operator: in `stock >=@qty` that " +
			"is the operator >=@ and a column named qty. Put a space before the @.",
		Example: adjustExample("stock -@qty"),
	},
	{
		Code:    UnknownColumn,
		Summary: "a column that the table does not have",
		Explain: "PostgreSQL would refuse the statement on every call. Names without quotes are folded to lower " +
			"case, as in SQL: write \\\"Name\\\" for a column with capitals.",
		Example: checkExample("statsu <> ''"),
	},
	{
		Code:    ForeignColumn,
		Summary: "a column of another table",
		Explain: "This text is evaluated for one row of its own table. A row of another table is not locked and not " +
			"looked at again when the statement had to wait, so a decision on it could rest on a value that is gone.",
		Example: checkExample("rooms.status <> ''"),
	},
	{
		Code:    UnknownArgument,
		Summary: "an argument that is not declared",
		Explain: "Every @name becomes a parameter of the generated method. It must stand in `args`, or be named like " +
			"a column of the table, whose type it then has.",
		Example: adjustExample("stock - @quantity"),
	},
	{
		Code:    SubSelect,
		Summary: "a sub-select in an expression about one row",
		Explain: "When an UPDATE waits for another transaction, PostgreSQL checks its condition again on the newest " +
			"version of the row, but does not run a sub-select again. The rule would be decided on old rows, and " +
			"a balance kept that way went below its floor. Use `limit` for a count or a sum.",
		Example: checkExample("(SELECT count(*) FROM seats) < 10"),
	},
	{
		Code:    Aggregate,
		Summary: "an aggregate in an expression about one row",
		Explain: "A count or a sum looks at many rows, and two transactions that count at the same time do not see " +
			"each other's rows: both find room for one more. Use `limit`, which counts under a lock.",
		Example: checkExample("count(*) < 10"),
	},
	{
		Code:    SetReturning,
		Summary: "a function that returns many rows",
		Explain: "The expression must give one value for one row. PostgreSQL refuses a set here, or would multiply " +
			"the row.",
		Example: checkExample("generate_series(1, 3) > 2"),
	},
	{
		Code:    StarColumn,
		Summary: "a * in place of columns",
		Explain: "The meaning of * changes when a column is added, and with it what the rule promises. Name the " +
			"columns.",
		Example: checkExample("(seats.*) IS NOT NULL"),
	},
	{
		Code:    NullComparison,
		Summary: "a comparison with NULL is never true",
		Explain: "NULL is not equal to anything, not even to NULL: the comparison gives NULL for every row. A CHECK " +
			"takes that as kept and a WHERE as not met, so the rule guards nothing. Write IS NULL or IS NOT NULL.",
		Example: checkExample("status = NULL"),
	},
	{
		Code:    NeverTrue,
		Summary: "a condition that no row can meet",
		Explain: "The invariant would cover no row and every duplicate or overlap would be accepted; a guard that " +
			"is never true makes the operation fail on every call.",
		Example: partialExample("seat IS NULL AND false"),
	},
	{
		Code:    NotImmutable,
		Summary: "a predicate whose result changes with time",
		Explain: "An index keeps the answer from the moment a row was written. Rows would stay in or out of the " +
			"index although now() has moved on, so the invariant would cover the wrong rows. PostgreSQL refuses " +
			"such an index. Keep a column that says it, and let an operation change it.",
		Example: partialExample("until > now()"),
	},
	{
		Code:    FrozenTime,
		Summary: "a text that becomes one moment when it is read",
		Explain: "'now', 'today', 'tomorrow' and 'yesterday' are input texts of date and time types, and PostgreSQL turns a " +
			"constant into a value once: in a default when the table is made, in a statement when it is prepared. " +
			"Every later row would get the moment of the apply. Write the function: sql(\"now()\"), sql(\"current_date\").",
		Example: "table \"seats\" {\n  column \"id\" { type = bigint }\n  column \"made_at\" {\n    type    = timestamptz\n" +
			"    default = \"now()\"\n  }\n  primary_key { columns = [id] }\n}\n",
	},
	{
		Code:    VolatileFunction,
		Summary: "a function that gives another result at each call",
		Explain: "A guard is evaluated again when the statement had to wait, and once more to explain why no row was " +
			"changed. With a volatile function the answers differ. A rule is asked when rows are written, and never when time goes by: " +
			"it looks at no clock, and at nobody who asks. Keep the time in a column.",
		Example: checkExample("random() < 0.5"),
	},
	{
		Code:    SessionBehindPooler,
		Summary: "this needs a session, and a transaction pooler gives none",
		Explain: "Behind a pooler in transaction mode a client has a server connection for the length of a transaction. What belongs to " +
			"the session is lost with it, or worse, stays behind for the next client: advisory locks without xact in their name, " +
			"set_config, LISTEN, temporary tables, the last value of a sequence. Locks that end with the transaction work.",
		Example: "target \"production\" {\n  url       = \"postgres://pooler/app\"\n  admin_url = \"postgres://server/app\"\n  pooler    = \"transaction\"\n}\n" +
			"table \"jobs\" {\n  column \"id\" { type = bigint }\n  column \"held\" { type = boolean }\n  primary_key { columns = [id] }\n" +
			"  adjust \"hold\" { set = { held = \"pg_try_advisory_lock(id)\" } }\n}\n",
	},
}
