package isolation

import (
	"fmt"
	"strconv"
	"strings"
)

// expectation says what the literature, or our own reasoning, demands of a
// schedule. It is judged apart from the transcripts, so that a transcript that
// was rewritten on a wrong server does not pass. Of one order:
//
//	b1 waits             it waited, for whomever
//	b1 waits for a
//	b1 answers UPDATE 0  in the end, if it waited
//
// Of one order, and of every one of all:
//
//	no waits
//	no errors
//	only 40001           no other errors; what follows in a failed transaction does not count
//	40P01 once
//	40P01 never
//	40P01 never twice
//	final 1|11           what the final query gives
//
// Of all orders together:
//
//	20 schedules
//	40001 in 18 schedules
//
// met returns what is wrong, or nil.
func met(expectation string, s schedule, seen []*transcript) error {
	words := strings.Fields(expectation)
	if len(words) < 2 {
		return fmt.Errorf("this says nothing: %q", expectation)
	}
	switch {
	case len(words) == 2 && words[1] == "schedules":
		return count(words[0], len(seen))
	case len(words) == 4 && words[1] == "in" && words[3] == "schedules":
		n := 0
		for _, t := range seen {
			n += min(t.codes[words[0]], 1)
		}
		return count(words[2], n)
	}
	for _, t := range seen {
		if err := one(expectation, words, t); err != nil {
			return fmt.Errorf("%w in\n%s", err, t)
		}
	}
	return nil
}

func count(want string, got int) error {
	n, err := strconv.Atoi(want)
	if err != nil {
		return err
	}
	if n != got {
		return fmt.Errorf("there are %d", got)
	}
	return nil
}

// one judges an expectation of a single schedule.
func one(expectation string, words []string, t *transcript) error {
	if stepName.MatchString(words[0]) {
		said := t.answers[words[0]]
		if said == nil {
			return fmt.Errorf("%s is no step", words[0])
		}
		return ofStep(strings.TrimPrefix(expectation, words[0]+" "), said)
	}
	if got, ok := strings.CutPrefix(expectation, "final "); ok {
		return equal(t.final, got)
	}
	total := 0
	for _, n := range t.codes {
		total += n
	}
	code, wanted := words[0], strings.Join(words[1:], " ")
	switch {
	case expectation == "no waits":
		return equal(t.waits, 0)
	case expectation == "no errors":
		return equal(total, 0)
	case code == "only" && len(words) == 2:
		return equal(total, t.codes[words[1]])
	case wanted == "once":
		return equal(t.codes[code], 1)
	case wanted == "never":
		return equal(t.codes[code], 0)
	case wanted == "never twice":
		return equal(max(t.codes[code], 1), 1)
	}
	return fmt.Errorf("nobody knows what %q means", expectation)
}

// ofStep judges what is expected of one step.
func ofStep(expectation string, said *answer) error {
	if text, ok := strings.CutPrefix(expectation, "answers "); ok {
		return equal(said.text, text)
	}
	if clients, ok := strings.CutPrefix(expectation, "waits for "); ok {
		return equal(said.waits, clients)
	}
	if expectation == "waits" {
		return equal(said.waits != "", true)
	}
	return fmt.Errorf("nobody knows what %q means of a step", expectation)
}

func equal[T comparable](got, want T) error {
	if got != want {
		return fmt.Errorf("it is %v, not %v,", got, want)
	}
	return nil
}
