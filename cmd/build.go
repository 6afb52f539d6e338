package cmd

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/cmd/internal/cli"
	"github.com/eaapl/handoff/cmd/internal/input"
	"github.com/eaapl/handoff/pkg/build"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/validate"
	"github.com/eaapl/handoff/schemas"
)

// buildFlags are the flags of build.
type buildFlags struct {
	cli.Rewriting
	cli.Layout
	build.Options
	states []string
	parent string
	from   string
	to     []string
	set    []string

	receivers  []string
	aggregates []string // handoffs that all their receivers must have acknowledged
	delivery   deliveryFlags
	fitting    fittingFlags
	quiet      bool
}

func newBuild(g *cli.Globals) *cobra.Command {
	f := &buildFlags{Rewriting: cli.Rewriting{Globals: g}, delivery: deliveryFlags{Globals: g}}
	c := &cobra.Command{
		Use:   "build --from ID@VERSION --to TYPE[@RANGE] [STATE|-]...",
		Short: "Build messages from what an agent knows when it stops",
		Long: `Build makes a handoff message of an agent state (handoff example state prints
one): it fills in the ids, the time and the trace, hashes the inputs of tool
calls, relays the budget of the parent message exactly (section 9), and records the
parent's digest, by which handoff chain sees whether it was exchanged since. The
state is a file or standard input; JSON Lines of states give JSON Lines of
messages.

With several --to, or --receiver, the message is for each of them (a fan-out, section
14.2): toAgent is the first, and receiverList lists all. handoff send gives every receiver
the same message. With --aggregate nothing is built before all receivers of that handoff
have acknowledged it (exit code 1, naming those that have not).

With --trim-for, or another limit, the history is made to fit the receiver, as handoff
trim does it (section 6.4): the oldest turns become a summary, what was done is recorded
in extensions.trim and reported on stderr, and the cost of the summary is added to
costTracking.

A message that its receiver would reject for its schema or its completeness is
not printed: its findings are, and the exit code is 1.`,
		Example: `  handoff build --state state.json --from legal-analysis-agent@2.1.0 --to 'risk-scoring-agent@>=1.5.0'
  handoff build --from legal-analysis-agent@2.1.0 --to risk-scoring-agent --trim-for receiver.yaml state.json
  agent | handoff build --parent received.json --from risk-scoring-agent@1.6.2 --to report-agent > next.json`,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	flags := c.Flags()
	flags.StringArrayVar(&f.states, "state", nil, "agent state `FILE`, the same as an argument")
	flags.StringVar(&f.parent, "parent", "", "the message by which the agent got the task, a `FILE`")
	flags.StringVar(&f.from, "from", "", "the agent that hands over, as `ID@VERSION`")
	flags.StringArrayVar(&f.to, "to", nil, "the kind of agent that is to take over, as `TYPE[@RANGE]`; repeated, each of them gets the message")
	flags.StringArrayVar(&f.receivers, "receiver", nil, "add a receiver to receiverList, as `TYPE[@RANGE]`; may be repeated")
	flags.StringArrayVar(&f.aggregates, "aggregate", nil, "build only if all receivers of this `HANDOFF` have acknowledged it; may be repeated")
	flags.StringArrayVar(&f.Constraints, "constraint", nil, "add a constraint, by convention `NAME:VALUE`; may be repeated")
	flags.StringArrayVar(&f.set, "set", nil, "set a member, as `POINTER=JSON`; may be repeated")
	flags.BoolVar(&f.AllowExhausted, "allow-exhausted", false, "build also when no budget remains")
	flags.BoolVar(&f.Provenance, "provenance", false, "mark what came from documents and from other agents (docs/safety.md)")
	f.fitting.register(c, "trim-for")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "no report of what was trimmed")
	f.RegisterOutput(c)
	f.Layout.Register(c)
	f.delivery.register(c)
	f.delivery.posting.register(c)
	cli.OnlyForCall(c, "receiver", "aggregate", "trim-for")
	return c
}

// complete fills in the options that the flags describe.
func (f *buildFlags) complete(stdin io.Reader) error {
	var ok bool
	if f.From.AgentID, f.From.AgentVersion, ok = strings.Cut(f.from, "@"); !ok {
		return fmt.Errorf("--from %q: write the handing agent as ID@VERSION, such as planner@1.0.0", f.from)
	}
	if err := f.completeTargets(); err != nil {
		return err
	}
	for _, text := range f.set {
		pointer, value, ok := strings.Cut(text, "=")
		if !ok {
			return fmt.Errorf("--set %q: write it as POINTER=JSON, such as /taskDescription='\"text\"'", text)
		}
		if _, err := message.ParseInPlace(jsonstream.NewRaw([]byte(value)), message.Options{Limits: f.Limits}); err != nil {
			return fmt.Errorf("--set %s: not a JSON value: %w; a string needs its quotes", pointer, err)
		}
		f.Set = append(f.Set, build.Override{Pointer: pointer, Value: []byte(value)})
	}
	f.Now, f.Random, f.Traceparent = time.Now(), rand.Reader, os.Getenv("TRACEPARENT")
	if f.parent == "" {
		return nil
	}
	text, err := f.ReadAll(f.parent, stdin, f.Limits)
	if err != nil {
		return err
	}
	if f.Parent, err = message.ParseInPlace(jsonstream.NewRaw(text), message.Options{Limits: f.Limits}); err != nil {
		return input.InFile(f.parent, err)
	}
	v := validate.New(validate.Options{Layers: []finding.Layer{finding.Schema}})
	if r, err := v.Validate(context.Background(), f.Parent); err != nil {
		return err
	} else if !r.Valid {
		first := r.Findings[0]
		return fmt.Errorf("%s:%d:%d: the parent is not a valid message: %s", f.parent, first.Line, first.Column, first.PlacedMessage())
	}
	return nil
}

// completeTargets fills in who is to take over.
func (f *buildFlags) completeTargets() error {
	for _, receiver := range f.receivers {
		if len(f.to) != 1 || f.to[0] != receiver { // that is toAgent, and in the list anyway
			f.to = append(f.to, receiver)
		}
	}
	if len(f.to) == 0 {
		f.to = []string{""}
	}
	for i, text := range f.to {
		var to message.ToAgent
		to.AgentType, to.AgentVersion, _ = strings.Cut(text, "@")
		switch {
		case to.AgentType == "":
			return fmt.Errorf("--to %q: write the kind of agent that takes over as TYPE or TYPE@RANGE, such as scorer@>=1.5.0", text)
		case slices.Contains(f.to[:i], text):
			return fmt.Errorf("--to %q is named twice: name every receiver of a fan-out once", text)
		case i == 0:
			f.To = to
		default:
			f.Also = append(f.Also, to)
		}
	}
	return nil
}

func (f *buildFlags) run(c *cobra.Command, args []string) error {
	args = append(args, f.states...)
	if err := input.OneStdin(args, f.parent, f.fitting.profile, f.delivery.posting.tokenFile, f.delivery.posting.ca); err != nil {
		return err
	}
	if err := f.complete(c.InOrStdin()); err != nil {
		return err
	}
	if err := f.checkAggregates(c); err != nil {
		return err
	}
	schema, err := validate.EmbeddedSchema(schemas.State)
	if err != nil {
		return err
	}
	b := builder{
		buildFlags: f,
		schema:     schema,
		validator:  validate.New(validate.Options{Layers: []finding.Layer{finding.Schema, finding.Completeness}}),
	}
	if f.fitting.asked(c) {
		if err := f.fitting.complete(f.Globals, c); err != nil {
			return err
		}
		f.fitting.Format, b.trims = format.EAAPL, true
	}
	f.Rewrite = func(dst []byte, d input.Document, publish func(any)) ([]byte, error) {
		return b.build(c.Context(), dst, d, publish)
	}
	f.Publish = func(news []any) error {
		for _, n := range news {
			if r := n.(trimRecord); r.Changed && !f.quiet {
				if _, err := fmt.Fprintf(c.ErrOrStderr(), "handoff: %s: %s\n", r.place, r.text()); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return f.Rewriting.Run(c, args)
}
