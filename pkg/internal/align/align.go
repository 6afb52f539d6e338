// Package align finds what two sequences have in common.
package align

import "slices"

// A Pair is an element of one sequence and the element of the other that it is
// paired with, by their indices.
type Pair struct{ A, B int }

// Increasing returns the indices of a strictly increasing subsequence of numbers from
// 0 on, in n log n steps: a longest one, or, if there are weights, a heaviest.
func Increasing(s []int, weights []int64) []int {
	top := 0
	for _, x := range s {
		top = max(top, x+1)
	}
	none := len(s)
	sums := make([]int64, len(s)+1) // of the heaviest subsequence that ends with an element
	before := make([]int, len(s))
	heaviest := slices.Repeat([]int{none}, top+1) // of the elements below a number: a Fenwick tree
	last := none
	for i, x := range s {
		before[i] = none
		for k := x; k > 0; k -= k & -k {
			if sums[heaviest[k]] > sums[before[i]] {
				before[i] = heaviest[k]
			}
		}
		sums[i] = sums[before[i]] + 1
		if weights != nil {
			sums[i] += weights[i] - 1
		}
		for k := x + 1; k <= top; k += k & -k {
			if sums[i] > sums[heaviest[k]] {
				heaviest[k] = i
			}
		}
		if sums[i] > sums[last] {
			last = i
		}
	}
	var indices []int
	for ; last != none; last = before[last] {
		indices = append(indices, last)
	}
	slices.Reverse(indices)
	return indices
}
