package pgsql

// Kind classifies an Error. The kinds are spelled like the diagnostic codes of
// package diag, where each is explained.
type Kind string

// The kinds of errors that a text can have. Parsing gives the first group, Check
// the second.
const (
	Syntax           Kind = "sql-syntax"
	Empty            Kind = "sql-empty"
	Several          Kind = "sql-several"
	NotExpression    Kind = "sql-not-expression"
	Writes           Kind = "sql-writes"
	Parameter        Kind = "sql-parameter"
	ArgumentOperator Kind = "argument-operator"

	UnknownColumn    Kind = "unknown-column"
	ForeignColumn    Kind = "foreign-column"
	UnknownArgument  Kind = "unknown-argument"
	SubSelect        Kind = "sub-select"
	Aggregate        Kind = "aggregate"
	SetReturning     Kind = "set-returning"
	StarColumn       Kind = "star-column"
	NullComparison   Kind = "null-comparison"
	NeverTrue        Kind = "never-true"
	NotImmutable     Kind = "not-immutable"
	VolatileFunction Kind = "volatile-function"
)

// Error is what is wrong with an SQL text.
type Error struct {
	Kind Kind
	// Offset and Length are the bytes of the text that are wrong. A Length of 0
	// means the place before the offset, such as the end of the text.
	Offset, Length int
	// Name is the column, argument, function or operator in question, or empty.
	// The caller may look for a close name to suggest.
	Name string
	// Message names the values of this case, in lower case and without a full
	// stop.
	Message string
	// Help tells what to write instead, or is empty.
	Help string
}

// Error implements error.
func (e *Error) Error() string { return e.Message }
