package pawl

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// Response is the answer of work that is done once for each key. It is stored
// and given again to whoever asks with the same key: a failure that is an answer,
// such as a refused card, is a Response too. What is worth another try is an
// error instead, and is not stored.
type Response struct {
	Status int         // of HTTP; 0 stands for 200
	Header http.Header // nothing is added to it, and all of it is stored: no cookies, no tokens
	Body   []byte
}

// MaxStoredBody is how long the body of a stored Response may be, in bytes.
// Longer ones are refused before anything is committed; they belong into a
// table, and a reference to them into the Response.
const MaxStoredBody = 1 << 20

// JSON is a Response with value as its body.
func JSON(status int, value any) (Response, error) {
	body, err := json.Marshal(value)
	if err != nil {
		return Response{}, fmt.Errorf("the answer is no JSON: %w", err)
	}
	return Response{Status: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: body}, nil
}

// Decode reads a body of JSON.
func (r Response) Decode(into any) error { return json.Unmarshal(r.Body, into) }

// headerJSON is the header as a jsonb column takes it; nil for none.
func (r Response) headerJSON() (json.RawMessage, error) {
	if len(r.Header) == 0 {
		return nil, nil
	}
	return json.Marshal(r.Header)
}

// check refuses what cannot be stored.
func (r Response) check() error {
	switch {
	case r.Status != 0 && (r.Status < 100 || r.Status > 999):
		return fmt.Errorf("%w: %d is no status of HTTP", ErrBadInput, r.Status)
	case len(r.Body) > MaxStoredBody:
		return fmt.Errorf("%w: the answer has %d bytes, and %d are stored at most", ErrBadInput, len(r.Body), MaxStoredBody)
	}
	return nil
}
