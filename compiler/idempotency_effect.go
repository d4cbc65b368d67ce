package compiler

import (
	"slices"
	"strings"

	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
)

// effectVerbs are words with which the name of work begins that acts on the outside;
// effectNouns are words which, anywhere in it, name what is outside. A refund is not
// among them: most are a state of the database's own rows.
var (
	effectVerbs = []string{
		"call", "capture", "charge", "deliver", "dispatch", "invoke", "mail", "notify", "payout", "post", "publish", "push", "resend", "send", "upload",
	}
	effectNouns = []string{
		"adyen", "api", "email", "http", "kafka", "mailgun", "paypal", "s3", "sendgrid", "slack", "sms", "smtp", "stripe", "twilio", "webhook", "webhooks",
	}
)

// effectIn finds the word of a name that speaks of an effect outside of the database.
func effectIn(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return strings.ContainsRune("_- .", r) })
	for i, word := range words {
		if i == 0 && slices.Contains(effectVerbs, word) || slices.Contains(effectNouns, word) {
			return word
		}
	}
	return ""
}

// atomicEffect warns about atomic work whose name says that it acts on the outside.
func (c *compilation) atomicEffect(decl *dsl.Idempotency) {
	word := effectIn(decl.Name.Text)
	if word == "" || decl.Mode.V == "phased" || len(decl.Phases) > 0 {
		return
	}
	c.finding(decl.Allow, diag.Diagnostic{
		Severity: diag.Warning,
		Code:     diag.AtomicEffect,
		Detail:   "The work " + quote(decl.Name.Text) + " is atomic, and " + quote(word) + " in its name is something outside of the database.",
		Subject:  decl.Name.Range,
		Label:    "one transaction",
		Consequence: "A transaction is run again after 40001 and undone by any error. What it has done outside is done once for each try, and stays done when " +
			"nothing is written.",
		Help: `mode = "phased" with phase ` + quote(word) + ` { external = true }, or ` + allowHint(diag.AtomicEffect, "it writes rows alone"),
	})
}
