package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pawldb/pawl/verify/explore"
)

// How many lines of a cell a statement may take, and an argument.
const (
	statementLines = 12
	argumentLines  = 3
)

// cellLine is one line of a cell.
type cellLine struct {
	style Style
	text  string
}

// grid lays a run out with a column for each session.
func (t *text) grid(run *explore.Run) {
	heads := heads(run)
	if len(heads) == 0 {
		return
	}
	g := grid{text: t, columns: len(heads), shown: map[string]bool{}}
	g.size = (t.o.Width - len("  99 ")) / g.columns
	g.size -= len("|  ")
	g.line("", func(i int) cellLine { return cellLine{Strong, cut(heads[i], g.size)} })
	g.rule()
	for _, e := range timeline(run) {
		g.entry(e, t.o.Verbose)
	}
	g.rule()
	g.ends(run)
}

// grid prints rows of cells.
type grid struct {
	*text
	columns, size int
	shown         map[string]bool // the statements that stand above already
}

func (g grid) line(number string, cell func(column int) cellLine) {
	var b strings.Builder
	fmt.Fprintf(&b, "%4s ", number)
	for i := range g.columns {
		b.WriteString("| ")
		c := cell(i)
		if c.text != "" {
			b.WriteString(g.o.Paint(c.style, c.text))
		}
		b.WriteString(strings.Repeat(" ", max(0, g.size+1-columns(c.text))))
	}
	g.write(strings.TrimRight(b.String(), " "))
}

func (g grid) rule() {
	g.write(g.o.Paint(Faint, "-----"+strings.Repeat("+-"+strings.Repeat("-", g.size+1), g.columns)))
}

// entry prints a step in its session's column.
func (g grid) entry(e entry, whole bool) {
	number := ""
	if e.number > 0 {
		number = fmt.Sprint(e.number)
	}
	for _, line := range g.cell(e, whole) {
		g.line(number, func(i int) cellLine {
			if i == e.client {
				return line
			}
			return cellLine{}
		})
		number = ""
	}
}

// cell is a step as lines of the column's width.
func (g grid) cell(e entry, whole bool) []cellLine {
	var lines []cellLine
	for _, sql := range e.ahead {
		for _, part := range fold(strings.ReplaceAll(sql, "\n", " "), g.size) {
			lines = append(lines, cellLine{Faint, part})
		}
	}
	for _, part := range g.statement(e.sql, whole) {
		lines = append(lines, cellLine{Normal, part})
	}
	for _, part := range g.arguments(e.args, whole) {
		lines = append(lines, cellLine{Faint, part})
	}
	for _, n := range e.notes {
		for _, part := range fold(n.text, g.size) {
			lines = append(lines, cellLine{n.tone.style(), part})
		}
	}
	return lines
}

// statement is SQL as lines. Of one that stands above already, in whichever
// column, the first line says which one it is.
func (g grid) statement(sql string, whole bool) []string {
	if sql == "" {
		return nil
	}
	var lines []string
	for part := range strings.SplitSeq(sql, "\n") {
		lines = append(lines, fold(part, g.size)...)
	}
	switch first, _, several := strings.Cut(sql, "\n"); {
	case whole:
	case g.shown[sql] && several:
		return fold(first+" …", g.size)
	case len(lines) > statementLines:
		lines = append(lines[:statementLines-1], "…")
	}
	g.shown[sql] = true
	return lines
}

// arguments are the values of a statement. One that needs more than a few lines
// is cut at its end.
func (g grid) arguments(args []string, whole bool) []string {
	if len(args) == 0 {
		return nil
	}
	args = slices.Clone(args)
	for i := range args {
		if !whole {
			args[i] = cut(args[i], argumentLines*(g.size-len("    ")))
		}
	}
	return fold("  "+strings.Join(args, ", "), g.size)
}

func (t tone) style() Style {
	switch t {
	case waits:
		return Warning
	case failed, broken:
		return Bad
	case plain:
	}
	return Faint
}

// ends is the last row: what each caller learned.
func (g grid) ends(run *explore.Run) {
	if len(run.Ends) == 0 {
		return
	}
	cells := make([][]cellLine, g.columns)
	height := 0
	for i, e := range run.Ends {
		text, isError := end(e)
		style := Strong
		if isError {
			style = Bad
		}
		for _, part := range fold(text, g.size) {
			cells[i] = append(cells[i], cellLine{style, part})
		}
		height = max(height, len(cells[i]))
	}
	for row := range height {
		label := ""
		if row == 0 {
			label = "end"
		}
		g.line(label, func(i int) cellLine {
			if row < len(cells[i]) {
				return cells[i][row]
			}
			return cellLine{}
		})
	}
}
