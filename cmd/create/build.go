package create

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/cmd/trim"
	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/semver"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/build"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
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

	receivers []string
	fitting   trim.Flags
	quiet     bool
}

func NewBuild(g *cli.Globals) *cobra.Command {
	f := &buildFlags{Rewriting: cli.Rewriting{Globals: g}}
	c := &cobra.Command{
		Use:   "build [--from ID@VERSION] [--to TYPE[@RANGE]] [STATE|-]...",
		Short: "Build messages from agent states",
		Long: `Build creates a handoff message from an agent state (see handoff example state and
handoff new): it adds the ids, the time and the trace, hashes the inputs of tool calls,
copies the remaining budget of the parent message exactly (section 9), and records the
parent's digest, by which handoff chain detects a replaced parent. A state is a file or
standard input; JSON Lines of states produce JSON Lines of messages. --from and --to
override fromAgent and toAgent of the state. All errors in a state are reported in one
run.

Claims in completed subtasks, such as "All tests pass", are compared with the tool calls
of the conversation; the verdicts become evidence of the subtask (docs/claims.md).

With several --to, or --add-receiver, the message is a fan-out (section 14.2): toAgent
is the first receiver, and receiverList lists all. handoff send gives each of them the
same message; handoff acks reports whether all have acknowledged it.

With --trim-for or another limit, the history is trimmed to fit the receiver (see
handoff trim; section 6.4). The trim is recorded in extensions.trim and reported on
stderr, and the cost of the summary is added to costTracking.

If the receiver would reject a message for its schema or completeness, build prints the
findings instead; the exit code is 1.`,
		Example: `  handoff build --state state.json --from legal-analysis-agent@2.1.0 --to 'risk-scoring-agent@>=1.5.0'
  handoff build --from legal-analysis-agent@2.1.0 --to risk-scoring-agent --trim-for receiver.yaml state.json
  agent | handoff build --parent received.json --from risk-scoring-agent@1.6.2 --to report-agent > next.json`,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	flags := c.Flags()
	flags.StringArrayVar(&f.states, "state", nil, "agent state `FILE`, same as an argument")
	flags.StringVar(&f.parent, "parent", "", "`FILE` of the message that gave the agent its task")
	flags.StringVar(&f.from, "from", "", "sending agent, as `ID@VERSION` (default: the state's fromAgent)")
	flags.StringArrayVar(&f.to, "to", nil, "receiving agent type, as `TYPE[@RANGE]`; may be repeated for a fan-out")
	flags.StringArrayVar(&f.receivers, "add-receiver", nil, "additional receiver for receiverList, as `TYPE[@RANGE]`; may be repeated")
	flags.StringArrayVar(&f.Constraints, "constraint", nil, "additional constraint, by convention `NAME:VALUE`; may be repeated")
	flags.StringArrayVar(&f.set, "set", nil, "member to set, as `POINTER=JSON`; may be repeated")
	flags.BoolVar(&f.AllowExhausted, "allow-exhausted", false, "build even if no budget remains")
	flags.BoolVar(&f.Provenance, "provenance", false, "mark content from documents and other agents (docs/safety.md)")
	f.fitting.Register(c, "trim-for")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "suppress the trim report")
	f.RegisterOutput(c)
	f.Layout.Register(c)
	cli.OnlyForCall(c, "add-receiver", "trim-for")
	return c
}

// complete sets the options that the flags describe.
func (f *buildFlags) complete(ctx context.Context, stdin io.Reader) error {
	if err := errors.Join(f.completeSender(), f.completeTargets(), f.completeOverrides()); err != nil {
		return err
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
	err = build.CheckParent(ctx, f.Parent)
	if list := (build.Problems)(nil); errors.As(err, &list) {
		errs := make([]error, len(list))
		for i, p := range list {
			errs[i] = fmt.Errorf("%s:%d:%d: the parent is not a valid message: %s", f.parent, p.Position.Line, p.Position.Column, p.Text)
		}
		return errors.Join(errs...)
	}
	return err
}

// completeSender sets the sender if the flag names one.
func (f *buildFlags) completeSender() error {
	if f.from == "" {
		return nil
	}
	from, err := parseSender(f.from)
	f.From = from
	return err
}

// parseSender parses the value of --from.
func parseSender(text string) (message.FromAgent, error) {
	id, version, _ := strings.Cut(text, "@")
	if id == "" || version == "" {
		return message.FromAgent{}, fmt.Errorf("--from %q: write the sending agent as ID@VERSION, such as planner@1.0.0", text)
	}
	if _, err := semver.Parse(version); err != nil {
		return message.FromAgent{}, fmt.Errorf("--from %q: %q is not a version of three numbers: write the sending agent as ID@VERSION, such as %s@1.0.0", text, version, id)
	}
	return message.FromAgent{AgentID: id, AgentVersion: version}, nil
}

// completeOverrides sets the values of --set.
func (f *buildFlags) completeOverrides() error {
	for _, text := range f.set {
		pointer, value, ok := strings.Cut(text, "=")
		if !ok {
			return fmt.Errorf("--set %q: write it as POINTER=JSON, such as /taskDescription='\"text\"'", text)
		}
		if _, err := message.ParseInPlace(jsonstream.NewRaw([]byte(value)), message.Options{Limits: f.Limits}); err != nil {
			return fmt.Errorf("--set %s: is not a JSON value: %w; write a string with its quotes", pointer, err)
		}
		f.Set = append(f.Set, build.Override{Pointer: pointer, Value: []byte(value)})
	}
	return nil
}

// completeTargets sets the receivers if flags name them.
func (f *buildFlags) completeTargets() error {
	for _, receiver := range f.receivers {
		if len(f.to) != 1 || f.to[0] != receiver { // toAgent is in the list in any case
			f.to = append(f.to, receiver)
		}
	}
	for i, text := range f.to {
		to, err := parseTarget(text)
		switch {
		case err != nil:
			return err
		case slices.Contains(f.to[:i], text):
			return fmt.Errorf("--to %q is given twice: name each receiver of a fan-out once", text)
		case i == 0:
			f.To = to
		default:
			f.Also = append(f.Also, to)
		}
	}
	return nil
}

// parseTarget parses a value of --to.
func parseTarget(text string) (message.ToAgent, error) {
	kind, versions, _ := strings.Cut(text, "@")
	if kind == "" {
		return message.ToAgent{}, fmt.Errorf("--to %q: write the receiving agent type as TYPE or TYPE@RANGE, such as scorer@>=1.5.0", text)
	}
	if versions != "" {
		if _, err := semver.ParseRange(versions); err != nil {
			return message.ToAgent{}, fmt.Errorf("--to %q: %q is not a range of versions: write it like %s@>=1.5.0", text, versions, kind)
		}
	}
	return message.ToAgent{AgentType: kind, AgentVersion: versions}, nil
}

func (f *buildFlags) run(c *cobra.Command, args []string) error {
	args = append(args, f.states...)
	if err := input.OneStdin(args, f.parent, f.fitting.Profile); err != nil {
		return err
	}
	if err := f.complete(c.Context(), c.InOrStdin()); err != nil {
		return err
	}
	b := &builder{buildFlags: f}
	if f.fitting.Asked(c) {
		if err := f.fitting.Complete(f.Globals, c); err != nil {
			return err
		}
		f.fitting.Format, b.trims = format.EAAPL, true
	}
	f.Rewrite = func(dst []byte, d input.Document, publish func(any)) ([]byte, error) {
		return b.build(c.Context(), dst, d, publish)
	}
	f.Publish = func(news []any) error {
		for _, n := range news {
			if r := n.(trim.Record); r.Changed && !f.quiet {
				if err := r.WriteText(c.ErrOrStderr()); err != nil {
					return err
				}
			}
		}
		return nil
	}
	err := f.Rewriting.Run(c, args)
	if b.malformed.Load() && (errors.Is(err, cli.ErrNo) || errors.Is(err, cli.ErrReported)) {
		return term.WithHint(err, stateHint())
	}
	return err
}

// stateHint returns a hint for users who write states by hand.
func stateHint() string {
	var names []string
	if text, err := schemas.Read(schemas.State); err == nil {
		if doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Unlimited()); err == nil {
			for name := range doc.Root().Get("properties").Members() {
				names = append(names, name)
			}
		}
	}
	return fmt.Sprintf("the members of a state are %s; handoff new writes a template, and handoff example state prints an example", strings.Join(names, ", "))
}
