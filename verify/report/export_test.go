package report

// Columns is columns, for tests of the layout.
func Columns(text string) int { return columns(text) }
