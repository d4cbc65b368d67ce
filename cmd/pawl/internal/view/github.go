package view

import (
	"fmt"
	"strings"

	"github.com/pawldb/pawl/internal/diag"
)

// NewGitHub returns the view for GitHub Actions: workflow commands on stdout,
// which GitHub shows beside the lines of a pull request, and around them the
// text for people, since the log is read too.
func NewGitHub(s Streams) View {
	// GitHub reads commands from the log as it is: colours would break them.
	s.OutColor, s.ErrColor = false, false
	return &gitHub{human: newHuman(s)}
}

type gitHub struct{ *human }

// Diagnostics annotates the lines.
func (g *gitHub) Diagnostics(list diag.List, _ diag.Sources) {
	g.out.keep(diag.GitHub{}.List(g.out.w, list))
}

// Bug annotates the run.
func (g *gitHub) Bug(b diag.Bug) {
	g.out.keep(diag.GitHub{}.Bug(g.out.w, b))
	g.err.keep(diag.Text{}.Bug(g.err.w, b))
}

// Outage annotates the run.
func (g *gitHub) Outage(o diag.Outage) { g.out.keep(diag.GitHub{}.Outage(g.out.w, o)) }

// Failure annotates the run.
func (g *gitHub) Failure(f Failure) {
	help := ""
	if f.Help != "" {
		help = "help: " + f.Help
	}
	g.command("error", "", "pawl", joinLines(f.Text, help))
}

// Generated annotates each file that --check found to differ.
func (g *gitHub) Generated(r Generated) {
	if !r.Check {
		g.human.Generated(r)
		return
	}
	for _, group := range []struct {
		files []string
		text  string
	}{
		{r.Missing, "this file is missing: run pawl generate"},
		{r.Changed, "this file is not what the spec generates: run pawl generate"},
		{r.Stale, "nothing generates this file any more: run pawl generate"},
		{r.Foreign, "pawl did not write this file, and generate would not overwrite it: move it away"},
	} {
		for _, file := range group.files {
			g.command("error", file, "pawl generate", group.text)
		}
	}
}

// Planned shows the plan in a group of the log, its hazards as warnings and its
// summary as a notice.
func (g *gitHub) Planned(plan Plan) {
	g.out.line("::group::pawl plan")
	g.human.Planned(plan)
	g.out.line("::endgroup::")
	for _, hazard := range plan.Hazards {
		g.command("warning", "", "hazard", joinLines(hazard.text(), hazard.permission()))
	}
	g.command("notice", "", "pawl plan", plan.Summary())
}

// command writes one workflow command.
func (g *gitHub) command(level, file, title, text string) {
	properties := "title=" + escapeProperty(title)
	if file != "" {
		properties = "file=" + escapeProperty(file) + "," + properties
	}
	_, err := fmt.Fprintf(g.out.w, "::%s %s::%s\n", level, properties, escapeData(text))
	g.out.keep(err)
}

// joinLines joins two lines, of which the second may be empty.
func joinLines(first, second string) string { return strings.TrimSuffix(first+"\n"+second, "\n") }

func escapeData(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(text)
}

func escapeProperty(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(text)
}
