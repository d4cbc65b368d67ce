package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pawldb/pawl/examples/seats/store"
	"github.com/pawldb/pawl/examples/seats/store/pawl"
)

// victimURL is the environment variable that turns this program into a worker
// that claims one task and hangs, to be killed.
const victimURL = "SEATS_VICTIM_URL"

// held is what the victim tells its parent before it dies.
type held struct{ ID, Fence int64 }

// dieAtWork lets a process of its own claim a task, kills it with SIGKILL, and
// looks who does the task: another worker, once the lease has ended, and never
// the dead one's late answer.
func dieAtWork(ctx context.Context, db *store.Store) ([]count, error) {
	id, err := db.Tasks.Enqueue(ctx, store.TaskArgs{Kind: "mail", Body: body(0)})
	if err != nil {
		return nil, err
	}
	dead, err := killWorker(ctx)
	if err != nil {
		return nil, err
	}
	early, err := db.Tasks.Claim(ctx, 1)
	if err != nil {
		return nil, err
	}

	var done, attempts int
	deadline := time.Now().Add(30 * time.Second)
	for done == 0 && time.Now().Before(deadline) {
		claims, err := db.Tasks.Claim(ctx, 1)
		if err != nil {
			return nil, err
		}
		if len(claims) == 0 {
			time.Sleep(50 * time.Millisecond)
			continue
		}
		// The ghost of the first worker answers late, with the fence it had.
		ghost := store.TaskClaim{Claim: pawl.Claim{ID: dead.ID, Fence: dead.Fence}}
		switch err := db.Tasks.Complete(ctx, ghost); {
		case err == nil:
			return nil, errors.New("the dead worker's late answer was accepted")
		case !errors.Is(err, pawl.ErrClaimLost):
			return nil, fmt.Errorf("the dead worker's late answer: %w", err)
		}
		if err := db.Tasks.Complete(ctx, claims[0]); err != nil {
			return nil, err
		}
		done, attempts = done+1, claims[0].Attempt
	}
	return []count{
		{"held by the dead worker", boolToInt(dead.ID == id), 1},
		{"taken before the lease ended", len(early), 0},
		{"done by another", done, 1},
		{"attempts", attempts, 2},
	}, nil
}

// killWorker starts this program again as a worker, waits until it holds a
// task, and kills it without warning.
func killWorker(ctx context.Context) (held, error) {
	self, err := os.Executable()
	if err != nil {
		return held{}, err
	}
	worker := exec.CommandContext(ctx, self)
	worker.Stderr = os.Stderr // main has put the database's address into the environment
	out, err := worker.StdoutPipe()
	if err != nil {
		return held{}, err
	}
	if err := worker.Start(); err != nil {
		return held{}, err
	}
	var claim held
	err = json.NewDecoder(out).Decode(&claim)
	// Kill is SIGKILL; what Wait says of a killed process is no news.
	err = errors.Join(err, worker.Process.Kill())
	_ = worker.Wait()
	return claim, err
}

// victim claims one task, says so, and hangs.
func victim(ctx context.Context, url string) error {
	pool, err := pgxpool.New(ctx, url)
	if err != nil {
		return err
	}
	claims, err := store.New(pool).Tasks.Claim(ctx, 1)
	if err != nil {
		return err
	}
	if len(claims) != 1 {
		return errors.New("the victim found no task")
	}
	if err := json.NewEncoder(os.Stdout).Encode(held{claims[0].ID, claims[0].Fence}); err != nil {
		return err
	}
	select {} // until killed
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
