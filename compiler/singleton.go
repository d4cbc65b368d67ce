package compiler

import (
	"strconv"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
)

// singletons compiles the singleton blocks.
func (c *compilation) singletons() {
	first := map[int]*dsl.Singleton{}
	for _, decl := range byLabel(c.spec.Singletons, func(s *dsl.Singleton) string { return s.ID() }) {
		if decl.Name.Text == "" || !decl.Key.Set {
			continue
		}
		if other := first[decl.Key.V]; other != nil {
			c.report(diag.Diagnostic{
				Code:        diag.SingletonKey,
				Detail:      "The singletons " + quote(singletonName(other)) + " and " + quote(singletonName(decl)) + " have the same key " + strconv.Itoa(decl.Key.V) + ".",
				Subject:     decl.Key.Range,
				Label:       "taken",
				Related:     []diag.Related{{Range: other.Key.Range, Text: "singleton " + quote(singletonName(other))}},
				Consequence: "They would take the same lock: each would wait for the other one, although they have nothing to do with each other.",
				Help:        "key = " + strconv.Itoa(freeKey(c.spec.Singletons)),
			})
			continue
		}
		first[decl.Key.V] = decl
		switch {
		case !c.sessionLasts(decl) || usesAdvisoryLock(decl) && !c.classFor(decl):
		case decl.Scope.V == dsl.LeaderScope:
			c.lowerLeader(decl)
		default:
			c.lowerSingleton(decl)
		}
	}
}

// singletonName is what a singleton is called in Go and in messages.
func singletonName(decl *dsl.Singleton) string { return nameOf(decl.Name, decl.Rename) }

// usesAdvisoryLock reports a singleton whose key is the half of a lock's key. A
// leader with a lease has a row instead.
func usesAdvisoryLock(decl *dsl.Singleton) bool {
	return decl.Scope.V != dsl.LeaderScope || decl.Session.V
}

// freeKey is a key that no singleton has.
func freeKey(all []*dsl.Singleton) int {
	highest := 0
	for _, s := range all {
		highest = max(highest, s.Key.V)
	}
	return highest + 1
}

// classFor demands advisory_class; the missing attribute is told once, at the
// first singleton.
func (c *compilation) classFor(decl *dsl.Singleton) bool {
	if c.program.AdvisoryClass != 0 {
		return true
	}
	if c.spec.Pawl == nil || c.spec.Pawl.AdvisoryClass.Set || c.classAsked {
		return false
	}
	c.classAsked = true
	c.report(diag.Diagnostic{
		Code:        diag.AdvisoryClass,
		Detail:      "A singleton needs advisory_class in the pawl block.",
		Subject:     c.spec.Pawl.Header,
		Label:       "no advisory_class",
		Related:     []diag.Related{{Range: decl.Header, Text: "needs it"}},
		Consequence: "Advisory locks have one space of numbers for all programs on a database. Without a class of its own the singleton could wait for a stranger.",
		Help:        "advisory_class = 4201   # any number from 1 to 16383 that no other program on this database uses",
	})
	return false
}

func (c *compilation) lowerSingleton(decl *dsl.Singleton) {
	addr, name := declared("singleton", decl.Block), singletonName(decl)
	class, key := c.program.AdvisoryClass, int32(decl.Key.V) //nolint:gosec // dsl has checked the range
	numbers := "(" + strconv.Itoa(int(class)) + ", " + strconv.Itoa(int(key)) + ")"
	reasons := []ir.Reason{
		{
			Choice: "advisory lock " + numbers + " until the transaction ends",
			Why: "the server gives it back when the transaction or the connection ends, so a process that dies leaves no lock behind. The two numbers are " +
				"fixed; a hash of the name could meet that of another program.",
		},
		{
			Choice: readCommitted,
			Why: "the work starts with a statement of its own after the lock, and sees what the holder before committed. At a higher level the snapshot would " +
				"be as old as the wait.",
		},
	}
	if t := c.findTransaction(singletonTransaction); t != nil {
		reasons = append(reasons, ir.Reason{
			Choice: "idle_in_transaction_session_timeout = " + t.IdleTimeout.String(),
			Why: "a process that hangs inside its work would keep the lock for ever. `transaction \"" + singletonTransaction +
				"\"` changes this and the other limits of singletons.",
		})
	}
	rule := &ir.SingletonRule{Class: class, Key: key, Base: ir.Facts{
		Address: addr, Kind: "singleton",
		Promise:   "At most one " + name + " runs at a time, over all processes that use this database.",
		Mechanism: "pg_advisory_xact_lock" + numbers,
		Reasons:   reasons,
		Pos:       pos(decl.Header),
	}}
	operation := func(verb string, kind ir.OperationKind, lock ir.LockMode, doc string, results []ir.Field) ir.Operation {
		at := under(addr, verb)
		rule.Base.Operations = append(rule.Base.Operations, at)
		sql := "SELECT " + string(lock) + numbers
		rows := ir.ReturnsNone
		if len(results) > 0 {
			sql, rows = sql+" AS "+results[0].Name, ir.ReturnsOne
		}
		return ir.Operation{
			Address: at, Name: verb, Kind: kind, Doc: doc,
			Statements: []ir.Statement{{Role: ir.LockStatement, SQL: comment(at) + sql, Results: results, Rows: rows}},
			Lock:       lock, Isolation: ir.ReadCommitted, Transaction: singletonTransaction,
			Reasons: reasons, LockKey: key, Pos: pos(decl.Header),
		}
	}
	const during = " The work is done in the transaction that holds the lock; other processes wait until it ends, also when this one dies."
	c.program.Singletons = append(c.program.Singletons, ir.Singleton{
		Address: addr, Name: name, Key: key,
		Doc: rule.Base.Promise,
		Operations: []ir.Operation{
			operation("run", ir.SingletonOp, ir.AdvisoryXact,
				"waits until no other process runs "+name+", then runs the given function."+during+
					" The wait lasts as long as the caller's context; lock_timeout bounds the statements of the work alone.", nil),
			operation("try_run", ir.SingletonTry, ir.AdvisoryTryXact,
				"runs the given function unless another process runs "+name+"; then it returns at once and says so."+during,
				[]ir.Field{{Name: "acquired", Type: ir.Type{Name: "bool"}}}),
		},
		Pos: pos(decl.Header),
	})
	c.program.Invariants = append(c.program.Invariants, rule)
}
