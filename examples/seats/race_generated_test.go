package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/pawldb/pawl/internal/devdb/pgtest"
)

// TestGeneratedRaces runs the tests that `race_tests = true` wrote beside the
// store, as a user does: with the go command, and with a server named in the
// environment.
func TestGeneratedRaces(t *testing.T) {
	test := exec.Command("go", "test", "-count=1", "-v", "-run", "^TestRaces$", "./store")
	test.Env = append(os.Environ(), "PAWL_RACE_URL="+pgtest.URL(t))
	out, err := test.CombinedOutput()
	if err != nil {
		t.Fatalf("go test: %v\n%s", err, out)
	}
	t.Logf("%s", out)
	if n := strings.Count(string(out), "--- PASS: TestRaces/"); n < 20 {
		t.Errorf("%d races ran, want at least 20", n)
	}
}
