package pawl

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strconv"
	"strings"
)

// payloadVersion is the version of the way in which payloads are hashed today.
// It is stored with each hash: a payload is compared in the version that its key
// was stored with, so that a new one does not make equal payloads differ.
const payloadVersion = 1

// payloadHashes are the ways to hash a payload, by version.
var payloadHashes = map[int16]func(payload any) ([]byte, error){1: hashPayloadV1}

// hashPayload hashes a payload in a version that is stored.
func hashPayload(version int16, payload any) ([]byte, error) {
	hash, known := payloadHashes[version]
	if !known {
		return nil, fmt.Errorf("the key was stored with version %d of the payload's hash, which this program does not know: it is older than the one that stored it", version)
	}
	return hash(payload)
}

// hashPayloadV1 is SHA-256 over a mark of the version and the kind, and then the
// bytes of a []byte, or the canonical JSON of anything else.
func hashPayloadV1(payload any) ([]byte, error) {
	h := sha256.New()
	if raw, ok := payload.([]byte); ok {
		h.Write([]byte("pawl 1 bytes\x00"))
		h.Write(raw)
		return h.Sum(nil), nil
	}
	text, err := json.Marshal(payload)
	if err != nil {
		return nil, fmt.Errorf("%w: the payload is no JSON: %w", ErrBadInput, err)
	}
	canonical, err := canonicalJSON(text)
	if err != nil {
		return nil, fmt.Errorf("%w: the payload is no JSON that has one meaning: %w", ErrBadInput, err)
	}
	h.Write([]byte("pawl 1 json\x00"))
	h.Write(canonical)
	return h.Sum(nil), nil
}

// canonicalJSON spells a JSON text so that texts of one meaning are the same
// bytes: keys sorted, no white space, each number and each string in one spelling.
// Numbers are never rounded. A key that stands twice in one object is refused,
// because readers differ in which of the two they take.
func canonicalJSON(text []byte) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	value, err := readJSON(d)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something stands behind the value")
	}
	return json.Marshal(value) // which sorts the keys of maps
}

// readJSON reads one value as maps, slices and numbers in their one spelling.
func readJSON(d *json.Decoder) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token := token.(type) {
	case json.Number:
		return canonicalNumber(token.String())
	case json.Delim:
		if token == '[' {
			return readArray(d)
		}
		return readObject(d)
	}
	return token, nil
}

func readArray(d *json.Decoder) (any, error) {
	list := []any{}
	for d.More() {
		value, err := readJSON(d)
		if err != nil {
			return nil, err
		}
		list = append(list, value)
	}
	_, err := d.Token()
	return list, err
}

func readObject(d *json.Decoder) (any, error) {
	object := map[string]any{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, err
		}
		key, _ := token.(string)
		if _, twice := object[key]; twice {
			return nil, errors.New("an object has one key twice")
		}
		if object[key], err = readJSON(d); err != nil {
			return nil, err
		}
	}
	_, err := d.Token()
	return object, err
}

// longestExponent bounds what a number may be written out to.
const longestExponent = 400

// canonicalNumber is a number as digits without a superfluous zero and a power of
// ten: 1, 1.0, 10e-1 are all 1e0.
func canonicalNumber(text string) (json.Number, error) {
	mantissa, exponentText, _ := strings.Cut(strings.ToLower(text), "e")
	exponent := 0
	if exponentText != "" {
		var err error
		if exponent, err = strconv.Atoi(exponentText); err != nil || exponent > longestExponent || exponent < -longestExponent {
			return "", errors.New("a number's exponent is too large")
		}
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits, ok := new(big.Int).SetString(whole+fraction, 10)
	if !ok {
		return "", errors.New("a number has no digits")
	}
	exponent -= len(fraction)
	if digits.Sign() == 0 {
		return "0", nil
	}
	spelled := digits.String()
	short := strings.TrimRight(spelled, "0")
	return json.Number(short + "e" + strconv.Itoa(exponent+len(spelled)-len(short))), nil
}
