package explore

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// A Scenario is a fixture, the clients that run on it, and what must be true.
type Scenario struct {
	Name string
	// Fixture is a script for the simple protocol that brings the database to where
	// every schedule starts, whatever the one before has left. DELETE is much faster
	// than TRUNCATE here, by milliseconds a schedule.
	Fixture string
	Clients []Client
	// StopAtFirst ends the exploration with its first violation, as
	// Options.StopAtFirst does for all.
	StopAtFirst bool
	// Gates names tables ("app.seats", quoted as SQL quotes them) whose INSERT,
	// UPDATE and DELETE statements the explorer also stops inside. They must exist
	// before the fixture runs, and it must not make them anew.
	Gates []string
	// FirstRows has UPDATE and DELETE also stopped before their first row, which is
	// otherwise done once a statement turns out to change several. It is for those
	// that lock rows of their own before they touch the first, as a claim from a
	// queue does: WITH picked AS MATERIALIZED (SELECT … FOR UPDATE LIMIT 1) UPDATE ….
	// The others find these rows locked, and not yet changed.
	FirstRows bool
	// Effect classifies a statement for the reductions. Nil, or [Unknown] as an
	// answer, costs schedules and is always right. It is asked about one statement: a
	// text of several is Unknown.
	Effect func(sql string) Effect
	// Clock says that the outcome depends on the transaction's time, which BEGIN
	// takes: now(), CURRENT_DATE and their like, in a statement, a default or a
	// trigger. BEGIN is then a step of its own also in a reduced search, and a
	// statement outside of a transaction that mentions the time is Unknown. Without it
	// BEGIN goes with the first statement, and now() is as late as it can be.
	Clock bool
	// AfterCommit is asked after each COMMIT and each statement that commits by
	// itself, on a connection of its own, while no client is running.
	AfterCommit func(ctx context.Context, conn *pgx.Conn) ([]Violation, error)
	// Judge is asked at the end of every schedule.
	Judge func(ctx context.Context, conn *pgx.Conn, run *Run) ([]Violation, error)
	// State describes what the database looks like at the end of a schedule. Its
	// text is part of the outcome (see [Result.Outcomes]).
	State func(ctx context.Context, conn *pgx.Conn) (string, error)
}

// A Client is the code of one session.
type Client struct {
	Name string // heads the client's column in a timeline
	// Class is equal for clients that do the same with the same arguments: the
	// explorer then need not try who of them starts first. Empty: like no other.
	Class string
	// Run is called once a schedule, on a goroutine of its own. It must depend on
	// nothing but what it reads through conn. What it returns stands in [Run.Ends].
	Run func(ctx context.Context, conn *Conn) (any, error)
}

// Effect is what a statement can do to other sessions.
type Effect uint8

// The effects.
const (
	// Unknown is taken to depend on everything.
	Unknown Effect = iota
	// Local touches nothing shared and needs no snapshot: SET LOCAL, SHOW. It runs
	// without a decision.
	Local
	// Read looks at a snapshot and locks no row.
	Read
	// Write changes or locks rows, or takes an advisory lock.
	Write
)

// A Violation is one thing that must not be.
type Violation struct {
	Rule string // what is broken, one sentence
	// Columns and Rows are the evidence, when there is some: the rows of the
	// violators query for instance.
	Columns []string
	Rows    [][]string
}
