package pawl

import (
	"context"
	"errors"
	"net/http"
)

// statuses is searched from the top: an error that belongs to several rows gets
// the first one's status.
var statuses = []struct {
	family error
	status int
}{
	// A client that sees this must look before it tries again, which 503 would
	// invite it to do.
	{ErrCommitUnknown, http.StatusInternalServerError},
	{ErrNotFound, http.StatusNotFound},
	{ErrBadInput, http.StatusBadRequest},
	{ErrMissing, http.StatusUnprocessableEntity},
	{ErrCheck, http.StatusUnprocessableEntity},
	{ErrDuplicate, http.StatusConflict},
	{ErrOverlap, http.StatusConflict},
	{ErrReference, http.StatusConflict},
	{ErrState, http.StatusConflict},
	{ErrGuard, http.StatusConflict},
	{ErrRule, http.StatusConflict},
	{ErrStale, http.StatusConflict},
	{ErrUnsettled, http.StatusConflict},
	{ErrClaimLost, http.StatusConflict},
	{ErrBusy, http.StatusServiceUnavailable},
	{ErrTimeout, http.StatusGatewayTimeout},
}

// HTTPStatus is the status that a service would answer with for an error of
// this package or of generated code: 200 for nil, 404, 400, 422 or 409 for what
// the caller can do something about, 503 for what may work in a moment (busy
// rows, retries used up), 504 for a timeout, 500 for everything else, among it a
// commit whose outcome is not known.
func HTTPStatus(err error) int {
	if err == nil {
		return http.StatusOK
	}
	for _, s := range statuses {
		if errors.Is(err, s.family) {
			return s.status
		}
	}
	var retry *RetryError
	switch {
	case errors.As(err, &retry):
		return http.StatusServiceUnavailable
	case errors.Is(err, context.DeadlineExceeded):
		return http.StatusGatewayTimeout
	case errors.Is(err, context.Canceled):
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}
