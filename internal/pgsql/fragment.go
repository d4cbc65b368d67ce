package pgsql

import (
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v5"
)

// fragment is what expressions and queries have in common: SQL text whose
// columns and arguments are known.
type fragment struct {
	pieces []piece
}

// ColumnRef is a mention of a column.
type ColumnRef struct {
	// Name is the column as PostgreSQL folds it: lower case unless quoted.
	Name string
	// Qualifier is the table or alias before the name, folded, with its schema
	// and a dot when that was written too; or empty.
	Qualifier string
	// Offset and Length are the bytes of the whole reference in the parsed
	// text. Offset is -1 when a rewrite put it there.
	Offset, Length int
	// Nested is set inside a sub-select, where the name may mean a column of
	// another table.
	Nested bool
	scope  int
}

// ArgRef is a mention of an argument.
type ArgRef struct {
	// Name is the argument as it is written, without the @.
	Name string
	// Offset and Length are the bytes of @name in the parsed text. Offset is -1
	// when a rewrite put it there.
	Offset, Length int
}

// FunctionRef is a call of a function, or a word like CURRENT_DATE that is one.
type FunctionRef struct {
	// Name and Schema are folded. Schema is empty when it was not written, and
	// pg_catalog for what has a syntax of its own, such as EXTRACT.
	Name, Schema string
	// Volatility is that of PostgreSQL's own function of this name, and Unknown
	// for all others.
	Volatility Volatility
	// Aggregate, Window and SetReturning tell what kind of function it is, by
	// its name or by the way it is called.
	Aggregate, Window, SetReturning bool
	// Offset and Length are the bytes of the name in the parsed text. Offset is
	// -1 when a rewrite put it there.
	Offset, Length int
}

// SQL returns the text on one line as far as its string literals allow, without
// comments and with arguments as @name.
func (f fragment) SQL() string { return join(f.pieces) }

// String returns the same as SQL.
func (f fragment) String() string { return f.SQL() }

// Columns returns all mentions of columns, in the order of the text.
func (f fragment) Columns() []ColumnRef {
	var refs []ColumnRef
	for _, p := range f.pieces {
		if p.kind == column {
			refs = append(refs, ColumnRef{Name: p.name, Qualifier: p.qualifier, Offset: p.offset, Length: p.length, Nested: p.nested, scope: p.scope})
		}
	}
	return refs
}

// Args returns all mentions of arguments, in the order of the text.
func (f fragment) Args() []ArgRef {
	var refs []ArgRef
	for _, p := range f.pieces {
		if p.kind == argument {
			refs = append(refs, ArgRef{Name: p.name, Offset: p.offset, Length: p.length})
		}
	}
	return refs
}

// Functions returns all calls of functions, in the order of the text. Operators
// are not among them.
func (f fragment) Functions() []FunctionRef {
	var refs []FunctionRef
	for _, p := range f.pieces {
		for _, m := range p.marks {
			if m.kind > setFunction {
				continue
			}
			refs = append(refs, FunctionRef{
				Name: m.name, Schema: m.schema, Volatility: m.volatility,
				Aggregate: m.kind == aggregateFunction, Window: m.kind == windowFunction, SetReturning: m.kind == setFunction,
				Offset: p.offset, Length: p.length,
			})
		}
	}
	return refs
}

// HasSubSelect reports whether a SELECT stands inside.
func (f fragment) HasSubSelect() bool {
	for _, p := range f.pieces {
		for _, m := range p.marks {
			if m.kind == subSelect {
				return true
			}
		}
	}
	return false
}

// WithParams returns the SQL with each argument replaced by a parameter. bind
// gives its number and the type it is cast to, as SQL text; an empty type gives
// a bare $n. It is called once for each mention.
func (f fragment) WithParams(bind func(name string) (n int, typ string)) string {
	return join(replace(f.pieces, func(p piece, element bool) []piece {
		if p.kind != argument {
			return nil
		}
		n, typ := bind(p.name)
		return []piece{inserted(parameter(n, typ, element), pg.Token_PARAM, p.gap)}
	}))
}

// WithValues returns the SQL with each argument replaced by SQL text: a value of
// one word, a column or a call.
func (f fragment) WithValues(value func(name string) string) string {
	return join(replace(f.pieces, func(p piece, _ bool) []piece {
		if p.kind != argument {
			return nil
		}
		return []piece{inserted(value(p.name), pg.Token_PARAM, p.gap)}
	}))
}

// parameter prints $n::typ. An element of it, as in $1[2], needs parentheses:
// behind a type the brackets would belong to the type.
func parameter(n int, typ string, element bool) string {
	var b strings.Builder
	b.WriteString("$" + strconv.Itoa(n))
	if typ != "" {
		b.WriteString("::" + typ)
	}
	if element && typ != "" {
		return "(" + b.String() + ")"
	}
	return b.String()
}
