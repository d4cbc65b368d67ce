package golang

import (
	"bytes"
	"fmt"
	"go/format"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// ident is an identifier of a package: printed through a [writer], it comes out
// qualified and its import is registered.
type ident struct {
	path string // import path; empty for a predeclared name or one of the file's own package
	name string
}

// writer builds one Go file. Its zero value is not usable; see newWriter.
type writer struct {
	pkg     string            // package name
	doc     string            // package comment; empty for all files but one
	known   map[string]string // import path → name of the package, where that is certain
	source  []string          // specification files, for the header
	taken   map[string]bool   // package-level names of the package: an import may bear none of them
	alias   map[string]string // import path → name in this file
	used    map[string]bool   // names of imports in this file
	renamed map[string]bool   // import paths whose name is spelled out
	body    bytes.Buffer
}

// newWriter starts a file of package pkg, whose package-level names are taken.
// known holds the names of packages that need not be guessed.
func newWriter(pkg string, source []string, taken map[string]bool, known map[string]string) *writer {
	return &writer{
		pkg: pkg, source: source, taken: taken, known: known,
		alias: map[string]string{}, used: map[string]bool{}, renamed: map[string]bool{},
	}
}

// P prints one line: its arguments one after the other, without spaces between
// them. An ident or goType registers what it imports.
func (w *writer) P(parts ...any) {
	for _, part := range parts {
		switch part := part.(type) {
		case ident:
			w.body.WriteString(w.qualify(part))
		case goType:
			w.body.WriteString(w.typ(part))
		default:
			fmt.Fprint(&w.body, part)
		}
	}
	w.body.WriteByte('\n')
}

// S spells parts as P prints them and returns the text.
func (w *writer) S(parts ...any) string {
	var b strings.Builder
	for _, part := range parts {
		switch part := part.(type) {
		case ident:
			b.WriteString(w.qualify(part))
		case goType:
			b.WriteString(w.typ(part))
		default:
			fmt.Fprint(&b, part)
		}
	}
	return b.String()
}

// Doc prints text as a comment, wrapped at 80 columns. Lines that begin with a
// tab keep their layout: go doc shows them as code.
func (w *writer) Doc(text string) { writeComment(&w.body, text) }

func writeComment(b *bytes.Buffer, text string) {
	for _, paragraph := range strings.Split(strings.Trim(printable(text), "\n "), "\n") {
		if strings.HasPrefix(paragraph, "\t") || paragraph == "" {
			b.WriteString("//" + paragraph + "\n")
			continue
		}
		for _, line := range wrap(paragraph, 77) {
			b.WriteString("// " + line + "\n")
		}
	}
}

// wrap breaks text at spaces into lines of at most width characters, where
// words allow it.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(printable(text)) {
		switch {
		case line == "":
			line = word
		case len(line)+1+len(word) > width:
			lines = append(lines, line)
			line = word
		default:
			line += " " + word
		}
	}
	return append(lines, line)
}

// qualify spells an identifier as this file has to write it.
func (w *writer) qualify(id ident) string {
	if id.path == "" {
		return id.name
	}
	return w.importName(id.path) + "." + id.name
}

// importName returns the name under which this file imports path.
func (w *writer) importName(path string) string {
	if name, ok := w.alias[path]; ok {
		return name
	}
	base, certain := w.known[path]
	if !certain {
		base = guessPackage(path)
		certain = standard(path)
	}
	name := base
	for n := 2; w.taken[name] || w.used[name] || reservedWord(name); n++ {
		name = base + strconv.Itoa(n)
	}
	w.alias[path] = name
	w.used[name] = true
	// An import that spells the name out is right whatever the package calls itself.
	_, last := splitPath(path)
	w.renamed[path] = name != base || !certain || base != last && path != pgxPath
	return name
}

// guessPackage guesses the name of a package from its import path.
func guessPackage(path string) string {
	parent, last := splitPath(path)
	if parent != "" && majorVersion(last) {
		_, last = splitPath(parent)
	}
	last, _, _ = strings.Cut(last, ".")
	return lowerCamel(strings.TrimPrefix(last, "go-"))
}

// splitPath cuts the last element off an import path.
func splitPath(path string) (parent, last string) {
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		return path[:i], path[i+1:]
	}
	return "", path
}

// standard reports whether path is of the standard library, whose first elements
// have no dot.
func standard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

// majorVersion reports whether an element of an import path is a module's major
// version: v2, v5.
func majorVersion(element string) bool {
	digits, ok := strings.CutPrefix(element, "v")
	if !ok {
		return false
	}
	_, err := strconv.Atoi(digits)
	return err == nil
}

// header is the first line of every file, the one that go's tools know.
const header = "// Code generated by pawl. DO NOT EDIT.\n"

// Bytes returns the finished, formatted file.
func (w *writer) Bytes() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(header)
	if len(w.source) > 0 {
		b.WriteString("// source: " + strings.Join(w.source, ", ") + "\n")
	}
	b.WriteByte('\n')
	if w.doc != "" {
		writeComment(&b, w.doc)
	}
	b.WriteString("package " + w.pkg + "\n\n")
	w.imports(&b)
	b.Write(w.body.Bytes())
	text, err := format.Source(b.Bytes())
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, numbered(b.String()))
	}
	return text, nil
}

// imports writes the import block: the standard library first, then the rest,
// each sorted by path.
func (w *writer) imports(b *bytes.Buffer) {
	if len(w.alias) == 0 {
		return
	}
	paths := slices.Sorted(maps.Keys(w.alias))
	if len(paths) == 1 {
		b.WriteString("import ")
		w.importGroup(b, paths)
		b.WriteByte('\n')
		return
	}
	// Sorting is stable, so each half stays in order.
	slices.SortStableFunc(paths, func(a, b string) int {
		switch {
		case standard(a) == standard(b):
			return 0
		case standard(a):
			return -1
		}
		return 1
	})
	border := slices.IndexFunc(paths, func(path string) bool { return !standard(path) })
	if border < 0 {
		border = len(paths)
	}
	b.WriteString("import (\n")
	w.importGroup(b, paths[:border])
	if border > 0 {
		b.WriteByte('\n')
	}
	w.importGroup(b, paths[border:])
	b.WriteString(")\n\n")
}

func (w *writer) importGroup(b *bytes.Buffer, paths []string) {
	for _, path := range paths {
		if w.renamed[path] {
			b.WriteString(w.alias[path] + " ")
		}
		b.WriteString(strconv.Quote(path) + "\n")
	}
}

// numbered prefixes each line of a source text with its number, so that the
// position in a syntax error can be found.
func numbered(text string) string {
	var b strings.Builder
	for i, line := range strings.Split(text, "\n") {
		fmt.Fprintf(&b, "%5d\t%s\n", i+1, line)
	}
	return b.String()
}
