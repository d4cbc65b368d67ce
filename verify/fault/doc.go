// Package fault runs a workload where a controlled search cannot go: at full
// speed ([Stress]), through crashes and lost connections ([Crash]), and past the
// death of a client whose statement lives on ([Orphan]).
//
// A [Workload] is a fixture, a few clients, what each does after a fault, and a
// judge:
//
//	w := fault.Workload{
//		Name:    "two withdrawals",
//		Fixture: "TRUNCATE accounts; INSERT INTO accounts VALUES (1, 100)",
//		Clients: []fault.Client{withdraw, withdraw},
//		Recover: withdrawUnlessDone,
//		Judge:   neverNegative,
//	}
//	stress, err := fault.Stress(ctx, url, w, fault.StressOptions{Clients: 8, Rounds: 300})
//	crash, err := fault.Crash(ctx, server, url, w, fault.CrashOptions{})
//
// Stress finds what happens to happen: its rate says how likely a violation is
// on this machine today, and a rate of zero proves nothing.
//
// Crash is systematic. The first client speaks to the server through a proxy
// that knows its messages. One undisturbed run numbers them, and then every
// [Kind] of fault is injected at every one of these [Point]s, each in a round of
// its own that starts from the fixture and ends with recovery and the judge.
// Exactly-once is judged with [Once] and [OnceInTotal]: what answered has one
// effect, what was cut off has none or one, and nothing has two.
//
// Workloads in several databases of one server share its outages: [CrashAll].
//
// The servers it crashes are killed as processes, not as machines: a private
// server runs without fsync, and what a power failure does is not shown.
package fault
