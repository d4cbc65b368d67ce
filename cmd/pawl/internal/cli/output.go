package cli

import (
	"strconv"
	"strings"

	"github.com/pawldb/pawl/cmd/pawl/internal/view"
)

// The values of --format and --color.
const (
	formatHuman  = "human"
	formatJSON   = "json"
	formatGitHub = "github"

	colorAuto   = "auto"
	colorAlways = "always"
	colorNever  = "never"
)

// chooseView makes the view that the flags ask for.
func (a *app) chooseView() error {
	g := &a.global
	if err := oneOf("format", g.format, formatHuman, formatJSON, formatGitHub); err != nil {
		return err
	}
	if err := oneOf("color", g.color, colorAuto, colorAlways, colorNever); err != nil {
		return err
	}
	if g.json {
		g.format = formatJSON
	}
	a.view = a.newView(g.format, g.color)
	return nil
}

func (a *app) newView(format, color string) view.View {
	streams := view.Streams{
		Out: a.stdout, OutColor: a.colored(a.stdout, color),
		Err: a.stderr, ErrColor: a.colored(a.stderr, color),
		Verbose: a.global.verbose,
	}
	streams.Width = a.width(a.stdout)
	switch format {
	case formatJSON:
		return view.NewJSON(streams)
	case formatGitHub:
		return view.NewGitHub(streams)
	}
	return view.NewHuman(streams)
}

// colored decides about colour for one stream: --color, then NO_COLOR, then
// FORCE_COLOR, then whether a person looks at it.
func (a *app) colored(stream any, color string) bool {
	switch {
	case color == colorAlways:
		return true
	case color == colorNever, a.getenv("NO_COLOR") != "":
		return false
	case a.getenv("FORCE_COLOR") != "" && a.getenv("FORCE_COLOR") != "0":
		return true
	}
	return a.terminal(stream) && a.getenv("TERM") != "dumb"
}

// width is how many columns a stream has: its terminal's, else what COLUMNS says;
// 0 where neither does. A value that is no number says nothing.
func (a *app) width(stream any) int {
	if a.columns != nil {
		if n := a.columns(stream); n > 0 {
			return n
		}
	}
	n, err := strconv.Atoi(a.getenv("COLUMNS"))
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// formatIn finds the format in a raw command line, so that even an error about
// a flag reaches a program in the form that it asked for.
func formatIn(args []string) string {
	for i, arg := range args {
		switch {
		case arg == "--":
			return formatHuman
		case arg == "--json":
			return formatJSON
		case strings.HasPrefix(arg, "--format="):
			return strings.TrimPrefix(arg, "--format=")
		case arg == "--format" && i+1 < len(args):
			return args[i+1]
		}
	}
	return formatHuman
}
