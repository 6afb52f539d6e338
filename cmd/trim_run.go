package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/cmd/internal/input"
	"github.com/eaapl/handoff/cmd/internal/report"
	"github.com/eaapl/handoff/cmd/internal/term"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/sign"
	"github.com/eaapl/handoff/pkg/trim"
)

// A trimRecord is what trim reports of one message.
type trimRecord struct {
	Source  string `json:"source"`
	Index   int    `json:"index"`
	Changed bool   `json:"changed"`
	trim.Record
	CostUSD    message.Number `json:"costUSD,omitzero"`
	Signature  string         `json:"signature,omitzero"` // removed or renewed
	FellBack   string         `json:"fellBack,omitzero"`  // why the extractive summariser stepped in
	place      input.Origin
	archive    []byte
	costShare  float64
	turnsGone  int
	summarised bool
}

func (f *trimFlags) runTrim(c *cobra.Command, args []string) error {
	if err := f.complete(c); err != nil {
		return err
	}
	key, err := f.signingKey(c)
	if err != nil {
		return err
	}
	if f.archive != "" {
		if err := f.checkArchive(f.archive); err != nil {
			return err
		}
	}
	f.rewrite = func(dst []byte, d input.Document, tell func(any)) ([]byte, error) {
		text, report, err := f.trim(c.Context(), d, key)
		if err != nil {
			return nil, err
		}
		tell(report)
		return f.layout.append(dst, text)
	}
	f.publish = func(news []any) error { return f.report(c.ErrOrStderr(), news) }
	return f.rewriting.run(c, args)
}

// trim makes one message fit.
func (f *trimFlags) trim(ctx context.Context, d input.Document, key *sign.Key) ([]byte, trimRecord, error) {
	doc, err := jsonstream.Parse(d.Raw, f.limits)
	if err != nil {
		return nil, trimRecord{}, input.InFile(d.Source.Name, err)
	}
	options := f.Options
	if options.MaxTokens == 0 && options.MaxBytes == 0 && options.Last == 0 && !options.DropTools && options.Roles == nil {
		detected, err := history.FormatOf(doc.Root(), f.from)
		if err != nil {
			return nil, trimRecord{}, fmt.Errorf("%s: %w", d.Origin(), err)
		}
		switch detected {
		case format.SW4RMContext, format.SW4RMRequest, format.SW4RMResponse:
		default:
			return nil, trimRecord{}, fmt.Errorf("%s: how small? give --context-window, --max-tokens, --max-bytes or --last", d.Origin())
		}
		options.Last = trim.DefaultLast
	}
	r, err := trim.Message(ctx, doc, f.limits, options)
	if over := (*trim.OverError)(nil); errors.As(err, &over) {
		return nil, trimRecord{}, refusal{fmt.Errorf("%s: %w", d.Origin(), err)}
	}
	if err != nil {
		return nil, trimRecord{}, failed(d, err)
	}
	report := trimRecord{
		Source: d.Source.Name, Index: d.Index, Changed: r.Changed, Record: r.Record, CostUSD: r.Cost,
		place: d.Origin(), archive: r.Archive, costShare: r.Share, turnsGone: r.Gone, summarised: r.Summarised,
	}
	if r.FellBack != nil {
		report.FellBack = r.FellBack.Error()
	}
	if r.Signed {
		report.Signature = "removed"
		if key != nil && r.Format == format.EAAPL {
			if r.Text, err = signText(r.Text, *key); err != nil {
				return nil, trimRecord{}, fmt.Errorf("%s: signing again: %w", d.Origin(), err)
			}
			report.Signature = "renewed"
		}
	}
	return r.Text, report, nil
}

func signText(text []byte, key sign.Key) ([]byte, error) {
	m, err := message.Parse(jsonstream.NewRaw(text), jsonstream.Unlimited())
	if err != nil {
		return nil, err
	}
	return sign.Sign(m, key, false)
}

// report archives what was removed, and then tells of it.
func (f *trimFlags) report(stderr io.Writer, news []any) error {
	var lines []byte
	for _, n := range news {
		if entry := n.(trimRecord).archive; entry != nil {
			lines = append(append(lines, entry...), '\n')
		}
	}
	if f.archive != "" && lines != nil {
		if err := f.AppendLocked(f.archive, lines); err != nil {
			return err
		}
	}
	if f.quiet {
		return nil
	}
	for _, n := range news {
		r := n.(trimRecord)
		if f.format == "json" {
			if err := report.WriteJSON(stderr, r); err != nil {
				return err
			}
		} else if r.Changed {
			fmt.Fprintf(stderr, "handoff: %s: %s\n", r.place, r.text())
		}
	}
	return nil
}

// mostCostShare is what a summary may cost at most of what was spent before it
// (section 9).
const mostCostShare = 0.05

// text says what was done, for people.
func (r trimRecord) text() string {
	var parts []string
	done := "removed"
	if r.summarised {
		done = "summarised"
	}
	if r.turnsGone > 0 {
		parts = append(parts, fmt.Sprintf("%s %s of %s", term.Plural(r.turnsGone, "turn"), done, term.Grouped(int64(r.OriginalTurns))))
	}
	for _, e := range trim.Extras() {
		if n := r.GivenUp[string(e)]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s of %s given up", term.Plural(n, "element"), e))
		}
	}
	parts = append(parts, fmt.Sprintf("%s → %s tokens (%s)", term.Grouped(int64(r.TokensBefore)), term.Grouped(int64(r.TokensAfter)), r.Tokenizer))
	if r.FellBack != "" {
		parts = append(parts, "by the extractive summariser, since "+term.Visible(r.FellBack))
	}
	if r.CostUSD != "" {
		cost := "the summary cost " + string(r.CostUSD) + " USD"
		if r.costShare > mostCostShare {
			cost += fmt.Sprintf(", %.0f%% of what was spent before, where %.0f%% is the target", r.costShare*100, mostCostShare*100)
		}
		parts = append(parts, cost)
	}
	switch r.Signature {
	case "removed":
		parts = append(parts, "the signature is gone, since it cannot hold any more: sign the message again (handoff sign, or --key-file)")
	case "renewed":
		parts = append(parts, "signed again")
	}
	return strings.Join(parts, "; ")
}

func (f *trimFlags) runRestore(c *cobra.Command, args []string) error {
	if f.archive != "" {
		return errors.New("--archive and --restore: use one of them")
	}
	archive, closeArchive, err := f.openArchive(f.restore)
	if err != nil {
		return err
	}
	defer closeArchive() // read only: nothing can be lost
	f.rewrite = func(dst []byte, d input.Document, _ func(any)) ([]byte, error) {
		doc, err := jsonstream.Parse(d.Raw, f.limits)
		if err != nil {
			return nil, input.InFile(d.Source.Name, err)
		}
		text, err := archive.Restore(doc, f.from, f.limits)
		if err != nil {
			err = failed(d, err)
			mismatch, unread := (*history.MismatchError)(nil), (*history.CarrierError)(nil)
			if !errors.Is(err, history.ErrFormat) && !errors.As(err, &mismatch) && !errors.As(err, &unread) {
				err = refusal{err}
			}
			return nil, err
		}
		return f.layout.append(dst, text)
	}
	return f.rewriting.run(c, args)
}
