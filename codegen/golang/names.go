package golang

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// names holds every Go name of the output, resolved before anything is printed.
type names struct {
	pkg          *scope
	chosen       typeNames
	labels       map[string][]string       // constants, by qualified SQL name, in the order of the values
	repositories []repositoryNames         // as Program.Repositories
	singletons   []singletonNames          // as Program.Singletons
	rules        []ruleNames               // as Program.Rules
	once         []onceNames               // as Program.Idempotencies
	inboxes      []inboxNames              // as Program.Inboxes
	limits       map[limitsKey]string      // variable
	limitKeys    []limitsKey               // of limits, in the order of their first use
	sentinels    map[ConstraintName]string // error variable
	types        map[columnID]goType       // go { type = "…" }
	columns      map[tableColumn]*ir.Column
	problems     []Problem
	program      *ir.Program
}

// repositoryNames are the names that belong to one repository.
type repositoryNames struct {
	typ     string            // Bookings
	lower   string            // bookings: what its unexported names begin with
	row     string            // Booking
	insert  string            // BookingInsert
	update  string            // BookingUpdate
	args    string            // TaskArgs
	claim   string            // TaskClaim
	errors  string            // bookingsErrors
	fields  map[string]string // of all four structs, by column
	methods map[string]string // by address of the operation
	items   map[string]item   // what a batch takes for one row, by address of the operation
	vars    map[string]string // operation descriptors, by address
	consts  map[statementID]string
	queue   string // tasksQueue
	file    string // bookings
}

// singletonNames are the names that belong to one singleton.
type singletonNames struct {
	typ        string // OutboxRelay
	descriptor string // outboxRelaySingleton
	consts     map[statementID]string
}

type (
	statementID struct {
		address string
		role    ir.Role
	}
	columnID struct{ address, column string }
)

// resolve gives a Go name to everything in p. Names that users write come first,
// in an order that makes the later one, which can be renamed, the one that is
// reported; names that nobody writes take what is left.
func resolve(p *ir.Program) *names {
	n := &names{
		program: p, columns: indexColumns(p), chosen: typeNames{enums: map[string]string{}}, labels: map[string][]string{}, limits: map[limitsKey]string{},
		sentinels: map[ConstraintName]string{}, types: map[columnID]goType{},
	}
	own := append(ownNames(), "Store", "New", "InTx", "Savepoint")
	for _, kind := range rangeKinds {
		if holds(p, kind.sql) {
			own = append(own, kind.between, kind.since, kind.until)
		}
	}
	own = append(own, adapterNames(p)...)
	n.pkg = newScope("package "+p.Go.Package, &n.problems, own...)
	n.resolveUUID()
	n.resolveEnums()
	store := newScope("struct Store", &n.problems, "WithTx", "Check", "DB", "AfterCommit", "Maintain")
	n.repositories = make([]repositoryNames, len(p.Repositories))
	for i := range p.Repositories {
		n.resolveRepository(&p.Repositories[i], &n.repositories[i], store)
	}
	n.singletons = make([]singletonNames, len(p.Singletons))
	for i := range p.Singletons {
		n.resolveSingleton(&p.Singletons[i], &n.singletons[i], store)
	}
	n.resolveRules(store)
	n.once = make([]onceNames, len(p.Idempotencies))
	for i := range p.Idempotencies {
		n.resolveOnce(&p.Idempotencies[i], &n.once[i], store)
	}
	n.inboxes = make([]inboxNames, len(p.Inboxes))
	for i := range p.Inboxes {
		n.resolveInbox(&p.Inboxes[i], &n.inboxes[i], store)
	}
	for i := range p.Repositories {
		n.resolveSentinels(&p.Repositories[i], &n.repositories[i])
	}
	n.resolveLabels()
	n.resolveUnexported()
	sortProblems(n.problems)
	return n
}

// resolveEnums names the enum types. Two enums of one name in different schemas
// are told apart by the schema.
func (n *names) resolveEnums() {
	holders := map[string]int{}
	for _, e := range n.program.Schema.Enums {
		holders[exported(e.Name)]++
	}
	for _, e := range n.program.Schema.Enums {
		name := exported(e.Name)
		if holders[name] > 1 && e.Schema != n.program.DefaultSchema {
			name = exported(e.Schema) + camel(e.Name)
		}
		n.chosen.enums[ir.Qualified(e.Schema, e.Name)] = name
		n.pkg.claim(name, fmt.Sprintf("enum %q", e.Name), e.Origin.Pos, `rename the enum, or one of the two, in the specification`)
	}
}

// resolveRepository names the types, fields and methods of a table or queue.
func (n *names) resolveRepository(r *ir.Repository, to *repositoryNames, store *scope) {
	what := describeRepository(r)
	to.typ = n.override(r.GoName, exported(r.Name), what+`: go { name = … }`, r.Pos)
	row, stem := rowName(r.Name)
	if r.GoRow != "" {
		row = n.override(r.GoRow, row, what+`: go { row = … }`, r.Pos)
		stem = row
	}
	to.row, to.insert, to.update, to.args, to.claim = row, stem+"Insert", stem+"Update", stem+"Args", stem+"Claim"

	help := fmt.Sprintf("give %s another name in Go: go { name = %q }", what, to.typ+"Table")
	if n.pkg.claim(to.typ, what, r.Pos, help) {
		store.claim(to.typ, what, r.Pos, help)
	}
	n.claimTypes(r, to, what)
	n.resolveFields(r, to)
	n.resolveMethods(r, to)
	n.resolveItems(r, to, stem)
}

// claimTypes takes the names of the structs of a repository. They come from one
// stem, so after the first that is taken the others are its echo.
func (n *names) claimTypes(r *ir.Repository, to *repositoryNames, what string) {
	help := fmt.Sprintf("name its rows: go { row = %q }", to.row+"Record")
	ok := true
	claim := func(used bool, name, whose string) {
		if used && ok {
			ok = n.pkg.claim(name, whose+" of "+what, r.Pos, help)
		}
	}
	claim(usesRow(r), to.row, "a row")
	claim(hasKind(r, ir.InsertOp), to.insert, "the insert")
	claim(hasKind(r, ir.UpdateOp), to.update, "the update")
	claim(r.Queue != nil, to.args, "the payload")
	claim(r.Queue != nil, to.claim, "a claim")
}

// usesRow reports whether the repository has a row struct: every table has, and
// a queue only when one of its operations returns whole rows.
func usesRow(r *ir.Repository) bool { return r.Queue == nil }

func hasKind(r *ir.Repository, kind ir.OperationKind) bool {
	return operationOf(r, kind) != nil
}

// describeRepository is how messages call a repository: table "bookings".
func describeRepository(r *ir.Repository) string {
	kind := "table"
	if r.Queue != nil {
		kind, _, _ = strings.Cut(r.Address, ".")
	}
	return fmt.Sprintf("%s %q", kind, r.Name)
}

// override is the name that a go block asks for, when it gives one and Go can
// take it.
func (n *names) override(asked, otherwise, what string, pos ir.Pos) string {
	if asked == "" {
		return otherwise
	}
	if !token.IsIdentifier(asked) || !token.IsExported(asked) {
		n.problems = append(n.problems, Problem{
			Pos:  pos,
			Text: fmt.Sprintf("%s: %q is no exported Go identifier", what, asked),
			Help: fmt.Sprintf("begin with a capital and use letters, digits and _ alone, for example %q", exported(asked)),
		})
		return otherwise
	}
	return asked
}

// resolveFields names the fields of the repository's structs. A column has one
// name in all of them.
func (n *names) resolveFields(r *ir.Repository, to *repositoryNames) {
	to.fields = map[string]string{}
	type structure struct {
		name   string
		fields []ir.Field
		own    []string
	}
	structs := []structure{{name: to.row, fields: r.Row}, {name: to.insert, fields: r.Insert}}
	if r.Queue != nil {
		structs = []structure{
			{name: to.claim, fields: r.Queue.Payload, own: []string{"Claim", "ID", "Fence", "Attempt", "LeaseUntil", "Deadline"}},
			{name: to.args, fields: r.Queue.Payload},
		}
	}
	reported := map[string]bool{}
	for _, s := range structs {
		sc := newScope("struct "+s.name, &n.problems, s.own...)
		for _, f := range s.fields {
			name, ok := to.fields[f.Name]
			if !ok {
				name = n.fieldName(r, f)
				to.fields[f.Name] = name
			}
			if sc.has(name) && reported[f.Name] {
				continue // once is enough: the same pair meets in every struct
			}
			free := name
			if reported[f.Name] = sc.has(name); reported[f.Name] {
				free = sc.fresh(name)
			}
			sc.claim(name, fmt.Sprintf("column %q", f.Name), n.columnPos(r, f.Name),
				fmt.Sprintf("give column %q another name in Go: go { name = %q }", f.Name, free))
		}
	}
}

// fieldName names a column's field and reads what its go block says of its type.
func (n *names) fieldName(r *ir.Repository, f ir.Field) string {
	given := r.GoColumns[f.Name]
	pos := n.columnPos(r, f.Name)
	if given.Type != "" {
		if t, ok := parseGoType(given.Type); ok {
			n.types[columnID{r.Address, f.Name}] = t
		} else {
			n.problems = append(n.problems, Problem{
				Pos:  pos,
				Text: fmt.Sprintf("column %q: go { type = %q } names no Go type", f.Name, given.Type),
				Help: `write the import path, a dot and the type, "github.com/google/uuid.UUID", or a predeclared type, "string"`,
			})
		}
	}
	return n.override(given.Name, exported(f.Name), fmt.Sprintf(`column %q: go { name = … }`, f.Name), pos)
}

// tableColumn is how the database names a column.
type tableColumn struct{ schema, table, column string }

// indexColumns finds the columns of a program by name.
func indexColumns(p *ir.Program) map[tableColumn]*ir.Column {
	index := map[tableColumn]*ir.Column{}
	for i := range p.Schema.Tables {
		t := &p.Schema.Tables[i]
		for j := range t.Columns {
			index[tableColumn{t.Schema, t.Name, t.Columns[j].Name}] = &t.Columns[j]
		}
	}
	return index
}

// columnPos is where a column is declared; its table's place when that is not
// known.
func (n *names) columnPos(r *ir.Repository, column string) ir.Pos {
	if c := n.columns[tableColumn{r.Schema, r.Table, column}]; c != nil && c.Origin.Pos.IsValid() {
		return c.Origin.Pos
	}
	return r.Pos
}

// resolveMethods names the methods of a repository.
func (n *names) resolveMethods(r *ir.Repository, to *repositoryNames) {
	to.methods = map[string]string{}
	sc := newScope("the methods of "+to.typ, &n.problems)
	if r.Queue != nil {
		sc = newScope("the methods of "+to.typ, &n.problems, "Work", "Relay")
	}
	for i := range r.Operations {
		o := &r.Operations[i]
		name := methodName(o)
		to.methods[o.Address] = name
		if o.Internal {
			continue
		}
		pos := o.Pos
		if !pos.IsValid() {
			pos = r.Pos
		}
		sc.claim(name, fmt.Sprintf("%s %q", o.Kind, o.Name), pos, "rename the operation, or give one of the columns or indexes another label")
	}
}

// methodName is the Go name of an operation. A list by an index that is itself
// called by_customer is ListByCustomer.
func methodName(o *ir.Operation) string {
	words := splitWords(o.Name)
	if len(words) == 0 {
		return exported(o.Name)
	}
	kept := words[:1]
	for _, word := range words[1:] {
		if o.Kind == ir.ListOp && word == "by" && kept[len(kept)-1] == "by" {
			continue
		}
		kept = append(kept, word)
	}
	for i, word := range kept {
		kept[i] = title(word)
	}
	name := joinWords(kept)
	if !token.IsExported(name) {
		name = "X" + name
	}
	return name
}

// resolveSingleton names a singleton's type, which is also its field in Store.
func (n *names) resolveSingleton(s *ir.Singleton, to *singletonNames, store *scope) {
	to.typ = exported(s.Name)
	what := fmt.Sprintf("singleton %q", s.Name)
	if n.pkg.claim(to.typ, what, s.Pos, "rename the singleton") {
		store.claim(to.typ, what, s.Pos, "rename the singleton")
	}
}

// holds reports whether a row or an argument of p has a range of the given type:
// by itself, in a list or in a multirange. The generated package then offers the
// functions that make such a range.
func holds(p *ir.Program, rangeType string) bool {
	multirange := strings.TrimSuffix(rangeType, "range") + "multirange"
	var made func(t ir.Type) bool
	made = func(t ir.Type) bool {
		t = t.Base()
		if t.Kind == ir.ArrayType {
			return made(*t.Elem)
		}
		return t.Kind == ir.BaseType && (t.Name == rangeType || t.Name == multirange)
	}
	for i := range p.Repositories {
		r := &p.Repositories[i]
		lists := [][]ir.Field{r.Row, r.Insert, payload(r)}
		for j := range r.Operations {
			for _, s := range r.Operations[j].Statements {
				lists = append(lists, s.Args)
			}
		}
		for _, fields := range lists {
			if slices.ContainsFunc(fields, func(f ir.Field) bool { return made(f.Type) }) {
				return true
			}
		}
	}
	return false
}
