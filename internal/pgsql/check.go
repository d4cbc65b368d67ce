package pgsql

import (
	"fmt"
	"slices"
	"strings"
)

// Rules says what an expression about one row may mention. The zero Rules allow
// literals, operators and immutable functions.
type Rules struct {
	// Table is the own table: its name may stand before a column.
	Table string
	// Columns are the columns of the row.
	Columns []string
	// Args are the declared arguments, without @.
	Args []string
	// SubSelects allows sub-selects. What stands inside them is not checked.
	SubSelects bool
	// Aggregates allows aggregate and window functions.
	Aggregates bool
	// Volatility is the worst that a function may be. Functions of Unknown
	// volatility always pass: the server knows them.
	Volatility Volatility
	// Condition is set when rows are chosen by the expression: then it must be
	// able to be true.
	Condition bool
}

// Check returns everything in the expression that the rules do not allow, in the
// order of the text.
func (e *Expr) Check(r Rules) []*Error {
	var errs []*Error
	for i, p := range e.pieces {
		switch {
		case p.kind == column && !p.nested:
			errs = appendError(errs, r.column(e.pieces, i))
		case p.kind == argument:
			errs = appendError(errs, r.argument(p))
		}
		for _, m := range p.marks {
			if !m.nested {
				errs = appendError(errs, r.mark(p, m))
			}
		}
	}
	if r.Condition && len(errs) == 0 && e.NeverTrue() {
		errs = append(errs, e.neverTrue())
	}
	return errs
}

func appendError(errs []*Error, err *Error) []*Error {
	if err == nil {
		return errs
	}
	return append(errs, err)
}

func (e *Expr) neverTrue() *Error {
	first, last := e.pieces[0], e.pieces[len(e.pieces)-1]
	return &Error{
		Kind: NeverTrue, Offset: first.offset, Length: last.offset + last.length - first.offset,
		Message: "no row can meet this condition",
	}
}

func (r Rules) column(pieces []piece, i int) *Error {
	p := pieces[i]
	if p.qualifier != "" && p.qualifier != r.Table && !strings.HasSuffix(p.qualifier, "."+r.Table) {
		return &Error{
			Kind: ForeignColumn, Offset: p.offset, Length: p.length, Name: p.qualifier,
			Message: fmt.Sprintf("%s is not a column of this row", p.text),
		}
	}
	if slices.Contains(r.Columns, p.name) {
		return nil
	}
	err := &Error{
		Kind: UnknownColumn, Offset: p.offset, Length: p.length, Name: p.name,
		Message: fmt.Sprintf("there is no column %q", p.name),
	}
	if folded(p, r.Columns) != "" {
		err.Help = fmt.Sprintf("SQL folds names to lower case; write \"%s\", with its quotes", folded(p, r.Columns))
	}
	if i > 0 && strings.HasSuffix(pieces[i-1].text, "@") && p.gap == tight && slices.Contains(r.Args, p.ident) {
		operator := pieces[i-1].text
		err.Help = fmt.Sprintf("%s is read as one operator; put a space before @: %s @%s", operator, strings.TrimSuffix(operator, "@"), p.ident)
	}
	return err
}

// folded finds the column that an unquoted name would be if case were kept.
func folded(p piece, columns []string) string {
	for _, c := range columns {
		if c == p.ident && c != p.name {
			return c
		}
	}
	return ""
}

func (r Rules) argument(p piece) *Error {
	if slices.Contains(r.Args, p.name) {
		return nil
	}
	return &Error{
		Kind: UnknownArgument, Offset: p.offset, Length: p.length, Name: p.name,
		Message: fmt.Sprintf("there is no argument @%s", p.name),
	}
}

func (r Rules) mark(p piece, m mark) *Error {
	err := &Error{Offset: p.offset, Length: p.length, Name: m.name}
	switch m.kind {
	case function:
		return r.volatile(err, m)
	case cast:
		return r.volatile(err, m)
	case aggregateFunction, windowFunction:
		if r.Aggregates {
			return r.volatile(err, m)
		}
		err.Kind, err.Message = Aggregate, m.name+" looks at many rows"
	case setFunction:
		err.Kind, err.Message = SetReturning, m.name+"() returns many rows"
	case subSelect:
		if r.SubSelects {
			return nil
		}
		err.Kind, err.Message = SubSelect, "a sub-select reads other rows"
	case star:
		err.Kind, err.Message = StarColumn, "* stands for all columns"
	case label, bound:
		return nil
	case nullComparison:
		err.Kind, err.Message = NullComparison, m.name+" NULL is never true"
		err.Help = "write IS NULL"
		if m.name == "<>" {
			err.Help = "write IS NOT NULL"
		}
	}
	return err
}

// volatile refuses a function or cast that may change its result too often.
func (r Rules) volatile(err *Error, m mark) *Error {
	what := m.name + "()"
	if m.kind == cast {
		what = "a cast to " + m.name
	}
	switch {
	case m.volatility == Volatile && r.Volatility < Volatile:
		err.Kind, err.Message = VolatileFunction, what+" gives another result at each call"
	case m.volatility == Stable && r.Volatility < Stable:
		err.Kind, err.Message = NotImmutable, what+" changes with time or settings"
	default:
		return nil
	}
	return err
}
