package golang

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/codegen/postgres"
	"github.com/pawldb/pawl/compiler"
	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/devdb/pgtest"
	"github.com/pawldb/pawl/testdata/cases/types/store"
)

// typesCase is the golden folder with a column of each type.
const typesCase = "../../testdata/cases/types"

// Values of each type are the same after generated code wrote and read them, in
// every exec mode: NOT NULL and NULL, in lists, and in lists with NULL in them.
func TestGeneratedValues(t *testing.T) {
	spec, problems := dsl.Load(os.DirFS(typesCase), dsl.Options{})
	program, more := compiler.Compile(spec)
	problems.Extend(more)
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	url := pgtest.URL(t)
	setup := must(pgx.Connect(t.Context(), url))
	defer setup.Close(context.Background())
	must(setup.PgConn().Exec(t.Context(), "CREATE EXTENSION citext; CREATE EXTENSION ltree; CREATE EXTENSION hstore;"+postgres.Schema(program)).ReadAll())

	names := resolve(program)
	tables := map[string]*valueTable{}
	for i := range program.Repositories {
		r := &program.Repositories[i]
		tables[r.Name] = &valueTable{t: t, row: r.Row, fields: names.repositories[i].fields, values: samples()}
	}
	tables["modified"].values = modifiedSamples()
	for name := range baseTypes {
		if tables["singles"].fields["a_"+name] == "" {
			t.Errorf("no column of the case has the type %s", name)
		}
	}
	for _, mode := range execModes {
		t.Run(mode.String(), func(t *testing.T) {
			config := must(pgx.ParseConfig(url))
			config.DefaultQueryExecMode = mode
			config.RuntimeParams["timezone"] = "Asia/Kathmandu" // no value may depend on it, but for one in a text
			conn := must(pgx.ConnectConfig(t.Context(), config))
			defer conn.Close(context.Background())
			for _, table := range tables {
				table.t = t
			}
			db := store.New(conn)
			singles := methods[store.Single, store.SingleInsert]{
				db, func(tx *store.Store) rowMethods[store.Single, store.SingleInsert] { return tx.Singles },
				[]func(context.Context, *store.Single, int) ([]store.Single, error){
					db.Singles.ListByInt8, db.Singles.ListByNumeric, db.Singles.ListByText, db.Singles.ListByTimestamptz, db.Singles.ListByTimestamp,
					db.Singles.ListByUUID, db.Singles.ListByDate, db.Singles.ListByMood, db.Singles.ListByInterval, db.Singles.ListByInet,
					db.Singles.ListByBytea, db.Singles.ListByFloat8, db.Singles.ListByBool,
				},
			}
			singles.check(tables["singles"])
			lists := methods[store.List, store.ListInsert]{
				db, func(tx *store.Store) rowMethods[store.List, store.ListInsert] { return tx.Lists }, nil,
			}
			lists.check(tables["lists"])
			modified := methods[store.ModifiedRow, store.ModifiedInsert]{
				db, func(tx *store.Store) rowMethods[store.ModifiedRow, store.ModifiedInsert] { return tx.Modified }, nil,
			}
			modified.check(tables["modified"])
		})
	}
}

// valueTable makes rows of a table of the case.
type valueTable struct {
	t      *testing.T
	row    []ir.Field
	fields map[string]string // Go name, by column
	values map[string][]any  // by type
}

// rounds is how many rows show NULL and every value of every type.
func (v *valueTable) rounds() int {
	most := 0
	for _, values := range v.values {
		most = max(most, len(values))
	}
	return most + 1
}

// fill sets the fields of a struct to the values of one round.
func (v *valueTable) fill(row any, round int) {
	v.t.Helper()
	to := reflect.ValueOf(row).Elem()
	for _, f := range v.row {
		field := to.FieldByName(v.fields[f.Name])
		if !field.IsValid() || f.Name == "id" {
			continue
		}
		variant, kind, _ := strings.Cut(f.Name, "_")
		values := v.values[kind]
		if len(values) == 0 {
			v.t.Fatalf("no value is there for the column %s", f.Name)
		}
		switch {
		case f.Type.Kind == ir.ArrayType:
			field.Set(v.list(field.Type(), kind, round, variant == "sparse"))
		case variant == "maybe" && round == 0:
			field.SetZero()
		default:
			setValue(field, values[round%len(values)])
		}
	}
}

// list is a list of one round: NULL where that is a value, an empty one, all
// values of the type; and NULL among them in a sparse one.
func (v *valueTable) list(typ reflect.Type, kind string, round int, sparse bool) reflect.Value {
	if sparse && round%3 == 0 {
		return reflect.Zero(typ)
	}
	list := reflect.MakeSlice(typ, 0, 4)
	if round%3 == 1 {
		return list
	}
	values := v.values[kind]
	if text, ok := textsInLists[kind]; ok {
		values = []any{text}
	}
	for _, value := range values {
		elem := reflect.New(typ.Elem()).Elem()
		setValue(elem, value)
		list = reflect.Append(list, elem)
		if sparse {
			list = reflect.Append(list, reflect.Zero(typ.Elem()))
		}
	}
	return list
}

// setValue sets a field, or what it points to. An enum's value has the type of
// another enum.
func setValue(field reflect.Value, value any) {
	if field.Kind() == reflect.Pointer {
		field.Set(reflect.New(field.Type().Elem()))
		field = field.Elem()
	}
	field.Set(reflect.ValueOf(value).Convert(field.Type()))
}

// differences lists the columns in which a row that came back differs from one
// that was sent.
func (v *valueTable) differences(sent, got any) []string {
	var list []string
	from, to := reflect.ValueOf(sent), reflect.ValueOf(got)
	for _, f := range v.row {
		a, b := from.FieldByName(v.fields[f.Name]), to.FieldByName(v.fields[f.Name])
		if a.IsValid() && b.IsValid() && !sameElements(a, b) {
			list = append(list, fmt.Sprintf("%s: sent %#v, got %#v", f.Name, shown(a), shown(b)))
		}
	}
	return list
}

// sameElements compares values with what they point to.
func sameElements(a, b reflect.Value) bool {
	switch {
	case a.Kind() == reflect.Pointer:
		return a.IsNil() == b.IsNil() && (a.IsNil() || same(a.Elem().Interface(), b.Elem().Interface()))
	case a.Kind() == reflect.Slice && a.Type().Elem().Kind() == reflect.Pointer:
		if a.IsNil() != b.IsNil() || a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !sameElements(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	}
	return same(a.Interface(), b.Interface())
}

func shown(v reflect.Value) any {
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		return v.Elem().Interface()
	}
	return v.Interface()
}

// rowMethods are the methods that every table of the case has.
type rowMethods[R, I any] interface {
	Insert(ctx context.Context, in I) (R, error)
	Get(ctx context.Context, id int64) (R, error)
	GetForUpdate(ctx context.Context, id int64) (R, error)
	GetManyForUpdate(ctx context.Context, ids ...int64) ([]R, error)
	Change(ctx context.Context, id int64, change func(ctx context.Context, row *R) error) (R, error)
	ChangeTogether(ctx context.Context, ids []int64, change func(ctx context.Context, rows []*R) error) ([]R, error)
	List(ctx context.Context, after *R, limit int) ([]R, error)
	Delete(ctx context.Context, id int64) error
}

// methods are a table's methods, outside and inside a transaction.
type methods[R, I any] struct {
	db    *store.Store
	of    func(*store.Store) rowMethods[R, I]
	lists []func(context.Context, *R, int) ([]R, error)
}

// check sends every value through every method.
func (m methods[R, I]) check(v *valueTable) {
	v.t.Helper()
	ctx := v.t.Context()
	table := m.of(m.db)
	rows := map[int64]R{}
	for round := range v.rounds() {
		in := new(I)
		v.fill(in, round)
		inserted, err := table.Insert(ctx, *in)
		m.expect(v, "Insert", *in, inserted, err)
		id := reflect.ValueOf(inserted).FieldByName("ID").Int()
		read, err := table.Get(ctx, id)
		m.expect(v, "Get", *in, read, err)
		_, err = store.InTx(ctx, m.db, func(ctx context.Context, tx *store.Store) (struct{}, error) {
			locked, err := m.of(tx).GetForUpdate(ctx, id)
			m.expect(v, "GetForUpdate", *in, locked, err)
			many, err := m.of(tx).GetManyForUpdate(ctx, id, id)
			if len(many) != 1 {
				v.t.Fatalf("GetManyForUpdate: %d rows, %v", len(many), err)
			}
			m.expect(v, "GetManyForUpdate", *in, many[0], err)
			return struct{}{}, nil
		})
		if err != nil {
			v.t.Fatal(err)
		}
		next := new(R)
		changed, err := table.Change(ctx, id, func(_ context.Context, row *R) error {
			v.fill(row, round+1)
			*next = *row
			return nil
		})
		m.expect(v, "Change", *next, changed, err)
		read, err = table.Get(ctx, id)
		m.expect(v, "Get after Change", *next, read, err)
		rows[id] = m.together(v, id, round)
	}
	for i, list := range append(m.lists, table.List) {
		m.pages(v, i, list, rows)
	}
	for id := range rows {
		if err := table.Delete(ctx, id); err != nil {
			v.t.Fatal(err)
		}
	}
}

// together sends the values of a round as a batch does: as texts, by the names of
// their types, and in another order than that of the table.
func (m methods[R, I]) together(v *valueTable, id int64, round int) R {
	v.t.Helper()
	ctx := v.t.Context()
	// Nothing is changed, NaN does not look like a change, and nothing is written.
	if _, err := m.of(m.db).ChangeTogether(ctx, []int64{id}, func(context.Context, []*R) error { return nil }); err != nil {
		v.t.Errorf("an edit that changes nothing: %v", err)
	}
	next := new(R)
	changed, err := m.of(m.db).ChangeTogether(ctx, []int64{id}, func(_ context.Context, rows []*R) error {
		v.fill(rows[0], round)
		*next = *rows[0]
		return nil
	})
	if err != nil || len(changed) != 1 {
		v.t.Fatalf("ChangeTogether: %d rows, %v", len(changed), err)
	}
	m.expect(v, "ChangeTogether", *next, changed[0], nil)
	read, err := m.of(m.db).Get(ctx, id)
	m.expect(v, "Get after ChangeTogether", *next, read, err)
	return read
}

// pages reads all rows by one index, a few at a time.
func (m methods[R, I]) pages(v *valueTable, index int, list func(context.Context, *R, int) ([]R, error), rows map[int64]R) {
	v.t.Helper()
	var seen []int64
	for after := (*R)(nil); ; {
		page, err := list(v.t.Context(), after, 3)
		if err != nil {
			v.t.Fatalf("list %d: %v", index, err)
		}
		for i := range page {
			id := reflect.ValueOf(page[i]).FieldByName("ID").Int()
			m.expect(v, "List", rows[id], page[i], nil)
			seen = append(seen, id)
		}
		if len(page) < 3 {
			break
		}
		after = &page[len(page)-1]
	}
	slices.Sort(seen)
	if len(slices.Compact(seen)) != len(rows) {
		v.t.Errorf("list %d: %d of %d rows were on the pages", index, len(slices.Compact(seen)), len(rows))
	}
}

// expect compares a row that a method returned with what was sent.
func (m methods[R, I]) expect(v *valueTable, method string, sent any, got R, err error) {
	v.t.Helper()
	if err != nil {
		v.t.Fatalf("%s: %v", method, err)
	}
	for _, difference := range v.differences(sent, got) {
		v.t.Errorf("%s: %s", method, difference)
	}
}
