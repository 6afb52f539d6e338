package cmd

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/cmd/internal/cli"
	"github.com/eaapl/handoff/cmd/internal/report"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/validate"
)

// validateFlags are the flags of validate.
type validateFlags struct {
	*cli.Globals
	cli.FormatFlag
	reports  cli.ReportFlags
	receiver cli.ReceiverFlags
	scanner  cli.ScannerFlags
	privacy  cli.PolicyFlag
	checks   validate.Options
	layers   []string
	schema   string
	expect   string
	verbose  bool
}

func newValidate(g *cli.Globals) *cobra.Command {
	f := &validateFlags{Globals: g}
	c := &cobra.Command{
		Use:   "validate [FILE|DIR|-]...",
		Short: "Check messages as their receiver must",
		Long: `Validate runs the receiver's layers of EAAPL-MAG006 (sections 6.1 and 7.2) over
every message, cheapest certainty first, and stops at the first that fails:
signature (when a key is configured), schema, completeness, budget, safety. Safety
runs also after completeness or budget has failed, and its reason wins: a message that
is not safe is never sent again. Lint rules then warn of what is likely to be a
mistake, and with --privacy of personal data. "handoff explain" shows what each rule
means.

The format of a message is detected, or given by --from. The other formats are: an
SW4RM context, request or response, a MACP transcript, the HandoffInputData of the
OpenAI Agents SDK. Each is checked against its own schema, then by the rules of its
system (protocol), whose own codes are the reasons, then for safety; they have no
completeness and no budget. A receiver (--receiver, --as, --require-state) receives
EAAPL messages: with one, every message is checked as such.

A document that is not strict JSON is an invalid message (SCHEMA_INVALID). Exit
code 0: all valid; 1: at least one is not; 2: something could not be read.`,
		Example: `  handoff validate message.json
  producer | handoff validate -f json
  handoff validate --receiver receiver.yaml --report sarif=results.sarif queue/
  handoff validate --expect auto fixtures/`,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	flags := c.Flags()
	f.FormatFlag.Register(c)
	f.reports.Register(c, report.Formats)
	f.receiver.Register(c)
	f.scanner.Register(c)
	f.privacy.Register(c)
	flags.BoolVar(&f.checks.All, "all", false, "run every layer, also after one has failed")
	flags.BoolVar(&f.checks.Strict, "strict", false, "make warnings errors")
	flags.StringSliceVar(&f.checks.Off, "off", nil, "rules whose warnings are not wanted")
	flags.StringSliceVar(&f.layers, "layers", nil, "run only these layers: "+strings.Join(layerNames(), ", "))
	flags.StringVar(&f.schema, "schema", "", "validate against this JSON Schema `FILE` instead, any JSON document")
	flags.StringVar(&f.expect, "expect", "", "the outcome that is wanted: valid, invalid, invalid:REASON, or auto (by folders valid/ and invalid/REASON/)")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "say how schemas given by files are checked")
	cli.Complete(c, "layers", layerNames()...)
	cli.Complete(c, "expect", expectations()...)
	cli.CompleteWith(c, "off", func([]string) []string { return finding.IDs(warningRules()) })
	return c
}

func layerNames() []string { return cli.Names(validate.Layers()) }

// warningRules are those that may be off.
func warningRules() []finding.Rule {
	return slices.DeleteFunc(validate.Rules(), func(r finding.Rule) bool { return r.Severity != finding.Warning })
}

// options completes what the checks need from files.
func (f *validateFlags) options(c *cobra.Command) (validate.Options, error) {
	stdin := c.InOrStdin()
	o := f.checks
	o.Limits = f.Limits
	for _, name := range f.layers {
		if !slices.Contains(layerNames(), name) {
			return o, fmt.Errorf("unknown layer %q: use some of %s", name, strings.Join(layerNames(), ", "))
		}
		o.Layers = append(o.Layers, finding.Layer(name))
	}
	var err error
	if o.Off, err = cli.RuleIDs("off", o.Off, "warning", warningRules); err != nil {
		return o, err
	}
	if o.Receiver, err = f.receiver.Load(f.Globals, stdin); err != nil {
		return o, err
	}
	if o.Receiver == nil {
		o.Formats = f.Formats()
	} else if f.From != "" && f.From != format.EAAPL {
		return o, fmt.Errorf("--from %s: only canonical messages have a receiver; leave out what describes one", f.From)
	}
	if o.Verifier, err = f.receiver.Verifier(f.Globals, c, o.Receiver); err != nil {
		return o, err
	}
	if o.Verifier == nil && slices.Contains(o.Layers, finding.Signature) {
		return o, cli.ErrNoKey
	}
	if o.Privacy, err = f.privacy.Load(f.Globals, c); err != nil {
		return o, err
	}
	if o.Privacy == nil && slices.Contains(o.Layers, finding.Privacy) {
		return o, errors.New("--layers privacy: name a policy with --privacy, or the default one with --privacy default")
	}
	f.addAsked(c, &o)
	if f.schema != "" {
		if o.Layers != nil || o.Receiver != nil || c.Flags().Changed("key-file") {
			return o, errors.New("--schema takes the place of all layers: leave out --layers, --key-file and what describes a receiver")
		}
		if o.Schema, err = f.LoadSchema(f.schema, stdin, f.Limits); err != nil {
			return o, err
		}
	}
	return o, nil
}

// addAsked adds the layers that flags of this call ask for to those of a configuration:
// whoever names a key wants signatures checked, whatever is configured, and whatever
// other layers are named.
func (f *validateFlags) addAsked(c *cobra.Command, o *validate.Options) {
	if o.Layers == nil {
		return
	}
	named := c.Flags().Changed
	configured := !named("layers")
	for _, asked := range []struct {
		layer finding.Layer
		by    bool
	}{
		{finding.Signature, named("key-file") || configured && named("receiver") && o.Verifier != nil},
		{finding.Completeness, configured && (named("receiver") || named("as") || named("require-state"))},
		{finding.Safety, configured && (named("rules") || named("threshold") || named("classifier-cmd"))},
		{finding.Privacy, configured && named("privacy")},
	} {
		if asked.by && !slices.Contains(o.Layers, asked.layer) {
			o.Layers = append(o.Layers, asked.layer)
		}
	}
}
