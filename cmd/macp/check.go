package macp

import (
	"fmt"
	"regexp"
	"sync"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/formats/macp"
)

// macpCheckFlags are the flags of macp check.
type macpCheckFlags struct {
	transcriptInput
	policyFlag
	reports cli.ReportFlags
	frozen  string
	explain string
}

func newMACPCheck(g *cli.Globals) *cobra.Command {
	f := &macpCheckFlags{transcriptInput: transcriptInput{Globals: g}}
	c := &cobra.Command{
		Use:   "check [FILE|DIR|-]...",
		Short: "Replay sessions against the rules of the handoff mode",
		Long: `Check replays transcripts according to the 22 rules of MACP's handoff mode, and
conformance fixtures, whose messages have a member expect, against their expectations. A
message that breaks a rule has no effect, and the replay continues.

With --frozen, a transcript conforms only if it also binds the same context: "handoff
macp freeze" prints the hash.

Exit code 0: all conform; 1: at least one does not; 2: an input could not be read.`,
		Example: `  handoff macp check session.json
  handoff macp check --policy policy.json fixtures/
  handoff macp check --frozen "$(handoff macp freeze original.json)" replay.json
  handoff macp check --explain 9`,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	f.transcriptInput.register(c)
	f.policyFlag.register(c)
	f.reports.Register(c, report.Formats)
	c.Flags().StringVar(&f.frozen, "frozen", "", "expected freeze `HASH` of each transcript")
	c.Flags().StringVar(&f.explain, "explain", "", "explain `RULE`, such as 9, and exit")
	return c
}

var frozenHash = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^sha256:[0-9a-f]{64}$`) })

func (f *macpCheckFlags) run(c *cobra.Command, args []string) error {
	if f.explain != "" || c.Flags().Changed("explain") {
		return cli.ExplainOne(f.Globals, c.OutOrStdout(), f.explain, "rule of a session", macp.Rules)
	}
	if c.Flags().Changed("frozen") && !frozenHash().MatchString(f.frozen) {
		return fmt.Errorf("--frozen %q: write it as handoff macp freeze prints it, sha256: and 64 hexadecimal digits", f.frozen)
	}
	if err := input.OneStdin(args, f.path); err != nil {
		return err
	}
	policy, err := f.load(f.Globals, c)
	if err != nil {
		return err
	}
	out, err := f.reports.Start(f.Globals, c, nil)
	if err != nil {
		return err
	}
	list := f.Sources(args, c.InOrStdin(), out.Stderr)
	input.Watch(out.Progress, list)
	err = out.Run(f.batches(list, out.Progress.Bytes), func(batch []input.Document) cli.Records {
		var records cli.Records
		for _, d := range batch {
			for _, t := range f.transcripts(d) {
				records = append(records, f.check(t, macp.Options{Policy: policy}))
			}
		}
		return records
	})
	summary := fmt.Sprintf("%s: %d conform, %d do not", term.Plural(out.Documents, "transcript"), out.Documents-out.Rejected, out.Rejected)
	return cli.Answer(out.Finish(err, summary, term.Plural(out.Unread, "document")), out.Unread, out.Rejected > 0)
}

// check checks one transcript. It may run concurrently.
func (f *macpCheckFlags) check(t transcript, o macp.Options) report.Record {
	if t.err != nil {
		return report.Record{Source: t.source, Err: t.err}
	}
	own := &macpReport{fixture: macp.IsFixture(t.doc.Root()), wire: t.offsets != nil}
	r := report.Record{Source: t.source, Index: t.index, ID: t.sessionID(), Origin: t.origin, Raw: t.raw, Own: own}
	judge := macp.Check
	if own.fixture {
		judge = macp.CheckFixture
	}
	own.violations = judge(t.doc, o)
	if f.frozen != "" {
		if v := macp.CheckFrozen(t.doc, f.frozen, o); v != nil {
			own.violations = append(own.violations, *v)
		}
	}
	r.Valid = len(own.violations) == 0
	if !r.Valid {
		r.Reason = own.violations[0].Reason
	}
	own.violations = append(own.violations, macp.Advise(t.doc)...)
	for i := range own.violations {
		v := &own.violations[i]
		v.Finding = v.At(v.Pointer, t.place(*v))
		said := v.Finding
		if v.MessageID != "" {
			said.Message = v.MessageID + ": " + v.Message
		}
		r.Findings = append(r.Findings, said)
	}
	return r
}
