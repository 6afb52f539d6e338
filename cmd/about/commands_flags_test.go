package about_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/eaapl/handoff/cmd"
	"github.com/eaapl/handoff/cmd/about"
)

// TestFlagMeanings checks that no flag has two meanings. Flags with the same name have the same description, or
// an entry in meanings with the common meaning.
func TestFlagMeanings(t *testing.T) {
	// For redact, which has a vault.
	bothKinds := []string{"restore"}

	all := about.FlagsOf(about.Describe(cmd.New().Root()))
	shared := about.Meanings()
	for _, f := range all {
		_, declared := shared[f.Name]
		if len(f.Usages) > 1 && !declared {
			var texts []string
			for _, usage := range slices.Sorted(maps.Keys(f.Usages)) {
				texts = append(texts, strings.Join(f.Usages[usage], ", ")+": "+usage)
			}
			t.Errorf("--%s has several meanings:\n\t%s", f.Name, strings.Join(texts, "\n\t"))
		}
		if len(f.Usages) == 1 && declared {
			t.Errorf("--%s has the same description in all commands: remove it from meanings", f.Name)
		}
		if f.Types["bool"] && len(f.Types) > 1 && !slices.Contains(bothKinds, f.Name) {
			t.Errorf("--%s takes a value in some commands, and none in others", f.Name)
		}
	}
	for name := range shared {
		if !slices.ContainsFunc(all, func(f about.FlagUse) bool { return f.Name == name }) {
			t.Errorf("no command has --%s: remove it from meanings", name)
		}
	}
}
