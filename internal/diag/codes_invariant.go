package diag

// Codes of mistakes in invariants and operations that package compiler finds.
const (
	// OverlapEmptyRange is a no_overlap over a range that may be empty.
	OverlapEmptyRange Code = "overlap-empty-range"
	// OverlapNullable is a column of a no_overlap that may be NULL.
	OverlapNullable Code = "overlap-nullable"
	// OverlapRangeType is a range that is none.
	OverlapRangeType Code = "overlap-range-type"
	// OverlapBounds is a form of bounds that the range's type never has.
	OverlapBounds Code = "overlap-bounds"
	// OverlapGroupType is a group of a no_overlap whose type has no equality in a GiST index.
	OverlapGroupType Code = "overlap-group-type"
	// OverlapCapacity is a no_overlap that should let several in.
	OverlapCapacity Code = "overlap-capacity"
	// NullableKey is a no_duplicates over a nullable column that does not say what NULL means.
	NullableKey Code = "nullable-key"
	// NullsVersion is nulls = "not_distinct" for a server that does not have it.
	NullsVersion Code = "nulls-version"
	// LiveColumnInKey is a key that holds the column of `live`.
	LiveColumnInKey Code = "live-column-in-key"
	// LiveStates is a list of states as `live` of a table that has not one state column.
	LiveStates Code = "live-states"
	// IgnoresLive is an invariant of a table with `live` that also covers other rows.
	IgnoresLive Code = "ignores-live"
	// IdleSince is a `since` that leaves no row out.
	IdleSince Code = "idle-since"
	// LooseSince is a `since` over a column whose value a row may lose.
	LooseSince Code = "loose-since"
	// DeferrableKey is a deferrable key that has to be an index.
	DeferrableKey Code = "deferrable-key"
	// KeyType is a key over a type without an order.
	KeyType Code = "key-type"
	// KeyWithoutColumn is an expression in a key that mentions no column.
	KeyWithoutColumn Code = "key-without-column"
	// RedundantKey is a key that another one promises already.
	RedundantKey Code = "redundant-key"
	// UnknownState is a state or value that the column does not have.
	UnknownState Code = "unknown-state"
	// UnreachableState is a state that nothing leads to.
	UnreachableState Code = "unreachable-state"
	// StuckState is a state that nothing leaves and that is not final.
	StuckState Code = "stuck-state"
	// FinalState is a final state that a move leaves.
	FinalState Code = "final-state"
	// InitialDefault is the default of a state column that is not initial.
	InitialDefault Code = "initial-default"
	// StateType is a state column that is neither text nor an enum.
	StateType Code = "state-type"
	// StateNullable is a state column that may be NULL.
	StateNullable Code = "state-nullable"
	// GovernedTwice is a second transitions block for one column.
	GovernedTwice Code = "governed-twice"
	// GovernedColumn is a write of a state column outside of its moves.
	GovernedColumn Code = "governed-column"
	// GuardWithArgument is a guard of a move that a trigger cannot check.
	GuardWithArgument Code = "guard-with-argument"
	// FixedColumn is a write of a primary key or an identity column.
	FixedColumn Code = "fixed-column"
	// ImmutableColumn is something that would write what never changes.
	ImmutableColumn Code = "immutable-column"
	// LimitColumn is a column that a limit cannot count by.
	LimitColumn Code = "limit-column"
	// LimitMax is a bound of a limit that stands on no parent row.
	LimitMax Code = "limit-max"
	// VersionColumn is a version that cannot count.
	VersionColumn Code = "version-column"
	// GroupParent is a parent whose rows cannot stand for groups.
	GroupParent Code = "group-parent"
	// GroupColumn is a column that makes groups and does something else besides.
	GroupColumn Code = "group-column"
	// SetNull is NULL for a column that is NOT NULL.
	SetNull Code = "set-null"
	// NullArithmetic is a computation over a column that may be NULL.
	NullArithmetic Code = "null-arithmetic"
	// UnusedArgument is an argument that nothing uses.
	UnusedArgument Code = "unused-argument"
	// ArgumentName is an argument named like the key of the row.
	ArgumentName Code = "argument-name"
	// ArgumentType is an argument named like a column with another type.
	ArgumentType Code = "argument-type"
	// PositiveArgument is an entry of positive that is no numeric argument.
	PositiveArgument Code = "positive-argument"
	// PrimaryKeyMissing is a table with operations and without a primary key.
	PrimaryKeyMissing Code = "primary-key-missing"
	// NullablePrimaryKey is a primary key over a column that says null = true.
	NullablePrimaryKey Code = "nullable-primary-key"
	// IdentityColumn is an identity that cannot be one.
	IdentityColumn Code = "identity-column"
	// GeneratedColumn is a generated column that the server cannot compute.
	GeneratedColumn Code = "generated-column"
	// DefaultValue is a default that does not fit the column's type.
	DefaultValue Code = "default-value"
	// DomainType is a type that no domain is made of.
	DomainType Code = "domain-type"
	// CheckWithoutColumn is a check that mentions no column.
	CheckWithoutColumn Code = "check-without-column"
	// ReferenceTarget is a foreign key to something that is no key of all rows.
	ReferenceTarget Code = "reference-target"
	// ReferenceDeferrable is a foreign key to a deferrable key.
	ReferenceDeferrable Code = "reference-deferrable"
	// ReferenceColumns is a foreign key with another number of columns than its target.
	ReferenceColumns Code = "reference-columns"
	// ReferenceType is a foreign key whose columns have other types than its target.
	ReferenceType Code = "reference-type"
	// ReferenceAction is an action that sets a NOT NULL column to NULL.
	ReferenceAction Code = "reference-action"
	// ForeignKeyIndex is a foreign key without an index on its side.
	ForeignKeyIndex Code = "foreign-key-index"
	// ReservedSchema is a schema that belongs to the server or to pawl.
	ReservedSchema Code = "reserved-schema"
	// QueueColumn is a column of a queue that the queue has itself.
	QueueColumn Code = "queue-column"
	// QueueHeartbeat is a heartbeat that is too rare for the lease.
	QueueHeartbeat Code = "queue-heartbeat"
	// BackoffOrder is a first pause that is longer than the longest.
	BackoffOrder Code = "backoff-order"
	// AdvisoryClass is a missing or impossible advisory_class.
	AdvisoryClass Code = "advisory-class"
	// SingletonKey is a second singleton with one key.
	SingletonKey Code = "singleton-key"
	// LeaderScope is a setting of a leader in a singleton that is none.
	LeaderScope Code = "leader-scope"
	// LeaderLease is a lease beside a session lock, or one that is too short.
	LeaderLease Code = "leader-lease"
	// PoolerSession is a lock of a session behind a pooler of transactions.
	PoolerSession Code = "pooler-session"
	// TransactionIsolation is an isolation level for operations that need read committed.
	TransactionIsolation Code = "transaction-isolation"
	// RetryCode is an SQLSTATE on a retry list that another attempt does not cure.
	RetryCode Code = "retry-code"
	// PolicyBroken is something that a policy of the project does not take.
	PolicyBroken Code = "policy-broken"
	// AllowNotPossible is an allow for a finding that cannot be silenced.
	AllowNotPossible Code = "allow-not-possible"
)

var invariantCodes = []Entry{
	{
		Code:    OverlapEmptyRange,
		Summary: "a range that can be empty is never in conflict",
		Explain: "An empty range overlaps nothing, not even itself. Two bookings with an empty range would both succeed, " +
			"and both would count as booked. pawl adds CHECK (NOT isempty(range)) unless allow_empty is set.",
		Example: "table \"seats\" {\n  column \"id\" { type = bigint }\n  column \"during\" { type = tstzrange }\n" +
			"  primary_key { columns = [id] }\n  no_overlap \"one\" {\n    range = during\n    allow_empty = true\n  }\n" +
			"}\n",
	},
	{
		Code:    OverlapNullable,
		Summary: "a NULL is in no group and in conflict with nothing",
		Explain: "An exclusion constraint compares with = and &&, which are never true for NULL. Rows with NULL in the " +
			"group or in the range are accepted beside any other row. pawl makes these columns NOT NULL; a column " +
			"that says null = true contradicts that.",
		Example: "table \"seats\" {\n  column \"id\" { type = bigint }\n  column \"during\" {\n    type = tstzrange\n" +
			"    null = true\n  }\n  primary_key { columns = [id] }\n  no_overlap \"one\" { range = during }\n}\n",
	},
	{
		Code:    OverlapRangeType,
		Summary: "only ranges overlap",
		Explain: "The overlap operator && exists for PostgreSQL's range types. Two columns make a range when both have one " +
			"type that has ranges: integer, bigint, numeric, date, timestamp or timestamptz.",
		Example: "table \"seats\" {\n  column \"id\" { type = bigint }\n  column \"during\" { type = timestamptz }\n" +
			"  primary_key { columns = [id] }\n  no_overlap \"one\" { range = during }\n}\n",
	},
	{
		Code:    OverlapBounds,
		Summary: "bounds that this range type never has",
		Explain: "PostgreSQL brings ranges over integer, bigint and date to the form [), whatever was written. A check for " +
			"an end that belongs to the range would refuse every row.",
		Example: "table \"seats\" {\n  column \"id\" { type = bigint }\n  column \"days\" { type = daterange }\n" +
			"  primary_key { columns = [id] }\n  no_overlap \"one\" {\n    range = days\n    bounds = \"[]\"\n  }\n}\n",
	},
	{
		Code:    OverlapGroupType,
		Summary: "this type cannot group an exclusion constraint",
		Explain: "Every part of an exclusion constraint needs an operator class of GiST. The extension btree_gist has one " +
			"for scalar types, and for boolean from PostgreSQL 16 on.",
		Example: "table \"seats\" {\n  column \"id\" { type = bigint }\n  column \"tags\" { type = jsonb }\n" +
			"  column \"during\" { type = tstzrange }\n  primary_key { columns = [id] }\n  no_overlap \"one\" {\n" +
			"    within = [tags]\n    range = during\n  }\n}\n",
	},
	{
		Code:    OverlapCapacity,
		Summary: "an exclusion lets one in at a time, whatever the capacity",
		Explain: "An exclusion constraint compares rows two by two and counts nothing, so no form of it says \"at most three at once\". Give each " +
			"place a row or a slot number of its own and put it into within: then each place is taken once at a time. Or keep a counter " +
			"on the parent row, with a check, and change it with adjust.",
		Example: "table \"seats\" {\n  column \"id\" { type = bigint }\n  column \"during\" { type = tstzrange }\n" +
			"  primary_key { columns = [id] }\n  no_overlap \"three\" {\n    range    = during\n    capacity = 3\n  }\n}\n",
	},
	{
		Code:    NullableKey,
		Summary: "a key over a nullable column must say what NULL means",
		Explain: "A unique constraint takes two NULLs for different values, so any number of rows with NULL succeed. Write " +
			"nulls = \"distinct\" when that is meant and nulls = \"not_distinct\" when it is not.",
		Example: "table \"seats\" {\n  column \"id\" { type = bigint }\n  column \"email\" {\n    type = text\n" +
			"    null = true\n  }\n  primary_key { columns = [id] }\n  no_duplicates \"email\" { columns = [email] }\n}\n",
	},
	{
		Code:    NullsVersion,
		Summary: "NULLS NOT DISTINCT needs PostgreSQL 15",
		Explain: "Output for PostgreSQL 14 cannot count NULL as a value in a unique index. Raise postgres in the pawl " +
			"block, or put coalesce(column, value) into the key, with a value that no row has.",
		Example: "table \"seats\" {\n  column \"id\" { type = bigint }\n  column \"email\" {\n    type = text\n" +
			"    null = true\n  }\n  primary_key { columns = [id] }\n  no_duplicates \"email\" {\n    columns = [email]\n" +
			"    nulls = \"not_distinct\"\n  }\n}\n",
	},
	{
		Code:    LiveStates,
		Summary: "live lists states, and the table has not one state column",
		Explain: "A list of states is short for a condition over the column of the table's transitions. Without one, or with " +
			"two, nothing says which column holds them.",
		Example: "table \"seats\" {\n  live = [\"free\"]\n  column \"id\" { type = bigint }\n  primary_key { columns = [id] }\n}\n",
	},
	{
		Code:    LiveColumnInKey,
		Summary: "the key holds the column that says which rows count",
		Explain: "Of live rows the column has one value, most often NULL, and to a unique index NULL equals nothing: " +
			"UNIQUE (email, deleted_at) lets any number of live rows have one e-mail. The key covers live rows alone " +
			"already.",
		Example: "table \"seats\" {\n  column \"id\" { type = bigint }\n  column \"email\" { type = text }\n" +
			"  column \"deleted_at\" {\n    type = timestamptz\n    null = true\n  }\n  primary_key { columns = [id] }\n" +
			"  live = \"deleted_at IS NULL\"\n  no_duplicates \"email\" {\n    columns = [email, deleted_at]\n" +
			"    nulls = \"distinct\"\n  }\n}\n",
	},
	{
		Code:    IgnoresLive,
		Summary: "rows that are not live count here too",
		Explain: "A row that was taken away keeps its values, so a new row with the same values is refused although nobody " +
			"sees the old one. That is right for names that are never given again: then allow it, with the reason.",
		Example: "table \"seats\" {\n  column \"id\" { type = bigint }\n  column \"email\" { type = text }\n" +
			"  column \"deleted_at\" {\n    type = timestamptz\n    null = true\n  }\n  primary_key { columns = [id] }\n" +
			"  live = \"deleted_at IS NULL\"\n  no_duplicates \"email\" {\n    columns = [email]\n" +
			"    where = \"email <> ''\"\n  }\n}\n",
	},
	{
		Code:    IdleSince,
		Summary: "a since that leaves no old row out",
		Explain: "`since` is a condition over a column that tells old rows from new ones. Without a column it is the same for every row, and " +
			"moves that generated code alone keeps look at one row, however old it is.",
		Example: "table \"seats\" {\n  column \"id\" { type = bigint }\n  column \"email\" { type = text }\n  primary_key { columns = [id] }\n" +
			"  no_duplicates \"email\" {\n    columns = [sql(\"lower(email)\")]\n    since = \"1 < 2\"\n  }\n}\n",
	},
	{
		Code:    LooseSince,
		Summary: "rows can leave what a since covers",
		Explain: "A rule with `since` covers the rows for which it holds. Where the column can change, or be NULL, a row leaves the rule by a write " +
			"that has nothing to do with it. Make the column immutable and NOT NULL; PostgreSQL itself takes it either way.",
		Example: "table \"seats\" {\n  column \"id\" { type = bigint }\n  column \"email\" { type = text }\n  column \"created_at\" { type = timestamptz }\n" +
			"  primary_key { columns = [id] }\n  no_duplicates \"email\" {\n    columns = [sql(\"lower(email)\")]\n" +
			"    since = \"created_at >= '2026-01-01'\"\n  }\n}\n",
	},
	{
		Code:    DeferrableKey,
		Summary: "a key with a predicate or an expression cannot wait",
		Explain: "Only unique constraints are deferrable, and PostgreSQL makes none with a WHERE or over an expression.",
		Example: "table \"seats\" {\n  column \"id\" { type = bigint }\n  column \"email\" { type = text }\n" +
			"  primary_key { columns = [id] }\n  no_duplicates \"email\" {\n    columns = [sql(\"lower(email)\")]\n" +
			"    deferrable = true\n  }\n}\n",
	},
	{
		Code:    KeyType,
		Summary: "a type that no key can hold",
		Explain: "Keys are btree indexes, and some types (json, xml, point) have no order that a btree could keep.",
		Example: "table \"seats\" {\n  column \"id\" { type = bigint }\n  column \"body\" { type = json }\n" +
			"  primary_key { columns = [id] }\n  no_duplicates \"body\" { columns = [body] }\n}\n",
	},
	{
		Code:    KeyWithoutColumn,
		Summary: "a key expression that is the same for every row",
		Explain: "A unique key over a constant allows a single row; beside other parts it adds nothing.",
		Example: "table \"seats\" {\n  column \"id\" { type = bigint }\n  column \"email\" { type = text }\n" +
			"  primary_key { columns = [id] }\n  no_duplicates \"email\" { columns = [sql(\"1 + 1\")] }\n}\n",
	},
	{
		Code:    RedundantKey,
		Summary: "a key that is promised already",
		Explain: "Two indexes hold the same values: each write pays for both, and which of them an error names is not " +
			"certain.",
		Example: "table \"seats\" {\n  column \"id\" { type = bigint }\n  primary_key { columns = [id] }\n" +
			"  no_duplicates \"id\" { columns = [id] }\n}\n",
	},
	{
		Code:    UnknownState,
		Summary: "a state that the column does not have",
		Explain: "A move from or to it could never run, or would fail with an error of the database on every call. A " +
			"condition that compares the column with it has one result for every row.",
		Example: "enum \"seat_status\" { values = [\"free\", \"booked\"] }\ntable \"seats\" {\n" +
			"  column \"id\" { type = bigint }\n  column \"status\" { type = enum.seat_status }\n" +
			"  primary_key { columns = [id] }\n  transitions \"status\" {\n    column = status\n" +
			"    initial = [\"free\"]\n    move \"book\" {\n      from = [\"fre\"]\n      to = \"booked\"\n    }\n  }\n" +
			"}\n",
	},
	{
		Code:    UnreachableState,
		Summary: "a state that nothing leads to",
		Explain: "No row can ever be in the state. Most often a move or an initial state was forgotten; code that waits " +
			"for the state waits for ever.",
		Example: "enum \"seat_status\" { values = [\"free\", \"booked\", \"lost\"] }\ntable \"seats\" {\n" +
			"  column \"id\" { type = bigint }\n  column \"status\" { type = enum.seat_status }\n" +
			"  primary_key { columns = [id] }\n  transitions \"status\" {\n    column = status\n" +
			"    initial = [\"free\"]\n    final = [\"booked\"]\n    move \"book\" {\n      from = [\"free\"]\n" +
			"      to = \"booked\"\n    }\n  }\n}\n",
	},
	{
		Code:    StuckState,
		Summary: "a dead end that is not called final",
		Explain: "A row that comes into the state stays there for ever. Where that is meant, say so with final; most often " +
			"a move was forgotten.",
		Example: "table \"seats\" {\n  column \"id\" { type = bigint }\n  column \"status\" { type = text }\n" +
			"  primary_key { columns = [id] }\n  transitions \"status\" {\n    column = status\n" +
			"    initial = [\"free\"]\n    move \"book\" {\n      from = [\"free\"]\n      to = \"booked\"\n    }\n  }\n" +
			"}\n",
	},
	{
		Code:    FinalState,
		Summary: "a move leaves a final state",
		Explain: "Whoever reads the file takes a final state for the end, and writes code that does not expect the row to " +
			"come back.",
		Example: "table \"seats\" {\n  column \"id\" { type = bigint }\n  column \"status\" { type = text }\n" +
			"  primary_key { columns = [id] }\n  transitions \"status\" {\n    column = status\n" +
			"    initial = [\"free\"]\n    final = [\"booked\"]\n    move \"book\" {\n      from = [\"free\"]\n" +
			"      to = \"booked\"\n    }\n    move \"free\" {\n      from = [\"booked\"]\n      to = \"free\"\n    }\n" +
			"  }\n}\n",
	},
	{
		Code:    InitialDefault,
		Summary: "the default is not an initial state",
		Explain: "Every insert that leaves the state out would be refused by the trigger.",
		Example: "table \"seats\" {\n  column \"id\" { type = bigint }\n  column \"status\" {\n    type = text\n" +
			"    default = \"booked\"\n  }\n  primary_key { columns = [id] }\n  transitions \"status\" {\n" +
			"    column = status\n    initial = [\"free\"]\n    move \"book\" {\n      from = [\"free\"]\n" +
			"      to = \"booked\"\n    }\n    move \"free\" {\n      from = [\"booked\"]\n      to = \"free\"\n    }\n" +
			"  }\n}\n",
	},
	{
		Code:    StateType,
		Summary: "states are names",
		Explain: "pawl compares states as text or as values of an enum. A number does not say what it means, to people and " +
			"to psql.",
		Example: "table \"seats\" {\n  column \"id\" { type = bigint }\n  column \"status\" { type = bigint }\n" +
			"  primary_key { columns = [id] }\n  transitions \"status\" {\n    column = status\n" +
			"    initial = [\"free\"]\n    move \"book\" {\n      from = [\"free\"]\n      to = \"booked\"\n    }\n" +
			"    move \"free\" {\n      from = [\"booked\"]\n      to = \"free\"\n    }\n  }\n}\n",
	},
	{
		Code:    StateNullable,
		Summary: "a row in no state",
		Explain: "No move leaves NULL and none leads there, so a row with a NULL state is stuck outside of the state " +
			"machine.",
		Example: "table \"seats\" {\n  column \"id\" { type = bigint }\n  column \"status\" {\n    type = text\n" +
			"    null = true\n  }\n  primary_key { columns = [id] }\n  transitions \"status\" {\n    column = status\n" +
			"    initial = [\"free\"]\n    move \"book\" {\n      from = [\"free\"]\n      to = \"booked\"\n    }\n" +
			"    move \"free\" {\n      from = [\"booked\"]\n      to = \"free\"\n    }\n  }\n}\n",
	},
	{
		Code:    GovernedTwice,
		Summary: "two state machines for one column",
		Explain: "Each of the two would refuse the moves of the other one.",
		Example: "table \"seats\" {\n  column \"id\" { type = bigint }\n  column \"status\" { type = text }\n" +
			"  primary_key { columns = [id] }\n  transitions \"one\" {\n    column = status\n    initial = [\"free\"]\n" +
			"    move \"one\" {\n      from = [\"free\"]\n      to = \"free\"\n    }\n  }\n  transitions \"two\" {\n" +
			"    column = status\n    initial = [\"free\"]\n    move \"two\" {\n      from = [\"free\"]\n" +
			"      to = \"free\"\n    }\n  }\n}\n",
	},
	{
		Code:    GovernedColumn,
		Summary: "only moves change a state column",
		Explain: "A write that does not look at the state before can undo a move that another client made in between; with " +
			"enforce = \"database\" the trigger refuses it.",
		Example: "table \"seats\" {\n  column \"id\" { type = bigint }\n  column \"status\" { type = text }\n" +
			"  primary_key { columns = [id] }\n  transitions \"status\" {\n    column = status\n" +
			"    initial = [\"free\"]\n    move \"stay\" {\n      from = [\"free\"]\n      to = \"free\"\n    }\n  }\n" +
			"  edit \"change\" { columns = [status] }\n}\n",
	},
	{
		Code:    GuardWithArgument,
		Summary: "a guard that holds in generated code alone",
		Explain: "A trigger does not know the arguments of a call. For other clients the move is allowed whenever the " +
			"states fit; what must hold for everybody belongs into a check, or into a guard over columns.",
		Example: "table \"seats\" {\n  column \"id\" { type = bigint }\n  column \"status\" { type = text }\n" +
			"  column \"price\" { type = bigint }\n  primary_key { columns = [id] }\n  transitions \"status\" {\n" +
			"    column = status\n    initial = [\"free\"]\n    final = [\"booked\"]\n    move \"book\" {\n" +
			"      from = [\"free\"]\n      to = \"booked\"\n      args = { offer = bigint }\n" +
			"      guard = \"price <= @offer\"\n    }\n  }\n}\n",
	},
	{
		Code:    FixedColumn,
		Summary: "a column that no operation may write",
		Explain: "After a change of its key a row is another one: callers that hold the key find nothing, or a stranger. " +
			"Identity columns take their values from the server alone.",
		Example: "table \"seats\" {\n  column \"id\" { type = bigint }\n  column \"email\" { type = text }\n" +
			"  primary_key { columns = [id] }\n  edit \"renumber\" { columns = [id] }\n}\n",
	},
	{
		Code:    ImmutableColumn,
		Summary: "a write of something that never changes",
		Explain: "A trigger refuses the change of an immutable column, and every change and deletion in an append_only table, for every " +
			"client. An operation, a state machine or the action of a foreign key that writes there would fail on every call.",
		Example: "table \"seats\" {\n  column \"id\" { type = bigint }\n  column \"row\" {\n    type      = text\n    immutable = true\n  }\n" +
			"  primary_key { columns = [id] }\n  edit \"rename\" { columns = [row] }\n}\n",
	},
	{
		Code:    LimitColumn,
		Summary: "a column that a limit cannot count by",
		Explain: "A limit keeps a counter a group. Groups are found, ordered and compared by plain operators, and a sum is kept by adding and " +
			"taking away: that is exact for integers and numeric, and drifts for floating point.",
		Example: "table \"parcels\" {\n  column \"id\" { type = bigint }\n  column \"van_id\" { type = bigint }\n  column \"weight\" { type = real }\n" +
			"  primary_key { columns = [id] }\n  limit \"load\" {\n    per = [van_id]\n    sum = weight\n    max = 800\n  }\n}\n",
	},
	{
		Code:    LimitMax,
		Summary: "a bound that stands on no parent row",
		Explain: "The counter and its bound stand on one row, so that a CHECK holds between them whoever writes. A column can be the bound " +
			"where `per` is a foreign key to its table.",
		Example: "table \"events\" {\n  column \"id\" { type = bigint }\n  column \"capacity\" { type = integer }\n  primary_key { columns = [id] }\n}\n" +
			"table \"bookings\" {\n  column \"id\" { type = bigint }\n  column \"event_id\" { type = bigint }\n  primary_key { columns = [id] }\n" +
			"  limit \"seats\" {\n    per = [event_id]\n    max = table.events.column.capacity\n  }\n}\n",
	},
	{
		Code:    VersionColumn,
		Summary: "a version column that cannot count",
		Explain: "Every generated write raises the version of its row by one, and an update names the version that its caller has read. " +
			"That takes an integer column that is never NULL, is no part of the key, and has a default for the first version.",
		Example: "table \"seats\" {\n  column \"id\" { type = bigint }\n  column \"version\" { type = bigint }\n" +
			"  primary_key { columns = [id] }\n  version = version\n}\n",
	},
	{
		Code:    GroupParent,
		Summary: "a parent whose rows cannot stand for groups",
		Explain: "Whoever takes a row away updates the group's row and then looks whether another one is left. That row is one that `per` refers to, in a " +
			"table of the project whose rows may be written.",
		Example: "table \"teams\" {\n  column \"id\" { type = bigint }\n  primary_key { columns = [id] }\n}\n" +
			"table \"members\" {\n  column \"id\" { type = bigint }\n  column \"team_id\" { type = bigint }\n  primary_key { columns = [id] }\n" +
			"  at_least_one \"member\" {\n    per    = [team_id]\n    parent = table.teams\n  }\n}\n",
	},
	{
		Code:    GroupColumn,
		Summary: "a column that makes groups and picks rows of them",
		Explain: "Rows that differ in a column of `per` are in different groups. One that stands in `where` too, or is written by the rule itself, " +
			"would make a group of each of its values.",
		Example: "table \"addresses\" {\n  column \"id\" { type = bigint }\n  column \"is_default\" { type = boolean }\n  primary_key { columns = [id] }\n" +
			"  at_most_one \"default\" {\n    per   = [is_default]\n    where = \"is_default\"\n  }\n}\n",
	},
	{
		Code:    SetNull,
		Summary: "NULL for a column that is NOT NULL",
		Explain: "The operation would fail on every call.",
		Example: "table \"seats\" {\n  column \"id\" { type = bigint }\n  column \"email\" { type = text }\n" +
			"  primary_key { columns = [id] }\n  adjust \"forget\" { set = { email = \"NULL\" } }\n}\n",
	},
	{
		Code:    NullArithmetic,
		Summary: "a sum with NULL is NULL",
		Explain: "Where a column is NULL, n + 1 is NULL too: the operation succeeds, the amount is lost, and a CHECK takes NULL " +
			"as kept. Write coalesce(n, 0) + @by, make the column NOT NULL, or let a guard leave those rows out.",
		Example: "table \"items\" {\n  column \"id\" { type = bigint }\n  column \"stock\" {\n    type = bigint\n    null = true\n  }\n" +
			"  primary_key { columns = [id] }\n  adjust \"add\" {\n    args = { n = bigint }\n    set  = { stock = \"stock + @n\" }\n  }\n}\n",
	},
	{
		Code:    UnusedArgument,
		Summary: "an argument that nothing uses",
		Explain: "Callers would pass a value that changes nothing. PostgreSQL also cannot tell the type of a parameter " +
			"that no text mentions.",
		Example: "table \"seats\" {\n  column \"id\" { type = bigint }\n  column \"stock\" { type = bigint }\n" +
			"  primary_key { columns = [id] }\n  adjust \"take\" {\n    args = { n = bigint }\n" +
			"    set = { stock = \"stock - 1\" }\n  }\n}\n",
	},
	{
		Code:    ArgumentName,
		Summary: "an argument with the name of the key",
		Explain: "An operation on one row takes its key already; one name would stand for two values.",
		Example: "table \"seats\" {\n  column \"id\" { type = bigint }\n  column \"stock\" { type = bigint }\n" +
			"  primary_key { columns = [id] }\n  adjust \"take\" {\n    args = { id = bigint }\n" +
			"    set = { stock = \"stock - @id\" }\n  }\n}\n",
	},
	{
		Code:    ArgumentType,
		Summary: "an argument and its column have different types",
		Explain: "An argument named like a column stands for a value of that column. With another type the assignment or " +
			"comparison would cast, and could round or fail.",
		Example: "table \"seats\" {\n  column \"id\" { type = bigint }\n  column \"stock\" { type = bigint }\n" +
			"  primary_key { columns = [id] }\n  adjust \"take\" {\n    args = { stock = text }\n" +
			"    set = { stock = \"@stock::bigint\" }\n  }\n}\n",
	},
	{
		Code:    PositiveArgument,
		Summary: "positive names something that is no numeric argument",
		Explain: "Nothing would be checked, and a negative amount would turn the operation around.",
		Example: "table \"seats\" {\n  column \"id\" { type = bigint }\n  column \"stock\" { type = bigint }\n" +
			"  primary_key { columns = [id] }\n  adjust \"take\" {\n    args = { n = bigint }\n" +
			"    set = { stock = \"stock - @n\" }\n    positive = [m]\n  }\n}\n",
	},
	{
		Code:    PrimaryKeyMissing,
		Summary: "operations need a primary key",
		Explain: "A move, an adjust or an edit is about one row. Without a key its UPDATE could hit several rows, and " +
			"nothing would tell.",
		Example: "table \"seats\" {\n  column \"stock\" { type = bigint }\n" +
			"  adjust \"take\" { set = { stock = \"stock - 1\" } }\n}\n",
	},
	{
		Code:    NullablePrimaryKey,
		Summary: "a primary key is never NULL",
		Explain: "PostgreSQL makes the columns of a primary key NOT NULL, so the column would not be what the file says.",
		Example: "table \"seats\" {\n  column \"id\" {\n    type = bigint\n    null = true\n  }\n" +
			"  primary_key { columns = [id] }\n}\n",
	},
	{
		Code:    IdentityColumn,
		Summary: "a column that cannot be an identity",
		Explain: "Identity values come from a sequence: the column must be smallint, integer or bigint, is never NULL and " +
			"has no default.",
		Example: "table \"seats\" {\n  column \"id\" {\n    type = text\n    identity = \"always\"\n  }\n" +
			"  primary_key { columns = [id] }\n}\n",
	},
	{
		Code:    GeneratedColumn,
		Summary: "a generated column that cannot be one",
		Explain: "The server computes the value from other columns of the row when it is written: from nothing else, from no other " +
			"generated column, and never from a default or an identity beside it.",
		Example: "table \"seats\" {\n  column \"id\" { type = bigint }\n  column \"twice\" {\n    type      = bigint\n" +
			"    default   = 0\n    generated = \"id * 2\"\n  }\n  primary_key { columns = [id] }\n}\n",
	},
	{
		Code:    DefaultValue,
		Summary: "a default that does not fit the type",
		Explain: "CREATE TABLE would fail, or the first insert that uses the default.",
		Example: "table \"seats\" {\n  column \"id\" { type = bigint }\n  column \"stock\" {\n    type = bigint\n" +
			"    default = true\n  }\n  primary_key { columns = [id] }\n}\n",
	},
	{
		Code:    DomainType,
		Summary: "a domain is made of a base type, or of a list of one",
		Explain: "A domain over a domain would be refused in two names. A domain over an enum would pin the enum: PostgreSQL " +
			"cannot take a value from an enum, a new type has to take its place, and no column of the domain can change over.",
		Example: "enum \"size\" { values = [\"small\", \"large\"] }\ndomain \"fit\" { type = enum.size }\n",
	},
	{
		Code:    CheckWithoutColumn,
		Summary: "a check that looks at nothing",
		Explain: "It has one result for every row: it guards nothing, or no row can be written.",
		Example: "table \"seats\" {\n  column \"id\" { type = bigint }\n  primary_key { columns = [id] }\n" +
			"  check \"sure\" { expr = \"1 < 2\" }\n}\n",
	},
	{
		Code:    ReferenceTarget,
		Summary: "a foreign key needs a key to refer to",
		Explain: "A row must be told from all others by the columns that are referred to. A primary key or a full " +
			"no_duplicates over plain columns does; a partial or expression index does not.",
		Example: "table \"rooms\" {\n  column \"id\" { type = bigint }\n}\ntable \"seats\" {\n" +
			"  column \"id\" { type = bigint }\n  column \"room_id\" { type = bigint }\n" +
			"  primary_key { columns = [id] }\n  foreign_key \"room\" {\n    columns = [room_id]\n" +
			"    references = table.rooms\n  }\n}\n",
	},
	{
		Code:    ReferenceDeferrable,
		Summary: "a foreign key to a deferrable key",
		Explain: "Until a deferrable key is checked two parents may share its values, and a child could belong to both. " +
			"PostgreSQL refuses such a foreign key.",
		Example: "table \"rooms\" {\n  column \"id\" { type = bigint }\n  column \"name\" { type = text }\n" +
			"  primary_key { columns = [id] }\n  no_duplicates \"name\" {\n    columns = [name]\n    deferrable = true\n" +
			"  }\n}\ntable \"seats\" {\n  column \"id\" { type = bigint }\n  column \"room\" { type = text }\n" +
			"  primary_key { columns = [id] }\n  foreign_key \"room\" {\n    columns = [room]\n" +
			"    references = table.rooms.no_duplicates.name\n  }\n}\n",
	},
	{
		Code:    ReferenceColumns,
		Summary: "a foreign key and its target differ in their number of columns",
		Explain: "A part of a key names no single parent.",
		Example: "table \"rooms\" {\n  column \"id\" { type = bigint }\n  primary_key { columns = [id] }\n}\n" +
			"table \"seats\" {\n  column \"id\" { type = bigint }\n  column \"room_id\" { type = bigint }\n" +
			"  primary_key { columns = [id] }\n  foreign_key \"room\" {\n    columns = [room_id, id]\n" +
			"    references = table.rooms\n  }\n}\n",
	},
	{
		Code:    ReferenceType,
		Summary: "a foreign key and its target differ in type",
		Explain: "Values of the wider type cannot all be stored on the other side, and each check has to cast; where the " +
			"types have no common equality the foreign key fails.",
		Example: "table \"rooms\" {\n  column \"id\" { type = bigint }\n  primary_key { columns = [id] }\n}\n" +
			"table \"seats\" {\n  column \"id\" { type = bigint }\n  column \"room_id\" { type = text }\n" +
			"  primary_key { columns = [id] }\n  foreign_key \"room\" {\n    columns = [room_id]\n" +
			"    references = table.rooms\n  }\n}\n",
	},
	{
		Code:    ReferenceAction,
		Summary: "an action that can only fail",
		Explain: "Every delete of a parent that has children would fail, as if the action were restrict, with a less clear " +
			"error.",
		Example: "table \"rooms\" {\n  column \"id\" { type = bigint }\n  primary_key { columns = [id] }\n}\n" +
			"table \"seats\" {\n  column \"id\" { type = bigint }\n  column \"room_id\" { type = bigint }\n" +
			"  primary_key { columns = [id] }\n  foreign_key \"room\" {\n    columns = [room_id]\n" +
			"    references = table.rooms\n    on_delete = \"set null\"\n  }\n  index \"room\" { columns = [room_id] }\n" +
			"}\n",
	},
	{
		Code:    ForeignKeyIndex,
		Summary: "a foreign key without an index on its side",
		Explain: "Each delete of a parent, and each change of its key, reads the whole child table to see whether a row " +
			"still refers to it, and holds its locks meanwhile.",
		Example: "table \"rooms\" {\n  column \"id\" { type = bigint }\n  primary_key { columns = [id] }\n}\n" +
			"table \"seats\" {\n  column \"id\" { type = bigint }\n  column \"room_id\" { type = bigint }\n" +
			"  primary_key { columns = [id] }\n  foreign_key \"room\" {\n    columns = [room_id]\n" +
			"    references = table.rooms\n  }\n}\n",
	},
	{
		Code:    ReservedSchema,
		Summary: "a schema that is not the project's",
		Explain: "PostgreSQL keeps names that start with pg_ for itself, and pawl keeps its records in the schema pawl.",
		Example: "table \"seats\" {\n  schema = \"pg_seats\"\n  column \"id\" { type = bigint }\n" +
			"  primary_key { columns = [id] }\n}\n",
	},
	{
		Code:    QueueColumn,
		Summary: "a queue's own column",
		Explain: "Every queue has the columns id, state, run_at, attempt, fence, lease_until, last_error and created_at, " +
			"which decide who works on a task.",
		Example: "queue \"tasks\" {\n  column \"state\" { type = text }\n  lease = \"5m\"\n}\n",
	},
	{
		Code:    QueueHeartbeat,
		Summary: "a heartbeat that is too rare for the lease",
		Explain: "When one heartbeat is late the lease runs out under a worker that is alive, and a second one starts the " +
			"same task.",
		Example: "queue \"tasks\" {\n  column \"kind\" { type = text }\n  lease = \"1m\"\n  heartbeat = \"50s\"\n}\n",
	},
	{
		Code:    BackoffOrder,
		Summary: "the first pause is longer than the longest",
		Explain: "Every pause would be cut to max and none would grow.",
		Example: "queue \"tasks\" {\n  column \"kind\" { type = text }\n  lease = \"5m\"\n  backoff {\n    base = \"1h\"\n" +
			"    max = \"1m\"\n  }\n}\n",
	},
	{
		Code:    AdvisoryClass,
		Summary: "singletons need an advisory_class",
		Explain: "Advisory locks have one space of numbers for all programs on a database. The class keeps those of a " +
			"project apart; from 16384 on it could be the oid of a table, which pawl's triggers use.",
		Example: "singleton \"relay\" { key = 1 }\n",
	},
	{
		Code:    SingletonKey,
		Summary: "two singletons with one key",
		Explain: "They would take the same lock, and each would wait for the other one.",
		Example: "singleton \"relay\" { key = 1 }\nsingleton \"sweeper\" { key = 1 }\n",
	},
	{
		Code:    LeaderScope,
		Summary: "a setting of leaders in a singleton that is none",
		Explain: "A singleton of the scope \"transaction\" runs in one transaction and holds its lock as long. A term, which a lease or a " +
			"session bounds, belongs to scope = \"leader\".",
		Example: "singleton \"relay\" {\n  key   = 1\n  lease = \"15s\"\n}\n",
	},
	{
		Code:    LeaderLease,
		Summary: "a lease that a leader cannot keep",
		Explain: "A leader renews its lease three times a term. Under a second, one slow round trip ends a term that nothing is wrong " +
			"with. A leader of a session holds a lock as long as its connection lives, and has no lease.",
		Example: "singleton \"scheduler\" {\n  key   = 1\n  scope = \"leader\"\n  lease = \"50ms\"\n}\n",
	},
	{
		Code:    PoolerSession,
		Summary: "a lock of a session behind a pooler of transactions",
		Explain: "A transaction pooler lends a connection for one transaction. A lock of the session stays on it and is lent to the next client: " +
			"two clients have it, or nobody can take it any more. A lease in a row needs no session.",
		Example: "target \"production\" { pooler = \"transaction\" }\nsingleton \"scheduler\" {\n  key     = 1\n  scope   = \"leader\"\n  session = true\n}\n",
	},
	{
		Code:    TransactionIsolation,
		Summary: "operations that need read committed",
		Explain: "The transactions \"default\" and \"singleton\" hold for every operation that names no other. At a higher level a wait " +
			"ends in 40001, SKIP LOCKED claims read an old queue, and a singleton sees the state from before it waited. Give another " +
			"name to the transaction of the moves, adjusts and edits that shall run at a higher level.",
		Example: "transaction \"default\" { isolation = \"serializable\" }\n",
	},
	{
		Code:    RetryCode,
		Summary: "an error that another attempt does not cure",
		Explain: "A duplicate or a failed check is an answer and comes again. After a lost connection the work may have " +
			"been committed, so that a second attempt could do it twice.",
		Example: "transaction \"default\" {\n  retry { on = [\"23505\"] }\n}\n",
	},
	{
		Code:    PolicyBroken,
		Summary: "a policy of this project does not hold here",
		Explain: "A policy block states a rule of the team over the compiled program. What it says stands in its message; where the rule " +
			"does not fit, its when leaves the case out, in the sight of whoever reads the policy.",
		Example: "table \"orders\" {\n  column \"id\" { type = bigint }\n  column \"net_amount\" { type = real }\n  primary_key { columns = [id] }\n}\n" +
			"policy \"money_is_numeric\" {\n  each    = columns\n  when    = endswith(each.name, \"_amount\")\n" +
			"  require = each.base_type == \"numeric\"\n  message = \"${each.address} holds money: use numeric.\"\n}\n",
	},
	{
		Code:    AllowNotPossible,
		Summary: "a finding that cannot be silenced",
		Explain: "What the finding refuses does not work, whatever the reason. The entry would look like a decision and do " +
			"nothing.",
		Example: "table \"seats\" {\n  column \"id\" { type = bigint }\n  primary_key { columns = [id] }\n" +
			"  allow = { \"unknown-state\" = \"no\" }\n}\n",
	},
}
