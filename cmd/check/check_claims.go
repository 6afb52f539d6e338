package check

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/claims"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// claimsFlags are the flags of check-claims.
type claimsFlags struct {
	*cli.Globals
	cli.FormatFlag
	all     bool
	reports cli.ReportFlags
}

func NewCheckClaims(g *cli.Globals) *cobra.Command {
	f := &claimsFlags{Globals: g}
	c := &cobra.Command{
		Use:   "check-claims [FILE|DIR|-]...",
		Short: "Compare claims of agents with their tool calls",
		Long: `Check-claims reads what agents say they have done, in messages, chat histories and
sessions of any format, and compares it with their tool calls and the results: created
and changed files, passing tests, builds, linters, commits, pull requests, deployments.

A claim is shown (a call proves it), contradicted (the last run of the tests failed, or
no call can have changed the file) or not shown. Only contradicted claims are errors.
Claims are read in English; lists of files and exit codes are compared in any language.
See docs/claims.md.

Exit code 0: no claim is contradicted; 1: at least one is; 2: an input could not be read.`,
		Example: `  handoff check-claims message.json
  handoff check-claims --all ~/.claude/projects/*/*.jsonl
  handoff check-claims -f json archive/ | jq 'select(.valid | not)'`,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	f.FormatFlag.Register(c)
	c.Flags().BoolVar(&f.all, "all", false, "also report claims that are shown or not shown, as notes")
	f.reports.Register(c, report.Formats)
	return c
}

func (f *claimsFlags) run(c *cobra.Command, args []string) error {
	out, err := f.reports.Start(f.Globals, c, nil)
	if err != nil {
		return err
	}
	var total checkedClaims
	out.Before = func(list cli.Records) error {
		for _, r := range list {
			if one, ok := r.Own.(*checkedClaims); ok {
				total.Shown += one.Shown
				total.Contradicted += one.Contradicted
				total.NotShown += one.NotShown
			}
		}
		return nil
	}
	err = out.Read(f.Globals, c, args, cli.OneByOne(func(d input.Document) report.Record {
		r, err := f.check(d)
		if r.Err = err; err != nil {
			r.Source = d.Source.Name
		}
		return r
	}))
	summary := fmt.Sprintf("%s: %s", term.Counted(total.Shown+total.Contradicted+total.NotShown, "claim"), total.Outcome(nil))
	return cli.Answer(out.Finish(err, summary, term.Counted(out.Unread, "document")), out.Unread, out.Rejected > 0)
}

// check checks the claims in one document. It may run concurrently.
func (f *claimsFlags) check(d input.Document) (report.Record, error) {
	if d.Err != nil {
		return report.Record{}, input.InFile(d.Source.Name, d.Err)
	}
	doc, err := d.Parse(f.Limits)
	if err != nil {
		return report.Record{}, err
	}
	h, err := history.Of(doc, f.From, f.Limits)
	if err != nil {
		return report.Record{}, fmt.Errorf("%s: %w", d.Origin(), err)
	}
	r := report.Record{Source: d.Source.Name, Index: d.Index, Origin: d.Origin(), Raw: d.Raw}
	r.Format, r.Valid = h.Format, true
	own := &checkedClaims{}
	for _, one := range claims.Check(h) {
		switch one.Verdict {
		case claims.Shown:
			own.Shown++
		case claims.Contradicted:
			own.Contradicted++
			r.Valid = false
		case claims.NotShown:
			own.NotShown++
		}
		if one.Verdict != claims.Contradicted && !f.all {
			continue
		}
		found := one.Finding()
		if carrier := h.Carrier(); carrier.Exists() {
			found = found.Inside(carrier)
		}
		r.Findings = append(r.Findings, found)
		own.claims = append(own.claims, claimRecord{one.Kind, one.Verdict, one.Path, one.Text, one.Reason, found.Pointer, found.Line, found.Column, pointers(one.Calls)})
	}
	r.Own, r.Telling = own, own.Shown+own.NotShown > 0
	return r, nil
}

// checkedClaims is the form of the records of check-claims.
type checkedClaims struct {
	Shown        int `json:"shown"`
	Contradicted int `json:"contradicted"`
	NotShown     int `json:"notShown"`

	claims []claimRecord // parallel to the findings of the record
}

// A claimRecord is a claim in the JSON form of a record.
type claimRecord struct {
	Kind    claims.Kind    `json:"kind"`
	Verdict claims.Verdict `json:"verdict"`
	Path    string         `json:"path,omitzero"` // of a file, as claimed
	Text    string         `json:"text"`
	Reason  string         `json:"reason"`
	Pointer string         `json:"pointer"` // to the text
	Line    int            `json:"line"`    // 1-based
	Column  int            `json:"column"`  // 1-based, in characters
	Calls   []string       `json:"calls"`   // pointers to the calls that decide, and to their results
}

func pointers(values []jsonstream.Value) []string {
	all := []string{}
	for _, v := range values {
		all = append(all, v.Pointer())
	}
	return all
}

func (c *checkedClaims) Outcome(*report.Record) string {
	return fmt.Sprintf("%d shown, %d contradicted, %d not shown", c.Shown, c.Contradicted, c.NotShown)
}

func (c *checkedClaims) JSON(r *report.Record) any {
	return struct {
		Source string        `json:"source"` // the file as named by the user
		Index  int           `json:"index"`  // 0-based, within the source
		Format format.Format `json:"format"`
		Valid  bool          `json:"valid"` // no claim is contradicted
		*checkedClaims
		Claims []claimRecord `json:"claims"`
		report.Excess
	}{r.Source, r.Index, r.Format, r.Valid, c, append([]claimRecord{}, c.claims[:len(r.Findings)]...), r.Excess}
}

// Text writes a line for the document and, below it, its findings.
func (c *checkedClaims) Text(r *report.Record, p *report.Page) {
	color := p.Colors.Green
	if !r.Valid {
		color = p.Colors.Red
	}
	p.Head(color(c.Outcome(r)))
	for i, f := range r.Findings {
		p.Finding(i, p.Severity(f), f.Rule)
	}
}
