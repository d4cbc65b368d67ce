package diag

import "strconv"

// shownEchoes is how many further places of one mistake are quoted.
const shownEchoes = 3

// Fold tells a mistake with one cause once: of diagnostics of the given code
// that say the same in Detail and Help, the first stays and names the places of the
// others. Sort the list first.
func (l *List) Fold(code Code) {
	first := make(map[[2]string]int) // index in kept
	echoes := make(map[int]int)
	kept := (*l)[:0:0]
	for _, d := range *l {
		said := [2]string{d.Detail, d.Help}
		i, again := first[said]
		switch {
		case d.Code != code:
		case !again:
			first[said] = len(kept)
		default:
			if echoes[i]++; echoes[i] <= shownEchoes {
				kept[i].Related = append(kept[i].Related[:len(kept[i].Related):len(kept[i].Related)], Related{Range: d.Subject, Text: "here too"})
			}
			continue
		}
		kept = append(kept, d)
	}
	for i, n := range echoes {
		if n > shownEchoes {
			kept[i].Detail += " It is named in " + strconv.Itoa(n+1) + " places."
		}
	}
	*l = kept
}
