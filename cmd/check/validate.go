// Package check implements the commands that check messages (validate, verify and scan) or sign them (sign
// and keygen).
package check

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/pkg/provider"
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

	severities cli.SeverityFlags

	providers []string
	schema    string
	registry  string
	name      string
	expect    string
	assumeUTC bool
}

func NewValidate(g *cli.Globals) *cobra.Command {
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
means. --for asks further whether the API of a provider of models would take the
history (provider).

The format of a message is detected, or given by --format-in. The other formats are: an
SW4RM context, request or response, a MACP transcript, the HandoffInputData of the
OpenAI Agents SDK, and chat messages: those of the APIs of OpenAI, Anthropic, Gemini
and Amazon Bedrock, of LangChain, the AI SDK and A2A. Each is checked against its own
schema, then by the rules of its system (protocol), whose own codes are the reasons,
then for safety; they have no completeness and no budget. A receiver (--receiver, --as, --require-state) receives
EAAPL messages: with one, every message is checked as such.

A document that is not strict JSON is an invalid message (SCHEMA_INVALID). Exit
code 0: all valid; 1: at least one is not; 2: something could not be read.`,
		Example: `  handoff validate message.json
  producer | handoff validate --pass --reject rejected.jsonl | consumer
  handoff validate --receiver receiver.yaml --report sarif=results.sarif queue/
  handoff validate --for anthropic history.json
  handoff validate --expect auto fixtures/`,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	flags := c.Flags()
	f.FormatFlag.Register(c)
	f.reports.Register(c, report.Formats)
	f.reports.RegisterFilter(c, "valid")
	f.receiver.Register(c)
	f.scanner.Register(c)
	f.privacy.Register(c)
	flags.StringSliceVar(&f.providers, "for", nil, "also check that the APIs of these `PROVIDERS` would take the history: "+provider.Names())
	flags.BoolVar(&f.checks.All, "all", false, "run every layer, also after one has failed")
	f.severities.Register(c, "warning", cli.WarningRules)
	flags.BoolVar(&f.assumeUTC, "assume-utc", false, "times without an offset are meant as UTC: no warning about them")
	flags.StringSliceVar(&f.layers, "layers", nil, "run only these layers: "+strings.Join(layerNames(), ", "))
	flags.StringVar(&f.schema, "schema", "", "validate against this JSON Schema `FILE` instead, any JSON document")
	flags.StringVar(&f.registry, "schema-registry", "", "check each message by the version of the schema in the registry `DIR` that its schemaVersion names")
	flags.StringVar(&f.name, "schema-name", "", "the `NAME` of the schema in the registry, where it has several")
	flags.StringVar(&f.expect, "expect", "", "the outcome that is wanted: valid, invalid, invalid:REASON, or auto (by folders valid/ and invalid/REASON/)")
	flags.Lookup("verbose").Usage += ", and say how schemas given by files are checked"
	cli.Complete(c, "for", cli.Names(provider.All())...)
	cli.OnlyForCall(c, "for")
	cli.Complete(c, "layers", layerNames()...)
	cli.Complete(c, "expect", expectations()...)
	return c
}
