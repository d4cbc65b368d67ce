package compiler

import (
	"time"

	"github.com/pawldb/pawl/compiler/ir"
)

// What holds where the specification says nothing. docs/language.md prints the
// same table.
const (
	defaultSchema   = "public"
	defaultPostgres = 14
	defaultEnforce  = "database" // of transitions
	defaultRepeat   = "noop"     // of transitions
	defaultPrelock  = true       // of no_overlap
	defaultMethod   = "btree"    // of index
	defaultBounds   = "[)"       // of no_overlap

	defaultBatch = "last" // of upsert

	defaultLease       = 5 * time.Minute  // of queue
	defaultTerm        = 15 * time.Second // of a leader
	defaultAttempts    = 12
	defaultBackoffBase = time.Second
	defaultBackoffMax  = time.Hour

	// Of outbox: a publication is short, and a broker that is back is asked soon.
	defaultRelayLease   = time.Minute
	defaultRelayBackoff = time.Minute

	// defaultIdle bounds how long a singleton may sit in its transaction
	// without talking to the server: a process that hangs there would keep the
	// lock for ever, and no other could take over.
	defaultIdle = time.Minute
)

// defaultTransaction is the name of the transaction that operations take when
// they name none, and singletonTransaction that of singletons.
const (
	defaultTransaction   = "default"
	singletonTransaction = "singleton"
)

// transactionDefaults are the limits of a transaction block that says nothing.
func transactionDefaults(name string) ir.Transaction {
	return ir.Transaction{
		Name:        name,
		Isolation:   ir.ReadCommitted,
		LockTimeout: time.Second,
		Retry: ir.Retry{
			Attempts: 5,
			Base:     10 * time.Millisecond,
			Max:      time.Second,
			Budget:   10 * time.Second,
			On:       []string{"40001", "40P01"},
		},
	}
}
