package vectors

import (
	"io"
	"slices"
	"strings"

	"github.com/eaapl/handoff/internal/viewer"
	suite "github.com/eaapl/handoff/vectors"
)

// A Page collects results for a report in HTML: a table, and each case with its outcomes. Visible makes a text
// printable.
type Page struct {
	Version string
	Visible func(string) string

	results viewer.Results
}

// Add adds a result of an implementation.
func (p *Page) Add(implementation string, g suite.Group, c suite.Case, r Result) {
	n := slices.Index(p.results.Implementations, implementation)
	if n < 0 {
		n = len(p.results.Implementations)
		p.results.Implementations = append(p.results.Implementations, implementation)
	}
	i := slices.IndexFunc(p.results.Groups, func(other viewer.ResultGroup) bool { return other.Name == g.Name })
	if i < 0 {
		i = len(p.results.Groups)
		p.results.Groups = append(p.results.Groups, viewer.ResultGroup{Name: g.Name, Title: p.Visible(g.Title)})
	}
	group := &p.results.Groups[i]
	for len(group.Counts) <= n {
		group.Counts = append(group.Counts, viewer.ResultCount{})
	}
	count, o := &group.Counts[n], viewer.ResultOutcome{Outcome: "passed", Class: "passed"}
	switch {
	case r.Outcome == NotApplicable:
		count.NotApplicable++
		o = viewer.ResultOutcome{Outcome: "not applicable", Class: "other"}
	case r.Outcome == Failed:
		count.Failed++
		o = viewer.ResultOutcome{Outcome: "failed", Class: "failed", Problem: p.Visible(r.Problem)}
		if r.Expected {
			o.Outcome, o.Class = "failed, as in the baseline", "other"
		}
	default:
		count.Passed++
	}
	k := slices.IndexFunc(group.Cases, func(other viewer.ResultCase) bool { return other.ID == c.ID })
	if k < 0 {
		k = len(group.Cases)
		group.Cases = append(group.Cases, viewer.ResultCase{
			ID: p.Visible(c.ID), Expected: string(c.Operation) + ": " + string(c.Expected.Verdict) + listed(c.Expected.Steps),
			Source: p.Visible(strings.Join(slices.DeleteFunc([]string{c.Source.Name, c.Source.Section, c.Source.Version}, func(s string) bool { return s == "" }), ", ")),
			URL:    c.Source.URL, Comment: p.Visible(c.Comment),
		})
	}
	outcomes := &group.Cases[k].Outcomes
	for len(*outcomes) <= n {
		*outcomes = append(*outcomes, viewer.ResultOutcome{Outcome: "not asked", Class: "other"})
	}
	(*outcomes)[n] = o
}

// Write writes the page.
func (p *Page) Write(w io.Writer) error {
	p.results.Title, p.results.Version = "Conformance", p.Version
	return viewer.WriteResults(w, &p.results)
}
