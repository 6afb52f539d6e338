// Package align aligns two sequences by their equal elements.
package align

import "slices"

// A Pair is a pair of elements of two sequences, by index.
type Pair struct{ A, B int }

// Increasing returns the indices of a longest strictly increasing subsequence of numbers from 0 on
// or, with weights, of a heaviest one. It takes O(n log n) steps.
func Increasing(s []int, weights []int64) []int {
	top := 0
	for _, x := range s {
		top = max(top, x+1)
	}
	none := len(s)
	sums := make([]int64, len(s)+1) // of the heaviest subsequence that ends with each element
	before := make([]int, len(s))
	heaviest := slices.Repeat([]int{none}, top+1) // a Fenwick tree: of the elements below a number
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
