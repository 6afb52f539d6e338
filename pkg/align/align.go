// Package align finds what two sequences have in common.
package align

import "sort"

// A Pair is an element of one sequence and the element of the other that it is
// paired with, by their indices.
type Pair struct{ A, B int }

// Increasing returns the indices of a longest strictly increasing subsequence, in
// n log n steps.
func Increasing(s []int) []int {
	var ends []int // ends[k]: where the subsequence of length k+1 with the smallest end ends
	before := make([]int, len(s))
	for i, x := range s {
		k := sort.Search(len(ends), func(k int) bool { return s[ends[k]] >= x })
		if k == len(ends) {
			ends = append(ends, i)
		} else {
			ends[k] = i
		}
		if k > 0 {
			before[i] = ends[k-1]
		}
	}
	for k := len(ends) - 2; k >= 0; k-- {
		ends[k] = before[ends[k+1]]
	}
	return ends
}
