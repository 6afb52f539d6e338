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
		Short: "Print the tool by which a model hands over to an agent",
		Long: `Tool prints the definition of a handoff for the Responses API, as the SDK makes it:
type, name, description, parameters and strict. Without --name the tool is called
transfer_to_NAME, with "_" for what is no letter, digit or "_", in lower case; with --sdk js
the case stays, as in the SDK for JavaScript.

The input schema describes what the model has to give the next agent. It is made strict:
no object has further members, and all are required; oneOf becomes anyOf, an allOf of
one schema is merged, a default of null goes, and a $ref with a description next to it is
replaced by what it refers to. What cannot be strict, or only with a constraint lost, is
an error, with its place. --no-strict leaves the schema as it is.`,
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
	flags.StringVar(&f.Description, "description", "", "what the agent is for, as `TEXT`: the end of the tool's description")
	flags.StringVar(&f.WholeDescription, "replace-description", "", "describe the tool with this `TEXT` alone, without the SDK's sentence")
	flags.StringVar(&f.schema, "input-schema", "", "JSON Schema `FILE` of what the model has to give the agent")
	flags.StringVar(&f.Name, "name", "", "call the tool `NAME`")
	flags.BoolVar(&f.Loose, "no-strict", false, "leave the input schema as it is")
	flags.StringVarP(&f.output, "output", "o", "", "write the definition to `FILE`")
	cli.OnlyForCall(c)
	f.Layout.Register(c)
	return c
}

// registerAgent registers the required flag --agent.
func registerAgent(c *cobra.Command, name *string) {
	c.Flags().StringVar(name, "agent", "", "the `NAME` of the agent that is handed over to")
	cli.OnlyForCall(c, "agent")
}

// registerSDK registers --sdk.
func registerSDK(c *cobra.Command, sdk *tool.SDK) {
	*sdk = tool.Python
	c.Flags().Var((*sdkValue)(sdk), "sdk", "as the `SDK` for this language does it: "+strings.Join(cli.Names(tool.SDKs()), ", "))
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

var errNoAgent = errors.New("--agent: name the agent that is handed over to")

func (f *openaiToolFlags) run(c *cobra.Command) error {
	if f.agent == "" {
		return errNoAgent
	}
	if f.Description != "" && f.WholeDescription != "" {
		return errors.New("--description and --replace-description: use one of them: the second replaces all of the tool's description")
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
		return term.WithHint(err, "--no-strict leaves the schema as it is; the model is then not held to it")
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
		Short: "Print what the call of a handoff tool gets as its output",
		Long: `Output prints the text that the SDK puts into the function_call_output of a handoff,
in ASCII, as Python's json.dumps writes it, or with --sdk js as JSON.stringify does.`,
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
