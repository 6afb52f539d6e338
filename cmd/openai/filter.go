package openai

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/cmd/internal/cli"
	"github.com/eaapl/handoff/pkg/formats/openai"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

func newOpenAIFilter(g *cli.Globals) *cobra.Command {
	f := &openaiRewriting{Rewriting: cli.Rewriting{Globals: g}}
	var chain filterChain
	c := &cobra.Command{
		Use:   "filter FILTER... [FILE|DIR|-]...",
		Short: "Take items out of what the next agent gets",
		Long: `Filter writes each HandoffInputData without the items that the filters take out. They
work in the order of the command line, each on what the one before it has left, and
each may be given several times. A string as input_history is a message of the user.

--last counts what the next agent gets, over all lists: input_history,
pre_handoff_items, and input_items or, where that is null or missing, new_items. What
belongs together goes together: a tool's result does not stay without its call, nor
what a model made without the reasoning before it.`,
		Example: `  handoff openai filter --remove-all-tools input.json
  handoff openai filter --only messages --last 20 input.json
  handoff openai filter --last 50 --remove-all-tools --last 5 -i recorded/`,
		RunE: func(c *cobra.Command, args []string) error {
			if len(chain) == 0 {
				return errors.New("no filter: use --remove-all-tools, --last, --roles or --only")
			}
			return f.runWith(c, args, func(dst []byte, data jsonstream.Value) ([]byte, error) { return openai.Apply(dst, data, chain...) })
		},
	}
	chain.register(c)
	f.register(c)
	return c
}

// A filterChain is what the filter flags ask for, in their order.
type filterChain []openai.Filter

func (chain *filterChain) register(c *cobra.Command) {
	flags := c.Flags()
	tools := flags.VarPF(filterFlag{chain, "bool", removeTools}, "remove-all-tools", "", "take out tool calls, their results and reasoning")
	tools.NoOptDefVal = "true"
	flags.Var(filterFlag{chain, "int", lastItems}, "last", "keep the last `N` items")
	flags.Var(filterFlag{chain, "strings", itemRoles}, "roles", "keep items with one of these `ROLES`, such as user,assistant")
	flags.Var(filterFlag{chain, "string", onlyKind}, "only", "keep items of one `KIND`: messages")
	cli.OnlyForCall(c) // a configuration has no order
	cli.Complete(c, "only", "messages")
	cli.Complete(c, "roles", "user", "assistant", "system", "developer")
}

// A filterFlag is a flag that adds a filter to a chain each time it is set.
type filterFlag struct {
	chain *filterChain
	kind  string
	read  func(text string) (openai.Filter, error)
}

func (f filterFlag) Set(text string) error {
	filter, err := f.read(text)
	if err == nil {
		*f.chain = append(*f.chain, filter)
	}
	return err
}

func (filterFlag) String() string { return "" }

func (f filterFlag) Type() string { return f.kind }

func removeTools(text string) (openai.Filter, error) {
	remove, err := strconv.ParseBool(text)
	if err != nil {
		return openai.Filter{}, fmt.Errorf("%q: use true or false", text)
	}
	if !remove {
		return openai.Filter{}, nil
	}
	return openai.RemoveAllTools(), nil
}

func lastItems(text string) (openai.Filter, error) {
	n, err := strconv.Atoi(text)
	if errors.Is(err, strconv.ErrRange) {
		err = nil // n is the nearest number: no document has as many items
	}
	if err != nil || n < 1 {
		return openai.Filter{}, fmt.Errorf("%q: write a number above 0", text)
	}
	return openai.Last(n), nil
}

func itemRoles(text string) (openai.Filter, error) {
	var roles []string
	for role := range strings.SplitSeq(text, ",") {
		if role = strings.ToLower(strings.TrimSpace(role)); role == "" {
			return openai.Filter{}, fmt.Errorf("%q: write roles with commas between them, such as user,assistant", text)
		}
		roles = append(roles, role)
	}
	return openai.Roles(roles...), nil
}

func onlyKind(text string) (openai.Filter, error) {
	if text != "messages" {
		return openai.Filter{}, fmt.Errorf("%q: use messages", text)
	}
	return openai.OnlyMessages(), nil
}
