package cli

import (
	"slices"
	"time"

	"github.com/pawldb/pawl/dsl"
)

// adminURL is what plan and apply connect to in a target: a session of their
// own. Both keep settings, temporary tables and a session lock over many
// transactions, each of which a pooler may give to another session.
func adminURL(t *dsl.Target) (string, error) {
	place := t.Header.String()
	switch {
	case t.AdminURL.V != "":
		return t.AdminURL.V, nil
	case t.Pooler.Set:
		return "", refused(`add admin_url = env("ADMIN_URL"): the address of the server itself`,
			"the target %q (%s) goes through a %s pooler, which may give each transaction another session: the lock that keeps two applies apart, "+
				"the settings of the steps and concurrent builds need one session", t.Name.Text, place, t.Pooler.V)
	case t.URL.V == "":
		return "", usageError(`add url = env("DATABASE_URL") to it`, "the target %q (%s) names no database", t.Name.Text, place)
	}
	return t.URL.V, nil
}

// protected reports whether the target refuses what loses data.
func protected(t *dsl.Target) bool { return t != nil && t.Protect.V }

// lockTimeout is how long the target lets a step wait for a lock; zero for the
// default.
func lockTimeout(t *dsl.Target) time.Duration {
	if t == nil {
		return 0
	}
	return t.LockTimeout.V
}

// targetNames lists the targets of the spec, for completion.
func (a *app) targetNames() []string {
	p, _, err := a.compile("")
	if err != nil {
		return nil
	}
	return p.targets
}

// targetOf finds the target that a command names.
func targetOf(spec *dsl.Spec, name string) *dsl.Target {
	i := slices.IndexFunc(spec.Targets, func(t *dsl.Target) bool { return name != "" && t.Name.Text == name })
	if i < 0 {
		return nil
	}
	return spec.Targets[i]
}
