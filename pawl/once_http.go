package pawl

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// The headers of requests that are answered once.
const (
	// KeyHeader brings the caller's key: as it is, or in quotes as a structured field.
	KeyHeader = "Idempotency-Key"
	// ReplayedHeader is "true" on an answer that was stored before.
	ReplayedHeader = "Idempotency-Replayed"
)

// MaxRequestBody is how long the body of a request may be, in bytes, that Handler
// takes: it is read whole, to compare it.
const MaxRequestBody = 1 << 20

// Handler answers requests once for each key. The payload that it hands to do is
// the method, the path, the query and the body of the request, a body of JSON by
// its meaning. do gets a request whose body can be read; see Rewound.
//
//	400  the key is missing or is none (where the caller brings one)
//	409  the work is in progress: Retry-After says when to ask again
//	413  the body is too long
//	422  the key was used for another request
//
// Other errors have the status of HTTPStatus. What they say stays here: an answer
// tells no more than its status.
func Handler(caller bool, do func(r *http.Request, key string, payload any) (Response, Outcome, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key, err := keyOf(r, caller)
		if err != nil {
			refuse(w, http.StatusBadRequest, err)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxRequestBody))
		if err != nil {
			status := http.StatusBadRequest
			var long *http.MaxBytesError
			if errors.As(err, &long) {
				status = http.StatusRequestEntityTooLarge
			}
			refuse(w, status, err)
			return
		}
		r = r.Clone(r.Context())
		r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
		answer, outcome, err := do(Rewound(r), key, payloadOf(r, body))
		if err != nil {
			refuse(w, HTTPStatus(err), err)
			return
		}
		reply(w, answer, outcome)
	})
}

// Rewound is a request of Handler's with its body from the start: work may run more
// than once, and each run reads it.
func Rewound(r *http.Request) *http.Request {
	again := r.WithContext(r.Context())
	if r.GetBody != nil {
		again.Body, _ = r.GetBody()
	}
	return again
}

// keyOf reads the caller's key.
func keyOf(r *http.Request, caller bool) (string, error) {
	if !caller {
		return "", nil
	}
	values := r.Header.Values(KeyHeader)
	if len(values) != 1 {
		return "", fmt.Errorf("%w: the request needs one %s", ErrBadInput, KeyHeader)
	}
	key := strings.TrimSpace(values[0])
	if len(key) >= 2 && key[0] == '"' && key[len(key)-1] == '"' {
		key = structuredEscapes.Replace(key[1 : len(key)-1])
	}
	return key, checkKey(key)
}

// structuredEscapes are those of a string in a structured field.
var structuredEscapes = strings.NewReplacer(`\\`, `\`, `\"`, `"`)

// payloadOf is what decides what a request asks for.
func payloadOf(r *http.Request, body []byte) any {
	payload := struct {
		Method, Path, Query string
		JSON                json.RawMessage `json:",omitempty"`
		Body                []byte          `json:",omitempty"`
	}{Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, Body: body}
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind == "application/json" || strings.HasSuffix(kind, "+json") {
		// A body that is no JSON, or one of two meanings, is compared by its bytes.
		if _, err := canonicalJSON(body); err == nil {
			payload.JSON, payload.Body = body, nil
		}
	}
	return payload
}

// refuse answers with a status, and nothing of the error but when to ask again.
func refuse(w http.ResponseWriter, status int, err error) {
	var busy *InProgressError
	if errors.As(err, &busy) {
		w.Header().Set("Retry-After", strconv.Itoa(max(1, int(math.Ceil(float64(busy.RetryAfter)/float64(time.Second))))))
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"title": http.StatusText(status), "status": status})
}

// reply writes an answer.
func reply(w http.ResponseWriter, answer Response, outcome Outcome) {
	header := w.Header()
	for name, values := range answer.Header {
		header[http.CanonicalHeaderKey(name)] = values
	}
	if outcome == OutcomeReplayed {
		header.Set(ReplayedHeader, "true")
	}
	if answer.Status != 0 {
		w.WriteHeader(answer.Status)
	}
	_, _ = w.Write(answer.Body)
}
