package golang

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pawldb/pawl/compiler/ir"
)

// limitsKey is a set of limits that operations share: a transaction block, with
// what an operation changes of it.
type limitsKey struct {
	block     string
	isolation ir.Isolation
	wait      time.Duration
}

// defaultBlock is the transaction block that holds where an operation names none.
const defaultBlock = "default"

// transactionBlock finds a transaction block; an empty one when there is none.
func transactionBlock(p *ir.Program, name string) ir.Transaction {
	for _, t := range p.Transactions {
		if t.Name == name {
			return t
		}
	}
	return ir.Transaction{Name: name}
}

// limitsOf is the set of limits of an operation. standard reports that it is the
// session's own, which options of New can change.
func limitsOf(p *ir.Program, o *ir.Operation) (key limitsKey, standard bool) {
	key = limitsKey{block: o.Transaction, isolation: o.Isolation, wait: o.Wait}
	if key.block == "" {
		key.block = defaultBlock
	}
	own := isolationOr(transactionBlock(p, key.block).Isolation)
	key.isolation = isolationOr(key.isolation)
	return key, key == limitsKey{block: defaultBlock, isolation: own}
}

// isolationOr is the level that a missing one stands for.
func isolationOr(level ir.Isolation) ir.Isolation {
	if level == "" {
		return ir.ReadCommitted
	}
	return level
}

// resolveLimits names a variable for each set of limits but the session's.
func (n *names) resolveLimits() {
	take := func(o *ir.Operation) {
		key, standard := limitsOf(n.program, o)
		if standard || slices.Contains(n.limitKeys, key) {
			return
		}
		name := lowerCamel(key.block) + "Limits"
		if key.isolation != isolationOr(transactionBlock(n.program, key.block).Isolation) {
			name = lowerCamel(key.block) + camel(string(key.isolation)) + "Limits"
		}
		if key.wait != 0 {
			name = strings.TrimSuffix(name, "Limits") + "Wait" + camel(shortDuration(key.wait)) + "Limits"
		}
		n.limitKeys = append(n.limitKeys, key)
		n.limits[key] = n.pkg.fresh(name)
	}
	for op := range n.program.Operations() {
		take(op)
	}
}

// emitLimits writes the variables of the sets of limits.
func (e *emitter) emitLimits(w *writer) {
	w.P()
	w.Doc(defaultLimitsVar + " are the limits that hold where nothing else is said: the specification's transaction block \"default\". " +
		"Options of New and InTx win over them.")
	e.emitLimit(w, defaultLimitsVar, limitsKey{
		block: defaultBlock, isolation: isolationOr(transactionBlock(e.program, defaultBlock).Isolation),
	})
	for _, key := range e.names.limitKeys {
		w.P()
		doc := e.names.limits[key] + " are the limits of the transaction block " + strconv.Quote(key.block) + " at " + string(key.isolation)
		if key.wait != 0 {
			doc += ", for an operation that waits " + shortDuration(key.wait) + " for a lock"
		}
		w.Doc(doc + ".")
		e.emitLimit(w, e.names.limits[key], key)
	}
}

// defaultLimitsVar is the variable of the session's limits.
const defaultLimitsVar = "standardLimits"

func (e *emitter) emitLimit(w *writer, name string, key limitsKey) {
	t := transactionBlock(e.program, key.block)
	lock := t.LockTimeout
	if key.wait != 0 {
		lock = key.wait
	}
	w.P("var ", name, " = ", e.pawl("Transaction"), "{")
	w.P("Isolation: ", ident{pgxPath, isolationConstants[key.isolation]}, ",")
	e.durationField(w, "LockTimeout", lock)
	e.durationField(w, "StatementTimeout", t.StatementTimeout)
	e.durationField(w, "IdleTimeout", t.IdleTimeout)
	if t.Retry.Attempts == 0 && t.Retry.Base == 0 && t.Retry.Max == 0 && t.Retry.Budget == 0 && len(t.Retry.On) == 0 {
		w.P("}")
		return
	}
	w.P("Retry: ", e.pawl("Policy"), "{")
	if t.Retry.Attempts != 0 {
		w.P("Attempts: ", t.Retry.Attempts, ",")
	}
	e.durationField(w, "Base", t.Retry.Base)
	e.durationField(w, "Max", t.Retry.Max)
	e.durationField(w, "Budget", t.Retry.Budget)
	if len(t.Retry.On) > 0 {
		w.P("Codes: ", stringSlice(t.Retry.On), ",")
	}
	w.P("},")
	w.P("}")
}

var isolationConstants = map[ir.Isolation]string{
	ir.ReadCommitted: "ReadCommitted", ir.RepeatableRead: "RepeatableRead", ir.Serializable: "Serializable",
}

// durationField writes a field of a struct literal, unless it is zero.
func (e *emitter) durationField(w *writer, field string, d time.Duration) {
	if d != 0 {
		w.P(field, ": ", duration(w, d), ",")
	}
}

// duration spells a duration in its largest whole unit: 5 * time.Minute.
func duration(w *writer, d time.Duration) string {
	units := []struct {
		unit time.Duration
		name string
	}{
		{time.Hour, "Hour"},
		{time.Minute, "Minute"},
		{time.Second, "Second"},
		{time.Millisecond, "Millisecond"},
		{time.Microsecond, "Microsecond"},
		{time.Nanosecond, "Nanosecond"},
	}
	for _, u := range units {
		if d%u.unit != 0 {
			continue
		}
		if d == u.unit {
			return w.S(ident{"time", u.name})
		}
		return w.S(int64(d/u.unit), " * ", ident{"time", u.name})
	}
	return w.S(int64(d))
}
