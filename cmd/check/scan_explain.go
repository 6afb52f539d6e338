package check

import (
	"fmt"

	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/safety"
)

// An explanation is scanFindings whose text shows how every score was computed.
type explanation struct{ scanFindings }

// Text writes a line for the document, a line for each text with findings and, below it, those findings.
func (e explanation) Text(r *report.Record, p *report.Page) {
	verdict := p.Colors.Green("clean")
	if !r.Valid {
		verdict = p.Colors.Red("flagged")
	}
	p.Head(fmt.Sprintf("%s (%.2f)", verdict, r.Score))
	own := e.scanFindings[:len(r.Findings)]
	for len(own) > 0 {
		n := 1
		for n < len(own) && own[n].Pointer == own[0].Pointer && own[n].InName == own[0].InName {
			n++
		}
		e.explain(p, own[:n])
		own = own[n:]
	}
}

// explain writes the findings of one text.
func (explanation) explain(p *report.Page, findings []scanFinding) {
	var counted []safety.Finding
	outcome := "not flagged"
	for _, f := range findings {
		if f.Allowed == "" {
			counted = append(counted, f.Finding)
		}
		if f.Flagged {
			outcome = "flagged"
		}
	}
	first := findings[0]
	p.Line(1, fmt.Sprintf("%sspeaker %s: %s, with a score of %.3f", shownPointer(first.Pointer), first.Field, outcome, safety.Weigh(counted)))
	for _, f := range findings {
		p.Line(2, fmt.Sprintf("%.3f %s = %s: %s", f.Score, term.Visible(f.Rule), formula(f), term.Visible(f.Excerpt)))
	}
}

// formula shows how the score of a finding was computed.
func formula(f scanFinding) string {
	var text string
	switch e := f.Evidence; {
	case e == nil:
		return "personal data"
	case f.Allowed != "":
		text = "allowed by " + term.Visible(f.Allowed)
	case e.Weight == 0:
		text = "from the classifier"
	case e.Probability > 0:
		text = fmt.Sprintf("%.2f × probability %.3f^%v", e.Weight, e.Probability, e.Power)
		if e.Excused {
			text += " × excused 0.5"
		}
		for i, feature := range e.Features {
			text += fmt.Sprintf("%s%s %+.2f", []string{" (", ", "}[min(i, 1)], term.Visible(feature.Excerpt), feature.Weight)
		}
		if len(e.Features) > 0 {
			text += ")"
		}
	default:
		text = fmt.Sprintf("weight %.2f × %s %.2f", e.Weight, f.Field, e.Field)
		if e.Mention != 1 {
			text += fmt.Sprintf(" × mention %.2f", e.Mention)
		}
		if e.Doubt != 1 {
			text += fmt.Sprintf(" × doubt %.2f", e.Doubt)
		}
	}
	if f.Evidence.Disguised {
		text += fmt.Sprintf(" × 1.1 + 0.1 (found only by %s)", term.Visible(f.Via))
	}
	return text
}
