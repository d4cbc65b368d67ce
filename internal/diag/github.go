package diag

import (
	"fmt"
	"io"
	"strings"
)

// GitHub renders workflow commands, a line for each diagnostic, which GitHub
// shows beside the lines of a pull request.
type GitHub struct{}

// List implements Renderer.
func (GitHub) List(w io.Writer, list List) error {
	var b strings.Builder
	for _, d := range list {
		command := d.Severity.String()
		properties := []string{}
		if d.Subject.Filename != "" {
			properties = append(properties, "file="+escapeProperty(d.Subject.Filename),
				fmt.Sprintf("line=%d", d.Subject.Start.Line), fmt.Sprintf("endLine=%d", d.Subject.End.Line))
			// GitHub takes columns only for a range on one line.
			if d.Subject.Start.Line == d.Subject.End.Line {
				properties = append(properties, fmt.Sprintf("col=%d", d.Subject.Start.Column),
					fmt.Sprintf("endColumn=%d", d.Subject.End.Column))
			}
		}
		properties = append(properties, "title="+escapeProperty(string(d.Code)))
		fmt.Fprintf(&b, "::%s %s::%s\n", command, strings.Join(properties, ","), escapeData(annotation(d)))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Bug implements Renderer.
func (GitHub) Bug(w io.Writer, bug Bug) error {
	message := bug.Message + "\nThis is a bug in pawl " + bug.Version + "; please report it: " + IssuesURL
	_, err := fmt.Fprintf(w, "::error title=internal error::%s\n", escapeData(message))
	return err
}

// Outage implements Renderer.
func (GitHub) Outage(w io.Writer, outage Outage) error {
	message := joinLines(outage.Target, outage.Reason, outage.Help)
	_, err := fmt.Fprintf(w, "::error title=database unreachable::%s\n", escapeData(message))
	return err
}

// annotation is the text of a diagnostic without its place and source line.
func annotation(d Diagnostic) string {
	lines := []string{d.Code.Summary(), d.Label, d.Detail, d.Consequence}
	for _, r := range d.Related {
		if r.Range.Filename == "" {
			lines = append(lines, r.Text)
			continue
		}
		lines = append(lines, fmt.Sprintf("%s:%d:%d: %s", r.Range.Filename, r.Range.Start.Line, r.Range.Start.Column, r.Text))
	}
	if d.Help != "" {
		lines = append(lines, "help: "+d.Help)
	}
	return joinLines(lines...)
}

// joinLines joins the texts that are not empty.
func joinLines(texts ...string) string {
	var b strings.Builder
	for _, t := range texts {
		if t == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(t)
	}
	return b.String()
}

// escapeData escapes the message of a workflow command.
func escapeData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

// escapeProperty escapes a property of a workflow command.
func escapeProperty(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}
