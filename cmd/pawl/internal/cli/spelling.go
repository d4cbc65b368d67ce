package cli

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"strconv"
	"strings"

	"github.com/pawldb/pawl/codegen/golang"
	"github.com/pawldb/pawl/compiler/ir"
)

// spelling is how generated Go spells a program's operations and errors. It is
// read off the generated code itself, so that what explain prints can be pasted.
type spelling struct {
	methods   map[string]string        // signature, by the operation's address
	sentinels map[constraintKey]string // variable, by the constraint
}

// constraintKey is how PostgreSQL names a constraint.
type constraintKey struct{ schema, table, name string }

// spell reads the Go names of a program. A program that generates no Go, or
// cannot, has none.
func spell(p *ir.Program) spelling {
	s := spelling{methods: map[string]string{}, sentinels: map[constraintKey]string{}}
	if p.Go == nil {
		return s
	}
	// Names do not depend on where the runtime is, and to import it asks for no
	// module around the output.
	imported, output := *p, *p.Go
	output.Runtime = "github.com/pawldb/pawl/pawl"
	imported.Go = &output
	files, _ := golang.Generate(&imported, nil, golang.GenerateOptions{})
	r := reader{spelling: s, operations: map[string]string{}, fset: token.NewFileSet()}
	for _, file := range files {
		r.read(file)
	}
	for _, f := range r.functions {
		r.function(f)
	}
	return s
}

// reader reads generated files.
type reader struct {
	spelling
	fset       *token.FileSet
	operations map[string]string // address, by the variable that describes it
	functions  []*ast.FuncDecl
}

func (r *reader) read(file golang.File) {
	parsed, err := parser.ParseFile(r.fset, file.Path, file.Content, parser.SkipObjectResolution)
	if err != nil {
		// golang.Generate formats what it returns, so it is Go.
		panic(fmt.Sprintf("generated %s does not parse: %v", file.Path, err))
	}
	for _, decl := range parsed.Decls {
		switch d := decl.(type) {
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok {
					r.values(v)
				}
			}
		case *ast.FuncDecl:
			if d.Recv != nil && d.Name.IsExported() {
				r.functions = append(r.functions, d)
			}
		}
	}
}

// values notes the variables that describe an operation or a constraint.
func (r *reader) values(spec *ast.ValueSpec) {
	for i, value := range spec.Values {
		fields := literalFields(value)
		name := spec.Names[i].Name
		switch {
		case fields["Constraint"] != "":
			r.sentinels[constraintKey{fields["Schema"], fields["Table"], fields["Constraint"]}] = name
		case fields["Address"] != "":
			r.operations[name] = fields["Address"]
		}
	}
}

// literalFields are the string fields of a struct literal or of a pointer to one.
func literalFields(value ast.Expr) map[string]string {
	if pointer, ok := value.(*ast.UnaryExpr); ok {
		value = pointer.X
	}
	literal, ok := value.(*ast.CompositeLit)
	if !ok {
		return nil
	}
	fields := map[string]string{}
	for _, element := range literal.Elts {
		pair, ok := element.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		key, isName := pair.Key.(*ast.Ident)
		text, isText := pair.Value.(*ast.BasicLit)
		if isName && isText && text.Kind == token.STRING {
			if unquoted, err := strconv.Unquote(text.Value); err == nil {
				fields[key.Name] = unquoted
			}
		}
	}
	return fields
}

// function notes the operation that a method runs. A method that runs several,
// as a worker does, is the method of none.
func (r *reader) function(f *ast.FuncDecl) {
	addresses := map[string]bool{}
	ast.Inspect(f.Body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && r.operations[id.Name] != "" {
			addresses[r.operations[id.Name]] = true
		}
		return true
	})
	if len(addresses) != 1 {
		return
	}
	for address := range addresses {
		if _, known := r.methods[address]; !known {
			r.methods[address] = r.signature(f)
		}
	}
}

// signature prints a method without its body.
func (r *reader) signature(f *ast.FuncDecl) string {
	bare := *f
	bare.Body, bare.Doc = nil, nil
	var b bytes.Buffer
	if err := printer.Fprint(&b, r.fset, &bare); err != nil {
		panic(fmt.Sprintf("print the signature of %s: %v", f.Name.Name, err))
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
