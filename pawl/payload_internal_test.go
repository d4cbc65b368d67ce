package pawl

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"testing"
)

// Hashes are stored. What gives one of these texts today has to give it for ever,
// in version 1.
func TestPayloadHashesStay(t *testing.T) {
	for _, test := range []struct {
		payload any
		want    string
	}{
		{nil, "8d5c50ee0947f4521e9ba31626bc57e5bba1a2b5982d779d4b210a72ce318cf2"},
		{json.RawMessage(`{"b":[1,"x",null,true],"a":{"n":10.50}}`), "dab1ab286375279d76d9e19ab876a394d62ba54b313fbbd6801602b26eedf00e"},
		{[]byte("tea"), "8d3abef37c6998c4b1ed6c60b33a4e62061f8a580f71729ff355ee18d80d6a2c"},
	} {
		hash, err := hashPayload(1, test.payload)
		if got := hex.EncodeToString(hash); got != test.want || err != nil {
			t.Errorf("%s: %s, %v; want %s", test.payload, got, err, test.want)
		}
	}
}

func TestPayloadsOfOneMeaning(t *testing.T) {
	for _, group := range [][]string{
		{`{"a":1,"b":2}`, "{ \"b\" : 2,\n\"a\":1 }", `{"\u0061":1.0,"b":20e-1}`},
		{`[10.50]`, `[10.5]`, `[1.05e1]`, `[105E-1]`},
		{`0`, `0.0`, `-0`, `0e9`},
		{`"é"`, `"\u00e9"`},
		{`9007199254740993`},
		{`9007199254740992`},
		{`"1"`},
		{`1`},
		{`[]`},
		{`{}`},
		{`null`},
		{`""`},
		{`false`},
		{`[[1],2]`},
		{`[1,[2]]`},
		{`[1,2]`},
		{`[2,1]`},
		{`-1`},
		{`"<"`},
	} {
		for _, text := range group {
			for _, other := range group {
				if !sameHash(t, text, other) {
					t.Errorf("%s and %s differ", text, other)
				}
			}
		}
	}
	distinct := []string{`{"a":1}`, `{"a":"1"}`, `[1]`, `1`, `"1"`, `9007199254740993`, `9007199254740992`, `null`, `{}`, `[]`, `""`, `0`, `false`, `[[1],2]`, `[1,[2]]`, `1e300`, `1e-300`}
	for i, a := range distinct {
		for _, b := range distinct[i+1:] {
			if sameHash(t, a, b) {
				t.Errorf("%s and %s are the same", a, b)
			}
		}
	}
}

func sameHash(t *testing.T, a, b string) bool {
	t.Helper()
	first, err := hashPayload(1, json.RawMessage(a))
	if err != nil {
		t.Fatal(err)
	}
	second, err := hashPayload(1, json.RawMessage(b))
	if err != nil {
		t.Fatal(err)
	}
	return string(first) == string(second)
}

// A text that readers understand in two ways is refused.
func TestPayloadsOfTwoMeanings(t *testing.T) {
	for _, text := range []string{`{"a":1,"a":2}`, `{"a":1,"\u0061":1}`, `[1e999]`, `1e99999999999`} {
		if _, err := hashPayload(1, json.RawMessage(text)); !errors.Is(err, ErrBadInput) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := hashPayload(2, nil); err == nil {
		t.Error("a version that is not known")
	}
}
