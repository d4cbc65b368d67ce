package pawl

import (
	"fmt"
	"math"

	"github.com/jackc/pgx/v5/pgtype"
)

// Number is what an argument that has to be positive can be.
type Number interface {
	int16 | int32 | int64 | float32 | float64 | pgtype.Numeric
}

// Positive returns an error of family ErrBadInput unless value is a number above
// zero. NaN is none: PostgreSQL sorts it above every number, so that it passes a
// comparison with zero and spoils the column it is added to. Neither is infinity,
// which nothing can be taken from. Generated code calls it before it sends an
// argument that op declares to be positive.
func Positive[N Number](op *Operation, argument string, value N) error {
	if positive(value) {
		return nil
	}
	return fmt.Errorf("%s: %w", op.Name, notPositive(argument))
}

func positive(value any) bool {
	switch v := value.(type) {
	case int16:
		return v > 0
	case int32:
		return v > 0
	case int64:
		return v > 0
	case float32:
		return v > 0 && !math.IsInf(float64(v), 1)
	case float64:
		return v > 0 && !math.IsInf(v, 1)
	case pgtype.Numeric:
		return v.Valid && !v.NaN && v.InfinityModifier == pgtype.Finite && v.Int != nil && v.Int.Sign() > 0
	}
	return false
}

// NotNegative returns an error of family ErrBadInput if n is below zero.
// Generated code calls it with how many rows to return.
func NotNegative(op *Operation, argument string, n int) error {
	if n >= 0 {
		return nil
	}
	return fmt.Errorf("%s: %w", op.Name, notNegative(argument))
}

func notPositive(argument string) error {
	return fmt.Errorf("%w: %s must be positive", ErrBadInput, argument)
}

func notNegative(argument string) error {
	return fmt.Errorf("%w: %s must not be negative", ErrBadInput, argument)
}
