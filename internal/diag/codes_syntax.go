package diag

// Codes of mistakes that the HCL parser and evaluator find. FromHCL gives them.
const (
	// Syntax is text that is not HCL.
	Syntax Code = "syntax"
	// UnknownAttribute is an attribute that its block does not have.
	UnknownAttribute Code = "unknown-attribute"
	// MissingAttribute is a required attribute that was left out.
	MissingAttribute Code = "missing-attribute"
	// DuplicateAttribute is an attribute that is set twice in one block.
	DuplicateAttribute Code = "duplicate-attribute"
	// UnknownBlock is a block type that does not exist at this place.
	UnknownBlock Code = "unknown-block"
	// BlockLabels is a block with too many or too few labels.
	BlockLabels Code = "block-labels"
	// UnknownReference is a name or a member that nothing declares.
	UnknownReference Code = "unknown-reference"
	// UnknownFunction is a call of a function that does not exist.
	UnknownFunction Code = "unknown-function"
	// FunctionCall is a call with wrong arguments, or one that failed.
	FunctionCall Code = "function-call"
	// WrongType is a value of a type that does not fit.
	WrongType Code = "wrong-type"
	// InvalidExpression is an expression that cannot be evaluated.
	InvalidExpression Code = "invalid-expression"
	// NotConstant is a variable or call where only a literal may stand.
	NotConstant Code = "not-constant"
)

var syntaxCodes = []Entry{
	{
		Code:    Syntax,
		Summary: "this is not HCL",
		Explain: "The file cannot be parsed, so nothing in it was checked. Only the first error of a line is shown: " +
			"the others are mostly its echoes. Attributes are never separated by commas, and a block on one line " +
			"holds at most one attribute.",
		Example: "table \"seats\" {\n  column \"id\" { type = bigint, null = false }\n}\n",
	},
	{
		Code:    UnknownAttribute,
		Summary: "an attribute that this block does not have",
		Explain: "An attribute that was ignored would promise something that nobody keeps, so an unknown name is " +
			"an error and never skipped.",
		Example: "table \"seats\" {\n  column \"label\" {\n    type     = text\n    nullable = true\n  }\n}\n",
	},
	{
		Code:    MissingAttribute,
		Summary: "a required attribute is missing",
		Explain: "The block cannot be compiled without this attribute and there is no default that would be right " +
			"for everyone.",
		Example: "table \"seats\" {\n  column \"label\" {\n    null = true\n  }\n}\n",
	},
	{
		Code:    DuplicateAttribute,
		Summary: "an attribute is set twice",
		Explain: "One of the two values would silently win. Keep the one that is meant.",
		Example: "table \"seats\" {\n  column \"label\" {\n    type = text\n    type = bigint\n  }\n}\n",
	},
	{
		Code:    UnknownBlock,
		Summary: "a block type that does not exist here",
		Explain: "Either the name is misspelled or the block belongs somewhere else: invariants stand inside their " +
			"table, queues and singletons outside.",
		Example: "table \"seats\" {\n  no_duplicate \"label\" { columns = [label] }\n}\n",
	},
	{
		Code:    BlockLabels,
		Summary: "a block with the wrong number of labels",
		Explain: "Labels become names in the database and in the generated code, so each block has exactly the " +
			"labels that its kind asks for.",
		Example: "table {\n  column \"id\" { type = bigint }\n}\n",
	},
	{
		Code:    UnknownReference,
		Summary: "a reference to something that is not declared",
		Explain: "References are checked when the project is compiled, so that a renamed table cannot leave a rule " +
			"behind that guards nothing.",
		Example: "table \"seats\" {\n  column \"status\" { type = enum.seat_status }\n}\n",
	},
	{
		Code:    UnknownFunction,
		Summary: "a function that does not exist",
		Explain: "Functions of HCL expressions are listed in docs/language.md. A function of PostgreSQL goes into " +
			"sql(\"…\").",
		Example: "table \"events\" {\n  column \"at\" {\n    type    = timestamptz\n    default = now()\n  }\n}\n",
	},
	{
		Code:    FunctionCall,
		Summary: "a function call that cannot work",
		Explain: "The function exists, but it was called with the wrong number or kind of arguments.",
		Example: "locals { money = numeric(12, 2, 3) }\n",
	},
	{
		Code:    WrongType,
		Summary: "a value of the wrong type",
		Explain: "The value cannot be converted without guessing, so it is refused.",
		Example: "queue \"tasks\" {\n  column \"kind\" { type = text }\n  attempts = \"many\"\n}\n",
	},
	{
		Code:    InvalidExpression,
		Summary: "an expression that cannot be evaluated",
		Explain: "The expression is well formed, but its values do not fit together: an index that does not exist, " +
			"a null where a value is needed, branches of different types.",
		Example: "locals { first = [1, 2][7] }\n",
	},
	{
		Code:    NotConstant,
		Summary: "only a literal may stand here",
		Explain: "This value decides what the project is made of, so it must be readable without evaluating " +
			"anything.",
	},
}
