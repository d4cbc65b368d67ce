package pawl

import (
	"math"
	"testing"
	"time"
)

func TestPauseStaysWithinItsLimit(t *testing.T) {
	p := Policy{Base: 10 * time.Millisecond, Max: time.Second}
	for attempt, limit := range map[int]time.Duration{
		1: 10 * time.Millisecond, 2: 20 * time.Millisecond, 5: 160 * time.Millisecond,
		8: time.Second, 64: time.Second, math.MaxInt32: time.Second, // far beyond where doubling overflows
	} {
		longest := time.Duration(0)
		for range 2000 {
			pause := p.pause(attempt)
			if pause < 0 || pause >= limit {
				t.Fatalf("pause %s after attempt %d, limit %s", pause, attempt, limit)
			}
			longest = max(longest, pause)
		}
		// Full jitter uses the whole of the interval.
		if longest < limit*9/10 {
			t.Errorf("no pause after attempt %d was longer than %s of %s", attempt, longest, limit)
		}
	}
	huge := Policy{Base: time.Hour, Max: math.MaxInt64}
	if pause := huge.pause(200); pause < 0 {
		t.Errorf("pause %s overflowed", pause)
	}
	if pause := (&Policy{}).pause(3); pause != 0 {
		t.Errorf("pause %s without a base", pause)
	}
}

func TestMilliseconds(t *testing.T) {
	for d, text := range map[time.Duration]string{
		NoTimeout: "0", time.Nanosecond: "1ms", time.Millisecond: "1ms", 1500 * time.Microsecond: "2ms", time.Minute: "60000ms",
	} {
		if got := milliseconds(d); got != text {
			t.Errorf("milliseconds(%d) = %q, want %q", d, got, text)
		}
	}
}

func TestCutName(t *testing.T) {
	long := "ääääääääääääääääääääääääääääääääääää" // two bytes each
	if got := cutName(long); len(got) != 62 || long[:62] != got {
		t.Errorf("cut to %d bytes: %q", len(got), got)
	}
	if got := cutName("short"); got != "short" {
		t.Errorf("cut to %q", got)
	}
}

func TestPolicyOver(t *testing.T) {
	got := Policy{Attempts: 9, Codes: []string{"55P03"}}.over(DefaultPolicy())
	if got.Attempts != 9 || got.Base != 10*time.Millisecond || got.Max != time.Second || got.Budget != 10*time.Second {
		t.Errorf("policy %+v", got)
	}
	for code, retried := range map[string]bool{"40001": true, "40P01": true, "55P03": true, "23505": false} {
		if got.retriesCode(code) != retried {
			t.Errorf("retries %s: %v", code, !retried)
		}
	}
}

func TestFailureText(t *testing.T) {
	if got := failureText(nil); got != "" {
		t.Errorf("text of no error is %q", got)
	}
	long := make([]byte, 5000)
	for i := range long {
		long[i] = 'x'
	}
	copy(long[4095:], "é") // would be cut in half
	if got := failureText(textError(long)); len(got) != 4095 {
		t.Errorf("cut to %d bytes", len(got))
	}
}

type textError string

func (e textError) Error() string { return string(e) }
