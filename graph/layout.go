package graph

import (
	"cmp"
	"math"
	"slices"
)

// The layout is the one of Sugiyama, Tagawa and Toda (1981), kept small: arrows
// lead from left to right through columns of boxes; arrows of cycles are turned
// round for the time; a long arrow, and each label, is a chain of boxes of its
// own, so that nothing lies below it; and the boxes of a column stand in the
// order of the mean of their neighbours.

// Distances, in pixels.
const (
	columnGap = 28.0 // between two columns; a label's column stands between two of nodes
	rowGap    = 18.0 // between two boxes of a column

	mostSweeps = 12      // over all columns, forth and back
	patience   = 300_000 // cells looked at in all sweeps; a tangle of thousands is unreadable in any order
)

// size is the extent of a box, place its upper left corner.
type (
	size  struct{ w, h float64 }
	place struct{ x, y float64 }
)

// link is an arrow between two boxes, by index, with the extent of its label.
type link struct {
	from, to int
	label    size
}

// route is where an arrow runs: through the boxes of its chain, from left to
// right. A turned one has its head on the left.
type route struct {
	chain  []int // indexes of cells: of the first node, the chain, the last node
	turned bool
	loop   bool // back to its own box: the chain ends with the label
	label  int  // index of the cell that holds the label; -1 for none
}

// span is how far a column reaches.
type span struct{ left, right float64 }

// cell is a box of the layout: a node, or a piece of an arrow.
type cell struct {
	size
	place
	column      int
	left, right []int // neighbours in the columns beside
}

func (c *cell) middle() float64 { return c.y + c.h/2 }

// sheet is a layout in progress.
type sheet struct {
	cells   []cell // those of the nodes come first, in their order
	columns [][]int
	spans   []span  // of the columns
	routes  []route // of links, in their order
}

// arrange places boxes and routes the links between them. All boxes should be
// connected: what is not comes out in one column.
func arrange(boxes []size, links []link) *sheet {
	s := &sheet{cells: make([]cell, len(boxes)), routes: make([]route, len(links))}
	for i, box := range boxes {
		s.cells[i].size = box
	}
	s.turn(links)
	s.rank(links)
	s.chain(links)
	s.fill()
	s.order()
	s.placeColumns()
	s.placeRows()
	for _, r := range s.routes {
		if r.loop { // as near to its box as its column is
			s.cells[r.label].x = s.spans[s.cells[r.label].column].left + columnGap/4
		}
	}
	return s
}

// turn marks the links that close a cycle, those that lead back along the path
// of a search. The search keeps its path in a slice: a chain of tables can be
// long.
func (s *sheet) turn(links []link) {
	out := make([][]int, len(s.cells))
	for i, l := range links {
		if l.from != l.to {
			out[l.from] = append(out[l.from], i)
		}
	}
	const (
		unseen = iota
		onPath
		done
	)
	state := make([]int, len(s.cells))
	next := make([]int, len(s.cells))
	for root := range s.cells {
		if state[root] != unseen {
			continue
		}
		state[root] = onPath
		path := []int{root}
		for len(path) > 0 {
			at := path[len(path)-1]
			if next[at] == len(out[at]) {
				state[at] = done
				path = path[:len(path)-1]
				continue
			}
			l := out[at][next[at]]
			next[at]++
			switch to := links[l].to; state[to] {
			case onPath:
				s.routes[l].turned = true
			case unseen:
				state[to] = onPath
				path = append(path, to)
			}
		}
	}
}

// ends are the left and the right box of a link.
func (s *sheet) ends(i int, l link) (left, right int) {
	if s.routes[i].turned {
		return l.to, l.from
	}
	return l.from, l.to
}

// rank gives each node a column: behind all that lead to it. Nodes take every
// second column, labels those between.
func (s *sheet) rank(links []link) {
	waiting := make([]int, len(s.cells))
	out := make([][]int, len(s.cells))
	for i, l := range links {
		if left, right := s.ends(i, l); left != right {
			out[left] = append(out[left], right)
			waiting[right]++
		}
	}
	var ready []int
	for i, n := range waiting {
		if n == 0 {
			ready = append(ready, i)
		}
	}
	for ; len(ready) > 0; ready = ready[1:] {
		for _, right := range out[ready[0]] {
			s.cells[right].column = max(s.cells[right].column, s.cells[ready[0]].column+2)
			if waiting[right]--; waiting[right] == 0 {
				ready = append(ready, right)
			}
		}
	}
}

// chain adds the cells of the links, one a column between their ends.
func (s *sheet) chain(links []link) {
	for i, l := range links {
		r := &s.routes[i]
		r.label = -1
		left, right := s.ends(i, l)
		if left == right {
			s.returning(r, left, l.label)
			continue
		}
		first, last := s.cells[left].column, s.cells[right].column
		r.chain = []int{left}
		for column := first + 1; column < last; column++ {
			c := cell{column: column, size: size{h: 1}}
			if column == (first+last)/2|1 && l.label.w > 0 {
				c.size = l.label
				r.label = len(s.cells)
			}
			r.chain = append(r.chain, len(s.cells))
			s.cells = append(s.cells, c)
		}
		r.chain = append(r.chain, right)
		s.join(r.chain)
	}
}

// returning makes the chain of a link back to its own box: its label, beside it.
func (s *sheet) returning(r *route, box int, label size) {
	r.loop = true
	r.label = len(s.cells)
	r.chain = []int{box, r.label}
	s.cells = append(s.cells, cell{column: s.cells[box].column + 1, size: size{max(label.w, 1), max(label.h, 1)}})
	s.join(r.chain)
}

// join makes neighbours of the cells of a chain.
func (s *sheet) join(chain []int) {
	for k := 1; k < len(chain); k++ {
		a, b := chain[k-1], chain[k]
		s.cells[a].right = append(s.cells[a].right, b)
		s.cells[b].left = append(s.cells[b].left, a)
	}
}

// fill puts the cells into their columns.
func (s *sheet) fill() {
	for i, c := range s.cells {
		for len(s.columns) <= c.column {
			s.columns = append(s.columns, nil)
		}
		s.columns[c.column] = append(s.columns[c.column], i)
	}
}

// sweeps is how often the columns are gone through.
func (s *sheet) sweeps() int { return max(1, min(mostSweeps, patience/(len(s.cells)+1))) }

// order sorts each column by the mean rank of its cells' neighbours in the column
// that was sorted before, from left to right and back.
func (s *sheet) order() {
	rank := make([]float64, len(s.cells))
	weight := make([]float64, len(s.cells))
	number := func(column []int) {
		for i, c := range column {
			rank[c] = float64(i)
		}
	}
	for _, column := range s.columns {
		number(column)
	}
	sortBy := func(column []int, neighbours func(*cell) []int) {
		for _, c := range column {
			weight[c] = mean(neighbours(&s.cells[c]), rank, rank[c])
		}
		slices.SortStableFunc(column, func(a, b int) int { return cmp.Compare(weight[a], weight[b]) })
		number(column)
	}
	for range s.sweeps() {
		for _, column := range s.columns {
			sortBy(column, func(c *cell) []int { return c.left })
		}
		for i := len(s.columns) - 1; i >= 0; i-- {
			sortBy(s.columns[i], func(c *cell) []int { return c.right })
		}
	}
}

func mean(of []int, values []float64, otherwise float64) float64 {
	if len(of) == 0 {
		return otherwise
	}
	sum := 0.0
	for _, i := range of {
		sum += values[i]
	}
	return sum / float64(len(of))
}

// placeColumns sets the x of each cell: columns are as wide as their widest, and
// cells stand in the middle.
func (s *sheet) placeColumns() {
	x := 0.0
	for _, column := range s.columns {
		width := 0.0
		for _, c := range column {
			width = max(width, s.cells[c].w)
		}
		for _, c := range column {
			s.cells[c].x = x + (width-s.cells[c].w)/2
		}
		s.spans = append(s.spans, span{x, x + width})
		x += width + columnGap
	}
}

// placeRows sets the y of each cell: as near to the middle of its neighbours as
// the cells above and below allow.
func (s *sheet) placeRows() {
	for _, column := range s.columns {
		s.settle(column, func(*cell) []int { return nil })
	}
	for range s.sweeps() {
		for _, column := range s.columns {
			s.settle(column, func(c *cell) []int { return c.left })
		}
		for i := len(s.columns) - 1; i >= 0; i-- {
			s.settle(s.columns[i], func(c *cell) []int { return c.right })
		}
	}
	top := math.Inf(1)
	for i := range s.cells {
		top = min(top, s.cells[i].y)
	}
	for i := range s.cells {
		s.cells[i].y -= top
	}
}

// settle places the cells of a column. Pushing down what would overlap gives one
// right placement and pushing up another; their mean is right too, and leans to
// neither side.
func (s *sheet) settle(column []int, neighbours func(*cell) []int) {
	down, up := make([]float64, len(column)), make([]float64, len(column))
	for i, c := range column {
		cell := &s.cells[c]
		down[i] = cell.y
		if near := neighbours(cell); len(near) > 0 {
			sum := 0.0
			for _, n := range near {
				sum += s.cells[n].middle()
			}
			down[i] = sum/float64(len(near)) - cell.h/2
		}
	}
	copy(up, down)
	for i := 1; i < len(column); i++ {
		down[i] = max(down[i], down[i-1]+s.cells[column[i-1]].h+rowGap)
	}
	for i := len(column) - 2; i >= 0; i-- {
		up[i] = min(up[i], up[i+1]-s.cells[column[i]].h-rowGap)
	}
	for i, c := range column {
		s.cells[c].y = (down[i] + up[i]) / 2
	}
}

// extent is the size of the whole.
func (s *sheet) extent() size {
	var e size
	for i := range s.cells {
		e.w = max(e.w, s.cells[i].x+s.cells[i].w)
		e.h = max(e.h, s.cells[i].y+s.cells[i].h)
	}
	return e
}
