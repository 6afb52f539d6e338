package trim

import (
	"fmt"
	"io"
	"strings"

	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/trim"
)

// A Record is the report on one message.
type Record struct {
	Source  string `json:"source"`
	Index   int    `json:"index"`
	Changed bool   `json:"changed"`
	trim.Record
	CostUSD    message.Number `json:"costUSD,omitzero"`
	Signature  string         `json:"signature,omitzero"` // removed or renewed
	FellBack   string         `json:"fellBack,omitzero"`  // why the extractive summariser was used instead
	Facts      *factCheck     `json:"facts,omitempty"`
	place      input.Origin
	archive    []byte
	costShare  float64
	turnsGone  int
	turnsMore  int // turns kept in addition to --last
	summarised bool
	notes      []string // further remarks
}

// report archives the removed turns and then reports them.
func (f *trimFlags) report(stderr io.Writer, news []any) error {
	var lines []byte
	for _, n := range news {
		if entry := n.(Record).archive; entry != nil {
			lines = append(append(lines, entry...), '\n')
		}
	}
	if f.archive != "" && lines != nil {
		if err := f.AppendLocked(f.archive, lines); err != nil {
			return err
		}
	}
	for _, n := range news {
		r := n.(Record)
		for _, line := range r.notes {
			f.Progress.Fail(fmt.Errorf("%s: %s", r.place, term.Visible(line)))
		}
		if f.quiet {
			continue
		}
		if r.Facts != nil {
			f.facts.add(r.Facts)
		}
		if f.format == "json" {
			if err := report.WriteJSON(stderr, r); err != nil {
				return err
			}
		} else if r.Changed {
			if err := f.listing.Print(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// maxCostShare is the maximum cost of a summary, as a share of the amount spent before it (section 9).
const maxCostShare = 0.05

// WriteText writes a line about the trim.
func (r Record) WriteText(w io.Writer) error {
	var parts []string
	done := "removed"
	if r.summarised {
		done = "summarised"
	}
	if r.turnsGone > 0 {
		parts = append(parts, fmt.Sprintf("%s %s of %s", term.Plural(r.turnsGone, "turn"), done, term.Grouped(int64(r.OriginalTurns))))
	}
	parts = append(parts, r.givenUp()...)
	parts = append(parts, fmt.Sprintf("%s → %s tokens (%s)", term.Grouped(int64(r.TokensBefore)), term.Grouped(int64(r.TokensAfter)), r.Tokenizer))
	_, err := fmt.Fprintf(w, "handoff: %s: %s\n", r.place, strings.Join(append(parts, r.remarks()...), "; "))
	return err
}

// givenUp lists the removed parts other than turns.
func (r Record) givenUp() (parts []string) {
	for _, e := range trim.Extras() {
		if n := r.GivenUp[string(e)]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s of %s removed", term.Plural(n, "element"), e))
		}
	}
	return parts
}

// remarks lists facts beyond the figures.
func (r Record) remarks() (parts []string) {
	if r.turnsMore > 0 {
		parts = append(parts, term.Plural(r.turnsMore, "protected turn")+" kept in addition to --last")
	}
	if r.FellBack != "" {
		parts = append(parts, "by the extractive summariser, because "+term.Visible(r.FellBack))
	}
	if r.CostUSD != "" {
		cost := "the summary cost " + string(r.CostUSD) + " USD"
		if r.costShare > maxCostShare {
			cost += fmt.Sprintf(", %.0f%% of the amount spent before; the target is %.0f%%", r.costShare*100, maxCostShare*100)
		}
		parts = append(parts, cost)
	}
	if r.Facts != nil {
		parts = append(parts, r.Facts.text())
	}
	switch r.Signature {
	case "removed":
		parts = append(parts, "the signature was removed, because it is no longer valid: sign the message again (handoff sign, or --key-file)")
	case "renewed":
		parts = append(parts, "signed again")
	}
	return parts
}
