package migrate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// HazardLossy is the kind of a hazard of values that change: a type that cannot
// hold all that the old one held.
const HazardLossy HazardKind = "lossy"

// lossy adds the hazard of a new type that changes the values of a column.
func (p *planner) lossy(c ir.AlterColumn) {
	size := p.facts.tables[c.Table]
	if c.From.Type.Equal(c.To.Type) || size.empty {
		return
	}
	what := loses(c.From.Type, c.To.Type)
	if what == "" {
		return
	}
	h := p.hazard(HazardLossy, c, size.rows, fmt.Sprintf("values of %s change for good, from %s to %s: %s",
		ir.ChangeObject(c).SQL(), c.From.Type.SQL(), c.To.Type.SQL(), what))
	h.Help = "keep the old values in another column first, where they matter"
	h.Allow = "lossy=" + addressOf(c)
	p.hazards = append(p.hazards, h)
}

// Families of types that lose alike.
var (
	integers   = []string{"smallint", "integer", "bigint"}
	floats     = []string{"real", "double precision"}
	moments    = []string{"timestamp with time zone", "timestamp without time zone"}
	timesOfDay = []string{"time with time zone", "time without time zone"}
	strung     = []string{"character varying", "character", "bit", "bit varying"}
)

// loses says what a cast from one type to another does to values that the other
// cannot hold, short of an error; empty when nothing.
func loses(from, to ir.Type) string {
	f, t := spell(from), spell(to)
	in := func(list []string, s spelling) bool { return slices.Contains(list, s.name) }
	switch {
	case f.array != t.array:
		return ""
	case f.name == "numeric" && t.name == "numeric":
		return fewer(scale(f), scale(t), "rounded to %d digits after the point")
	case (in(floats, f) || f.name == "numeric" && scale(f) != 0) && in(integers, t):
		return "rounded to whole numbers"
	case in(floats, f) && t.name == "numeric":
		return "rounded to the digits that the new type keeps"
	case f.name == "numeric" && in(floats, t), f.name == "double precision" && t.name == "real",
		f.name == "bigint" && in(floats, t), f.name == "integer" && t.name == "real":
		return "rounded to the nearest number with a binary fraction"
	case in(moments, f) && t.name == "date":
		return "the time of day is cut off, and the day is that in UTC"
	case in(moments, f) && in(timesOfDay, t):
		return "the day is cut off"
	case in(moments, f) && in(moments, t) && f.name != t.name:
		return "the moment is read as a time in UTC; values written in another time zone mean another moment"
	case f.name == "time with time zone" && t.name == "time without time zone":
		return "the time zone is cut off"
	case f.name == t.name && (in(moments, f) || in(timesOfDay, f) || f.name == "interval"):
		return fewer(precision(f, 6), precision(t, 6), "rounded to %d digits of a second")
	case in(strung, t) && (in(strung, f) || f.name == "text"):
		return fewer(precision(f, unbounded), precision(t, bare(t)), "longer ones are cut off after %d characters")
	case f.name == "json" && t.name == "jsonb":
		return "spaces, the order of keys and repeated keys are lost"
	}
	return ""
}

// fewer says what happens when less is kept than before.
func fewer(was, is int, what string) string {
	if is >= was {
		return ""
	}
	return fmt.Sprintf(what, is)
}

// unbounded stands for a length or a scale without a bound.
const unbounded = 1 << 30

// bare is how much a type keeps when its length is not given.
func bare(s spelling) int {
	if s.name == "character" || s.name == "bit" {
		return 1
	}
	return unbounded
}

// scale is how many digits a numeric keeps after the point.
func scale(s spelling) int {
	switch len(s.mods) {
	case 0:
		return unbounded
	case 1:
		return 0
	}
	return s.mods[1]
}

func precision(s spelling, otherwise int) int {
	if len(s.mods) == 0 {
		return otherwise
	}
	return s.mods[0]
}

// spelling is a type's SQL taken apart: what stands and what is wanted come as
// different values of ir.Type, and are spelled alike.
type spelling struct {
	name  string
	mods  []int
	array bool
}

func spell(t ir.Type) spelling {
	name, array := strings.CutSuffix(t.SQL(), "[]")
	s := spelling{name: name, array: array}
	head, rest, ok := strings.Cut(name, "(")
	if !ok {
		return s
	}
	list, tail, _ := strings.Cut(rest, ")")
	s.name = head + tail
	for _, mod := range strings.Split(list, ",") {
		if n, err := strconv.Atoi(strings.TrimSpace(mod)); err == nil {
			s.mods = append(s.mods, n)
		}
	}
	return s
}
