package client

import "testing"

func TestPositive(t *testing.T) {
	for text, want := range map[string]bool{
		"1": true, "0.001": true, "1e-400": true, "1e3": true,
		"0": false, "0.00": false, "-0": false, "-1": false, "-1e-400": false,
		"NaN": false, "Infinity": false, "-Infinity": false, "inf": false,
		"one": true, // the server says what is wrong with it
	} {
		if got := positive(text); got != want {
			t.Errorf("positive(%q) = %t, want %t", text, got, want)
		}
	}
}
