package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
)

// small is a run for a test.
var small = size{payments: 40, customers: 20, every: 5}

// sabotageVar tells a process of the service that its calls lose their keys.
const sabotageVar = "PAYMENTS_WITHOUT_KEYS"

// TestMain makes the test's binary the service, too: the driver starts itself.
func TestMain(m *testing.M) {
	if os.Getenv(databaseVar) == "" {
		os.Exit(m.Run())
	}
	if keys, err := strconv.Atoi(os.Getenv(holdsVar)); err == nil {
		fmt.Fprintln(os.Stderr, hold(context.Background(), keys))
		os.Exit(1)
	}
	outside := http.DefaultTransport
	if os.Getenv(sabotageVar) != "" {
		outside = keyless{outside}
	}
	if err := serve(context.Background(), os.Stdout, outside); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// keyless gives each call a key of its own, as a client does that has none.
type keyless struct{ http.RoundTripper }

func (k keyless) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Idempotency-Key", rand.Text())
	r.URL.RawQuery = ""
	return k.RoundTripper.RoundTrip(r)
}

// Each order is charged once, whatever fails; and it is the key that the calls to
// the provider carry which does it: without it orders are charged twice.
func TestPayments(t *testing.T) {
	var out strings.Builder
	if err := show(t.Context(), &out, small); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	t.Log("\n" + out.String())
}

func TestPaymentsWithoutKeys(t *testing.T) {
	if testing.Short() {
		t.Skip("it shows what the run with keys is worth, which does not change")
	}
	t.Setenv(sabotageVar, "yes")
	var out strings.Builder
	err := show(t.Context(), &out, small)
	if err == nil || !strings.Contains(err.Error(), "numbers are wrong") {
		t.Errorf("without keys %v\n%s", err, out.String())
	}
	for line := range strings.Lines(out.String()) {
		if strings.HasPrefix(line, "charges of an order that was charged before") {
			if strings.HasSuffix(strings.TrimSpace(line), "ok") {
				t.Errorf("without keys nothing was charged twice: this test shows nothing\n%s", out.String())
			}
			return
		}
	}
	t.Errorf("the number is missing:\n%s", out.String())
}
