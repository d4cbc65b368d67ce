package dsl

import (
	"cmp"
	"io/fs"
	"path"
	"slices"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/pawldb/pawl/internal/diag"
)

// Options say how a project is loaded.
type Options struct {
	// Dir is the project's directory as the user named it. It is put before the
	// names of the files in every range; nothing is read from it. Empty and "."
	// leave the names bare.
	Dir string
	// Vars are the values of variables given with --var name=value. They win
	// over those of VarFiles, and those over Env.
	Vars map[string]string
	// VarFiles are the files given with --var-file. A later one wins.
	VarFiles []VarFile
	// Env looks up a variable of the environment; nil stands for an empty one.
	// PAWL_VAR_name gives the variable name a value.
	Env func(name string) (value string, set bool)
	// Outside reads a file that file() or templatefile() names and that is not
	// in the project. Nil refuses such files.
	Outside func(name string) ([]byte, error)
	// Target is the target block that the command works on, whose env() calls
	// are made; empty for none.
	Target string
	// Version is the tool's version, "0.3.1", which required_version is checked
	// against. Empty leaves it unchecked.
	Version string
}

// VarFile is a file that gives variables values: attributes alone, each with
// the name of a variable.
type VarFile struct {
	Name   string // as in ranges
	Source []byte
}

// Load reads all *.hcl files at the root of fsys as one module, evaluates them
// and decodes them.
//
// The Spec is never nil. When the list holds an error it contains what could be
// decoded: fields whose value was refused are zero.
func Load(fsys fs.FS, o Options) (*Spec, diag.List) {
	p := newProject(fsys, o)
	p.load()
	return p.spec, p.diags
}

func (p *project) load() {
	p.read()
	p.declare()
	p.setVariables()
	p.collectLocals()
	p.evaluateLocals()
	p.decode()
	p.checkTarget()
	p.diags.Sort()
	p.diags.Fold(diag.UnknownReference)
}

// project is a load in progress as one block sees it: what the whole load
// shares, the module that the block stands in, and the value that it is repeated
// for.
type project struct {
	*shared
	*module
	each *each // of the innermost repeated block; nil outside of one
}

// shared is what all modules share.
type shared struct {
	options Options
	fsys    fs.FS
	spec    *Spec
	diags   diag.List
	root    *project
	folders map[string]*folder // by path

	// parts indexes the blocks inside a table, so that a reference to a column
	// does not search the table.
	parts map[*hclsyntax.Block]map[string]map[string]*hclsyntax.Block

	// running is the chain of nodes under evaluation, to name a cycle.
	running       []step
	chainReported bool
	// repeats counts what for_each made, to bound it: of each block once,
	// however many references have it evaluated.
	repeats  int
	work     int // left for all evaluations; below 0 when it is spent
	left     sizes
	repeated map[repetition]bool
}

// folder is a directory whose files have been read.
type folder struct {
	// blocks are the top-level blocks of all files, by file name and then in
	// the order of the text.
	blocks []*hclsyntax.Block
	files  int
	// incomplete says that a file could not be parsed: a name that is not
	// declared may stand in the part that was lost.
	incomplete bool
}

// module is the project's own directory, or one use of another one.
type module struct {
	*folder
	dir     string // relative to the project, "." for its own
	address string // module.log["orders"]. with its dot; empty for the project's own
	call    *call  // how it is used; nil for the project's own

	// blocks are those of the folder that can be decoded.
	blocks []*hclsyntax.Block
	// declared holds the first block of each type and label.
	declared map[string]map[string]*hclsyntax.Block
	locals   map[string]*hclsyntax.Attribute
	// given holds the values of variables from outside, by name.
	given map[string]givenValue
	// nodes are the values that references can name, evaluated on demand.
	nodes map[string]*node
	// checking are the variables whose validation is being evaluated.
	checking map[string]cty.Value
	// known are the rounds of blocks at the top of a file.
	known map[*hclsyntax.Block][]*project
	// uses are the modules that this one uses, by label, in the order of their
	// keys.
	uses map[string][]*project
}

func newProject(fsys fs.FS, o Options) *project {
	l := &shared{
		options: o,
		fsys:    fsys,
		work:    maxTotal,
		left:    sizes{bytes: maxSource, blocks: maxBlocks},
		spec:    &Spec{Dir: o.Dir, Sources: make(map[string][]byte)},
		folders: make(map[string]*folder),
		parts:   make(map[*hclsyntax.Block]map[string]map[string]*hclsyntax.Block),

		repeated: make(map[repetition]bool),
	}
	l.root = l.newModule(".", "", nil)
	return l.root
}

func (l *shared) newModule(dir, address string, c *call) *project {
	return &project{shared: l, module: &module{
		dir: dir, address: address, call: c,
		declared: make(map[string]map[string]*hclsyntax.Block),
		locals:   make(map[string]*hclsyntax.Attribute),
		given:    make(map[string]givenValue),
		nodes:    make(map[string]*node),
		checking: make(map[string]cty.Value),
		known:    make(map[*hclsyntax.Block][]*project),
		uses:     make(map[string][]*project),
	}}
}

// report adds a diagnostic, with the uses of modules that led to its place.
func (p *project) report(d diag.Diagnostic) {
	d.Related = append(slices.Clone(d.Related), p.stack()...)
	p.diags.Add(d)
}

func (p *project) reportAll(list diag.List) {
	for _, d := range list {
		p.report(d)
	}
}

// read parses the files of the module's directory, once for all its uses.
func (p *project) read() {
	if p.folder = p.folders[p.dir]; p.folder != nil {
		return
	}
	p.folder = &folder{}
	p.folders[p.dir] = p.folder
	entries, err := fs.ReadDir(p.fsys, p.dir)
	if err != nil {
		p.report(diag.Diagnostic{
			Code:   diag.UnreadableFile,
			Detail: "The directory " + quote(cmp.Or(p.displayName("."), ".")) + " cannot be read.",
			Help:   "name the directory of the project with -C DIR",
		})
		p.incomplete = true
		return
	}
	for _, entry := range entries {
		if isSource(entry) {
			p.readFile(entry.Name())
		}
	}
}

// displayName is the name of a file of the module in ranges.
func (p *project) displayName(name string) string {
	if p.options.Dir == "" {
		return path.Join(p.dir, name)
	}
	return path.Join(p.options.Dir, p.dir, name)
}

func (p *project) readFile(name string) {
	display := p.displayName(name)
	regular, fits := p.admits(name)
	if !fits {
		return
	}
	var src []byte
	err := fs.ErrInvalid
	if regular {
		src, err = fs.ReadFile(p.fsys, path.Join(p.dir, name))
	}
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
	p.files++
	bodies, fine := parseBlocks(src, display)
	if !fine {
		bodies = p.parseWhole(src, display)
	}
	for _, body := range bodies {
		p.topLevelAttributes(body)
		p.take(body)
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
