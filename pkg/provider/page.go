package provider

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/eaapl/handoff/pkg/finding"
)

// Page is the document with the rules and their sources.
//
//go:embed providers.md
var Page string

// Rules returns the rules of all providers, in the order of the page. Their IDs are PROVIDER/NAME; the
// examples are whole documents. The caller must not change them.
func Rules() []finding.Rule { return rules() }

var rules = sync.OnceValue(func() []finding.Rule {
	faults := map[string]string{} // by rule name
	var all []finding.Rule
	for _, section := range strings.Split(Page, "\n### ")[1:] {
		section, _, _ = strings.Cut(section, "\n## ")
		id, text, _ := strings.Cut(section, "\n")
		r := finding.Rule{ID: id, Layer: finding.Provider, Whole: true}
		r.Reason = Provider(id[:strings.IndexByte(id, '/')]).Reason()
		r.Bad, r.Good = example(text, "Fails:"), example(text, "Repaired:")
		text, _, _ = strings.Cut(text, "\nFails:")
		for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
			if severity, rest, ok := strings.Cut(paragraph, "; "); ok && r.Severity == "" {
				r.Severity = finding.Severity(severity)
				paragraph = strings.ToUpper(rest[:1]) + rest[1:]
			}
			r.Why = strings.TrimSpace(r.Why + " " + paragraph)
		}
		all = append(all, r)
	}
	for line := range strings.SplitSeq(Page, "\n") {
		if cells := strings.Split(line, "|"); len(cells) > 3 && strings.HasPrefix(cells[1], " `") {
			fault := strings.TrimSpace(cells[2])
			faults[strings.Trim(cells[1], " `")] = strings.ToUpper(fault[:1]) + fault[1:] + "."
		}
	}
	for i, r := range all {
		all[i].Summary = faults[r.Name()]
	}
	return all
})

// example returns the indented text after a heading, "" if there is none.
func example(section, heading string) string {
	_, rest, ok := strings.Cut(section, "\n"+heading+"\n\n    ")
	if !ok {
		return ""
	}
	text, _, _ := strings.Cut(rest, "\n")
	return text
}

// byID returns the rules by their IDs.
var byID = sync.OnceValue(func() map[string]finding.Rule {
	all := map[string]finding.Rule{}
	for _, r := range rules() {
		all[r.ID] = r
	}
	return all
})
