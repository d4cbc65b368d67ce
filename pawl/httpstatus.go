package pawl

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// statuses is searched from the top: an error that belongs to several rows gets
// the first one's status.
var statuses = []struct {
	family error
	status int
}{
	// A client that sees these must look before it tries again, which 503 would
	// invite it to do.
	{ErrStored, http.StatusInternalServerError},
	{ErrCommitUnknown, http.StatusInternalServerError},
	{ErrDuplicateMessage, http.StatusOK}, // the sender is done with it
	{ErrNotFound, http.StatusNotFound},
	{ErrBadInput, http.StatusBadRequest},
	{ErrMissing, http.StatusUnprocessableEntity},
	{ErrCheck, http.StatusUnprocessableEntity},
	{ErrDuplicate, http.StatusConflict},
	{ErrOverlap, http.StatusConflict},
	{ErrReference, http.StatusConflict},
	{ErrState, http.StatusConflict},
	{ErrImmutable, http.StatusConflict},
	{ErrLimit, http.StatusConflict},
	{ErrGuard, http.StatusConflict},
	{ErrRule, http.StatusConflict},
	{ErrStale, http.StatusConflict},
	{ErrUnsettled, http.StatusConflict},
	{ErrClaimLost, http.StatusConflict},
	{ErrPayloadMismatch, http.StatusUnprocessableEntity},
	{ErrInProgress, http.StatusConflict},
	{ErrLeaseLost, http.StatusConflict},
	{ErrBusy, http.StatusServiceUnavailable},
	{ErrTimeout, http.StatusGatewayTimeout},
}

// HTTPStatus is the status that a service would answer with for an error of
// this package or of generated code: 200 for nil and for a message that was taken
// before, 404, 400, 422 or 409 for what
// the caller can do something about, 503 for what may work in a moment (busy
// rows, retries used up, a database that cannot be reached), 504 for a timeout,
// 500 for everything else, among it a commit whose outcome is not known.
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
	case errors.As(err, &retry), unreachable(err):
		return http.StatusServiceUnavailable
	case errors.Is(err, context.DeadlineExceeded):
		return http.StatusGatewayTimeout
	case errors.Is(err, context.Canceled):
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

// unreachable reports whether err says that there was no connection to the
// database: refused, full, starting or stopping, or broken on the way.
func unreachable(err error) bool {
	var unconnected *pgconn.ConnectError
	if errors.As(err, &unconnected) {
		return true
	}
	var pgErr *pgconn.PgError
	if errors.As(err, &pgErr) {
		switch pgErr.Code {
		case "53300", "57P01", "57P02", "57P03":
			return true
		}
		return strings.HasPrefix(pgErr.Code, "08") && pgErr.Code != "08P01" // which is a defect of a driver or a pooler
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false // which breaks connections, too, and has statuses of its own
	}
	// An error of a function of the caller's has no operation's name before it, and
	// may be about another network.
	var call *callError
	var begin *beginError
	if !errors.As(err, &call) && !errors.As(err, &begin) {
		return false
	}
	var network *net.OpError
	return errors.As(err, &network) || errors.Is(err, io.ErrUnexpectedEOF) || pgconn.SafeToRetry(err)
}
