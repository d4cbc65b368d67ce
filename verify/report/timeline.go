package report

import (
	"fmt"
	"strings"

	"github.com/pawldb/pawl/verify/explore"
)

// entry is a step of a schedule as every form shows it.
type entry struct {
	number int // of the grant, from 1; 0 where nothing was granted
	client int
	ahead  []string // statements that went before without a grant
	sql    string   // without the address comment; empty for what goes on
	args   []string // "$1 = 7"
	notes  []note
}

// note is a line under a statement.
type note struct {
	tone tone
	text string
}

// tone says what a note is about; forms colour by it.
type tone string

const (
	plain  tone = "result"
	waits  tone = "wait"
	failed tone = "error"
	broken tone = "broken"
)

// resultRows is how many rows of an answer a timeline shows.
const resultRows = 3

// timeline is the run as entries, in order.
func timeline(run *explore.Run) []entry {
	if run == nil {
		return nil
	}
	entries := make([]entry, 0, len(run.Steps))
	grant := 0
	for _, step := range run.Steps {
		e := entry{client: step.Client}
		if step.Kind != explore.Resume {
			grant++
			e.number = grant
		}
		switch step.Kind {
		case explore.Resume:
			e.notes = append(e.notes, note{waits, "(resumes)"})
		case explore.Continue:
			e.notes = append(e.notes, note{waits, "(goes on)"})
		case explore.Begin, explore.Statement, explore.Commit, explore.Rollback:
			for _, sql := range step.Ahead {
				e.ahead = append(e.ahead, shownSQL(sql))
			}
			e.sql = statement(step)
			for i, arg := range step.Args {
				e.args = append(e.args, fmt.Sprintf("$%d = %s", i+1, visible(arg)))
			}
		}
		e.notes = append(e.notes, outcome(step)...)
		for _, v := range step.Violations {
			e.notes = append(e.notes, note{broken, "! " + brokenHere(run, v)})
		}
		entries = append(entries, e)
	}
	return entries
}

// statement is what was sent.
func statement(step explore.Step) string {
	if sql := shownSQL(step.SQL); sql != "" {
		return sql
	}
	return strings.ToUpper(string(step.Kind))
}

// shownSQL is SQL without the comment that holds its address: that stands above
// the timeline.
func shownSQL(sql string) string { return visibleLines(strings.TrimSpace(withoutComment(sql))) }

// outcome is how a step stood when the next decision came.
func outcome(step explore.Step) []note {
	var notes []note
	switch step.State {
	case explore.Waiting:
		notes = append(notes, note{waits, ".. waits" + waitedFor(step.WaitsFor)})
	case explore.Stopped:
		notes = append(notes, note{waits, strings.TrimSpace(".. stopped " + visible(step.Place))})
	case explore.Done:
		notes = append(notes, answer(step)...)
	}
	return notes
}

// brokenHere marks where a rule broke. When it is the only one, every form spells
// it out below the timeline.
func brokenHere(run *explore.Run, v explore.Violation) string {
	if len(run.Violations) == 1 && run.Violations[0].Rule == v.Rule {
		return "broken from here on"
	}
	return visible(v.Rule)
}

func waitedFor(clients []int) string {
	if len(clients) == 0 {
		return ""
	}
	names := make([]string, len(clients))
	for i, client := range clients {
		names[i] = session(client)
	}
	return " for " + strings.Join(names, ", ")
}

// session is the short name of a client: the one that schedules count by.
func session(client int) string { return fmt.Sprintf("s%d", client) }

// answer is what the server said to a step that is done.
func answer(step explore.Step) []note {
	if step.Err != nil {
		return []note{{failed, "-> " + visible(step.Err.Error())}}
	}
	var notes []note
	transactional := step.Kind == explore.Begin || step.Kind == explore.Commit || step.Kind == explore.Rollback
	// COMMIT that answers ROLLBACK is news; COMMIT that answers COMMIT is not.
	if step.Tag != "" && !(transactional && strings.EqualFold(step.Tag, string(step.Kind))) {
		text := "-> " + visible(step.Tag)
		if step.Commits && !transactional {
			text += ", commits"
		}
		notes = append(notes, note{plain, text})
	}
	for i, row := range step.Rows {
		if i == resultRows {
			notes = append(notes, note{plain, fmt.Sprintf("   ... %d more", len(step.Rows)-i)})
			break
		}
		notes = append(notes, note{plain, "   " + namedValues(step.Columns, row)})
	}
	return notes
}

// namedValues is "id = 1, status = held".
func namedValues(columns, row []string) string {
	parts := make([]string, len(row))
	for i, value := range row {
		parts[i] = visible(value)
		if i < len(columns) {
			parts[i] = visible(columns[i]) + " = " + parts[i]
		}
	}
	return strings.Join(parts, ", ")
}

// end is what a client's caller learned, and whether it was an error.
func end(e explore.End) (text string, isError bool) {
	switch {
	case e.Err != nil:
		return "error: " + visible(e.Err.Error()), true
	case e.Value == nil:
		return "done", false
	}
	if text = visible(fmt.Sprint(e.Value)); text == "" {
		text = "done"
	}
	return text, false
}

// heads names the columns: "s0 confirm".
func heads(run *explore.Run) []string {
	list := make([]string, clients(run))
	for i := range list {
		list[i] = session(i)
		if i < len(run.Clients) && run.Clients[i] != "" {
			list[i] += " " + visible(run.Clients[i])
		}
	}
	return list
}

// clients is how many columns a timeline has.
func clients(run *explore.Run) int {
	n := max(len(run.Clients), len(run.Ends))
	for _, step := range run.Steps {
		n = max(n, step.Client+1)
	}
	return n
}
