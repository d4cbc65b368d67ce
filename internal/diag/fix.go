package diag

import (
	"cmp"
	"slices"

	"github.com/hashicorp/hcl/v2"
)

// Fix is an edit of the source that certainly says what was meant, as Help says
// it in words. `validate --fix` makes it; whatever needs a decision has no Fix.
type Fix struct {
	Range hcl.Range // what is replaced; its bytes count
	Text  string    // what stands there afterwards
}

// Fixes returns the fixes of the list by file, in the order of the text. Of two
// that touch each other the first stays: the second may no longer be right.
func (l List) Fixes() map[string][]Fix {
	byFile := make(map[string][]Fix)
	for _, d := range l {
		if d.Fix != nil {
			byFile[d.Fix.Range.Filename] = append(byFile[d.Fix.Range.Filename], *d.Fix)
		}
	}
	for file, fixes := range byFile {
		slices.SortStableFunc(fixes, func(a, b Fix) int { return cmp.Compare(a.Range.Start.Byte, b.Range.Start.Byte) })
		kept := fixes[:0]
		for _, f := range fixes {
			if len(kept) == 0 || kept[len(kept)-1].Range.End.Byte < f.Range.Start.Byte {
				kept = append(kept, f)
			}
		}
		byFile[file] = kept
	}
	return byFile
}

// Apply makes the fixes of one file, as Fixes returns them. Everything else in
// the text stays as it is, byte for byte. A fix that lies outside of the text is
// left out.
func Apply(src []byte, fixes []Fix) []byte {
	var out []byte
	from := 0
	for _, f := range fixes {
		start, end := f.Range.Start.Byte, f.Range.End.Byte
		if start < from || end < start || end > len(src) {
			continue
		}
		out = append(append(out, src[from:start]...), f.Text...)
		from = end
	}
	return append(out, src[from:]...)
}
