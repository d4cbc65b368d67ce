package compiler

import (
	"slices"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/internal/diag"
)

// sessionFunctions work on the session that calls them: what they leave behind,
// or look up, belongs to one server connection and outlives the transaction.
var sessionFunctions = []string{
	"pg_advisory_lock", "pg_advisory_lock_shared", "pg_try_advisory_lock", "pg_try_advisory_lock_shared",
	"pg_advisory_unlock", "pg_advisory_unlock_shared", "pg_advisory_unlock_all",
	"pg_listening_channels", "pg_my_temp_schema", "set_config", "lastval", "currval",
}

// behindPooler refuses an expression that counts on a session of its own where
// the application's connections go through a transaction pooler.
func (c *compilation) behindPooler(e *expression, what string) {
	if c.program.Pooler != ir.TransactionPooler {
		return
	}
	for _, f := range e.Functions() {
		if !slices.Contains(sessionFunctions, f.Name) || f.Schema != "" && f.Schema != "pg_catalog" {
			continue
		}
		help := "leave it out of the " + what + ", or pass the value as an argument"
		if f.Name != "set_config" && f.Name != "lastval" && f.Name != "currval" {
			help = "a singleton of scope \"transaction\" takes a lock that ends with the transaction, and needs no session"
		}
		c.report(diag.Diagnostic{
			Code:    diag.SessionBehindPooler,
			Detail:  "The " + what + " calls " + f.Name + ", which works on the session.",
			Subject: c.within(e.source, f.Offset, f.Length),
			Label:   "of one server connection",
			Consequence: "A target says pooler = \"transaction\": the next transaction of the same client may meet another server connection. " +
				"A lock would stay with a session that nobody can reach to unlock it, and a setting would be met by a stranger.",
			Help: help,
		})
	}
}
