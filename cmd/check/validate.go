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
		Short: "Check messages as a receiver would",
		Long: `Validate runs the receiver's layers of EAAPL-MAG006 (sections 6.1 and 7.2) on every
message and stops at the first failure: signature (with a key), schema, completeness,
budget, safety. Safety also runs after completeness or budget has failed, and its reason
takes precedence: an unsafe message must never be sent again. Lint rules then warn of
likely mistakes and, with --privacy, of personal data. "handoff explain" describes each
rule. --for also checks whether a provider's API accepts the history (layer provider).

The format is detected, or set by --format-in. Contexts, requests and responses of
SW4RM, MACP transcripts, HandoffInputData of the OpenAI Agents SDK, and chat messages
(OpenAI, Anthropic, Gemini, Bedrock, LangChain, AI SDK, A2A) have their own schemas and
rules (layer protocol), whose codes are the reasons; safety runs next. They have no
completeness or budget layer. With a receiver (--receiver, --as, --require-state), every
message is checked as an EAAPL message.

A document that is not strict JSON is an invalid message (SCHEMA_INVALID). Exit code 0:
all valid; 1: at least one invalid; 2: an input could not be read.`,
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
	flags.StringSliceVar(&f.providers, "for", nil, "also check that the APIs of these `PROVIDERS` accept the history: "+provider.Names())
	flags.BoolVar(&f.checks.All, "all", false, "run every layer, even after a failure")
	f.severities.Register(c, "warning", cli.WarningRules)
	flags.BoolVar(&f.assumeUTC, "assume-utc", false, "treat times without an offset as UTC, without a warning")
	flags.StringSliceVar(&f.layers, "layers", nil, "layers to run: "+strings.Join(layerNames(), ", "))
	flags.StringVar(&f.schema, "schema", "", "JSON Schema `FILE` to validate any JSON document against, instead of the built-in schema")
	flags.StringVar(&f.registry, "schema-registry", "", "registry `DIR`; the schemaVersion of a message selects the schema")
	flags.StringVar(&f.name, "schema-name", "", "`NAME` of the schema, if the registry has several")
	flags.StringVar(&f.expect, "expect", "", "expected outcome: valid, invalid, invalid:REASON, or auto (by folders: invalid/REASON/ for that REASON, invalid/ for any, all others valid; for the receiver of the nearest receiver.yaml)")
	flags.Lookup("verbose").Usage += ", and how schemas from files are checked"
	cli.Complete(c, "for", cli.Names(provider.All())...)
	cli.OnlyForCall(c, "for")
	cli.Complete(c, "layers", layerNames()...)
	cli.Complete(c, "expect", expectations()...)
	return c
}
