package openai

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/pkg/formats/openai"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

func newOpenAIFilter(g *cli.Globals) *cobra.Command {
	f := &openaiRewriting{Rewriting: cli.Rewriting{Globals: g}}
	chain := &filterChain{}
	c := &cobra.Command{
		Use:   "filter FILTER... [FILE|DIR|-]...",
		Short: "Filter items from the input of the next agent",
		Long: `Filter removes items from each HandoffInputData. The filters run in the order of the
command line, each on the output of the previous one, and may be repeated. If
input_history is a string, it counts as a user message.

--last counts the items of the next agent's input, across all lists: input_history,
pre_handoff_items, and input_items or, if that is null or missing, new_items. Related
items are removed together: a tool's result with its call, and model output with the
reasoning before it. After --list, filters apply to one list only, up to the next
--list; "all" ends the restriction.

--cmd runs a command as input_filter: it reads the HandoffInputData as one line of JSON
and writes the one for the next agent.`,
		Example: `  handoff openai filter --remove-all-tools input.json
  handoff openai filter --kind messages --last 20 input.json
  handoff openai filter --list new_items --last 5 --list pre_handoff_items --types message input.json
  handoff openai filter --clear new_items --cmd 'sed s/4711/[order]/g' input.json
  handoff openai filter --last 50 --remove-all-tools --last 5 -i recorded/`,
		RunE: func(c *cobra.Command, args []string) error {
			if len(chain.steps) == 0 {
				return errors.New("no filter: use --remove-all-tools, --last, --roles, --types, --kind, --clear or --cmd")
			}
			if err := chain.load(g, c); err != nil {
				return err
			}
			return f.runWith(c, args, func(dst []byte, data jsonstream.Value) ([]byte, error) { return chain.apply(c.Context(), dst, data) })
		},
	}
	chain.register(c)
	f.register(c)
	return c
}

// A filterChain is the sequence of filters that the flags define.
type filterChain struct {
	steps    []filterStep
	list     string // of the filters that follow, "" for all
	programs programFlags
}

// A filterStep is a filter, or a command.
type filterStep struct {
	filter  openai.Filter
	command string
	run     program
}

// load prepares the commands to run.
func (chain *filterChain) load(g *cli.Globals, c *cobra.Command) (err error) {
	for i := range chain.steps {
		if s := &chain.steps[i]; s.command != "" {
			if s.run, err = chain.programs.program(g, c, "filter", s.command); err != nil {
				return err
			}
		}
	}
	return nil
}

// apply appends the result of the steps for data.
func (chain *filterChain) apply(ctx context.Context, dst []byte, data jsonstream.Value) ([]byte, error) {
	var filters []openai.Filter
	for _, s := range chain.steps {
		if s.run == nil {
			filters = append(filters, s.filter)
			continue
		}
		in, err := openai.Apply(nil, data, filters...)
		if err != nil {
			return dst, err
		}
		filters = nil
		if data, err = s.run(ctx, in); err != nil {
			return dst, err
		}
		if err := openai.CheckShape(data); err != nil {
			return dst, fmt.Errorf("the output of the filter is not a HandoffInputData: %s", err)
		}
	}
	return openai.Apply(dst, data, filters...)
}

func (chain *filterChain) register(c *cobra.Command) {
	flags := c.Flags()
	flags.Var(filterFlag{chain, "string", nil}, "list", "apply the following filters to one `LIST` only: "+strings.Join(openai.Lists(), ", ")+", or all")
	tools := flags.VarPF(filterFlag{chain, "bool", removeTools}, "remove-all-tools", "", "remove tool calls, their results and reasoning")
	tools.NoOptDefVal = "true"
	flags.Var(filterFlag{chain, "int", lastItems}, "last", "keep the last `N` items")
	flags.Var(filterFlag{chain, "strings", itemRoles}, "roles", "keep items with these `ROLES`, such as user,assistant")
	flags.Var(filterFlag{chain, "string", onlyKind}, "kind", "keep items of one `KIND`: messages")
	flags.Var(filterFlag{chain, "strings", itemTypes}, "types", "keep items of these `TYPES`, such as message,handoff_call")
	flags.Var(filterFlag{chain, "string", clearList}, "clear", "remove all items of a `LIST`")
	flags.Var(commandFlag{chain}, "cmd", "filter with a `COMMAND`, as an input_filter")
	chain.programs.register(c)
	cli.OnlyForCall(c) // configuration files do not keep the order
	cli.Complete(c, "kind", "messages")
	cli.Complete(c, "list", append(openai.Lists(), allLists)...)
	cli.Complete(c, "clear", openai.Lists()...)
	cli.Complete(c, "types", "message", "reasoning", "function_call", "function_call_output", "handoff_call", "handoff_output", "tool_call", "tool_call_output")
	cli.Complete(c, "roles", "user", "assistant", "system", "developer")
}

// A filterFlag is a flag that adds a filter to a chain each time it is set.
type filterFlag struct {
	chain *filterChain
	kind  string
	read  func(text string) (openai.Filter, error)
}

func (f filterFlag) Set(text string) error {
	if f.read == nil {
		return f.chain.setList(text)
	}
	filter, err := f.read(text)
	if err == nil {
		if f.chain.list != "" {
			filter = openai.In(f.chain.list, filter)
		}
		f.chain.steps = append(f.chain.steps, filterStep{filter: filter})
	}
	return err
}

// allLists is the value that ends the effect of --list.
const allLists = "all"

func (chain *filterChain) setList(text string) error {
	switch {
	case text == allLists:
		chain.list = ""
	case openai.IsList(text):
		chain.list = text
	default:
		return fmt.Errorf("%q: use one of %s, %s", text, strings.Join(openai.Lists(), ", "), allLists)
	}
	return nil
}

// A commandFlag is a flag that adds a command to a chain each time it is set.
type commandFlag struct{ chain *filterChain }

func (f commandFlag) Set(text string) error {
	if strings.TrimSpace(text) == "" {
		return errors.New("write a command")
	}
	f.chain.steps = append(f.chain.steps, filterStep{command: text})
	return nil
}

func (commandFlag) String() string { return "" }

func (commandFlag) Type() string { return "string" }

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
		err = nil // n is the nearest number, more than the items of any document
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
			return openai.Filter{}, fmt.Errorf("%q: write roles, separated by commas, such as user,assistant", text)
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

func itemTypes(text string) (openai.Filter, error) {
	var types []string
	for kind := range strings.SplitSeq(text, ",") {
		if kind = strings.TrimSpace(kind); kind == "" {
			return openai.Filter{}, fmt.Errorf("%q: write types, separated by commas, such as message,handoff_call", text)
		}
		types = append(types, kind)
	}
	return openai.Types(types...), nil
}

func clearList(text string) (openai.Filter, error) {
	if !openai.IsList(text) {
		return openai.Filter{}, fmt.Errorf("%q: use one of %s", text, strings.Join(openai.Lists(), ", "))
	}
	return openai.Clear(text), nil
}
