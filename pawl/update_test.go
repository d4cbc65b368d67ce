package pawl_test

import (
	"errors"
	"testing"

	"github.com/pawldb/pawl/pawl"
)

var updateItem = pawl.Operation{
	Name: "table.items.update", Table: "app.items",
	SQL: `/* table.items.update */ UPDATE app.items
SET stock = CASE WHEN $2::boolean THEN $3::integer ELSE stock END,
  note = CASE WHEN $4::boolean THEN $5::text ELSE note END,
  tags = CASE WHEN $6::boolean THEN $7::text[] ELSE tags END
WHERE id = $1::bigint RETURNING ` + itemColumns,
}

type itemUpdate struct {
	Stock pawl.Change[int32]
	Note  pawl.Change[*string]
	Tags  pawl.Change[[]mood]
}

func (u itemUpdate) in(t *testing.T, s *pawl.Session, id int64) (item, error) {
	return pawl.Update(t.Context(), s, &updateItem, (*item).dest, []any{id}, u.Stock, u.Note, u.Tags)
}

// An update changes the columns that it names, to NULL and to zero too, and no other.
func TestUpdateOfNamedColumns(t *testing.T) {
	for _, mode := range modes {
		t.Run(mode.String(), func(t *testing.T) {
			pool := connect(t, database(t), inMode(mode))
			s := session(pool)
			exec(t, pool, "INSERT INTO app.items (id, stock, note, tags) VALUES (1, 5, 'old', '{a}')")
			for range 7 {
				got, err := itemUpdate{Tags: pawl.Set([]mood{"x", "y"})}.in(t, s, 1)
				must(t, err)
				if got.Stock != 5 || *got.Note != "old" || len(got.Tags) != 2 {
					t.Errorf("row %+v", got)
				}
			}
			got, err := itemUpdate{Stock: pawl.Set[int32](0), Note: pawl.Set[*string](nil)}.in(t, s, 1)
			must(t, err)
			if got.Stock != 0 || got.Note != nil || len(got.Tags) != 2 {
				t.Errorf("row %+v", got)
			}
			if _, err := (itemUpdate{}).in(t, s, 1); !errors.Is(err, pawl.ErrBadInput) {
				t.Errorf("an update of nothing: %v", err)
			}
			if _, err := (itemUpdate{Stock: pawl.Set[int32](1)}).in(t, s, 2); !errors.Is(err, pawl.ErrNotFound) {
				t.Errorf("an update of no row: %v", err)
			}
		})
	}
	if v, ok := pawl.Set(3).Get(); v != 3 || !ok {
		t.Error("a change does not say what it sets")
	}
	if _, ok := (pawl.Change[int]{}).Get(); ok {
		t.Error("the zero change sets something")
	}
}
