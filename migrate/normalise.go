package migrate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/codegen/postgres"
	"github.com/pawldb/pawl/compiler/ir"
)

// Uncertain is an object that may or may not be what is wanted: its text is not
// the one that the server prints, and the server could not be asked to print
// the wanted one. It is left as it is.
type Uncertain struct {
	ID     ir.ObjectID
	Origin ir.Origin
	Have   string // as the server prints it
	Want   string // as it is declared
	Why    string
}

// maxPasses bounds how often a definition is printed and read again. An IN list
// prints stably only the second time.
const maxPasses = 3

// normaliser fills the prints of a wanted schema, so that it can be compared
// with an inspected one. Only the server knows how it prints a definition, so
// the server is asked; what nothing is known about and what cannot have changed
// is not.
type normaliser struct {
	ctx  context.Context
	conn *pgx.Conn
	path []string // where names without a schema are looked up
	// program says which differences are left alone.
	program *ir.Program
	// types are statements that give types the names and labels that the wanted
	// definitions say; what is printed is printed under these.
	types []string

	asked     int // objects that the server was asked to print
	uncertain []Uncertain
}

// prints are the prints of objects by identity.
type prints map[ir.ObjectID]string

// fill prints every object of want that have has too, and those that may be an
// old object under a new name. have is what stands, and memory what pawl.object
// remembers.
func (n *normaliser) fill(have, want *ir.Schema, all map[ir.ObjectID]string, memory map[ir.ObjectID]record) error {
	printPlain(want)
	known := prints{}
	unknown := map[ir.ObjectID]bool{}
	inspected := printsOf(have)
	printed := printsOf(want)
	altered := map[ir.TableRef]bool{} // a column has another definition
	orphans := orphaned(inspected, want)
	for _, object := range want.Objects() {
		id := object.ID
		print, exists := inspected[id]
		if !exists && orphans[family(id)] && printed[id] == "" {
			unknown[id] = true
		}
		if !exists || id.Kind == ir.IndexObject && printed[id] != "" {
			continue
		}
		// What an expression means, and how it prints, also rests on the types of
		// the columns in it. Columns come first in the list.
		ref := ir.TableRef{Schema: id.Schema, Name: id.Table}
		r := memory[id]
		if r.SpecHash == object.Hash && r.CatalogHash == catalogHash(n.program, object, all[id]) && !altered[ref] {
			known[id] = print
			continue
		}
		unknown[id] = true
		altered[ref] = altered[ref] || id.Kind == ir.ColumnObject
	}
	setPrints(want, known)
	if len(unknown) == 0 {
		return nil
	}
	n.asked = len(unknown)
	return n.ask(have, want, unknown)
}

// orphaned says of which families something stands that nobody wants.
func orphaned(inspected prints, want *ir.Schema) map[ir.ObjectID]bool {
	wanted := map[ir.ObjectID]bool{}
	for _, object := range want.Objects() {
		wanted[object.ID] = true
	}
	orphans := map[ir.ObjectID]bool{}
	for id := range inspected {
		if !wanted[id] && (id.Kind == ir.ConstraintObject || id.Kind == ir.IndexObject) {
			orphans[family(id)] = true
		}
	}
	return orphans
}

// family is what the objects of one kind on one table have in common.
func family(id ir.ObjectID) ir.ObjectID {
	id.Name = ""
	return id
}

// ask lets the server print the unknown objects of want. Where a print is not
// the one that stands, both are fed back until they meet or the bound is
// reached: what stands may come from a dump of what was declared.
func (n *normaliser) ask(have, want *ir.Schema, unknown map[ir.ObjectID]bool) error {
	why, err := n.scratchless()
	if err != nil {
		return err
	}
	if why != "" {
		n.guess(have, want, unknown, why)
		return nil
	}
	inspected := printsOf(have)
	wanted, err := n.print(parts(want, unknown))
	if err != nil {
		return err
	}
	first := printsOf(wanted)
	maps.DeleteFunc(first, func(id ir.ObjectID, _ string) bool { return !unknown[id] })
	setPrints(want, first)

	open := map[ir.ObjectID]bool{}
	for id, print := range first {
		if stands, ok := inspected[id]; ok && print != stands {
			open[id] = true
		}
	}
	return n.meet(have, want, wanted, open)
}

// meet feeds the prints of both sides back to the server until they are the
// same, for the objects that are open.
func (n *normaliser) meet(have, want, wanted *ir.Schema, open map[ir.ObjectID]bool) error {
	inspected := printsOf(have)
	sides := [2]*ir.Schema{wanted, have}
	seen := [2]map[ir.ObjectID][]string{{}, {}}
	see := func() {
		for i, side := range sides {
			whole := printsOf(declaredPrints(side))
			for id, print := range printsOf(side) {
				seen[i][id] = append(seen[i][id], print)
				if whole[id] != print {
					// It has a property that its fields do not tell, and would lose it
					// on the way: it can only be equal as it is.
					delete(open, id)
				}
			}
		}
	}
	see()
	for pass := 2; len(open) > 0 && pass <= maxPasses; pass++ {
		for i := range sides {
			var err error
			if sides[i], err = n.print(parts(sides[i], open)); err != nil {
				return err
			}
		}
		see()
		met := prints{}
		for id := range open {
			if slices.ContainsFunc(seen[0][id], func(p string) bool { return slices.Contains(seen[1][id], p) }) {
				met[id] = inspected[id]
				delete(open, id)
			}
		}
		setPrints(want, met)
	}
	return nil
}

// scratchless says why the server cannot be asked; empty when it can.
func (n *normaliser) scratchless() (why string, err error) {
	var recovery, temporary bool
	err = n.conn.QueryRow(n.ctx, `
SELECT pg_is_in_recovery(), has_database_privilege(current_database(), 'TEMPORARY')`).Scan(&recovery, &temporary)
	switch {
	case err != nil:
		return "", err
	case recovery:
		return "a standby makes no temporary tables", nil
	case !temporary:
		return "this role may not make temporary tables in this database (GRANT TEMPORARY ON DATABASE …)", nil
	}
	return n.typeless()
}

// typeless says why the types cannot have their new names for a moment.
func (n *normaliser) typeless() (why string, err error) {
	if len(n.types) == 0 {
		return "", nil
	}
	err = pgx.BeginFunc(n.ctx, n.conn, func(tx pgx.Tx) error {
		refused, err := n.attempt(tx, n.types...)
		if refused {
			why = "only the owner of a type can say how a definition prints under its new names"
		}
		return errors.Join(err, errScratchDone)
	})
	if errors.Is(err, errScratchDone) && n.conn.PgConn().TxStatus() == 'I' {
		err = nil
	}
	return why, err
}

// guess compares texts when the server cannot be asked.
func (n *normaliser) guess(have, want *ir.Schema, unknown map[ir.ObjectID]bool, why string) {
	inspected, declared := printsOf(have), printsOf(declaredPrints(want))
	same := prints{}
	for _, object := range want.Objects() {
		if _, stands := inspected[object.ID]; stands && unknown[object.ID] {
			id := object.ID
			same[id] = inspected[id]
			if declared[id] != inspected[id] {
				n.uncertain = append(n.uncertain, Uncertain{id, object.Origin, inspected[id], declared[id], why})
			}
		}
	}
	setPrints(want, same)
}

// print lets the server print the objects of a schema's domains and tables, these
// in batches that hold no name twice. What the server refuses has no print in the result.
func (n *normaliser) print(s *ir.Schema) (*ir.Schema, error) {
	domains, err := n.printDomains(s.Domains)
	if err != nil {
		return nil, err
	}
	printed := &ir.Schema{Domains: domains}
	for _, batch := range batches(s.Tables) {
		tables, err := n.printBatch(batch, nil)
		if err != nil {
			return nil, err
		}
		printed.Tables = append(printed.Tables, tables...)
	}
	return printed, nil
}

// batchSize bounds the locks of one transaction.
const batchSize = 200

// batches splits tables so that no two in one batch share a name, or have
// indexes that do: temporary objects all stand in one schema.
func batches(tables []ir.Table) [][]ir.Table {
	var all [][]ir.Table
	var taken []map[string]bool
	for _, t := range tables {
		names := relationNames(&t)
		i := 0
		for i < len(all) && (len(all[i]) == batchSize || slices.ContainsFunc(names, func(name string) bool { return taken[i][name] })) {
			i++
		}
		if i == len(all) {
			all = append(all, nil)
			taken = append(taken, map[string]bool{})
		}
		all[i] = append(all[i], t)
		for _, name := range names {
			taken[i][name] = true
		}
	}
	return all
}

// relationNames are the names that a table takes in its schema.
func relationNames(t *ir.Table) []string {
	names := []string{t.Name}
	for _, e := range t.Excludes {
		names = append(names, e.Name)
	}
	for _, i := range t.Indexes {
		names = append(names, i.Name)
	}
	return names
}

// printDomains lets the server print domains, under names that are all different.
func (n *normaliser) printDomains(domains []ir.Domain) (printed []ir.Domain, err error) {
	if len(domains) == 0 {
		return nil, nil
	}
	path := "SET LOCAL search_path = " + ir.Idents(slices.Concat(n.path, []string{"pg_temp"}))
	err = pgx.BeginTxFunc(n.ctx, n.conn, pgx.TxOptions{AccessMode: pgx.ReadWrite}, func(tx pgx.Tx) error {
		for _, sql := range []string{printing, path} {
			if _, err := tx.Exec(n.ctx, sql); err != nil {
				return fmt.Errorf("preparing to print definitions: %w", err)
			}
		}
		for i, d := range domains {
			if err := n.scratchDomain(tx, d, i); err != nil {
				return fmt.Errorf("printing the definitions of %s: %w", ir.Qualified(d.Schema, d.Name), err)
			}
		}
		schema, err := n.readScratch(tx)
		if err != nil {
			return err
		}
		for i, d := range domains {
			j := slices.IndexFunc(schema.Domains, func(s ir.Domain) bool { return s.Name == scratchDomainName(i) })
			if j >= 0 {
				read := schema.Domains[j]
				read.Schema, read.Name = d.Schema, d.Name
				printed = append(printed, read)
			}
		}
		return errScratchDone
	})
	if errors.Is(err, errScratchDone) {
		err = nil
	}
	return printed, err
}

func scratchDomainName(i int) string { return fmt.Sprintf("%s_%d", scratchFunction, i) }

// scratchDomain makes a domain of this session. A check that the server refuses
// is left out, and so is a domain.
func (n *normaliser) scratchDomain(tx pgx.Tx, d ir.Domain, i int) error {
	bare := ir.Domain{Schema: "pg_temp", Name: scratchDomainName(i), Type: d.Type}
	no, err := n.attempt(tx, postgres.Statements(ir.CreateDomain{Domain: bare})...)
	if err != nil || no {
		return err
	}
	for _, c := range d.Checks {
		if _, err := n.attempt(tx, postgres.Statements(ir.AddDomainCheck{Domain: bare, Check: c})...); err != nil {
			return err
		}
	}
	return nil
}

// errScratchDone rolls back the transaction of a batch.
var errScratchDone = errors.New("scratch objects are not kept")

// printBatch makes the tables of a batch, changes them, and reads them back.
// Without a change, they are made under the new names of types.
func (n *normaliser) printBatch(batch []ir.Table, change func(pgx.Tx) error) (printed []ir.Table, err error) {
	// Names are looked up as at apply; the temporary schema comes last, lest a
	// table hides a type of its name.
	path := "SET LOCAL search_path = " + ir.Idents(slices.Concat(n.path, []string{"pg_temp"}))
	err = pgx.BeginTxFunc(n.ctx, n.conn, pgx.TxOptions{AccessMode: pgx.ReadWrite}, func(tx pgx.Tx) error {
		for _, sql := range []string{printing, path, postgres.ScratchFunction(scratchFunction)} {
			if _, err := tx.Exec(n.ctx, sql); err != nil {
				return fmt.Errorf("preparing to print definitions: %w", err)
			}
		}
		if change == nil {
			if _, err := n.attempt(tx, n.types...); err != nil {
				return err
			}
		}
		refused := map[string]bool{}
		for i := range batch {
			if err := n.scratch(tx, &batch[i], refused); err != nil {
				return fmt.Errorf("printing the definitions of %s: %w", batch[i].Ref().SQL(), err)
			}
		}
		if change != nil {
			if err := change(tx); err != nil {
				return err
			}
		}
		var err error
		if printed, err = n.readBack(tx, batch, refused); err != nil {
			return err
		}
		return errScratchDone
	})
	if errors.Is(err, errScratchDone) {
		err = nil
	}
	return printed, err
}

const scratchFunction = "pawl_scratch"

// scratch makes a table of this session with everything that is to be printed.
// All of it is sent at once; when the server refuses something, each statement
// is sent alone and those refused are left out. They cannot equal anything that
// stands: the apply that needs them will say what is wrong with them.
func (n *normaliser) scratch(tx pgx.Tx, t *ir.Table, refused map[string]bool) error {
	statements := scratchStatements(t)
	no, err := n.attempt(tx, statements...)
	if err != nil || !no {
		return err
	}
	empty := []string{postgres.ScratchTable(t.Name, nil)}
	for _, c := range t.Columns {
		bare := ir.Column{Name: c.Name, Type: c.Type, Null: true}
		empty = append(empty, postgres.Statements(ir.AddColumn{Table: scratchRef(t), Column: bare})...)
	}
	for _, statement := range slices.Concat(empty, statements[1:]) {
		no, err := n.attempt(tx, statement)
		if err != nil {
			return err
		}
		if no {
			refused[statement] = true
		}
	}
	return nil
}

func scratchRef(t *ir.Table) ir.TableRef { return ir.TableRef{Schema: "pg_temp", Name: t.Name} }

// scratchStatements spell a table and what stands on it, the table first.
func scratchStatements(t *ir.Table) []string {
	ref := scratchRef(t)
	statements := []string{postgres.ScratchTable(t.Name, t.Columns)}
	add := func(c ir.Change) { statements = append(statements, postgres.Statements(c)...) }
	for _, c := range t.Columns {
		if c.Default != "" {
			statements = append(statements, postgres.SetDefault(ref, c.Name, c.Default))
		}
	}
	for _, e := range t.Excludes {
		add(ir.AddConstraint{Table: ref, Constraint: e})
	}
	for _, c := range t.Checks {
		add(ir.AddConstraint{Table: ref, Constraint: c})
	}
	for _, i := range t.Indexes {
		add(ir.CreateIndex{Table: ref, Index: i})
	}
	for _, g := range t.Triggers {
		g.FuncSchema, g.FuncName = "pg_temp", scratchFunction
		add(ir.CreateTrigger{Table: ref, Trigger: g})
	}
	return statements
}

// attempt runs statements under a savepoint, all or none. Refused means that
// the server answered no; err, that it did not answer.
func (n *normaliser) attempt(tx pgx.Tx, statements ...string) (refused bool, err error) {
	// The savepoint goes ahead: a text with a syntax error in it is refused whole.
	if _, err := tx.Exec(n.ctx, "SAVEPOINT pawl_scratch"); err != nil {
		return false, err
	}
	_, err = tx.Exec(n.ctx, strings.Join(statements, ";\n")+";\nRELEASE SAVEPOINT pawl_scratch")
	if sqlState(err) == "" || n.conn.IsClosed() {
		return false, err
	}
	_, err = tx.Exec(n.ctx, "ROLLBACK TO SAVEPOINT pawl_scratch")
	return true, err
}

// readBack reads the temporary schema by the same queries as any other and gives
// each table its own schema's name again.
func (n *normaliser) readBack(tx pgx.Tx, batch []ir.Table, refused map[string]bool) ([]ir.Table, error) {
	read, err := n.readScratch(tx)
	if err != nil {
		return nil, err
	}
	var tables []ir.Table
	for i := range batch {
		j := slices.IndexFunc(read.Tables, func(t ir.Table) bool { return t.Name == batch[i].Name })
		if j >= 0 {
			tables = append(tables, rehomed(read.Tables[j], &batch[i], refused))
		}
	}
	return tables, nil
}

// readScratch reads the temporary schema of the session.
func (n *normaliser) readScratch(tx pgx.Tx) (*ir.Schema, error) {
	var schema string
	err := tx.QueryRow(n.ctx, "SELECT nspname::text FROM pg_namespace WHERE oid = pg_my_temp_schema()").Scan(&schema)
	if err != nil {
		return nil, err
	}
	if _, err := tx.Exec(n.ctx, printing); err != nil {
		return nil, err
	}
	return readSchema(n.ctx, tx, []string{schema})
}

// rehomed is a table that was read back from scratch, under its real names. A
// default or a formula that the server refused must not look like none.
func rehomed(t ir.Table, as *ir.Table, refused map[string]bool) ir.Table {
	t.Schema = as.Schema
	for i := range t.Columns {
		c := &t.Columns[i]
		for _, real := range as.Columns {
			switch {
			case real.Name != c.Name:
			case refused[postgres.SetDefault(scratchRef(as), real.Name, real.Default)]:
				c.Printed.Default = "refused: " + real.Default
			case real.Generated != "" && c.Generated == "":
				c.Printed.Default = "refused: " + real.Generated
			}
		}
	}
	for i := range t.Triggers {
		g := &t.Triggers[i]
		if g.Printed != printTrigger(*g) {
			continue // not read in parts
		}
		for _, real := range as.Triggers {
			if real.Name == g.Name {
				g.FuncSchema, g.FuncName = real.FuncSchema, real.FuncName
			}
		}
		g.Printed = printTrigger(*g)
	}
	return t
}
