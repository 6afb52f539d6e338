package sw4rm

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats/sw4rm"
)

// sw4rmRequestFlags are the flags of sw4rm request.
type sw4rmRequestFlags struct {
	sw4rmParts
	LenientFlag
	sw4rm.Draft
	contextFile string
	about       []string // metadata of the request
	priority    string
	timeout     string
}

func newSW4RMRequest(g *cli.Globals) *cobra.Command {
	f := &sw4rmRequestFlags{sw4rmParts: sw4rmParts{Globals: g}}
	c := &cobra.Command{
		Use:   "request --from AGENT --reason TEXT",
		Short: "Build a HandoffRequest",
		Long: `Request builds a HandoffRequest. Its snapshot is the serialized context in base64, from
--context or from the flags of "handoff sw4rm context"; without any of these, it is
null. Without --to, the request is for a router (see handoff sw4rm route).

--no-history sets preserve_history to false, and empties the conversation in the
snapshot.`,
		Example: `  handoff sw4rm request --from planner --to reviewer --reason 'needs a review' --context context.json
  handoff sw4rm request --from planner --reason 'needs a review' --capability code_review --history history.json --metadata urgency=high`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	flags := c.Flags()
	flags.StringVar(&f.From, "from", "", "sending `AGENT`")
	flags.StringVar(&f.To, "to", "", "receiving `AGENT`")
	flags.StringVar(&f.Reason, "reason", "", "reason as `TEXT` for people")
	flags.StringArrayVar(&f.Capabilities, "capability", nil, "required capability `NAME` of the other agent; may be repeated")
	flags.BoolVar(&f.DropHistory, "no-history", false, "omit the conversation")
	flags.BoolVar(&f.Gzip, "gzip", false, "compress the snapshot with gzip: advised above 100 KB, if the receiver supports it")
	flags.StringVar(&f.contextFile, "context", "", "context `FILE`")
	flags.StringArrayVar(&f.about, "metadata", nil, "metadata of the request, a `FILE|KEY=VALUE`; may be repeated")
	flags.StringVar(&f.ID, "request-id", "", "`ID` of the request at the wire service")
	flags.StringVar(&f.priority, "priority", "", "priority `NUMBER` at the wire service")
	flags.StringVar(&f.timeout, "timeout", "", "maximum `DURATION` that the wire service waits for an answer, such as 30s")
	f.sw4rmParts.register(c, "context-metadata")
	f.LenientFlag.Register(c)
	return c
}

func (f *sw4rmRequestFlags) run(c *cobra.Command) error {
	f.stderr = c.ErrOrStderr()
	if f.From == "" || f.Reason == "" {
		return errors.New("--from and --reason: a HandoffRequest needs both")
	}
	if err := f.readFlags(c.Flags().Changed); err != nil {
		return err
	}
	if err := input.OneStdin([]string{f.history}, append(f.files(f.contextFile), filesOf(f.about)...)[1:]...); err != nil {
		return err
	}
	var err error
	if f.Context, err = f.snapshot(c.InOrStdin()); err != nil {
		return reported(f.stderr, err)
	}
	if f.Metadata, err = f.object("metadata", f.about, c.InOrStdin()); err != nil {
		return err
	}
	var wanted []string
	if f.To == "" {
		wanted = []string{"sw4rm/to-agent"} // the meaning of a missing --to
	}
	return f.write(c.OutOrStdout(), f.Draft.Append(nil), format.SW4RMRequest, wanted)
}

// readFlags parses the flags whose values are not arbitrary texts.
func (f *sw4rmRequestFlags) readFlags(given func(flag string) bool) error {
	texts := [][2]string{{"from", f.From}, {"to", f.To}, {"reason", f.Reason}, {"request-id", f.ID}}
	for _, name := range f.Capabilities {
		texts = append(texts, [2]string{"capability", name})
	}
	for _, flag := range texts {
		if !utf8.ValidString(flag[1]) {
			return fmt.Errorf("--%s %q: is not valid UTF-8: write it in UTF-8", flag[0], flag[1])
		}
	}
	if given("priority") {
		n, err := strconv.ParseInt(f.priority, 10, 32)
		if err != nil {
			return fmt.Errorf("--priority %q: write a whole number from %d to %d", f.priority, math.MinInt32, math.MaxInt32)
		}
		priority := int32(n)
		f.Priority = &priority
	}
	if given("timeout") {
		var err error
		if f.Timeout, err = time.ParseDuration(f.timeout); err != nil || f.Timeout <= 0 || f.Timeout > 100*365*24*time.Hour {
			return fmt.Errorf("--timeout %q: write a duration above zero and of at most a hundred years, such as 500ms, 30s or 1h30m", f.timeout)
		}
	}
	return nil
}

// snapshot returns the context of the request, nil for none.
func (f *sw4rmRequestFlags) snapshot(stdin io.Reader) (*sw4rm.Context, error) {
	parts := f.history != "" || f.toolState != "" || f.sw4rmParts.metadata != nil
	switch {
	case f.contextFile != "" && parts:
		return nil, errors.New("--context, and --history, --tool-state or --context-metadata: use either the first or the others")
	case f.DropHistory && f.history != "":
		return nil, errors.New("--no-history and --history: use one of them")
	case f.contextFile == "" && !parts:
		return nil, nil
	case parts:
		context, err := f.context(stdin)
		return &context, err
	}
	doc, name, err := f.LoadDocument(f.contextFile, stdin, f.Limits)
	if err != nil {
		return nil, err
	}
	doc, notes, err := f.Fill(doc, format.SW4RMContext, f.Limits)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for _, text := range notes {
		term.PrintError(f.stderr, fmt.Errorf("%s: %s", name, text))
	}
	context, problems := sw4rm.ReadContext(doc.Root())
	return &context, Problems(name, problems)
}
