package cli

import (
	"encoding/csv"
	"slices"
	"strings"

	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/finding"
)

// AllowAdvice returns the remedy for a false alarm of the scanner: the flag that allows all errors at the
// place of list[i], for its last one; "" for other findings.
func AllowAdvice(list []finding.Finding, i int) string {
	isElsewhere := func(f finding.Finding) bool { return f.Layer != finding.Safety || f.Pointer != list[i].Pointer }
	isError := func(f finding.Finding) bool { return f.Severity == finding.Error }
	after := list[i+1:]
	if end := slices.IndexFunc(after, isElsewhere); end >= 0 {
		after = after[:end]
	}
	if list[i].Layer != finding.Safety || !isError(list[i]) || slices.ContainsFunc(after, isError) {
		return ""
	}
	var entries []string
	for _, f := range slices.Backward(list[:i+1]) {
		if isElsewhere(f) {
			break
		}
		if !isError(f) {
			continue
		}
		for _, id := range f.Rules() {
			entry := finding.Rule{ID: id}.Name()
			if f.Pointer != "" {
				entry += "@" + f.Pointer
			}
			if !slices.Contains(entries, entry) {
				entries = append(entries, entry)
			}
		}
	}
	var b strings.Builder
	line := csv.NewWriter(&b)
	_ = line.Write(entries) // to memory
	line.Flush()
	flag := "--allow " + ShellWord(strings.TrimSuffix(b.String(), "\n"))
	if term.Visible(flag) != flag {
		return "" // it cannot be copied
	}
	return "; if the text is legitimate, permit it with " + flag
}
