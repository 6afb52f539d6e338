package inspect

import (
	"fmt"

	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/validate"
)

func (p *drawing) findings(r validate.Result) {
	if len(r.Findings) == 0 {
		p.Section("Findings", "none")
		return
	}
	count := map[finding.Severity]int{}
	places := 0
	for i, f := range r.Findings {
		count[f.Severity]++
		if i < term.MaxFindings {
			places = max(places, len(place(f)))
		}
	}
	heading := term.Plural(count[finding.Error], "error") + ", " + term.Plural(count[finding.Warning], "warning")
	if n := count[finding.Note]; n > 0 {
		heading += ", " + term.Plural(n, "note")
	}
	p.Section("Findings", heading)
	for i, f := range r.Findings {
		if i == term.MaxFindings {
			p.More(len(r.Findings) - i)
			return
		}
		p.finding(f, places)
	}
}

func place(f finding.Finding) string { return fmt.Sprintf("%d:%d", f.Line, f.Column) }

func (p *drawing) finding(f finding.Finding, places int) {
	severity := term.Left(string(f.Severity), len(finding.Warning))
	indent := 2 + len(severity) + 2 + places + 2
	lines := term.Wrap(f.PlacedMessage(), p.Width-indent, term.MaxFindingLines)
	rule := "[" + term.Clip(f.Rule, 50) + "]"
	if last := len(lines) - 1; last >= 0 && term.Width(lines[last])+1+term.Width(rule) <= p.Width-indent {
		lines[last] += " " + p.Dim(rule)
	} else {
		lines = append(lines, p.Dim(rule))
	}
	p.Line("  ", p.Severity(f.Severity)(severity), "  ", term.Right(place(f), places), "  ", lines[0])
	for _, line := range lines[1:] {
		p.Line(term.Spaces(indent), line)
	}
}
