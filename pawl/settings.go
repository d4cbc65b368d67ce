package pawl

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// timeouts are the limits that a single statement sets for itself.
type timeouts struct{ lock, statement time.Duration }

// settingsCache keeps the text of the settings statement for each pair of
// timeouts. There are as many pairs as transaction blocks, so it stays small,
// and a text that is always the same string keeps pgx's statement cache warm.
type settingsCache struct {
	mu    sync.RWMutex
	texts map[timeouts]string
}

// settings returns the statement that goes ahead of a one-statement call in the
// same batch. set_config(…, true) ends with the implicit transaction; a SET
// would outlive it in the pool. The last column says which isolation level the
// batch runs at.
func (c *settingsCache) settings(t timeouts) string {
	c.mu.RLock()
	text, ok := c.texts[t]
	c.mu.RUnlock()
	if ok {
		return text
	}
	text = spellSettings(t)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.texts == nil {
		c.texts = make(map[timeouts]string)
	}
	c.texts[t] = text
	return text
}

func spellSettings(t timeouts) string {
	var b strings.Builder
	b.WriteString("SELECT ")
	if t.lock != 0 {
		fmt.Fprintf(&b, "pg_catalog.set_config('lock_timeout', '%s', true), ", milliseconds(t.lock))
	}
	if t.statement != 0 {
		fmt.Fprintf(&b, "pg_catalog.set_config('statement_timeout', '%s', true), ", milliseconds(t.statement))
	}
	b.WriteString("pg_catalog.current_setting('transaction_isolation')")
	return b.String()
}

// beginSQL opens a transaction with its limits in one simple query: one round
// trip in every exec mode, and SET takes no snapshot, as SELECT set_config would.
func beginSQL(t *Transaction, readOnly bool) string {
	var b strings.Builder
	b.WriteString("begin isolation level ")
	b.WriteString(string(t.isolation()))
	if readOnly {
		b.WriteString(" read only")
	}
	for _, s := range localSettings(t) {
		b.WriteString("; ")
		b.WriteString(s)
	}
	return b.String()
}

// configureSQL does what beginSQL does in a transaction that has just begun, for
// a DB that cannot begin with options.
func configureSQL(t *Transaction, readOnly bool) string {
	text := "set transaction isolation level " + string(t.isolation())
	if readOnly {
		text += " read only"
	}
	return strings.Join(append([]string{text}, localSettings(t)...), "; ")
}

// localSettings returns the SET LOCAL statements for the limits of t.
func localSettings(t *Transaction) []string {
	var sets []string
	add := func(name string, d time.Duration) {
		if d != 0 {
			sets = append(sets, "set local "+name+" = '"+milliseconds(d)+"'")
		}
	}
	add("lock_timeout", t.LockTimeout)
	add("statement_timeout", t.StatementTimeout)
	add("idle_in_transaction_session_timeout", t.IdleTimeout)
	return sets
}

// milliseconds spells d for PostgreSQL, rounded up, so that a tiny limit does not
// become 0, which means none.
func milliseconds(d time.Duration) string {
	if d < 0 {
		return "0"
	}
	ms := (d + time.Millisecond - 1) / time.Millisecond
	return strconv.FormatInt(int64(ms), 10) + "ms"
}

// knownIsolation reports whether level is one of the four that SQL knows. A level
// is written into SQL text, so nothing else may get there.
func knownIsolation(level pgx.TxIsoLevel) bool {
	switch level {
	case "", pgx.ReadUncommitted, pgx.ReadCommitted, pgx.RepeatableRead, pgx.Serializable:
		return true
	}
	return false
}

// strength orders isolation levels. PostgreSQL runs read uncommitted as read
// committed.
func strength(level pgx.TxIsoLevel) int {
	switch level {
	case pgx.Serializable:
		return 3
	case pgx.RepeatableRead:
		return 2
	}
	return 1
}
