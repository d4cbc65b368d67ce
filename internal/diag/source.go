package diag

// Sources gives the text of the files that ranges point into. The renderer
// reads nothing from the disk.
type Sources interface {
	// Source returns the bytes of a file by the name its ranges carry, and
	// whether the file is known.
	Source(filename string) ([]byte, bool)
}

// Files is a Sources made of texts in memory.
type Files map[string][]byte

// Source implements Sources.
func (f Files) Source(filename string) ([]byte, bool) {
	src, ok := f[filename]
	return src, ok
}
