package isolation

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pawldb/pawl/verify/explore"
)

// transcript is what happened in one schedule.
type transcript struct {
	lines   []string // one a step, and one more for each that came to its end later
	answers map[string]*answer
	codes   map[string]int // how often each SQLSTATE was answered
	waits   int
	final   string
}

// answer is what the server said to a step.
type answer struct {
	text  string // "UPDATE 1", "1|10, 2|20", "ERROR 40001"
	waits string // the clients it waited for, "a" or "a and b"; empty if it did not wait
}

// aborted is what PostgreSQL answers to everything in a transaction that failed:
// no error of its own.
const aborted = "25P02"

// transcribe writes down a run of a schedule.
func transcribe(s schedule, run *explore.Run) (*transcript, error) {
	t := &transcript{answers: map[string]*answer{}, codes: map[string]int{}, final: run.FinalState}
	taken := make([]int, len(s.clients))
	for _, done := range run.Steps {
		c := s.clients[done.Client]
		if done.Kind != explore.Resume {
			taken[done.Client]++
		}
		name := c.steps[taken[done.Client]-1].name
		said := t.answers[name]
		if said == nil {
			said = &answer{}
			t.answers[name] = said
		}
		if done.State == explore.Waiting {
			said.waits = names(s, done.WaitsFor)
			t.waits++
			t.lines = append(t.lines, fmt.Sprintf("%s  waits for %s", name, said.waits))
			continue
		}
		code, err := sqlState(done.Err)
		if err != nil {
			return nil, fmt.Errorf("step %s: %w", name, err)
		}
		said.text = text(done, code)
		if code != "" && code != aborted {
			t.codes[code]++
		}
		line := name + "  " + said.text
		if done.Kind == explore.Resume {
			line = name + "  resumes: " + said.text
		}
		t.lines = append(t.lines, line)
	}
	for i, c := range s.clients {
		if taken[i] != len(c.steps) {
			return nil, fmt.Errorf("client %s took %d of its %d steps", c.name, taken[i], len(c.steps))
		}
	}
	return t, nil
}

func names(s schedule, clients []int) string {
	var all []string
	for _, i := range clients {
		all = append(all, s.clients[i].name)
	}
	return strings.Join(all, " and ")
}

// sqlState returns the server's code for an error, or an error that is not the
// server's.
func sqlState(err error) (string, error) {
	var pgErr *pgconn.PgError
	switch {
	case err == nil:
		return "", nil
	case errors.As(err, &pgErr):
		return pgErr.Code, nil
	}
	return "", err
}

// text spells an answer.
func text(s explore.Step, code string) string {
	if code != "" {
		return "ERROR " + code
	}
	var rows []string
	for _, row := range s.Rows {
		rows = append(rows, strings.Join(row, "|"))
	}
	all := strings.Join(rows, ", ")
	switch {
	case s.Tag == "SELECT 0":
		return "no rows"
	case all == "":
		return s.Tag // no rows, or one of a function that returns nothing
	case !strings.HasPrefix(s.Tag, "SELECT"):
		return s.Tag + ": " + all
	}
	return all
}

// String prints the lines of one order.
func (t *transcript) String() string {
	lines := slices.Clone(t.lines)
	if t.final != "" {
		lines = append(lines, "final  "+t.final)
	}
	return strings.Join(lines, "\n")
}

// ends says how a schedule ended for everybody: who met which error, and what is
// in the tables.
func (t *transcript) ends(s schedule) string {
	var ends []string
	for _, c := range s.clients {
		end := "ok"
		for _, step := range c.steps {
			if text := t.answers[step.name].text; strings.HasPrefix(text, "ERROR ") && text != "ERROR "+aborted {
				end = step.name + " " + strings.TrimPrefix(text, "ERROR ")
				break
			}
		}
		ends = append(ends, c.name+" "+end)
	}
	if t.final != "" {
		ends = append(ends, "final "+t.final)
	}
	return strings.Join(ends, "; ")
}

// summary prints how often all orders of a schedule ended how. Where there are
// deadlocks it does not count: who the victim is, and so which orders there are,
// depends on when PostgreSQL finds the time to look for one.
func summary(s schedule, all []*transcript) string {
	counts := make(map[string]int)
	waiting, deadlocks := 0, 0
	for _, t := range all {
		counts[t.ends(s)]++
		waiting += min(t.waits, 1)
		deadlocks += t.codes["40P01"]
	}
	lines := []string{fmt.Sprintf("%d schedules, a wait in %d of them", len(all), waiting)}
	if deadlocks > 0 {
		lines[0] = "some schedules"
	}
	for _, end := range slices.Sorted(maps.Keys(counts)) {
		if deadlocks > 0 {
			lines = append(lines, "some  "+end)
		} else {
			lines = append(lines, fmt.Sprintf("%4d  %s", counts[end], end))
		}
	}
	return strings.Join(lines, "\n")
}
