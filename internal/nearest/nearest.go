// Package nearest finds the known name that an unknown one is probably a misspelling of.
package nearest

import (
	"fmt"
	"strings"
)

// Name returns the candidate that name is probably a misspelling of, "" if there is none.
func Name(name string, candidates []string) string {
	best, bestDistance := "", 0
	for _, c := range candidates {
		if !Is(name, c) {
			continue
		}
		if d := distance(name, c); best == "" || d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}

// Suggestion returns a question for the nearest candidate, as the end of a sentence; "" if none is near.
func Suggestion(name string, candidates []string) string {
	best := Name(name, candidates)
	if best == "" {
		return ""
	}
	return fmt.Sprintf(": did you mean %q?", best)
}

var plainName = strings.NewReplacer("_", "", "-", "")

// Is reports whether one name is probably a misspelling of the other: equal except for case and
// separators, or one or two edits away.
func Is(a, b string) bool {
	const maxLength = 64 // the cost is quadratic
	if len(a) > maxLength || len(b) > maxLength || a == b {
		return false
	}
	if strings.EqualFold(plainName.Replace(a), plainName.Replace(b)) {
		return true
	}
	return distance(a, b) <= min(2, len(b)/4)
}

// distance counts the insertions, deletions, substitutions and transpositions of adjacent characters between
// two names (optimal string alignment).
func distance(a, b string) int {
	before := make([]int, len(b)+1)
	row := make([]int, len(b)+1)
	next := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next[j+1] = min(row[j]+cost, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row, next = row, next, before
	}
	return row[len(b)]
}
