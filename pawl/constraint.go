package pawl

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Kind is the family of a constraint.
type Kind string

// The kinds of constraint and the family each belongs to.
const (
	KindDuplicate Kind = "duplicate" // ErrDuplicate, 23505
	KindOverlap   Kind = "overlap"   // ErrOverlap, 23P01
	KindReference Kind = "reference" // ErrReference, 23503 and 23001
	KindCheck     Kind = "check"     // ErrCheck, 23514
	KindMissing   Kind = "missing"   // ErrMissing, 23502
	KindState     Kind = "state"     // ErrState, PW001: a trigger refused a move
	KindImmutable Kind = "immutable" // ErrImmutable, PW002: a trigger refused a change
	KindLimit     Kind = "limit"     // ErrLimit: the counter of a limit refused (23514), or a trigger did (PW003)
	KindRule      Kind = "rule"      // ErrRule, other codes of class PW
)

// family returns the sentinel of a kind; nil for a kind that is not known.
func (k Kind) family() error {
	switch k {
	case KindDuplicate:
		return ErrDuplicate
	case KindOverlap:
		return ErrOverlap
	case KindReference:
		return ErrReference
	case KindCheck:
		return ErrCheck
	case KindMissing:
		return ErrMissing
	case KindState:
		return ErrState
	case KindImmutable:
		return ErrImmutable
	case KindLimit:
		return ErrLimit
	case KindRule:
		return ErrRule
	}
	return nil
}

// ConstraintError is a constraint, unique index or trigger whose violation
// PostgreSQL reports by name. Generated code has a variable of this type for
// each, and compares with errors.Is:
//
//	errors.Is(err, store.ErrBookingsOnePerRoom) // this constraint
//	errors.Is(err, pawl.ErrOverlap)             // any of its family
//
// A violation is recognised by schema, table, constraint and SQLSTATE; that of a
// domain's check by schema, type, constraint and SQLSTATE. For a
// missing value (23502), where PostgreSQL reports no constraint, it is
// recognised by its one column.
type ConstraintError struct {
	Schema     string
	Table      string // as PostgreSQL reports it; empty for a check of a domain
	Type       string // the domain that a check belongs to; PostgreSQL then reports no table
	Constraint string
	Columns    []string
	Code       string // SQLSTATE
	Kind       Kind
	Address    string // where the specification declares it
}

// Error names the constraint and where it is declared, never a row's values.
func (c *ConstraintError) Error() string {
	var b strings.Builder
	if c.Address != "" {
		b.WriteString(c.Address)
		b.WriteString(": ")
	}
	switch {
	case c.Type != "":
		fmt.Fprintf(&b, "%s by a value of domain %s.%s (constraint %s)", c.text(), c.Schema, c.Type, c.Constraint)
	case c.Constraint != "":
		fmt.Fprintf(&b, "%s on %s.%s (constraint %s)", c.text(), c.Schema, c.Table, c.Constraint)
	case len(c.Columns) > 0:
		fmt.Fprintf(&b, "%s on %s.%s (column %s)", c.text(), c.Schema, c.Table, strings.Join(c.Columns, ", "))
	default:
		fmt.Fprintf(&b, "%s on %s.%s", c.text(), c.Schema, c.Table)
	}
	return b.String()
}

// text is the family's wording.
func (c *ConstraintError) text() string {
	if family := c.Kind.family(); family != nil {
		return family.Error()
	}
	return "constraint violated"
}

// Is reports whether target is the family of c.
func (c *ConstraintError) Is(target error) bool {
	family := c.Kind.family()
	return family != nil && target == family
}

// matches reports whether the server's error is a violation of c.
func (c *ConstraintError) matches(e *pgconn.PgError) bool {
	if !sameViolation(c.Code, e.Code) || cutName(c.Table) != e.TableName || cutName(c.Schema) != e.SchemaName {
		return false
	}
	if c.Type != "" && cutName(c.Type) != e.DataTypeName {
		return false
	}
	if e.ConstraintName == "" {
		return len(c.Columns) == 1 && cutName(c.Columns[0]) == e.ColumnName
	}
	return cutName(c.Constraint) == e.ConstraintName
}

// sameViolation reports whether two SQLSTATEs say the same of a constraint. A
// foreign key ON DELETE RESTRICT is 23503 up to PostgreSQL 17 and 23001 from 18.
func sameViolation(a, b string) bool {
	return a == b || kindOf(a) != "" && kindOf(a) == kindOf(b)
}

// cutName shortens a name as PostgreSQL does when it stores it: to 63 bytes,
// without splitting a character.
func cutName(name string) string {
	const limit = 63
	if len(name) <= limit {
		return name
	}
	end := limit
	for end > 0 && !utf8.RuneStart(name[end]) {
		end--
	}
	return name[:end]
}

// Constraints are the constraints whose violations an operation can report.
type Constraints []*ConstraintError

// find returns the first constraint that the server's error is about, or nil.
func find(declared []Constraints, e *pgconn.PgError) *ConstraintError {
	for _, constraints := range declared {
		for _, c := range constraints {
			if c.matches(e) {
				return c
			}
		}
	}
	return nil
}

// kindOf returns the kind that an SQLSTATE stands for; empty when it stands for
// none.
func kindOf(code string) Kind {
	switch code {
	case "23505":
		return KindDuplicate
	case "23P01":
		return KindOverlap
	case "23503", "23001":
		return KindReference
	case "23514":
		return KindCheck
	case "23502":
		return KindMissing
	case "PW001":
		return KindState
	case "PW002":
		return KindImmutable
	case "PW003":
		return KindLimit
	}
	if strings.HasPrefix(code, "PW") && code != weakIsolation {
		return KindRule
	}
	return ""
}

// violation is a constraint's error as it is returned: it is the constraint, its
// family and the server's error at once.
type violation struct {
	operation  string
	constraint *ConstraintError
	cause      *pgconn.PgError
	limit      *LimitError // what the trigger of a limit says; nil for anything else
	// untraced is set while the constraint is not one of those declared, which it
	// holds: it may be that of a partition.
	untraced []Constraints
}

func (v *violation) Error() string {
	if v.limit != nil {
		return fmt.Sprintf("%s: %v: %v (SQLSTATE %s)", v.operation, v.constraint, v.limit, v.cause.Code)
	}
	return fmt.Sprintf("%s: %v (SQLSTATE %s)", v.operation, v.constraint, v.cause.Code)
}

func (v *violation) Unwrap() []error {
	if v.limit != nil {
		return []error{v.constraint, v.limit, v.cause}
	}
	return []error{v.constraint, v.cause}
}

// sqlError is a server's error that no constraint explains.
type sqlError struct {
	operation string
	family    error // nil when it belongs to none
	cause     *pgconn.PgError
}

// endsAtZeroByte reports whether the server found a query's text to end before
// its message does. In pgx's simple protocol arguments are part of the text, so
// that is what a zero byte in one leads to; elsewhere it is 22021.
func endsAtZeroByte(e *pgconn.PgError) bool {
	return e.Code == "08P01" && e.Routine == "pq_getmsgend"
}

func (e *sqlError) Error() string {
	if e.family == nil {
		return fmt.Sprintf("%s: %v", e.operation, e.cause)
	}
	// The server's own message is left out: for bad input it quotes the value.
	return fmt.Sprintf("%s: %v%s%s (SQLSTATE %s)", e.operation, e.family, meaning(e.cause.Code), place(e.cause), e.cause.Code)
}

// meaning words the SQLSTATEs of bad input that callers meet.
func meaning(code string) string {
	switch code {
	case "22000":
		return ": a value contradicts itself, a range that ends before it begins for instance"
	case "22001":
		return ": a text is too long"
	case "22003":
		return ": a number is out of range"
	case "22004":
		return ": a value is missing"
	case "22007", "22P02", "22P03":
		return ": a value is not written as its type is"
	case "22008":
		return ": a date or time is out of range"
	case "22012":
		return ": a division by zero"
	case "22021", "22P05", "08P01":
		return ": a text holds a zero byte or is not valid in the database's encoding"
	case "2201W", "2201X":
		return ": a limit or an offset is negative"
	}
	return ""
}

// place is where in the schema the server says that an error is. It says so for
// few of them.
func place(e *pgconn.PgError) string {
	var b strings.Builder
	for _, named := range []struct{ what, name string }{
		{"column", e.ColumnName}, {"type", e.DataTypeName}, {"table", e.TableName}, {"constraint", e.ConstraintName},
	} {
		if named.name != "" {
			fmt.Fprintf(&b, ", %s %s", named.what, named.name)
		}
	}
	return b.String()
}

func (e *sqlError) Unwrap() []error {
	if e.family == nil {
		return []error{e.cause}
	}
	return []error{e.family, e.cause}
}

// describe turns a server's error into the error that callers see; any other
// error gets the operation's name in front.
func describe(operation string, err error, declared ...Constraints) error {
	var pgErr *pgconn.PgError
	if aborted, ok := any(err).(*abortedError); ok { // what failed was another operation
		return &callError{operation: operation, cause: aborted}
	}
	if !errors.As(err, &pgErr) {
		return &callError{operation: operation, cause: err}
	}
	if pgErr.Code == weakIsolation {
		return &IsolationError{Operation: operation, Want: pgx.Serializable, refused: pgErr}
	}
	if kind := kindOf(pgErr.Code); kind != "" {
		if c := find(declared, pgErr); c != nil {
			return &violation{operation: operation, constraint: c, cause: pgErr, limit: exceeded(c, pgErr)}
		}
		return &violation{operation: operation, constraint: undeclared(pgErr, kind), cause: pgErr, untraced: declared}
	}
	return &sqlError{operation: operation, family: familyOf(pgErr), cause: pgErr}
}

// undeclared describes a constraint that the specification does not know, from
// what the server says about it: one made by hand, or that of a partition until
// trace has looked.
func undeclared(e *pgconn.PgError, kind Kind) *ConstraintError {
	c := &ConstraintError{Schema: e.SchemaName, Table: e.TableName, Type: e.DataTypeName, Constraint: e.ConstraintName, Code: e.Code, Kind: kind}
	if e.ColumnName != "" {
		c.Columns = []string{e.ColumnName}
	}
	return c
}

// familyOf returns the sentinel for an error that is about no constraint; nil
// when there is none.
func familyOf(e *pgconn.PgError) error {
	switch e.Code {
	case "21000":
		return ErrBadInput
	case "55P03":
		return ErrBusy
	case "57014":
		return ErrTimeout
	}
	if strings.HasPrefix(e.Code, "22") || endsAtZeroByte(e) {
		return ErrBadInput
	}
	return nil
}

// callError puts an operation's name before an error of the driver or the
// context.
type callError struct {
	operation string
	cause     error
}

func (e *callError) Error() string { return e.operation + ": " + e.cause.Error() }
func (e *callError) Unwrap() error { return e.cause }
