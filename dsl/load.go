package dsl

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/pawldb/pawl/internal/diag"
)

// Options say how a project is loaded.
type Options struct {
	// Dir is the project's directory as the user named it. It is put before the
	// names of the files in every range; nothing is read from it. Empty and "."
	// leave the names bare.
	Dir string
	// Vars are the values of variables given with --var name=value.
	Vars map[string]string
	// Version is the tool's version, "0.3.1", which required_version is checked
	// against. Empty leaves it unchecked.
	Version string
}

// Load reads all *.hcl files at the root of fsys as one module, evaluates them
// and decodes them.
//
// The Spec is never nil. When the list holds an error it contains what could be
// decoded: fields whose value was refused are zero.
func Load(fsys fs.FS, o Options) (*Spec, diag.List) {
	p := newProject(o)
	p.read(fsys)
	p.declare()
	p.setVariables()
	p.evaluateLocals()
	p.decode()
	p.diags.Sort()
	p.diags.Fold(diag.UnknownReference)
	return p.spec, p.diags
}

// project is a load in progress.
type project struct {
	options Options
	spec    *Spec
	diags   diag.List

	// blocks are the top-level blocks of all files, by file name and then in
	// the order of the text.
	blocks []*hclsyntax.Block
	// incomplete says that a file could not be parsed: a name that is not
	// declared may stand in the part that was lost.
	incomplete bool

	// declared holds the first block of each type and label.
	declared map[string]map[string]*hclsyntax.Block
	locals   map[string]*hclsyntax.Attribute
	// parts indexes the blocks inside a table, so that a reference to a column
	// does not search the table.
	parts map[*hclsyntax.Block]map[string]map[string]*hclsyntax.Block

	// nodes are the values that references can name, evaluated on demand.
	nodes map[string]*node
	// running is the chain of nodes under evaluation, to name a cycle.
	running       []step
	chainReported bool
}

func newProject(o Options) *project {
	return &project{
		options:  o,
		spec:     &Spec{Dir: o.Dir, Sources: make(map[string][]byte)},
		declared: make(map[string]map[string]*hclsyntax.Block),
		locals:   make(map[string]*hclsyntax.Attribute),
		parts:    make(map[*hclsyntax.Block]map[string]map[string]*hclsyntax.Block),
		nodes:    make(map[string]*node),
	}
}

func (p *project) report(d diag.Diagnostic) { p.diags.Add(d) }

// read parses the files of the project.
func (p *project) read(fsys fs.FS) {
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		p.report(diag.Diagnostic{
			Code:   diag.UnreadableFile,
			Detail: "The directory " + quote(cmp.Or(p.options.Dir, ".")) + " cannot be read.",
			Help:   "name the directory of the project with -C DIR",
		})
		p.incomplete = true
		return
	}
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".hcl") || strings.HasPrefix(entry.Name(), ".") || entry.IsDir() {
			continue
		}
		p.readFile(fsys, entry.Name())
	}
}

// displayName is the name of a file in ranges.
func (p *project) displayName(name string) string {
	if p.options.Dir == "" {
		return name
	}
	return path.Join(p.options.Dir, name)
}

func (p *project) readFile(fsys fs.FS, name string) {
	display := p.displayName(name)
	src, err := fs.ReadFile(fsys, name)
	if err != nil {
		p.report(diag.Diagnostic{
			Code:   diag.UnreadableFile,
			Detail: "The file " + quote(display) + " cannot be read.",
			Help:   "check that it is a regular file and that you may read it",
		})
		p.incomplete = true
		return
	}
	p.spec.Sources[display] = src
	bodies, fine := parseBlocks(src, display)
	if !fine {
		bodies = p.parseWhole(src, display)
	}
	for _, body := range bodies {
		p.topLevelAttributes(body)
		p.blocks = append(p.blocks, body.Blocks...)
	}
}

// topLevelAttributes refuses attributes outside of any block.
func (p *project) topLevelAttributes(body *hclsyntax.Body) {
	for _, attr := range sortedAttributes(body) {
		help := "top-level text consists of blocks: " + list(topLevelTypes())
		if attrOf(&pawlSchema, attr.Name) != nil {
			help = "put it in the pawl block: pawl { " + attr.Name + " = … }"
		}
		p.report(diag.Diagnostic{
			Code:    diag.UnknownAttribute,
			Detail:  "The attribute " + quote(attr.Name) + " stands outside of any block.",
			Subject: attr.NameRange,
			Help:    help,
		})
	}
}

// sortedAttributes returns the attributes of a body in the order of the text.
func sortedAttributes(body *hclsyntax.Body) []*hclsyntax.Attribute {
	attrs := make([]*hclsyntax.Attribute, 0, len(body.Attributes))
	for _, a := range body.Attributes {
		attrs = append(attrs, a)
	}
	slices.SortFunc(attrs, func(a, b *hclsyntax.Attribute) int {
		return cmp.Compare(a.NameRange.Start.Byte, b.NameRange.Start.Byte)
	})
	return attrs
}
