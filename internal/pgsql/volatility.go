package pgsql

import (
	_ "embed"
	"slices"
	"strings"
)

// Volatility tells when the result of a function can change, in the order of
// how much that hurts.
type Volatility int

const (
	// Immutable: the same arguments give the same result for ever.
	Immutable Volatility = iota
	// Unknown: it depends on the types of the arguments, or the function is not
	// one of PostgreSQL's own. pg_proc tells, when there is a server.
	Unknown
	// Stable: the result may change from one statement to the next.
	Stable
	// Volatile: the result may change from one call to the next.
	Volatile
)

// String returns the word that CREATE FUNCTION uses, in lower case.
func (v Volatility) String() string {
	switch v {
	case Immutable:
		return "immutable"
	case Stable:
		return "stable"
	case Volatile:
		return "volatile"
	}
	return "unknown"
}

// Cause is a part of an expression that is not immutable.
type Cause struct {
	// What is the function with its parentheses, or "cast to TYPE".
	What       string
	Volatility Volatility
	// Offset and Length are bytes in the parsed text; Offset is -1 when a
	// rewrite put the part there.
	Offset, Length int
}

// Volatility returns the worst volatility of all functions and casts inside.
// Operators count as immutable, although a few on timestamptz and interval are
// not: that depends on types, which only the server knows.
func (f fragment) Volatility() Volatility {
	worst := Immutable
	for _, c := range f.Causes() {
		worst = max(worst, c.Volatility)
	}
	return worst
}

// Causes returns all parts that are not known to be immutable, in the order of
// the text.
func (f fragment) Causes() []Cause {
	var causes []Cause
	for _, p := range f.pieces {
		for _, m := range p.marks {
			if m.volatility == Immutable {
				continue
			}
			what := m.name + "()"
			if m.kind == cast {
				what = "cast to " + m.name
			}
			causes = append(causes, Cause{What: what, Volatility: m.volatility, Offset: p.offset, Length: p.length})
		}
	}
	return causes
}

// functionTable lists the functions of pg_catalog in PostgreSQL 15, a line each:
// name, kind and volatility. The kinds are f (function), a (aggregate), w (window)
// and s (returns a set); the volatilities are those of pg_proc.provolatile, and ?
// when functions of one name differ. functions.sql writes it.
//
//go:embed functions.txt
var functionTable string

// ambient are PostgreSQL's functions, and words that are one, which answer by the
// clock or by who asks, whatever their arguments are.
var ambient = []string{
	"now", "transaction_timestamp", "statement_timestamp", "current_date", "current_time", "current_timestamp", "localtime", "localtimestamp",
	"current_user", "current_role", "session_user", "user", "getpgusername", "current_setting", "current_catalog", "current_schema", "current_schemas",
	"pg_backend_pid", "inet_client_addr", "inet_client_port", "pg_trigger_depth", "row_security_active",
	"pg_current_xact_id", "pg_current_xact_id_if_assigned", "pg_current_snapshot", "txid_current", "txid_current_if_assigned", "txid_current_snapshot",
}

// Ambient reports a call that gives another result as time goes by or when somebody
// else asks, although nothing that it is given has changed.
func (f FunctionRef) Ambient() bool {
	if f.Schema != "" && f.Schema != "pg_catalog" {
		return false
	}
	return slices.Contains(ambient, f.Name) || f.Name == "age" && f.Volatility == Stable
}

type builtin struct {
	kind       markKind
	volatility Volatility
}

var builtins = func() map[string]builtin {
	kinds := map[string]markKind{"f": function, "a": aggregateFunction, "w": windowFunction, "s": setFunction}
	volatilities := map[string]Volatility{"i": Immutable, "s": Stable, "v": Volatile, "?": Unknown}
	m := make(map[string]builtin)
	for line := range strings.Lines(functionTable) {
		f := strings.Fields(line)
		m[f[0]] = builtin{kinds[f[1]], volatilities[f[2]]}
	}
	return m
}()

// castVolatility tells whether a cast to a type may depend on settings or time.
// The type it comes from is not known, so a value may well be cast to the type it
// has; a literal is read once, when the statement is prepared.
func castVolatility(typ string, literal string, isLiteral bool) Volatility {
	switch typ {
	case "timestamptz", "timestamp", "date", "time", "timetz":
		if !isLiteral {
			return Unknown
		}
		switch strings.ToLower(strings.TrimSpace(literal)) {
		case "now", "today", "tomorrow", "yesterday":
			return Stable
		}
	case "regclass", "regproc", "regprocedure", "regoper", "regoperator", "regtype", "regrole", "regnamespace":
		if !isLiteral {
			return Stable
		}
	}
	return Immutable
}
