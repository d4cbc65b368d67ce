package compiler

import (
	"reflect"
	"slices"
	"testing"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
)

// Every block of a table that may hold a lifecycle block is looked into: one that
// is forgotten would be dropped in spite of it.
func TestEveryLifecycleIsCollected(t *testing.T) {
	operations := []string{"Adjusts", "Edits", "Upserts"} // own no object
	table := reflect.TypeFor[dsl.Table]()
	for i := range table.NumField() {
		field := table.Field(i)
		element := field.Type
		if element.Kind() == reflect.Slice {
			element = element.Elem()
		}
		if element.Kind() != reflect.Pointer || slices.Contains(operations, field.Name) {
			continue
		}
		if _, block := element.Elem().FieldByName("Lifecycle"); !block {
			continue
		}
		inner := reflect.New(element.Elem())
		inner.Elem().FieldByName("Lifecycle").Set(reflect.ValueOf(&dsl.Lifecycle{}))
		decl := &dsl.Table{}
		if into := reflect.ValueOf(decl).Elem().Field(i); field.Type.Kind() == reflect.Slice {
			into.Set(reflect.Append(into, inner))
		} else {
			into.Set(inner)
		}
		c := &compilation{program: &ir.Program{}}
		c.tableLifecycles("table.t", decl)
		if len(c.program.Lifecycles) != 1 {
			t.Errorf("dsl.Table.%s: its lifecycle block is not collected", field.Name)
		}
	}
}
