package isolation

import (
	"strings"
	"testing"
)

// TestExpectations holds each kind of expectation against schedules that meet it
// and schedules that do not.
func TestExpectations(t *testing.T) {
	quiet := &transcript{answers: map[string]*answer{"a1": {text: "UPDATE 1"}, "b1": {text: "1|10"}}, codes: map[string]int{}, final: "1|11"}
	loud := &transcript{
		answers: map[string]*answer{"a1": {text: "UPDATE 1"}, "b1": {text: "ERROR 40001", waits: "a"}},
		codes:   map[string]int{"40001": 1}, waits: 1, final: "1|12",
	}
	twice := &transcript{answers: map[string]*answer{}, codes: map[string]int{"40001": 2, "40P01": 1}}
	for _, c := range []struct {
		expectation string
		met, broken []*transcript
	}{
		{"b1 waits", []*transcript{loud}, []*transcript{quiet}},
		{"b1 waits for a", []*transcript{loud}, []*transcript{quiet}},
		{"b1 waits for a", []*transcript{loud}, []*transcript{loud, quiet}},
		{"b1 answers ERROR 40001", []*transcript{loud}, []*transcript{quiet}},
		{"b1 answers 1|10", []*transcript{quiet}, []*transcript{loud}},
		{"no waits", []*transcript{quiet}, []*transcript{quiet, loud}},
		{"no errors", []*transcript{quiet}, []*transcript{quiet, loud}},
		{"only 40001", []*transcript{quiet, loud}, []*transcript{twice}},
		{"40001 once", []*transcript{loud}, []*transcript{quiet}},
		{"40001 once", []*transcript{loud}, []*transcript{twice}},
		{"40P01 never", []*transcript{quiet, loud}, []*transcript{twice}},
		{"40001 never twice", []*transcript{quiet, loud}, []*transcript{twice}},
		{"final 1|11", []*transcript{quiet}, []*transcript{quiet, loud}},
		{"2 schedules", []*transcript{quiet, loud}, []*transcript{quiet}},
		{"40001 in 2 schedules", []*transcript{quiet, loud, twice}, []*transcript{quiet, loud}},
	} {
		if err := met(c.expectation, schedule{}, c.met); err != nil {
			t.Errorf("%s is not met: %v", c.expectation, err)
		}
		if err := met(c.expectation, schedule{}, c.broken); err == nil {
			t.Errorf("%s is met by what breaks it", c.expectation)
		}
	}
	for _, nonsense := range []string{"waits", "b1 sleeps", "c9 waits", "many schedules", "40001 often", "only 40001 or so"} {
		if err := met(nonsense, schedule{}, []*transcript{quiet}); err == nil {
			t.Errorf("%q is taken for an expectation that is met", nonsense)
		}
	}
}

// TestScenarioErrors shows what the reader of scenarios does not take.
func TestScenarioErrors(t *testing.T) {
	for lines, want := range map[string]string{
		"a1 SELECT 1":               "a key, a colon",
		"order: a1":                 "no step a1",
		"expect: no waits":          "no order stands above",
		"a1: {level}\norder: a1":    "nothing says what {level} is",
		"final: {what}\norder: a1":  "nothing says what {what} is",
		"a1: SELECT 1\norder: a1 b": "no step b",
	} {
		r := reading{words: map[string]string{}, steps: map[string]string{}}
		if err := r.read(lines); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, not %q", lines, err, want)
		}
	}
}
