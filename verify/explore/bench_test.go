package explore_test

import (
	"testing"

	"github.com/pawldb/pawl/verify/explore"
)

// BenchmarkExplore reports what a schedule costs, of scenarios in which nobody
// waits, and in which most do.
func BenchmarkExplore(b *testing.B) {
	for _, bench := range []struct {
		name     string
		scenario explore.Scenario
		schema   string
	}{
		{"free", explore.Scenario{
			Name: "free", Fixture: `DELETE FROM seat`,
			Clients: []explore.Client{
				explore.Script("a", `begin`, `select count(*) FROM seat`, `insert INTO seat VALUES (1)`, `commit`),
				explore.Script("b", `begin`, `select count(*) FROM seat`, `insert INTO seat VALUES (1)`, `commit`),
			},
		}, seats},
		{"waiting", explore.Scenario{
			Name: "waiting", Fixture: oneAccount,
			Clients: []explore.Client{{Name: "a", Run: readThenWrite}, {Name: "b", Run: readThenWrite}},
		}, accounts},
	} {
		b.Run(bench.name, func(b *testing.B) {
			x := open(b, explore.Options{}, bench.schema)
			schedules := 0
			for b.Loop() {
				result, err := x.Explore(b.Context(), bench.scenario)
				if err != nil {
					b.Fatal(err)
				}
				schedules += result.Schedules
			}
			b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(schedules), "ms/schedule")
		})
	}
}
