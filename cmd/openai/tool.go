package openai

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/formats/openai/tool"
)

// openaiToolFlags are the flags of openai tool.
type openaiToolFlags struct {
	*cli.Globals
	cli.Layout
	tool.Options
	agent  string
	schema string
	output string
}

func newOpenAITool(g *cli.Globals) *cobra.Command {
	f := &openaiToolFlags{Globals: g}
	c := &cobra.Command{
		Use:   "tool --agent NAME",
		Short: "Print the tool with which a model hands over to an agent",
		Long: `Tool prints the definition of a handoff for the Responses API, as created by the SDK:
type, name, description, parameters and strict. Without --name, the name is
transfer_to_NAME in lower case, with "_" for all characters other than letters, digits
and "_"; with --sdk js, the case is kept, as in the SDK for JavaScript.

The input schema describes the model's input for the next agent. It is made strict:
objects allow no additional members, and all members are required; oneOf becomes anyOf,
an allOf of one schema is merged, a default of null is removed, and a $ref with a
description is replaced by its target. A schema that cannot be strict without losing a
constraint is an error, with its place. --no-strict leaves the schema unchanged.`,
		Example: `  handoff openai tool --agent "Billing Agent" --description "Knows invoices."
  handoff openai tool --agent "Billing Agent" --sdk js
  handoff openai tool --agent billing --input-schema refund.schema.json --pretty
  handoff openai tool --agent billing --name escalate --no-strict --input-schema any.schema.json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	flags := c.Flags()
	registerAgent(c, &f.agent)
	registerSDK(c, &f.SDK)
	flags.StringVar(&f.Description, "description", "", "purpose of the agent, as `TEXT` at the end of the tool's description")
	flags.StringVar(&f.WholeDescription, "replace-description", "", "complete description of the tool, as `TEXT`, without the SDK's sentence")
	flags.StringVar(&f.schema, "input-schema", "", "JSON Schema `FILE` of the model's input for the agent")
	flags.StringVar(&f.Name, "name", "", "`NAME` of the tool")
	flags.BoolVar(&f.Loose, "no-strict", false, "leave the input schema unchanged")
	flags.StringVarP(&f.output, "output", "o", "", "write the definition to `FILE`")
	cli.OnlyForCall(c)
	f.Layout.Register(c)
	return c
}

// registerAgent registers the required flag --agent.
func registerAgent(c *cobra.Command, name *string) {
	c.Flags().StringVar(name, "agent", "", "`NAME` of the receiving agent")
	cli.OnlyForCall(c, "agent")
}

// registerSDK registers --sdk.
func registerSDK(c *cobra.Command, sdk *tool.SDK) {
	*sdk = tool.Python
	c.Flags().Var((*sdkValue)(sdk), "sdk", "language of the `SDK` to imitate: "+strings.Join(cli.Names(tool.SDKs()), ", "))
	cli.Complete(c, "sdk", cli.Names(tool.SDKs())...)
}

// sdkValue is a flag whose value is an SDK.
type sdkValue tool.SDK

func (v *sdkValue) Set(text string) error {
	if !slices.Contains(tool.SDKs(), tool.SDK(text)) {
		return fmt.Errorf("use one of %s", strings.Join(cli.Names(tool.SDKs()), ", "))
	}
	*v = sdkValue(text)
	return nil
}

func (v *sdkValue) String() string { return string(*v) }

func (*sdkValue) Type() string { return "sdk" }

var errNoAgent = errors.New("--agent: name the receiving agent")

func (f *openaiToolFlags) run(c *cobra.Command) error {
	if f.agent == "" {
		return errNoAgent
	}
	if f.Description != "" && f.WholeDescription != "" {
		return errors.New("--description and --replace-description: use one of them: --replace-description replaces the whole description")
	}
	var schemaName string
	if c.Flags().Changed("input-schema") {
		if f.schema == "" {
			return errNoSchema(f.schema)
		}
		schema, name, err := f.LoadDocument(f.schema, c.InOrStdin(), f.Limits)
		if err != nil {
			return err
		}
		f.InputSchema, schemaName = schema.Root(), name
	}
	text, err := tool.Definition(f.agent, f.Options)
	if unfit := (*tool.SchemaError)(nil); errors.As(err, &unfit) {
		err := placed(schemaName, unfit.Position, unfit.Pointer, err)
		loose := f.Options
		loose.Loose = true
		if _, still := tool.Definition(f.agent, loose); still != nil {
			return err // --no-strict would not help
		}
		return term.WithHint(err, "--no-strict leaves the schema unchanged; the API then does not enforce it")
	}
	if err != nil {
		return err
	}
	if text, err = f.Append(nil, text); err != nil {
		return err
	}
	return f.WriteData(f.output, c.OutOrStdout(), append(text, '\n'))
}

func newOpenAIOutput(g *cli.Globals) *cobra.Command {
	var agent string
	var sdk tool.SDK
	c := &cobra.Command{
		Use:   "output --agent NAME",
		Short: "Print the output of a handoff tool call",
		Long: `Output prints the text that the SDK puts into the function_call_output of a handoff, in
ASCII as from Python's json.dumps, or with --sdk js as from JSON.stringify.`,
		Example: `  handoff openai output --agent "Billing Agent"`,
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if agent == "" {
				return errNoAgent
			}
			text, err := sdk.Output(agent)
			if err != nil {
				return err
			}
			return g.WriteData("", c.OutOrStdout(), append(text, '\n'))
		},
	}
	registerAgent(c, &agent)
	registerSDK(c, &sdk)
	return c
}
