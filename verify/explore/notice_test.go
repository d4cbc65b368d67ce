package explore_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/pawldb/pawl/verify/explore"
)

// A session must be told again in every schedule, whatever a client has set.
func TestSettingsOutliveAClientThatChangesThem(t *testing.T) {
	x := open(t, explore.Options{}, accounts)
	show := `SELECT name, setting FROM pg_settings
WHERE name IN ('client_min_messages', 'deadlock_timeout', 'lc_messages', 'log_lock_waits', 'log_min_messages') ORDER BY name`
	for range 2 {
		run, err := x.Replay(t.Context(), explore.Scenario{
			Name:    "settings",
			Clients: []explore.Client{explore.Script("a", show, `SET client_min_messages = error`, `SET log_lock_waits = off`)},
		}, "0.0.0")
		if err != nil {
			t.Fatal(err)
		}
		const want = "[[client_min_messages log] [deadlock_timeout 1] [lc_messages C] [log_lock_waits on] [log_min_messages fatal]]"
		if got := fmt.Sprint(run.Steps[0].Rows); got != want {
			t.Errorf("the settings are %s, want %s", got, want)
		}
	}
}

// With and without the server's word the schedules are the same. Without it they
// wait for the clock.
func TestWaitsAreSettledAlsoWithoutNotices(t *testing.T) {
	x := open(t, explore.Options{}, accounts)
	var took [2]time.Duration
	for i, set := range []string{`SET LOCAL client_min_messages = log`, `SET LOCAL client_min_messages = error`} {
		// a waits for b, who then closes the circle.
		run, err := x.Replay(t.Context(), explore.Scenario{
			Name: "deadlock", Fixture: `DELETE FROM account; INSERT INTO account VALUES (1, 100), (2, 100)`, Effect: effectOf,
			Clients: []explore.Client{explore.Script("a", `begin`, set, addTo1, addTo2, `commit`), explore.Script("b", `begin`, set, addTo2, addTo1, `commit`)},
		}, "0.1.0.1.1.0")
		if err != nil {
			t.Fatal(err)
		}
		took[i] = run.Duration
		if run.Deviation != "" || run.Ends[0].Err != nil || run.Ends[1].Err == nil {
			t.Errorf("%s: %+v", set, run)
		}
	}
	if took[1] < 100*time.Millisecond { // how long the other took depends on the machine
		t.Errorf("it took %v with notices, and %v without", took[0], took[1])
	}
}
