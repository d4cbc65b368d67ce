package golang

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// root is the root of this module, from this package's folder.
const root = "../.."

// writeModule writes files as a module of their own that needs what this module
// needs, so that it builds without a network.
func writeModule(t *testing.T, files []File) (dir string) {
	t.Helper()
	dir = t.TempDir()
	gomod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(gomod), "module github.com/pawldb/pawl\n", "module example.com/app\n", 1)
	files = append([]File{{"go.mod", []byte(text)}, {"go.sum", sums}}, files...)
	for _, f := range files {
		name := filepath.Join(dir, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// goCommand runs the go command in a module, without a network.
func goCommand(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=mod", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// use is what a user writes over the package that bookings generates: it holds
// the names that the documentation promises.
const use = `package app

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/app/store"
	"example.com/app/store/pawl"
)

func use(ctx context.Context, pool pawl.DB) error {
	db := store.New(pool, pawl.WithRetry(pawl.Policy{Attempts: 3}))
	if err := db.Check(ctx); err != nil {
		return err
	}
	now := time.Now()
	booking, err := db.Bookings.Insert(ctx, store.BookingInsert{RoomID: 7, During: store.Between(now, now.Add(time.Hour)), Status: new(store.BookingStatusHeld)})
	switch {
	case errors.Is(err, store.ErrBookingsOnePerRoom), errors.Is(err, pawl.ErrOverlap):
		return err
	}
	if booking, err = db.Bookings.Confirm(ctx, booking.ID); err != nil {
		var state *pawl.StateError
		errors.As(err, &state)
		return err
	}
	if _, err = db.Counters.Send(ctx, "mail", 3); errors.Is(err, pawl.ErrGuard) {
		return err
	}
	booking, err = db.Bookings.Annotate(ctx, booking.ID, func(ctx context.Context, b *store.Booking) error {
		b.Seen = append(b.Seen, b.Status)
		return nil
	})
	var page []store.Booking
	page, err = db.Bookings.ListByRoom(ctx, nil, 100)
	page, err = db.Bookings.ListByRoom(ctx, &page[len(page)-1], 100)
	total, err := store.InTx(ctx, db, func(ctx context.Context, tx *store.Store) (int, error) {
		rows, err := tx.Bookings.GetManyForUpdate(ctx, 3, 1, 2)
		tx.AfterCommit(func() {})
		return len(rows), errors.Join(err, tx.Bookings.Delete(ctx, rows[0].ID))
	}, pawl.Isolation(pgx.Serializable))
	id, err := db.Tasks.Enqueue(ctx, store.TaskArgs{Kind: "mail", Body: []byte("{}")})
	claims, err := db.Tasks.Claim(ctx, 50)
	err = db.Tasks.Complete(ctx, claims[0])
	err = db.Tasks.Fail(ctx, claims[1], errors.New("no"))
	err = db.Tasks.Work(ctx, pawl.WorkOptions{Concurrency: 100}, func(ctx context.Context, t store.TaskClaim) error {
		_ = t.Kind
		_ = t.Deadline()
		return nil
	})
	err = db.OutboxRelay.Run(ctx, func(ctx context.Context, tx *store.Store) error { return nil })
	ran, err := db.OutboxRelay.TryRun(ctx, func(ctx context.Context, tx *store.Store) error { return nil })
	_, _, _ = total, id, ran
	return err
}

var _ = use
`

// The copied runtime and the code over it are a package that builds and that vet
// finds nothing in, with pgx as the only requirement.
func TestBuild(t *testing.T) {
	files, problems := Generate(bookings(), os.DirFS(filepath.Join(root, "pawl")), GenerateOptions{ImportPath: "example.com/app/store"})
	for _, p := range problems {
		t.Fatal(p.Text)
	}
	for _, f := range files {
		if strings.HasSuffix(f.Path, "_test.go") {
			t.Errorf("%s is copied", f.Path)
		}
		if !strings.HasPrefix(string(f.Content), header) {
			t.Errorf("%s does not begin with our header", f.Path)
		}
	}
	dir := writeModule(t, append(files, File{"use.go", []byte(use)}))
	goCommand(t, dir, "vet", "./...")
}
