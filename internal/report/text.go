package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"

	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
)

// Text is the layout of a report for people.
type Text struct {
	Colors term.Palette
	Width  int  // of the screen, in columns; 0 to leave lines unbroken
	All    bool // report the outcome of each document, even without findings
}

// A textReporter writes a line for each document with anything to report, and its findings below it. A single
// document gets a line in any case.
type textReporter struct {
	Text
	w     io.Writer
	any   bool
	alone *Record // the first document, if there is nothing to report on it and it is the only one so far
}

func (t *textReporter) Report(r *Record) error {
	first := !t.any
	t.any = true
	if !t.All && r.unremarkable() {
		t.alone = nil
		if first && r.Messages == 0 {
			t.alone = r
		}
		return nil
	}
	t.alone = nil
	return t.write(r)
}

func (t *textReporter) write(r *Record) error {
	if r.Messages > 0 {
		_, err := io.WriteString(t.w, r.several())
		return err
	}
	p := &Page{Text: t.Text, r: r}
	if r.Own != nil {
		r.Own.Text(r, p)
	} else {
		p.validity(r)
	}
	if notShown := r.notShown(); notShown != "" && !r.fulfilled() {
		p.Line(1, "… "+notShown)
	}
	_, err := p.text.WriteTo(t.w)
	return err
}

// Unreadable writes nothing: the error is on stderr.
func (t *textReporter) Unreadable(Unread) error {
	t.any, t.alone = true, nil
	return nil
}

func (t *textReporter) Close() error {
	if t.alone == nil {
		return nil
	}
	return t.write(t.alone)
}

// unremarkable reports whether a document needs no line in the report: the summary counts it.
func (r *Record) unremarkable() bool {
	if r.fulfilled() {
		return true
	}
	if !r.Valid || r.Telling || r.Unexpected || r.Omitted > 0 {
		return false
	}
	for _, f := range r.Findings {
		if f.Severity != finding.Note {
			return false
		}
	}
	return true
}

// fulfilled reports whether the outcome is the expected one, which needs no explanation.
func (r *Record) fulfilled() bool { return r.Expected != "" && !r.Unexpected }

// A Page is the output for the text of a record.
type Page struct {
	Text
	r    *Record
	text bytes.Buffer
}

// Head writes the first line, with the outcome of the document.
func (p *Page) Head(outcome string) { p.Line(0, p.r.Origin.String()+": "+outcome) }

// Line writes a line as visible text, indented by steps.
func (p *Page) Line(steps int, line string) {
	p.text.WriteString(term.Fold(line, 2*steps, p.Width))
	p.text.WriteByte('\n')
}

// Finding is [Page.Placed] for the finding with index i, with its excerpt below it, once for findings at one
// place.
func (p *Page) Finding(i int, label, rule string) {
	f := p.r.Findings[i]
	p.Placed(f, label, rule)
	next := i + 1
	if p.r.excerpts != nil && (next == len(p.r.Findings) || p.r.Findings[next].Position() != f.Position()) {
		p.text.WriteString(p.r.excerpts[i].text(f.Line, p.Colors))
	}
}

// Placed writes a line about a place: the place, a label such as a severity ("" for none), the message and,
// in brackets, rule ("" for none).
func (p *Page) Placed(f finding.Finding, label, rule string) {
	place := fmt.Sprintf("%d:%d", f.Line, f.Column)
	if f.Line == 0 {
		place = fmt.Sprintf("byte %d", f.Offset)
	}
	line := term.Visible(p.r.Source) + ":" + place + ": "
	if label != "" {
		line += label + ": "
	}
	line += term.Visible(f.PlacedMessage())
	if rule != "" {
		line += " " + p.Colors.Dim("["+term.Visible(rule)+"]")
	}
	p.Line(1, line)
}

// Severity returns the label for the severity of a finding.
func (p *Page) Severity(f finding.Finding) string {
	return p.Colors.Severity(f.Severity)(string(f.Severity))
}

// validity writes the text for a valid or invalid document.
func (p *Page) validity(r *Record) {
	outcome := p.Colors.Green("valid")
	if !r.Valid {
		outcome = p.Colors.Red(cmp.Or(string(r.Reason), "invalid"))
	}
	if r.Format != "" && r.Format != format.EAAPL {
		outcome += p.Colors.Dim(" (" + string(r.Format) + ")")
	}
	switch {
	case r.Unexpected:
		outcome += p.Colors.Red(", but expected " + r.Expected)
	case r.Expected != "":
		outcome += ", as expected"
	}
	p.Head(outcome)
	if r.fulfilled() {
		return
	}
	for i, f := range r.Findings {
		rule := f.Rule
		if f.Score > 0 {
			rule += fmt.Sprintf(" %.2f", f.Score)
		}
		p.Finding(i, p.Severity(f), rule)
	}
}
