package dsl

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/pawldb/pawl/internal/diag"
)

// version is major, minor and patch.
type version [3]int

// checkVersion compares the tool's version with required_version, which holds
// constraints as Terraform writes them: ">= 0.1.0, < 2".
func (p *project) checkVersion(required Value[string]) {
	if !required.Set {
		return
	}
	have, _, known := parseVersion(p.options.Version)
	for constraint := range strings.SplitSeq(required.V, ",") {
		operator, want, parts, ok := parseConstraint(constraint)
		if !ok {
			p.report(diag.Diagnostic{
				Code:    diag.InvalidVersion,
				Detail:  quote(strings.TrimSpace(constraint)) + " is no version constraint.",
				Subject: required.Range,
				Help:    "write an operator and a version: \">= 0.1.0\", \"~> 1.2\"",
			})
			return
		}
		if known && !satisfies(have, operator, want, parts) {
			p.report(diag.Diagnostic{
				Code:        diag.ToolVersion,
				Detail:      "The project asks for pawl " + strings.TrimSpace(required.V) + ", and this is " + p.options.Version + ".",
				Subject:     required.Range,
				Consequence: "Another version may compile the project to something else.",
				Help:        "install a version of pawl that fits, or change required_version",
			})
			return
		}
	}
}

// parseConstraint reads ">= 0.1.0". Parts tells how many numbers were written.
func parseConstraint(s string) (operator string, v version, parts int, ok bool) {
	s = strings.TrimSpace(s)
	for _, op := range []string{">=", "<=", "!=", "~>", ">", "<", "="} {
		if rest, found := strings.CutPrefix(s, op); found {
			operator, s = op, rest
			break
		}
	}
	v, parts, ok = parseVersion(strings.TrimSpace(s))
	return cmp.Or(operator, "="), v, parts, ok
}

// parseVersion reads "1", "1.2" or "v1.2.3"; what follows a hyphen or a plus
// sign does not count.
func parseVersion(s string) (v version, parts int, ok bool) {
	s = strings.TrimPrefix(s, "v")
	if i := strings.IndexAny(s, "-+"); i >= 0 {
		s = s[:i]
	}
	numbers := strings.Split(s, ".")
	if len(numbers) > len(v) {
		return version{}, 0, false
	}
	for i, n := range numbers {
		number, err := strconv.ParseUint(n, 10, 31)
		if err != nil {
			return version{}, 0, false
		}
		v[i] = int(number)
	}
	return v, len(numbers), true
}

// satisfies reports whether a version fits one constraint. "~> 1.2" lets the
// last number that was written grow.
func satisfies(have version, operator string, want version, parts int) bool {
	c := compareVersions(have, want)
	switch operator {
	case ">=":
		return c >= 0
	case "<=":
		return c <= 0
	case "!=":
		return c != 0
	case ">":
		return c > 0
	case "<":
		return c < 0
	case "~>":
		fixed := max(parts-1, 1)
		return c >= 0 && compareVersions(version(append(have[:fixed:fixed], make([]int, 3-fixed)...)),
			version(append(want[:fixed:fixed], make([]int, 3-fixed)...))) == 0
	}
	return c == 0
}

func compareVersions(a, b version) int {
	return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]), cmp.Compare(a[2], b[2]))
}
