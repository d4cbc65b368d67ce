package pawl

import (
	"context"
	"log/slog"
)

// LogOption changes what LogTo writes.
type LogOption func(*logObserver)

// PlainKeys writes the key of a row as it is, instead of a hash of it.
func PlainKeys() LogOption { return func(l *logObserver) { l.plain = true } }

// LogTo returns an Observer that writes each event to logger: what went well at
// the level debug, what the data refused and attempts that are followed by
// another at info, what a person should look into at warn, and at error what must
// not happen. Arguments and rows are never written, and keys as a hash unless
// PlainKeys says otherwise.
func LogTo(logger *slog.Logger, options ...LogOption) Observer {
	l := &logObserver{logger: logger}
	for _, o := range options {
		o(l)
	}
	return l
}

type logObserver struct {
	logger *slog.Logger
	plain  bool
}

// Observe writes e.
func (l *logObserver) Observe(ctx context.Context, e Event) {
	level := levelOf(e.Outcome)
	if !l.logger.Enabled(ctx, level) {
		return
	}
	attrs := make([]slog.Attr, 0, 12)
	attrs = append(attrs, slog.String("operation", e.Operation), slog.String("outcome", string(e.Outcome)),
		slog.Int("attempt", e.Attempt), slog.Int64("rows", e.Rows), slog.Duration("duration", e.Duration))
	key := e.KeyHash
	if l.plain {
		key = e.Key
	}
	for _, field := range []struct{ name, value string }{
		{"table", e.Table},
		{"invariant", e.Invariant},
		{"constraint", e.Constraint},
		{"sqlstate", e.SQLState},
		{"state", e.State},
		{"isolation", string(e.Isolation)},
		{"key", key()},
	} {
		if field.value != "" {
			attrs = append(attrs, slog.String(field.name, field.value))
		}
	}
	l.logger.LogAttrs(ctx, level, "pawl", attrs...)
}

// levelOf is how loud an outcome is. One that this version does not know is no
// error of the operation: those end as OutcomeError.
func levelOf(o Outcome) slog.Level {
	switch o {
	case OutcomeOK, OutcomeRepeated, OutcomeInserted, OutcomeUpdated, OutcomeUnchanged, OutcomeExecuted, OutcomeReplayed:
		return slog.LevelDebug
	case OutcomeBusy, OutcomeTimeout, OutcomeClaimLost, OutcomeLeaseLost, OutcomeMismatch, OutcomeExhausted:
		return slog.LevelWarn
	case OutcomeCommitUnknown, OutcomeStored, OutcomeUnknown, OutcomeError:
		return slog.LevelError
	case OutcomeNotFound, OutcomeState, OutcomeGuard, OutcomeStale, OutcomeConstraint, OutcomeBadInput,
		OutcomeConflict, OutcomeRetried, OutcomeCanceled, OutcomeTakeover, OutcomeInProgress:
		return slog.LevelInfo
	}
	return slog.LevelDebug
}
