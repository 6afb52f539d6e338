package check

import (
	"errors"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/remedy"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/sign"
	"github.com/eaapl/handoff/pkg/validate"
)

// verification is one run of verify.
type verification struct {
	*verifyFlags
	originals  map[string]*message.Message
	accepted   *seenFile // nil without --seen
	unreported unreported
	now        time.Time
}

// all verifies every document that the arguments name and reports the outcome.
func (v *verification) all(c *cobra.Command, args []string) error {
	main, toStdout := v.Open, v.reports.Output == "" || v.reports.Output == "-"
	if v.accepted != nil && v.reports.Output == "" {
		main = v.OpenData // a lost verdict is final: the message is not accepted again
	}
	out, err := v.reports.Start(v.Globals, c, main)
	if err != nil {
		return err
	}
	reportLost := func() { v.unreported.report(out.Stderr, v.seen, v.MaxFindings) }
	v.LastWords.Store(&reportLost)
	if v.accepted != nil {
		out.Before = v.remember
	}
	if toStdout {
		out.Flushed = v.unreported.clear
	}
	err = out.Read(v.Globals, c, args, v.work)
	summary := validity(out, slices.Concat(sign.Reasons(), sign.ReplayReasons()))
	if err := out.Finish(err, summary, term.Counted(out.Unread, "document")); err != nil {
		reportLost()
		return err
	}
	return cli.Answer(nil, out.Unread, out.Rejected > 0)
}

func (v *verification) work(batch []input.Document) cli.Records {
	records := make(cli.Records, len(batch))
	parser := new(message.Parser)
	for i, d := range batch {
		records[i] = v.check(parser, d)
	}
	return records
}

// check verifies one document. It may run concurrently.
func (v *verification) check(parser *message.Parser, d input.Document) report.Record {
	m, err := (*message.Message)(nil), d.Err
	if err == nil {
		m, err = parser.Parse(d.Raw, message.Options{Limits: v.Limits})
	}
	if err != nil {
		return report.Record{Err: input.InFile(d.Source.Name, err)}
	}
	key, err := v.policy.Accept(m, v.now)
	own := signedWith{key: key.ID}
	if err == nil && v.policy.Once {
		own.ifSeen = sign.SeenBefore(m)
	}
	r := report.Record{Source: d.Source.Name, Index: d.Index, ID: m.HandoffID(), Origin: d.Origin(), Raw: d.Raw, Telling: v.policy.Once, Own: own}
	r.Valid = err == nil
	r.Origin.Short = false // each accepted message is reported separately
	reject(&r, err)
	switch {
	case r.Valid:
	case r.Reason == finding.Reason(sign.Missing):
		if other := otherFormat(m.Root()); other != "" {
			r.Findings[0].Message = other
		}
	case !v.explain:
		r.Findings[0].Message += remedy.OfFinding(r.Findings[0])
	}
	if v.explain && !r.Valid {
		original := v.originals[r.ID]
		if original == nil {
			original = v.originals[""]
		}
		for _, line := range v.policy.Explain(m, original) {
			r.Findings = append(r.Findings, finding.Finding{Layer: finding.Signature, Severity: finding.Note, Rule: r.Findings[0].Rule, Message: line})
		}
	}
	return r
}

// reject records why a message is not accepted.
func reject(r *report.Record, err error) {
	if fault := (*sign.Error)(nil); errors.As(err, &fault) {
		r.Valid, r.Own, r.Reason = false, signedWith{}, finding.Reason(fault.Reason)
		r.Findings = []finding.Finding{validate.SignatureFault(fault)}
	}
}
