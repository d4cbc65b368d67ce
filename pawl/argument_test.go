package pawl_test

import (
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/pawldb/pawl/pawl"
)

func TestPositive(t *testing.T) {
	check := func(what string, err error, ok bool) {
		t.Helper()
		if (err == nil) != ok || err != nil && !errors.Is(err, pawl.ErrBadInput) {
			t.Errorf("%s: %v", what, err)
		}
		if err != nil && !strings.Contains(err.Error(), takeItem.Name+": bad input: qty must be positive") {
			t.Errorf("%s: the text %q does not say what and where", what, err)
		}
	}
	for v, ok := range map[int64]bool{1: true, 0: false, -1: false} {
		check("int64", pawl.Positive(&takeItem, "qty", v), ok)
		check("int32", pawl.Positive(&takeItem, "qty", int32(v)), ok)
		check("int16", pawl.Positive(&takeItem, "qty", int16(v)), ok)
	}
	for _, v := range []float64{0, math.Copysign(0, -1), -1.5, math.NaN(), math.Inf(1), math.Inf(-1)} {
		check("float64", pawl.Positive(&takeItem, "qty", v), false)
		check("float32", pawl.Positive(&takeItem, "qty", float32(v)), false)
	}
	check("float64", pawl.Positive(&takeItem, "qty", 0.5), true)
	check("float32", pawl.Positive(&takeItem, "qty", float32(0.5)), true)
	check("numeric", pawl.Positive(&takeItem, "qty", pgtype.Numeric{Int: big.NewInt(5), Exp: -9, Valid: true}), true)
	for _, v := range []pgtype.Numeric{
		{},
		{Valid: true},
		{Int: big.NewInt(1)},
		{Int: big.NewInt(0), Valid: true},
		{Int: big.NewInt(-1), Exp: 3, Valid: true},
		{Int: big.NewInt(1), NaN: true, Valid: true},
		{Int: big.NewInt(1), InfinityModifier: pgtype.Infinity, Valid: true},
		{Int: big.NewInt(1), InfinityModifier: pgtype.NegativeInfinity, Valid: true},
	} {
		check("numeric", pawl.Positive(&takeItem, "qty", v), false)
	}
}

// A negative limit never reaches the database.
func TestNegativeLimit(t *testing.T) {
	_, s := open(t)
	if err := pawl.NotNegative(&listItems, "limit", 0); err != nil {
		t.Errorf("no row at all: %v", err)
	}
	for what, err := range map[string]error{
		"a page":  pawl.NotNegative(&listItems, "limit", -1),
		"a claim": func() error { _, err := newQueue(time.Minute, same).Take(t.Context(), s, -1); return err }(),
	} {
		if !errors.Is(err, pawl.ErrBadInput) || !strings.Contains(err.Error(), "limit must not be negative") || hasCode(err, "2201W") {
			t.Errorf("%s: %v", what, err)
		}
	}
	tasks, err := newQueue(time.Minute, same).Take(t.Context(), s, math.MaxInt)
	if err != nil || len(tasks) != 0 {
		t.Errorf("as many as there are: %v, %v", tasks, err)
	}
}
