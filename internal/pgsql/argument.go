package pgsql

// FillArgs replaces arguments by expressions, in parentheses where needed.
// Arguments that values does not name stay.
func (e *Expr) FillArgs(values map[string]*Expr) *Expr {
	return derive(replace(e.pieces, func(p piece, _ bool) []piece {
		by := values[p.name]
		if p.kind != argument || by == nil {
			return nil
		}
		return parenthesised(by.pieces)
	}))
}
