// Package report prints what package verify found: as text for a terminal, as
// the JSON document's part, as one HTML file, as Mermaid diagrams and as
// specifications for PostgreSQL's isolationtester.
//
// All forms but JSON show a schedule the same way, as a timeline: a column for
// each session, and in it, from top to bottom, what was granted and what came
// of it. The form is made once, in timeline.go; the printers only lay it out.
//
// A report quotes a database: names, values and messages may hold anything. No
// form lets them out of their place: control characters are spelled out, and
// each language's own escapes are applied.
package report
