package compiler

import (
	"time"

	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
)

// idempotencies checks the idempotency blocks.
func (c *compilation) idempotencies() {
	for _, decl := range byLabel(c.spec.Idempotencies, func(i *dsl.Idempotency) string { return i.ID() }) {
		c.retention(decl)
		c.leaseOfCalls(decl)
		c.idempotencyUnit(decl)
		c.phases(decl)
		c.atomicEffect(decl)
		c.lowerIdempotency(decl)
	}
}

// retention compares how long an answer is kept with how long callers ask.
func (c *compilation) retention(decl *dsl.Idempotency) {
	retain, window := decl.Retain, decl.RetryWindow
	if !retain.Set || !window.Set {
		return
	}
	related := []diag.Related{{Range: window.Range, Text: "callers try again for " + length(window.V)}}
	switch {
	case retain.V <= window.V:
		c.report(diag.Diagnostic{
			Code:        diag.RetainTooShort,
			Detail:      "Answers are kept for " + length(retain.V) + ", not longer than callers try again.",
			Subject:     retain.Range,
			Label:       "too short",
			Related:     related,
			Consequence: "The last attempt of a caller finds the key forgotten and does the work a second time.",
			Help:        "retain = " + quote(length(3*window.V)),
		})
	case retain.V < 2*window.V:
		c.finding(decl.Allow, diag.Diagnostic{
			Severity: diag.Warning,
			Code:     diag.RetainShort,
			Detail:   "Answers are kept for " + length(retain.V) + ", less than twice as long as callers try again.",
			Subject:  retain.Range,
			Label:    "tight",
			Related:  related,
			Consequence: "A queue that stood still, or a clock that is wrong, makes an attempt come late: it finds the key forgotten and does the work a " +
				"second time.",
			Help: "retain = " + quote(length(3*window.V)) + ", or " + allowHint(diag.RetainShort, "no attempt comes late"),
		})
	}
}

// leaseOfCalls demands that a key outlives the longest call made under it.
func (c *compilation) leaseOfCalls(decl *dsl.Idempotency) {
	lease, timeout := decl.Lease, decl.RPCTimeout
	if !lease.Set || !timeout.Set || lease.V > timeout.V {
		return
	}
	c.report(diag.Diagnostic{
		Code:        diag.LeaseTooShort,
		Detail:      "The lease of " + length(lease.V) + " is not longer than a call, which may take " + length(timeout.V) + ".",
		Subject:     lease.Range,
		Label:       "too short",
		Related:     []diag.Related{{Range: timeout.Range, Text: "the longest call"}},
		Consequence: "While the call is still under way another attempt takes the key over and calls a second time.",
		Help:        "lease = " + quote(length(4*timeout.V)),
	})
}

// idempotencyUnit checks where the key comes from.
func (c *compilation) idempotencyUnit(decl *dsl.Idempotency) {
	d := diag.Diagnostic{Code: diag.IdempotencyKey, Subject: decl.Unit.Range}
	switch {
	case decl.Unit.V == "entity" && len(decl.Key) == 0:
		d.Detail = `The unit is "entity", and nothing says what names one.`
		d.Consequence = "All work would have one key: it would be done once, for ever."
		d.Help = "key = { payment_id = uuid }"
		c.report(d)
	case decl.Unit.V == "request" && len(decl.Key) > 0:
		d.Detail = `The unit is "request", whose key the caller brings, and the block names another one.`
		d.Consequence = "One of the two would be ignored."
		d.Help = `leave key out, or unit = "entity"`
		c.report(d)
	case decl.Unit.V == "entity":
		c.finding(decl.Allow, diag.Diagnostic{
			Severity: diag.Warning,
			Code:     diag.EntityKeyRepeats,
			Detail:   "The key of " + quote(decl.Name.Text) + " is built from " + and(quoted(argNames(decl.Key))) + " alone.",
			Subject:  decl.Unit.Range,
			Label:    "once for each entity",
			Consequence: "A second effect on the same entity that is meant, such as another partial refund, is taken for a repetition: it gets the first answer, " +
				"and is not done.",
			Help: `unit = "request" when an entity may see the effect twice, or ` + allowHint(diag.EntityKeyRepeats, "it happens once in the entity's life"),
		})
	}
}

func argNames(args []dsl.Arg) []string {
	names := make([]string, len(args))
	for i, a := range args {
		names[i] = a.Name.Text
	}
	return names
}

// phases checks that effects outside of the database stand in phased work.
func (c *compilation) phases(decl *dsl.Idempotency) {
	phased := decl.Mode.V == "phased"
	d := diag.Diagnostic{Code: diag.IdempotencyPhases, Subject: decl.Header}
	switch {
	case phased && len(decl.Phases) == 0:
		d.Detail = "The work is phased and has no phase."
		d.Consequence = "There would be no point to go on from after a crash."
		d.Help = `phase "charge" { external = true }`
	case !phased && len(decl.Phases) > 0:
		d.Detail = "The work is atomic and has phases."
		d.Consequence = "One transaction has no point to go on from, and an effect outside of it is repeated when the transaction is."
		d.Help = `mode = "phased"`
	case !phased && (decl.Lease.Set || decl.RPCTimeout.Set):
		d.Detail = "The work is atomic and has a lease, or a timeout of calls."
		d.Consequence = "It is one transaction, which ends with its connection: nothing would look at either, and a call to the outside does not belong into it."
		d.Help = `remove them, or mode = "phased"`
	case phased && !decl.Lease.Set:
		d.Detail = "Phased work needs a lease."
		d.Consequence = "A worker that dies between two phases would keep the key for ever."
		d.Help = `lease = "2m"`
	case phased && decl.Phases[len(decl.Phases)-1].External.V:
		d.Detail = "The last phase, " + quote(decl.Phases[len(decl.Phases)-1].Name.Text) + ", is external."
		d.Consequence = "The last phase stores the answer in its transaction. An external one has none: after a crash the call would be made again for every retry."
		d.Help = `phase "record" {}   # behind it: writes what the call gave, and the answer`
	default:
		c.phaseResults(decl)
		return
	}
	c.report(d)
}

// phaseResults checks what phases keep.
func (c *compilation) phaseResults(decl *dsl.Idempotency) {
	for i, phase := range decl.Phases {
		t := phase.Result
		known := t.Name != "" || t.Enum != "" || t.Domain != "" || t.Elem != nil || t.Other != ""
		d := diag.Diagnostic{Code: diag.IdempotencyPhases, Subject: phase.Header}
		switch {
		case known && t.Name != "jsonb":
			d.Detail = "The result of the phase " + quote(phase.Name.Text) + " is no jsonb."
			d.Consequence = "A result is kept as JSON of a type of the program's own; another type of column would be read back as something else."
			d.Help = "result = jsonb"
		case known && i == len(decl.Phases)-1:
			d.Detail = "The last phase, " + quote(phase.Name.Text) + ", has a result."
			d.Consequence = "No phase comes after it: what it gives is the answer, and nothing would read the result."
			d.Help = "remove result"
		default:
			continue
		}
		c.report(d)
	}
}

// idempotencyKeys lists the arguments that keys are made of.
func (c *compilation) idempotencyKeys() []string {
	var names []string
	for _, decl := range c.spec.Idempotencies {
		names = append(names, argNames(decl.Key)...)
	}
	return names
}

// length spells a length of time as the language has it: whole days as days.
func length(d time.Duration) string {
	const day = 24 * time.Hour
	if d >= 3*day && d%day == 0 {
		return plainInt(int(d/day)) + "d"
	}
	switch {
	case d%time.Hour == 0:
		return plainInt(int(d/time.Hour)) + "h"
	case d%time.Minute == 0:
		return plainInt(int(d/time.Minute)) + "m"
	}
	return d.String()
}
