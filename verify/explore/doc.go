// Package explore runs the same few clients against PostgreSQL in every order
// their statements can take, and lets a judge look at what came out.
//
// It is a stateless model checker for code that talks to a real server. A
// [Client] is ordinary Go that is given a [Conn]; each statement it sends waits
// at a gate until the explorer grants it. When no client is running, there is a
// decision: which of the waiting ones goes next. The explorer takes the first,
// remembers the others, and when the schedule is over starts again from a reset
// fixture, until every decision has been taken in every way.
//
//	x, err := explore.Open(ctx, url, explore.Options{Clients: 2})
//	result, err := x.Explore(ctx, explore.Scenario{
//		Name:    "two withdrawals",
//		Fixture: "DELETE FROM accounts; INSERT INTO accounts VALUES (1, 100)",
//		Clients: []explore.Client{{Name: "a", Run: withdraw}, {Name: "b", Run: withdraw}},
//		Judge:   neverNegative,
//	})
//
// A client whose statement waits for a lock is no choice: it goes on by itself
// when the lock is free. One that waits for something that is not a lock makes
// the schedule inconclusive, which is neither a pass nor a violation.
//
// Statements are not atomic. With [Scenario.Gates] the explorer also stops
// inside INSERT, UPDATE and DELETE: after their snapshot was taken and before
// each row is touched (gate.go says exactly where, and why there).
//
// # What is left out
//
// Many orders come out alike, and unless [Options.Full] is set one of them stands
// for the others:
//
//   - BEGIN takes no snapshot, so it travels with the first statement. It takes the
//     time of now() then, as late as it can be: see [Scenario.Clock].
//   - Of clients of one [Client.Class] only the first may start.
//   - Two steps that commute are tried in one order, not in both. That needs to
//     know what a statement does: see [Scenario.Effect]. A snapshot read and an
//     uncommitted write commute; a read and a COMMIT do not; in a SERIALIZABLE
//     transaction nothing does (sleep.go).
//
// That the two searches have the same [Result.Outcomes] is tested, and is evidence
// rather than proof.
//
// # What makes schedules repeatable
//
// A decision is taken only when no client runs and the server has looked for a
// deadlock wherever one waits, of which it tells (notice.go): so the victim of a
// deadlock is always the one who closed the circle, however busy the machine is. Who
// gets a lock first of two that wait for one transaction to end is the server's
// choice, and not repeatable. On the way to a new schedule the
// explorer compares what can be chosen from, and each answer's command tag and
// SQLSTATE, with what it has seen there before; a run in which several waited is
// repeated, a few times, without counting as a deviation. At the end it runs the first
// schedule and the last once more and compares their outcomes. One deviation that
// does not come again is tolerated, and told in [Result.Repeated]. Any more, or
// another outcome, and the exploration is not complete, and never a pass.
//
// The package needs pgx and nothing else, so that tests of a project can carry a
// copy of it.
package explore
