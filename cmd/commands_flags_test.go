package cmd

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestFlagMeanings checks that no flag means two things. Whoever gives a flag a name that another
// command has uses the same words, or says in meanings what both have in common; if they
// have nothing in common, the flag needs another name.
func TestFlagMeanings(t *testing.T) {
	// Of redact, which has a vault beside it.
	bothKinds := []string{"restore"}

	all := flagsOf(describe(newRoot()))
	shared := meanings()
	for _, f := range all {
		_, declared := shared[f.Name]
		if len(f.usages) > 1 && !declared {
			var texts []string
			for _, usage := range slices.Sorted(maps.Keys(f.usages)) {
				texts = append(texts, strings.Join(f.usages[usage], ", ")+": "+usage)
			}
			t.Errorf("--%s means several things:\n\t%s", f.Name, strings.Join(texts, "\n\t"))
		}
		if len(f.usages) == 1 && declared {
			t.Errorf("--%s means the same everywhere, and meanings has it", f.Name)
		}
		if f.types["bool"] && len(f.types) > 1 && !slices.Contains(bothKinds, f.Name) {
			t.Errorf("--%s has a value in some commands, and none in others", f.Name)
		}
	}
	for name := range shared {
		if !slices.ContainsFunc(all, func(f flagUse) bool { return f.Name == name }) {
			t.Errorf("meanings has --%s, which no command has", name)
		}
	}
}
