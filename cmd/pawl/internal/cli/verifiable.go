package cli

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/pawldb/pawl/cmd/pawl/internal/view"
	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/internal/diag"
	"github.com/pawldb/pawl/verify"
)

// listing is what can be verified, for --list.
func listing(p *ir.Program) view.Verifiable {
	v := view.Verifiable{Project: p.Project}
	for _, s := range verify.Subjects(p) {
		subject := view.VerifiableSubject{Address: s.Address}
		for _, c := range s.Checks {
			subject.Checks = append(subject.Checks, view.VerifiableCheck{ID: c.ID, Name: c.Name, Mutants: c.Mutants})
		}
		v.Subjects = append(v.Subjects, subject)
	}
	return v
}

// chosen keeps what stands below the addresses, as verify.Run does; nil keeps all.
func chosen(v view.Verifiable, addresses []string) view.Verifiable {
	if len(addresses) == 0 {
		return v
	}
	below := func(id string) bool {
		return slices.ContainsFunc(addresses, func(address string) bool {
			rest, ok := strings.CutPrefix(id, address)
			return ok && (rest == "" || rest[0] == '.' || rest[0] == '/')
		})
	}
	some := view.Verifiable{Project: v.Project}
	for _, s := range v.Subjects {
		if !below(s.Address) {
			s.Checks = slices.DeleteFunc(slices.Clone(s.Checks), func(c view.VerifiableCheck) bool { return !below(c.ID) })
			if len(s.Checks) == 0 {
				continue
			}
		}
		some.Subjects = append(some.Subjects, s)
	}
	return some
}

// verifiable lists what verify takes as an address, for completion: the prefixes
// of addresses that have something below them, the addresses and the checks. A
// spec with mistakes has none.
func (a *app) verifiable() []string {
	p, _, err := a.compile("")
	if err != nil || p.program == nil {
		return nil
	}
	return names(listing(p.program))
}

// names are the addresses and IDs of what can be verified, each once.
func names(v view.Verifiable) []string {
	seen := map[string]bool{}
	var list []string
	add := func(name string) {
		if !seen[name] {
			seen[name] = true
			list = append(list, name)
		}
	}
	for _, s := range v.Subjects {
		add(s.Address)
		for _, c := range s.Checks {
			add(c.ID)
		}
	}
	return list
}

// verifyError explains what package verify does not know.
func (a *app) verifyError(program *ir.Program, replayed string, err error) error {
	var unknown *verify.UnknownError
	if !errors.As(err, &unknown) {
		return err
	}
	all := listing(program)
	if replayed != "" {
		return unknownSchedule(all, replayed)
	}
	return usageError(nearest(unknown.Address, names(all)), "%w", err)
}

// unknownSchedule explains an ID that --replay cannot run: what of its three
// parts is missing or names nothing.
func unknownSchedule(all view.Verifiable, id string) error {
	for _, s := range all.Subjects {
		for _, c := range s.Checks {
			switch rest, ok := strings.CutPrefix(id, c.ID); {
			case !ok:
			case rest == "" || rest[0] == '@' && isMutant(c, rest[1:]):
				return usageError("pawl verify "+c.ID+" runs all its schedules; a report names the one that broke a rule, as "+id+":0.1.0",
					"%s names no schedule: the clients in the order of their grants are missing, after a colon", id)
			case rest[0] == '@':
				return unknownMutant(c, rest[1:])
			case rest == "/stress" || rest == "/crash" || strings.HasPrefix(rest, "/stress:") || strings.HasPrefix(rest, "/crash:"):
				phase, _, _ := strings.Cut(rest[1:], ":")
				return usageError("pawl verify "+c.ID+" --"+phase+" runs all of them again",
					"%s cannot be replayed: at full speed and through faults there is no order of grants to repeat", id)
			}
		}
	}
	check := id
	if i := strings.LastIndex(check, ":"); i >= 0 {
		check = check[:i]
	}
	check, _, _ = strings.Cut(check, "@")
	var checks []string
	for _, s := range all.Subjects {
		for _, c := range s.Checks {
			checks = append(checks, c.ID)
		}
	}
	return usageError(nearest(check, checks), "there is no check called %s", check)
}

// isMutant reports whether a check has a mutant of this ID, or one that begins so
// and takes away, after a "+", what says the same.
func isMutant(c view.VerifiableCheck, id string) bool {
	return slices.ContainsFunc(c.Mutants, func(mutant string) bool {
		return id == mutant || strings.HasPrefix(id, mutant+"+")
	})
}

func unknownMutant(c view.VerifiableCheck, rest string) error {
	mutant := rest
	if i := strings.LastIndex(rest, ":"); i >= 0 {
		mutant = rest[:i]
	}
	help := "it has none: leave @" + mutant + " out"
	if len(c.Mutants) > 0 {
		help = "its mutants are " + strings.Join(c.Mutants, ", ")
	}
	return usageError(help, "%s has no mutant called %s", c.ID, cmp.Or(mutant, `""`))
}

// nearest suggests what was probably meant, or where to look.
func nearest(word string, known []string) string {
	if len(known) == 0 {
		return "the spec declares nothing to verify"
	}
	if near, ok := diag.Suggest(word, known); ok {
		return "did you mean " + near + "?"
	}
	if near := similar(word, known); len(near) > 0 {
		return "near it are " + strings.Join(near, ", ")
	}
	return "pawl verify --list lists what can be verified"
}
