package a2a

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/agentcard"
	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/sign"
	"github.com/eaapl/handoff/pkg/validate"
)

// cardVerifyFlags are the flags of a2a card verify.
type cardVerifyFlags struct {
	*cli.Globals
	keys     cli.KeyFlags
	verifier *agentcard.Verifier
	reports  cli.ReportFlags
}

func newCardVerify(g *cli.Globals) *cobra.Command {
	f := &cardVerifyFlags{Globals: g}
	c := &cobra.Command{
		Use:   "verify --key-file FILE... [FILE|DIR|-]...",
		Short: "Verify the signatures of AgentCards",
		Long: `Verify checks the signatures of each AgentCard (A2A 1.0, section 8.4.3). Exit code 0:
each card has at least one valid signature; 1: at least one card has none; 2: an input
could not be read.

The keys come from --key-file; the kid of a signature selects one of them. Other key
references in a signature, such as a jku URL, are reported but not followed. Only the
algorithms ES256 and EdDSA (Ed25519) are accepted.`,
		Example: `  handoff a2a card verify --key-file card.pub signed-card.json
  curl -s https://example.com/.well-known/agent-card.json | handoff a2a card verify --key-file keys.jwks
  handoff a2a card verify -f json --key-file card.pub --key-file keys.jwks cards/`,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	f.keys.RegisterPairs(c)
	f.reports.Register(c, report.Formats)
	return c
}

func (f *cardVerifyFlags) run(c *cobra.Command, args []string) error {
	if err := input.OneStdin(args, f.keys.Files...); err != nil {
		return err
	}
	keys, err := f.keys.Load(f.Globals, c)
	if err != nil {
		return err
	}
	if len(keys) == 0 {
		return cli.ErrNoPair
	}
	if f.verifier, err = agentcard.NewVerifier(keys); err != nil {
		return err
	}
	warnOfNames(c, keys...)
	out, err := f.reports.Start(f.Globals, c, nil)
	if err != nil {
		return err
	}
	err = out.Read(f.Globals, c, args, cli.OneByOne(f.check))
	return cli.Answer(out.Finish(err, out.Validity("card"), term.Counted(out.Unread, "document")), out.Unread, out.Rejected > 0)
}

// check verifies one card. It may run concurrently.
func (f *cardVerifyFlags) check(d input.Document) report.Record {
	doc, err := d.Parse(f.Limits)
	if err != nil {
		return report.Record{Err: err}
	}
	own := verifiedCard{name: doc.Root().Get("name").Text()}
	r := report.Record{Source: d.Source.Name, Index: d.Index, Origin: d.Origin(), Raw: d.Raw}
	own.signatures, err = f.verifier.Verify(doc)
	r.Valid = err == nil
	r.Origin.Short = false // each card is reported separately
	if fault := (*sign.Error)(nil); errors.As(err, &fault) {
		r.Reason = finding.Reason(fault.Reason)
		r.Findings = []finding.Finding{validate.SignatureFault(fault)}
	}
	r.Own = own
	return r
}

// A verifiedCard is the command's addition to the record of one card. The only finding of the record is the
// reason why the card is invalid.
type verifiedCard struct {
	name       string
	signatures []*agentcard.Signature
}

func (verifiedCard) Outcome(r *report.Record) string { return "not valid (" + string(r.Reason) + ")" }

// A signatureJSON is a signature in the report.
type signatureJSON struct {
	Pointer   string      `json:"pointer"`
	Line      int         `json:"line"`
	Column    int         `json:"column"`
	Valid     bool        `json:"valid"`
	Algorithm string      `json:"alg"`
	KeyID     string      `json:"kid"`
	KeySet    string      `json:"jku,omitzero"`     // named by the signature; not fetched
	Keys      []string    `json:"ignored,omitzero"` // header parameters that contain a key
	Reason    sign.Reason `json:"reason,omitzero"`  // why the signature is invalid
	Details   string      `json:"details,omitzero"`
}

func (own verifiedCard) JSON(r *report.Record) any {
	v := struct {
		Source     string          `json:"source"` // the file as named by the user
		Index      int             `json:"index"`  // 0-based, within the source
		Name       string          `json:"name"`   // of the card, "" if it has none
		Valid      bool            `json:"valid"`
		KeyID      string          `json:"keyId,omitzero"`   // of the first key that verifies a signature
		Reason     finding.Reason  `json:"reason,omitzero"`  // why the card is invalid
		Pointer    string          `json:"pointer,omitzero"` // to the invalid value
		Line       int             `json:"line,omitzero"`    // 1-based, in the original text
		Column     int             `json:"column,omitzero"`  // 1-based, in characters
		Details    string          `json:"details,omitzero"`
		Signatures []signatureJSON `json:"signatures"`
		report.Excess
	}{Source: r.Source, Index: r.Index, Name: own.name, Valid: r.Valid, Reason: r.Reason, Signatures: []signatureJSON{}, Excess: r.Excess}
	for _, f := range r.Findings {
		v.Pointer, v.Line, v.Column, v.Details = f.Pointer, f.Line, f.Column, f.Message
	}
	for _, s := range own.signatures {
		if s.Holds() && v.KeyID == "" {
			v.KeyID = s.Key.ID
		}
		v.Signatures = append(v.Signatures, signatureJSON{s.Pointer, s.Line, s.Column, s.Holds(), s.Algorithm, s.KeyID, s.KeySet, s.Keys, s.Reason, s.Problem})
	}
	return v
}

// Text writes a line for the card and, below it, its problem and remarks on its signatures.
func (own verifiedCard) Text(r *report.Record, p *report.Page) {
	if r.Valid {
		var holding []string
		for _, s := range own.signatures {
			if s.Holds() {
				holding = append(holding, fmt.Sprintf(", key %q (%s)", term.Visible(s.Key.ID), s.Algorithm))
			}
		}
		p.Head(p.Colors.Green("valid") + strings.Join(holding, ""))
	} else {
		p.Head(p.Colors.Red("not valid: " + string(r.Reason)))
		for i := range r.Findings {
			p.Finding(i, "", "")
		}
	}
	line := func(s *agentcard.Signature, text string) {
		p.Placed(finding.Finding{Message: text}.At(s.Pointer, s.Position), "", "")
	}
	for _, s := range own.signatures {
		reported := len(r.Findings) > 0 && r.Findings[0].Pointer == s.Pointer
		if !s.Holds() && !reported {
			line(s, string(s.Reason)+": "+s.Problem)
		}
		if s.KeySet != "" {
			line(s, "note: the key set "+finding.Quote(s.KeySet)+" was not fetched: only keys of --key-file are used")
		}
		if len(s.Keys) > 0 {
			line(s, "note: the key in the signature ("+strings.Join(s.Keys, ", ")+") was not used: only keys of --key-file are used")
		}
	}
}
