package fault

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pawldb/pawl/verify/explore"
)

// Client is what one session does in a round: one logical operation, which may
// take several transactions. It must give up when ctx ends.
type Client = func(ctx context.Context, conn *pgx.Conn) (any, error)

// Workload is what is run, on real connections and without a controller.
type Workload struct {
	Name string
	// Fixture is a script for the simple protocol that brings the database to where
	// every round starts, whatever the one before has left.
	Fixture string
	Clients []Client
	// Lease is how long a client's lease lasts that the workload hands out; 0 for a
	// workload without. A paused client or backend is thought dead after this time,
	// and only then is its work recovered.
	Lease time.Duration
	// Recover is what a client does after a fault, on a new connection: it does the
	// same work again, or looks first. Nil runs the client once more. Where the
	// client was only paused and is going to come back, before.Err is [ErrSilent].
	Recover func(ctx context.Context, conn *pgx.Conn, client int, before Ending) (any, error)
	// Classify says what an ending means for the effect of the operation. Nil is
	// [Classify]; a workload whose clients report failure in their value has one of
	// its own.
	Classify func(e Ending) Outcome
	// Judge looks at the end of a round, when nothing of it runs any more. An error
	// says that it could not look.
	Judge func(ctx context.Context, conn *pgx.Conn, r *Round) ([]explore.Violation, error)
}

// Outcome is what an ending says about the effect of an operation.
type Outcome string

// The outcomes.
const (
	OK      Outcome = "ok"      // the effect took place, now or before
	Refused Outcome = "refused" // there is none
	Unknown Outcome = "unknown" // nobody told: none or one
)

// ErrSilent stands for the answer of a client that is paused: whoever recovers
// its work cannot know that it will go on.
var ErrSilent = errors.New("the client has not been heard of")

// Ending is how a client, or its recovery, ended.
type Ending struct {
	// Client is which of Workload.Clients it was.
	Client int
	Value  any
	Err    error
	// Broken is true when the connection was gone afterwards.
	Broken  bool
	Outcome Outcome
}

// Classify is the usual meaning of an ending: no error is OK; an error of the
// server that left the connection standing is Refused, and so is an error of
// the client's own; any end of the connection is Unknown.
func Classify(e Ending) Outcome {
	var pg *pgconn.PgError
	switch {
	case e.Err == nil:
		return OK
	case errors.Is(e.Err, ErrSilent):
		return Unknown
	case errors.As(e.Err, &pg) && severity(pg) == "ERROR":
		return Refused
	case e.Broken, pg != nil:
		return Unknown
	}
	return Refused
}

// severity is ERROR, FATAL or PANIC, whatever language the server speaks.
func severity(err *pgconn.PgError) string {
	if err.SeverityUnlocalized != "" {
		return err.SeverityUnlocalized
	}
	return err.Severity
}

// Round is one run of a workload from its fixture to its judge.
type Round struct {
	Number int
	// Fault is what was done to the first client; its Kind is empty in a round of
	// stress.
	Fault Fault
	// Sent is what the first client sent after the start of the round, on its first
	// connection; nil in a round of stress.
	Sent []Point
	// Ends are how the clients ended, each on its first connection.
	Ends []Ending
	// Recoveries are how the recoveries ended, one for each client; nil for a
	// client that needed none.
	Recoveries []*Ending
	Violations []explore.Violation
	Duration   time.Duration
}

// Effects says how often the operation of a client may have taken effect after
// what the client and its recovery were told.
func (r *Round) Effects(client int) (least, most int) {
	ends := []Ending{r.Ends[client]}
	if client < len(r.Recoveries) && r.Recoveries[client] != nil {
		ends = append(ends, *r.Recoveries[client])
	}
	for _, e := range ends {
		switch e.Outcome {
		case OK:
			return 1, 1
		case Unknown:
			most = 1
		}
	}
	return 0, most
}

// run calls a client and notes how it ended.
func (w *Workload) run(conn *pgx.Conn, client int, call func() (any, error)) Ending {
	e := Ending{Client: client}
	e.Value, e.Err = call()
	e.Broken = conn.IsClosed()
	e.Outcome = w.outcome(e)
	return e
}

func (w *Workload) outcome(e Ending) Outcome {
	if w.Classify != nil {
		return w.Classify(e)
	}
	return Classify(e)
}

// recovery calls Recover, or the client again.
func (w *Workload) recovery(ctx context.Context, conn *pgx.Conn, client int, before Ending) Ending {
	return w.run(conn, client, func() (any, error) {
		if w.Recover == nil {
			return w.Clients[client](ctx, conn)
		}
		return w.Recover(ctx, conn, client, before)
	})
}

// check refuses a workload that would show nothing.
func (w *Workload) check() error {
	switch {
	case len(w.Clients) == 0:
		return errors.New("the workload has no clients")
	case w.Judge == nil:
		return errors.New("the workload has no judge: nothing could ever be wrong")
	}
	return nil
}
