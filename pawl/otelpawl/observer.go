// Package otelpawl counts what package pawl does, with OpenTelemetry. It is a
// package of its own so that whoever does not count needs no OpenTelemetry.
//
//	observer, err := otelpawl.New(otel.Meter("pawl"))
//	...
//	db := store.New(pool, pawl.WithObserver(observer))
//
// Three instruments tell everything that docs/alerts.md has rules for:
//
//	pawl.operations           counter    calls and attempts, by operation, table, outcome, sqlstate, constraint, kind
//	pawl.upserted.rows        counter    rows of upserts, by operation and outcome
//	pawl.operation.duration   histogram  seconds, by operation and outcome
//
// The attributes are names from the specification and small closed sets: as many
// series as there are operations times the ways in which they end.
package otelpawl

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/pawldb/pawl/pawl"
)

// The names of the instruments.
const (
	Operations = "pawl.operations"
	Upserted   = "pawl.upserted.rows"
	Duration   = "pawl.operation.duration"
)

// Observer feeds the instruments. It is safe for concurrent use.
type Observer struct {
	operations metric.Int64Counter
	upserted   metric.Int64Counter
	duration   metric.Float64Histogram
}

var _ pawl.Observer = (*Observer)(nil)

// New makes the instruments on meter.
func New(meter metric.Meter) (*Observer, error) {
	operations, err := meter.Int64Counter(Operations, metric.WithDescription("Calls of operations and transactions, and attempts that were followed by another."))
	if err != nil {
		return nil, err
	}
	upserted, err := meter.Int64Counter(Upserted, metric.WithDescription("Rows of upserts, by what became of them."))
	if err != nil {
		return nil, err
	}
	duration, err := meter.Float64Histogram(Duration, metric.WithUnit("s"), metric.WithDescription("How long a call or an attempt took."))
	if err != nil {
		return nil, err
	}
	return &Observer{operations: operations, upserted: upserted, duration: duration}, nil
}

// Observe counts e.
func (o *Observer) Observe(ctx context.Context, e pawl.Event) {
	kind := "operation"
	switch {
	case e.Request:
		kind = "request"
	case e.Isolation != "":
		kind = "transaction"
	}
	operation, outcome := attribute.String("operation", e.Operation), attribute.String("outcome", string(e.Outcome))
	o.duration.Record(ctx, e.Duration.Seconds(), metric.WithAttributeSet(attribute.NewSet(operation, outcome)))
	for _, rows := range []struct {
		outcome pawl.UpsertOutcome
		n       int64
	}{
		{pawl.Inserted, e.Upserted.Inserted},
		{pawl.Updated, e.Upserted.Updated},
		{pawl.Unchanged, e.Upserted.Unchanged},
		{pawl.Stale, e.Upserted.Stale},
	} {
		if rows.n > 0 {
			o.upserted.Add(ctx, rows.n, metric.WithAttributeSet(attribute.NewSet(operation, attribute.String("outcome", string(rows.outcome)))))
		}
	}
	labels := []attribute.KeyValue{operation, outcome, attribute.String("kind", kind)}
	for _, label := range []struct{ key, value string }{
		{"table", e.Table}, {"sqlstate", e.SQLState}, {"constraint", e.Constraint},
	} {
		if label.value != "" {
			labels = append(labels, attribute.String(label.key, label.value))
		}
	}
	o.operations.Add(ctx, 1, metric.WithAttributeSet(attribute.NewSet(labels...)))
}
