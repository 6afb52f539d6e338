package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/cmd/internal/cli"
	"github.com/eaapl/handoff/cmd/internal/input"
	"github.com/eaapl/handoff/cmd/internal/report"
	"github.com/eaapl/handoff/cmd/internal/term"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/sign"
)

// verifyFlags are the flags of verify.
type verifyFlags struct {
	*cli.Globals
	keys      cli.KeyFlags
	freshness sign.Freshness
	seen      string
	explain   bool
	against   string
	format    string
	output    string
	quiet     bool
}

func newVerify(g *cli.Globals) *cobra.Command {
	f := &verifyFlags{Globals: g}
	c := &cobra.Command{
		Use:   "verify --key-file FILE... [FILE|DIR|-]...",
		Short: "Verify the signatures of messages",
		Long: `Verify checks the signature of every message (section 10.2). Exit code 0: all
signatures hold; 1: at least one does not, or is not there; 2: something could not
be read. Nothing makes it accept an unsigned message.

A message that names its key by signatureKeyId is checked with that key, any other
with all keys. A valid message can be an old one that was sent again: --max-age
rejects old ones, --seen those whose handoffId was accepted before.`,
		Example: `  handoff verify --key-file team.key message.json
  consumer | handoff verify -q --key-file keys.jwks --max-age 15m --seen accepted.ids
  handoff verify --explain --against sent.json --key-file team.key received.json`,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	flags := c.Flags()
	f.keys.Register(c)
	flags.Var((*cli.MaxDuration)(&f.freshness.MaxAge), "max-age", "reject messages whose timestamp is older, such as 15m or 24h")
	flags.DurationVar(&f.freshness.Skew, "clock-skew", time.Minute, "with --max-age: how far apart the clocks may be")
	flags.StringVar(&f.seen, "seen", "", "reject handoff ids that are in `FILE`, and add those accepted")
	flags.BoolVar(&f.explain, "explain", false, "look for the cause where a signature does not hold")
	flags.StringVar(&f.against, "against", "", "with --explain: the original messages, a `FILE`, to show what was changed")
	flags.StringVarP(&f.format, "format", "f", "text", "format of the report: "+strings.Join(report.PlainFormats, ", "))
	flags.StringVarP(&f.output, "output", "o", "", "write the report to `FILE`")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "no report and no summary: the exit code is the answer")
	cli.Complete(c, "format", report.PlainFormats...)
	return c
}

func (f *verifyFlags) run(c *cobra.Command, args []string) error {
	if err := input.OneStdin(args, append(f.keys.Files, f.against)...); err != nil {
		return err
	}
	if f.freshness.Skew < 0 {
		return fmt.Errorf("--clock-skew %s: use a duration of 0 or more, such as 1m", f.freshness.Skew)
	}
	keys, err := f.keys.Load(f.Globals, c)
	if err != nil {
		return err
	}
	if len(keys) == 0 {
		return cli.ErrNoKey
	}
	run := verification{verifyFlags: f, now: time.Now(), stderr: c.ErrOrStderr()}
	if run.verifier, err = sign.NewVerifier(keys); err != nil {
		return err
	}
	if run.originals, err = f.originals(c); err != nil {
		return err
	}
	if f.seen != "" {
		if err := f.ClaimAppended("--seen", f.seen); err != nil {
			return err
		}
		run.accepted = newSeenFile(f.seen, f.Files.Claims)
	}
	open := f.Open
	if f.seen != "" && f.output == "" && !f.quiet {
		open = f.OpenData // a verdict that nobody gets is lost: the message is not accepted again
	}
	out, err := open(f.output, c.OutOrStdout())
	if err != nil {
		return err
	}
	reportUntold := func() { run.untold.report(run.stderr, f.seen, f.MaxFindings) }
	f.LastWords.Store(&reportUntold)
	printer, err := report.NewPrinter(f.format, out, term.NewPalette(out.Stdout && term.UseColor(f.Color, c.OutOrStdout())))
	if !slices.Contains(report.PlainFormats, f.format) {
		err = report.UnknownFormat(f.format, report.PlainFormats)
	}
	if err == nil {
		run.findings = report.NewLimiter(f.MaxFindings, printer.Report)
		run.progress = f.NewProgress(run.stderr, f.quiet || !term.IsTerminal(c.OutOrStdout()))
		err = run.all(out, f.Sources(args, c.InOrStdin(), run.stderr))
	}
	if err := out.Close(err); err != nil {
		reportUntold()
		return err
	}
	return run.answer()
}

// originals reads the messages to compare with, by their handoffId; a single
// one is the original of every message.
func (f *verifyFlags) originals(c *cobra.Command) (map[string]*message.Message, error) {
	if f.against == "" {
		return nil, nil
	}
	f.explain = true
	text, err := f.ReadAll(f.against, c.InOrStdin(), f.Limits)
	if err != nil {
		return nil, err
	}
	originals := map[string]*message.Message{}
	var last *message.Message
	decoder := message.NewDecoder(bytes.NewReader(text), message.Options{Limits: f.Limits})
	for m, err := range decoder.All() {
		if err != nil {
			return nil, input.InFile(f.against, err)
		}
		originals[m.HandoffID()] = m
		last = m
	}
	if len(originals) == 1 {
		originals[""] = last
	}
	return originals, nil
}

// A signedWith is what verify says of one document beyond its record: the ID of the key
// under which its signature holds. The record's findings are what is wrong, and the lines
// that explain it.
type signedWith string

func (signedWith) Outcome(r *report.Record) string { return "not valid (" + string(r.Reason) + ")" }

func (key signedWith) JSON(r *report.Record) any {
	v := struct {
		Source      string         `json:"source"`    // the file as named by the user
		Index       int            `json:"index"`     // 0-based, within the source
		HandoffID   string         `json:"handoffId"` // "" if the document has none
		Valid       bool           `json:"valid"`
		KeyID       string         `json:"keyId,omitzero"`   // of the key under which the signature holds
		Reason      finding.Reason `json:"reason,omitzero"`  // why it is not valid
		Pointer     string         `json:"pointer,omitzero"` // to what is wrong
		Line        int            `json:"line,omitzero"`    // of what is wrong, 1-based, in the original text
		Column      int            `json:"column,omitzero"`  // 1-based, in characters
		Details     string         `json:"details,omitzero"`
		Explanation []string       `json:"explanation,omitzero"` // with --explain
		report.Excess
	}{Source: r.Source, Index: r.Index, HandoffID: r.ID, Valid: r.Valid, KeyID: string(key), Reason: r.Reason, Excess: r.Excess}
	for i, f := range r.Findings {
		if i == 0 {
			v.Pointer, v.Line, v.Column, v.Details = f.Pointer, f.Line, f.Column, f.Message
		} else {
			v.Explanation = append(v.Explanation, f.Message)
		}
	}
	return v
}

// Text is a line, and below it what is wrong.
func (key signedWith) Text(r *report.Record, colors term.Palette) string {
	if r.Valid {
		by := ""
		if key != "" {
			by = fmt.Sprintf(", key %q", term.Visible(string(key)))
		}
		return fmt.Sprintf("%s: %s%s\n", r.Origin, colors.Green("valid"), by)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", r.Origin, colors.Red("not valid: "+string(r.Reason)))
	for i, f := range r.Findings {
		if i == 0 {
			fmt.Fprintf(&b, "  %s:%d:%d: %s%s\n", term.Visible(r.Source), f.Line, f.Column, shownPointer(f.Pointer), term.Visible(f.Message))
		} else {
			fmt.Fprintf(&b, "    %s\n", term.Visible(f.Message))
		}
	}
	return b.String()
}

// check is the work on one document: it runs on any core. The message is good until
// the parser reads another.
func (v *verification) check(parser *message.Parser, d input.Document) checked {
	m, err := (*message.Message)(nil), d.Err
	if err == nil {
		m, err = parser.Parse(d.Raw, message.Options{Limits: v.Limits})
	}
	if err != nil {
		return checked{Record: report.Record{Err: input.InFile(d.Source.Name, err)}}
	}
	key, err := v.verifier.Verify(m)
	r := report.Record{Source: d.Source.Name, Index: d.Index, ID: m.HandoffID(), Origin: d.Origin(), Own: signedWith(key.ID)}
	r.Valid = err == nil
	r.Origin.Short = false // each accepted message is reported by itself
	if err == nil && v.freshness.MaxAge > 0 {
		err = v.freshness.Check(m, v.now)
	}
	if err == nil && v.accepted != nil {
		err = sign.CheckIdentity(m)
	}
	reject(&r, err)
	if v.explain && !r.Valid {
		original := v.originals[r.ID]
		if original == nil {
			original = v.originals[""]
		}
		for _, line := range v.verifier.Explain(m, original) {
			r.Findings = append(r.Findings, finding.Finding{Message: line})
		}
	}
	return checked{r, m}
}

// reject notes why a message is not accepted.
func reject(r *report.Record, err error) {
	if fault := (*sign.Error)(nil); errors.As(err, &fault) {
		r.Valid, r.Own, r.Reason = false, signedWith(""), finding.Reason(fault.Reason)
		r.Findings = []finding.Finding{finding.Finding{Message: fault.Problem}.At(fault.Pointer, fault.Position)}
	}
}
