package secrets

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Mask returns text with a note in place of every credential that [Find] and [FindAssigned] find, such as
// "[masked: github-token]", and the number of notes.
func Mask(text string) (masked string, notes int) {
	found := append(Find(text), FindAssigned(text)...)
	if len(found) == 0 {
		return text, 0
	}
	slices.SortStableFunc(found, func(a, b Secret) int { return cmp.Compare(a.Offset, b.Offset) })
	var b strings.Builder
	done := 0
	for _, f := range found {
		if f.Offset < done {
			continue
		}
		fmt.Fprintf(&b, "%s[masked: %s]", text[done:f.Offset], f.Kind.ID)
		done = f.Offset + f.Length
		notes++
	}
	return b.String() + text[done:], notes
}
