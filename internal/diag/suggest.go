package diag

import "strings"

// Suggest returns the candidate that the given name was most likely meant to be,
// and false when none is close: a far guess is worse than the list of choices.
// Close means one edit (insert, delete, replace, or swap of neighbours) for names
// of up to four letters, and one more for every further three, three at most.
// Letter case does not count. Of equally close candidates the first one wins.
func Suggest(name string, candidates []string) (string, bool) {
	want := []rune(strings.ToLower(name))
	best, bestDistance := "", allowed(len(want))+1
	for _, c := range candidates {
		if c == name || tooUnlike(len(name), len(c)) {
			continue
		}
		got := []rune(strings.ToLower(c))
		if d := distance(want, got); d < bestDistance && d < len(want) {
			best, bestDistance = c, d
		}
	}
	return best, best != ""
}

// tooUnlike reports that texts of such lengths in bytes differ by more than any
// slip: names are suggested from thousands.
func tooUnlike(a, b int) bool { return max(a, b)-min(a, b) > 4*mostEdits }

// mostEdits is what [allowed] never exceeds. A character has at most 4 bytes.
const mostEdits = 3

// allowed is the number of edits that still count as a slip of the finger.
func allowed(length int) int { return min(max(1, 1+(length-2)/3), mostEdits) }

// distance is the optimal string alignment distance: Levenshtein's, with a swap
// of two neighbours counted as one edit, since that is how people mistype.
func distance(a, b []rune) int {
	var before, previous []int
	current := make([]int, len(b)+1)
	for j := range current {
		current[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, previous, current = previous, current, make([]int, len(b)+1)
		current[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			current[j] = min(previous[j]+1, current[j-1]+1, previous[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				current[j] = min(current[j], before[j-2]+1)
			}
		}
	}
	return current[len(b)]
}
