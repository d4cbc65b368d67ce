package graph

import (
	"cmp"
	"slices"
)

// ports are the heights at which arrows leave and reach their boxes, by route.
type ports struct{ leave, reach []float64 }

// spread places the arrows along the sides of their boxes in the order of where
// they lead, so that they do not cross there.
func spread(s *sheet) ports {
	p := ports{leave: make([]float64, len(s.routes)), reach: make([]float64, len(s.routes))}
	right, left := map[int][]int{}, map[int][]int{} // routes by the box whose side they are at
	for i, r := range s.routes {
		first, last := r.chain[0], r.chain[len(r.chain)-1]
		right[first] = append(right[first], i)
		if r.loop {
			right[first] = append(right[first], i) // it comes back on the side where it left
		} else {
			left[last] = append(left[last], i)
		}
	}
	for box, routes := range right {
		places := s.side(box, routes, func(r route) int { return r.chain[1] })
		for k, i := range routes {
			if k > 0 && routes[k-1] == i {
				p.reach[i] = places[k]
			} else {
				p.leave[i] = places[k]
			}
		}
	}
	for box, routes := range left {
		places := s.side(box, routes, func(r route) int { return r.chain[len(r.chain)-2] })
		for k, i := range routes {
			p.reach[i] = places[k]
		}
	}
	return p
}

// side sorts the arrows of one side of a box by the height of their next cell, and
// returns a place for each.
func (s *sheet) side(box int, routes []int, next func(route) int) []float64 {
	slices.SortStableFunc(routes, func(a, b int) int {
		return cmp.Compare(s.cells[next(s.routes[a])].middle(), s.cells[next(s.routes[b])].middle())
	})
	c := &s.cells[box]
	places := make([]float64, len(routes))
	for k := range routes {
		places[k] = c.y + c.h*float64(k+1)/float64(len(routes)+1)
	}
	return places
}
