package explore

// class is what the reductions know about a step before it is taken.
type class struct {
	effect Effect
	// ends is true when the step ends a transaction: COMMIT, ROLLBACK, or a
	// statement outside of one.
	ends bool
	// explicit is true when it does so by a COMMIT among other statements.
	explicit bool
	rollback bool
	// checks is true when there are deferrable constraints, which a COMMIT checks.
	checks bool
	// serializable is true inside a transaction that may be SERIALIZABLE.
	serializable bool
	// wide is set when the step, once taken, turned out to concern others.
	wide bool
}

// independent reports whether two steps of different clients come out the same
// in both orders, for the two of them and for everybody else. blocked says that
// somebody waits for a lock.
//
// It rests on snapshots: a read does not see what is uncommitted, so it commutes
// with the write, and does not commute with the COMMIT. Which rows the two touch
// is not known, so any two writes are taken to meet.
func independent(a, b class, blocked bool) bool {
	switch {
	case a.anything() || b.anything():
		return false
	case a.ends && b.ends:
		return !blocked && !a.checks && !b.checks
	case a.ends:
		return !blocked && !a.checks && a.rollback && b.effect == Read
	case b.ends:
		return independent(b, a, blocked)
	}
	return a.effect != Write || b.effect != Write
}

// anything reports whether the step depends on every other.
func (c class) anything() bool {
	return c.wide || c.serializable || c.effect == Unknown || c.ends && c.effect != Local
}

// inside is the class of the rest of a statement that is stopped at a gate.
func (c class) inside() class {
	c.effect = wider(c.effect, Write)
	return c
}

// classify describes a request. open says whether a transaction is open before it.
func classify(parts []part, open bool, effect func(string) Effect) (c class, local bool) {
	c.effect, local = Local, true
	for _, p := range parts {
		if several(p.sql) {
			// What the whole does is not asked, since the answer may be about the first
			// statement. One of them may commit.
			c.effect, c.ends, c.explicit, c.rollback, local = Unknown, true, true, false, false
			continue
		}
		kind := kindOf(p.sql)
		if kind != Statement {
			local = local && kind == Begin
			open = kind == Begin
			c.ends = kind != Begin
			c.rollback = kind == Rollback
			c.explicit = c.explicit || kind == Commit && len(parts) > 1
			continue
		}
		e := effectOf(p, effect)
		if e == Local {
			continue
		}
		local = false
		c.effect = wider(c.effect, e)
		c.ends = c.ends || !open && e != Read
	}
	return c, local
}

// effectOf classifies one statement.
func effectOf(p part, effect func(string) Effect) Effect {
	if p.effect != Unknown {
		return p.effect
	}
	switch first, _ := word(p.sql); first {
	case "savepoint", "release":
		return Local
	}
	if effect == nil {
		return Unknown
	}
	return effect(p.sql)
}

// wider returns the effect of doing both.
func wider(a, b Effect) Effect {
	if a == Unknown || b == Unknown {
		return Unknown
	}
	return max(a, b)
}
