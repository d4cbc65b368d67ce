package pawl_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/pawldb/pawl/pawl"
)

func TestEdit(t *testing.T) {
	pool, s := open(t)
	exec(t, pool, `INSERT INTO app.items (id, stock, note, tags) VALUES (1, 5, 'old', '{a,b}')`)
	edit := func(s *pawl.Session, change func(*item) error) (item, error) {
		return pawl.Edit(t.Context(), s, &repriceItem, (*item).dest, func(_ cx, i *item) error { return change(i) }, 1)
	}
	got, err := edit(s, func(i *item) error {
		*i.Note = "new"     // behind the same pointer
		i.Tags[0] = "first" // in the same slice
		return i.Price.Scan("3.50")
	})
	must(t, err)
	want(t, "note", *got.Note, "new")
	want(t, "rows", number(t, pool, `SELECT count(*) FROM app.items WHERE note = 'new' AND tags = '{first,b}' AND price = 3.5 AND stock = 5`), 1)

	_, err = edit(s, func(i *item) error { i.Stock = 99; i.Tags = nil; return nil })
	var refused *pawl.NotEditableError
	if !errors.As(err, &refused) || !errors.Is(err, pawl.ErrNotEditable) || refused.Column != "stock" {
		t.Errorf("changing a column that is not editable: %v", err)
	}
	stop := errors.New("stop")
	if _, err = edit(s, func(i *item) error { i.Tags = nil; return stop }); any(err) != any(stop) {
		t.Errorf("the function's error came back as %v", err)
	}
	version := number(t, pool, `SELECT xmin::text::bigint FROM app.items`)
	got, err = edit(s, func(*item) error { return nil })
	must(t, err)
	want(t, "stock", got.Stock, 5)
	want(t, "version of the row after no change", number(t, pool, `SELECT xmin::text::bigint FROM app.items`), version)

	_, err = edit(s, func(i *item) error { return i.Price.Scan("99999999999") })
	if !errors.Is(err, pawl.ErrBadInput) {
		t.Errorf("a price out of range: %v", err)
	}
	_, err = pawl.Edit(t.Context(), s, &repriceItem, (*item).dest, func(cx, *item) error { return nil }, 2)
	if !errors.Is(err, pawl.ErrNotFound) {
		t.Errorf("editing nothing: %v", err)
	}
	want(t, "connections in use", pool.Stat().AcquiredConns(), 0)

	// Inside a transaction it is part of that.
	_, err = pawl.InTx(t.Context(), s, func(_ cx, tx *pawl.Session) (item, error) {
		if _, err := edit(tx, func(i *item) error { i.Tags = []string{"inside"}; return nil }); err != nil {
			return item{}, err
		}
		return item{}, stop
	})
	want(t, "error", err, stop)
	want(t, "rows edited in a transaction that rolled back", number(t, pool, `SELECT count(*) FROM app.items WHERE tags = '{inside}'`), 0)
}

func TestEditPanicKeepsTheConnection(t *testing.T) {
	pool := connect(t, database(t), size(1))
	exec(t, pool, `INSERT INTO app.items (id, stock) VALUES (1, 5)`)
	func() {
		defer func() { want[any](t, "panic", recover(), "boom") }()
		_, _ = pawl.Edit(t.Context(), session(pool), &repriceItem, (*item).dest, func(cx, *item) error { panic("boom") }, 1)
	}()
	want(t, "connections in use", pool.Stat().AcquiredConns(), 0)
	_, err := pawl.Guarded(t.Context(), session(pool), &takeItem, (*item).dest, 1, 1)
	must(t, err)
}

// Read, decide, write: without the row lock, one of two edits that read the same
// row is lost.
func TestEditHoldsUnderConcurrency(t *testing.T) {
	unlocked := repriceItem
	unlocked.LockSQL = getItem.SQL
	for _, c := range []struct {
		name string
		op   *pawl.EditOperation
		kept int64
	}{{"locked", &repriceItem, 2}, {"without the lock", &unlocked, 1}} {
		t.Run(c.name, func(t *testing.T) {
			pool, s := open(t)
			exec(t, pool, `INSERT INTO app.items (id, stock) VALUES (1, 5)`)
			var both meeting
			var wg sync.WaitGroup
			for range 2 {
				wg.Go(func() {
					_, err := pawl.Edit(t.Context(), s, c.op, (*item).dest, func(_ cx, i *item) error {
						both.wait(2)
						i.Tags = append(i.Tags, "x")
						return nil
					}, 1)
					if err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			want(t, "edits kept", number(t, pool, `SELECT cardinality(tags) FROM app.items`), c.kept)
		})
	}
}

func TestEditIsRetried(t *testing.T) {
	pool, s := open(t)
	exec(t, pool, `INSERT INTO app.items (id, stock) VALUES (1, 5)`,
		`CREATE FUNCTION app.clash() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM app.flaky('40001', 2); RETURN NEW; END $$`,
		`CREATE TRIGGER clash BEFORE UPDATE ON app.items FOR EACH ROW EXECUTE FUNCTION app.clash()`)
	runs := 0
	_, err := pawl.Edit(t.Context(), s, &repriceItem, (*item).dest, func(_ cx, i *item) error {
		runs++
		want(t, "tags seen", len(i.Tags), 0)
		i.Tags = append(i.Tags, "x")
		return nil
	}, 1)
	must(t, err)
	want(t, "runs", runs, 3)
}

// mood is an enum as generated code declares one.
type mood string

// moodRow is a row with an array of an enum.
type moodRow struct {
	ID    int64
	Moods []mood
}

func (m *moodRow) dest() []any { return []any{&m.ID, &m.Moods} }

// TestEditOfAnEnumArray writes a slice of a named string type, which pgx can
// encode only where it knows the parameter's type.
func TestEditOfAnEnumArray(t *testing.T) {
	url := database(t)
	setup := connect(t, url)
	exec(t, setup, `CREATE TYPE app.mood AS ENUM ('glad', 'sad');
		CREATE TABLE app.moods (id bigint PRIMARY KEY, moods app.mood[] NOT NULL);
		INSERT INTO app.moods VALUES (1, '{}')`)
	op := pawl.EditOperation{
		Operation: pawl.Operation{
			Name: "table.moods.edit.feel", Table: "app.moods",
			SQL: `/* table.moods.edit.feel */ UPDATE app.moods SET moods = $2::text[]::app.mood[] WHERE id = $1::bigint RETURNING id, moods::text[]`,
		},
		LockSQL:  `/* table.moods.edit.feel */ SELECT id, moods::text[] FROM app.moods WHERE id = $1::bigint FOR NO KEY UPDATE`,
		Columns:  []string{"id", "moods"},
		Editable: []int{1},
	}
	for _, mode := range modes {
		t.Run(mode.String(), func(t *testing.T) {
			s := session(connect(t, url, inMode(mode)))
			for _, feel := range [][]mood{{"glad", "sad"}, {}} {
				got, err := pawl.Edit(t.Context(), s, &op, (*moodRow).dest, func(_ cx, m *moodRow) error { m.Moods = feel; return nil }, int64(1))
				must(t, err)
				want(t, "moods", len(got.Moods), len(feel))
			}
		})
	}
}
