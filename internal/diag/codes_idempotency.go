package diag

// Codes of mistakes in upserts and idempotency blocks that package compiler
// finds.
const (
	// UpsertKey is a key that ON CONFLICT cannot name.
	UpsertKey Code = "upsert-key"
	// UpsertMode is a mode that does not fit what else the block says.
	UpsertMode Code = "upsert-mode"
	// SilentLoss is an upsert that drops rows without a word.
	SilentLoss Code = "silent-loss"
	// IdentityBurn is an upsert that uses up a small identity.
	IdentityBurn Code = "identity-burn"
	// RetainTooShort is an answer that is forgotten while callers still ask.
	RetainTooShort Code = "retain-too-short"
	// RetainShort is an answer that is kept less than twice as long as callers ask.
	RetainShort Code = "retain-short"
	// LeaseTooShort is a lease that a single call outlives.
	LeaseTooShort Code = "lease-too-short"
	// InboxSource is an inbox whose sender has no name.
	InboxSource Code = "inbox-source"
	// IdempotencyKey is a key that does not fit the unit.
	IdempotencyKey Code = "idempotency-key"
	// EntityKeyRepeats is a key that takes a second legal effect for a repetition.
	EntityKeyRepeats Code = "entity-key-repeats"
	// AtomicEffect is atomic work whose name speaks of the outside.
	AtomicEffect Code = "atomic-effect"
	// IdempotencyPhases is a mode that does not fit the phases.
	IdempotencyPhases Code = "idempotency-phases"
)

var idempotencyCodes = []Entry{
	{
		Code:    UpsertKey,
		Summary: "an upsert needs a key that PostgreSQL decides by at once",
		Explain: "ON CONFLICT names one unique key of the table: the primary key or a no_duplicates, and none that is checked at " +
			"commit. Without it two writers both find no row and both insert.",
		Example: "table \"stats\" {\n  column \"id\" { type = bigint }\n  primary_key { columns = [id] }\n" +
			"  upsert \"put\" {\n    key  = no_duplicates.day\n    mode = \"reject\"\n  }\n}\n",
	},
	{
		Code:    UpsertMode,
		Summary: "the mode does not fit what the upsert names",
		Explain: "converge and versioned overwrite the columns of update and no others; versioned compares version, so that an older message " +
			"never wins. reject and ignore leave the row that is there as it is.",
		Example: "table \"stats\" {\n  column \"id\" { type = bigint }\n  column \"n\" { type = bigint }\n  primary_key { columns = [id] }\n" +
			"  upsert \"put\" {\n    key    = primary_key\n    mode   = \"versioned\"\n    update = [n]\n  }\n}\n",
	},
	{
		Code:    SilentLoss,
		Summary: "an upsert that drops what is there already, and tells nobody",
		Explain: "With ON CONFLICT DO NOTHING a row whose key is taken is lost, whatever else is in it. When the key is wrong, that is data. " +
			"Reject duplicates, or count what is dropped, and allow it with the reason.",
		Example: "table \"events\" {\n  column \"id\" { type = bigint }\n  primary_key { columns = [id] }\n" +
			"  upsert \"take\" {\n    key  = primary_key\n    mode = \"ignore\"\n  }\n}\n",
	},
	{
		Code:    IdentityBurn,
		Summary: "conflicts of an upsert use up a small identity column",
		Explain: "INSERT … ON CONFLICT takes a number from the sequence before it looks for the key. An integer column runs out after two " +
			"thousand million attempts, however few rows there are, and then every insert fails.",
		Example: "table \"stats\" {\n  column \"id\" {\n    type     = integer\n    identity = \"always\"\n  }\n  column \"day\" { type = date }\n" +
			"  primary_key { columns = [id] }\n  no_duplicates \"day\" { columns = [day] }\n" +
			"  upsert \"put\" {\n    key  = no_duplicates.day\n    mode = \"reject\"\n  }\n}\n",
	},
	{
		Code:    RetainTooShort,
		Summary: "the answer is forgotten while callers still try again",
		Explain: "A caller that got no answer asks again for the length of retry_window. An attempt after retain finds no trace of the work " +
			"and does it a second time.",
		Example: "idempotency \"pay\" {\n  unit         = \"request\"\n  retry_window = \"24h\"\n  retain       = \"24h\"\n}\n",
	},
	{
		Code:    RetainShort,
		Summary: "the answer is kept hardly longer than callers try again",
		Explain: "Attempts come late: a queue stood still, a clock was wrong. Keep answers at least twice as long as retry_window.",
		Example: "idempotency \"pay\" {\n  unit         = \"request\"\n  retry_window = \"24h\"\n  retain       = \"30h\"\n}\n",
	},
	{
		Code:    LeaseTooShort,
		Summary: "a single call outlives the lease",
		Explain: "The lease says when another attempt may take the key over. When a call to the outside may take longer, the other attempt " +
			"calls too, and the effect happens twice.",
		Example: "idempotency \"pay\" {\n  unit         = \"request\"\n  mode         = \"phased\"\n  lease        = \"30s\"\n  rpc_timeout  = \"30s\"\n" +
			"  retry_window = \"24h\"\n  retain       = \"72h\"\n  phase \"charge\" { external = true }\n  phase \"record\" {}\n}\n",
	},
	{
		Code:    IdempotencyKey,
		Summary: "the key does not fit the unit",
		Explain: "With unit = \"request\" the caller brings a key with each request. With unit = \"entity\" the key is built from the arguments of " +
			"key, which then has to name some. Keys are made of whole numbers, texts, uuids, booleans and enums: values that have one spelling, " +
			"because keys for the outside are made of their texts.",
		Example: "idempotency \"refund\" {\n  unit         = \"entity\"\n  retry_window = \"24h\"\n  retain       = \"72h\"\n}\n",
	},
	{
		Code:    InboxSource,
		Summary: "the sender has no name",
		Explain: "A message's id is unique for one sender. The source is written beside it in every row, and tells whoever reads the table whose ids " +
			"they are.",
		Example: "inbox \"webhooks\" {\n  source = \"\"\n  retain = \"14d\"\n}\n",
	},
	{
		Code:    EntityKeyRepeats,
		Summary: "a second effect on one entity is taken for a repetition",
		Explain: "A key that is built from the entity alone lets the work happen once in the entity's life. A second effect that is meant, such " +
			"as another partial refund, gets the answer of the first and is not done. Where once is right, allow it with the reason.",
		Example: "idempotency \"refund\" {\n  unit         = \"entity\"\n  key          = { payment_id = uuid }\n" +
			"  retry_window = \"24h\"\n  retain       = \"72h\"\n}\n",
	},
	{
		Code:    AtomicEffect,
		Summary: "the name of atomic work speaks of an effect outside of the database",
		Explain: "Atomic work is one transaction, which is run again when another one came in between, and undone by any error. A charge, a mail or a " +
			"message to a broker is neither: it would be made once for each try, and stay made when nothing is written. Phased work makes such calls outside " +
			"of transactions, with a key for whoever is called; a row in a queue or an outbox is written with the rest. Where the name means rows, allow " +
			"it with the reason.",
		Example: "idempotency \"charge_card\" {\n  unit         = \"request\"\n  retry_window = \"24h\"\n  retain       = \"72h\"\n}\n",
	},
	{
		Code:    IdempotencyPhases,
		Summary: "the mode does not fit the phases",
		Explain: "Phased work has recovery points: a phase block each, and a lease after which another worker goes on from the last one. Atomic " +
			"work is one transaction, so that an effect outside of the database would be repeated with it. The last phase stores the answer, in a " +
			"transaction: it is not external.",
		Example: "idempotency \"pay\" {\n  unit         = \"request\"\n  retry_window = \"24h\"\n  retain       = \"72h\"\n" +
			"  phase \"charge\" { external = true }\n}\n",
	},
}
