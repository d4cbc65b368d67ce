package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pawldb/pawl/internal/diag"
)

// explainArguments are what a user wants to have explained.
type explainArguments struct {
	subject string // an address of the spec, or a diagnostic code
}

func newExplain(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "explain ADDRESS|CODE",
		Short: "Say what a declaration becomes and why, or what a diagnostic means",
		Example: `  pawl explain table.bookings.no_overlap.one_per_room
  pawl explain table.bookings.transitions.status.confirm
  pawl explain queue.tasks
  pawl explain unknown-column       # a code from error[unknown-column]`,
		Args: explainSubject,
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return a.explainable(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.run(func(context.Context) error {
				return a.explain(explainArguments{subject: args[0]})
			})(cmd, args)
		},
	}
}

func explainSubject(_ *cobra.Command, args []string) error {
	if len(args) == 1 {
		return nil
	}
	return usageError("pawl explain table.bookings, or pawl explain unknown-column",
		"pawl explain takes one address or code, and got %d", len(args))
}

func (a *app) explain(arguments explainArguments) error {
	subject := arguments.subject
	if entry, ok := diag.Lookup(diag.Code(subject)); ok {
		a.view.CodeExplained(entry)
		return nil
	}
	// What has no dot is hardly an address. It was meant as a code, and a spec
	// with mistakes is no reason to talk of something else.
	if !strings.Contains(subject, ".") {
		if p, _, err := a.compile(""); err != nil || p.program == nil {
			return unknownCode(subject, nil)
		}
	}
	p, err := a.load()
	if err != nil {
		return err
	}
	atlas := newAtlas(p.program)
	if e, ok := atlas.explain(subject); ok {
		a.view.Explained(e)
		return nil
	}
	if !strings.Contains(subject, ".") {
		return unknownCode(subject, atlas.addresses())
	}
	return unknownAddress(subject, atlas.addresses())
}

// unknownCode names the code, or else the addresses, that were probably meant.
func unknownCode(code string, addresses []string) error {
	help := "a code stands in brackets after the word error; an address looks like table.bookings"
	if near, ok := diag.Suggest(code, diagnosticCodes()); ok {
		help = "did you mean " + near + "?"
	} else if near := similar(code, addresses); len(near) > 0 {
		help = "near it are " + strings.Join(near, ", ")
	}
	return usageError(help, "there is no diagnostic code %q", code)
}

func diagnosticCodes() []string {
	var codes []string
	for _, entry := range diag.Codes() {
		codes = append(codes, string(entry.Code))
	}
	return codes
}

// unknownAddress names the addresses that were probably meant: one that differs
// by a slip of the finger, or those that end or begin like it.
func unknownAddress(address string, known []string) error {
	if near, ok := diag.Suggest(address, known); ok {
		return usageError("did you mean "+near+"?", "the spec has no %s", address)
	}
	near := similar(address, known)
	if len(near) == 0 {
		return usageError("addresses look like table.bookings and queue.tasks; pawl explain table.NAME lists what is in a table",
			"the spec has no %s", address)
	}
	return usageError("near it are "+strings.Join(near, ", "), "the spec has no %s", address)
}

// similar lists a few addresses that share the last word with address or, where
// none does, those under the longest part of it that exists.
func similar(address string, known []string) []string {
	const few = 5
	last := address[strings.LastIndex(address, ".")+1:]
	var near []string
	for _, candidate := range known {
		if word := candidate[strings.LastIndex(candidate, ".")+1:]; word == last || isNear(last, word) {
			near = append(near, candidate)
		}
	}
	for prefix := address; len(near) == 0; {
		cut := strings.LastIndex(prefix, ".")
		if cut < 0 {
			break
		}
		prefix = prefix[:cut]
		for _, candidate := range known {
			if strings.HasPrefix(candidate, prefix+".") || candidate == prefix {
				near = append(near, candidate)
			}
		}
	}
	return near[:min(few, len(near))]
}

func isNear(a, b string) bool {
	_, ok := diag.Suggest(a, []string{b})
	return ok
}

// explainable lists what explain takes, for completion. A spec with mistakes has
// no addresses; the codes are there always.
func (a *app) explainable() []string {
	codes := diagnosticCodes()
	p, _, err := a.compile("")
	if err != nil || p.program == nil {
		return codes
	}
	return slices.Concat(newAtlas(p.program).addresses(), codes)
}
