package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/cmd/internal/input"
	"github.com/eaapl/handoff/cmd/internal/term"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats/sw4rm"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/validate"
	"github.com/eaapl/handoff/schemas"
)

// sw4rmParts are the flags that say what a context is made of.
type sw4rmParts struct {
	*globals
	layout
	output    string
	history   string
	toolState string
	metadata  []string
	stderr    io.Writer
}

func (f *sw4rmParts) register(c *cobra.Command, metadata string) {
	flags := c.Flags()
	flags.StringVar(&f.history, "history", "", "the conversation, a `FILE`: an array of messages, or a message a line")
	flags.StringVar(&f.toolState, "tool-state", "", "the tool state, a `FILE`")
	flags.StringArrayVar(&f.metadata, metadata, nil, "metadata of the context, a `FILE|KEY=VALUE`; may be repeated")
	flags.StringVarP(&f.output, "output", "o", "", "write to `FILE`")
	onlyForCall(c)
	f.layout.register(c)
}

// files returns the files that the flags name.
func (f *sw4rmParts) files(more ...string) []string {
	return append(append([]string{f.history, f.toolState}, filesOf(f.metadata)...), more...)
}

// filesOf returns the values that are no KEY=VALUE.
func filesOf(metadata []string) []string {
	return slices.DeleteFunc(slices.Clone(metadata), func(text string) bool { return strings.Contains(text, "=") })
}

// onceStdin refuses to read standard input for several files.
func onceStdin(files []string) error {
	if i := slices.Index(files, "-"); i >= 0 && slices.Contains(files[i+1:], "-") {
		return input.ErrTwiceStdin
	}
	return nil
}

func newSW4RMContext(g *globals) *cobra.Command {
	f := &sw4rmParts{globals: g}
	c := &cobra.Command{
		Use:   "context",
		Short: "Build a HandoffContext",
		Long: `Context builds a HandoffContext as the document's serialize_context does: compact
JSON in UTF-8, the members conversation_history, tool_state and metadata in this order,
each empty where no flag says what is in it. Numbers keep their text.

A context that a receiver would refuse is not printed: what is wrong with it is, and the
exit code is 1. What is against the advice on size is told on stderr.`,
		Example: `  handoff sw4rm context --history history.json --tool-state tools.json --metadata agent_id=agent-1
  agent | handoff sw4rm context --history - -o context.json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			f.stderr = c.ErrOrStderr()
			if err := onceStdin(f.files()); err != nil {
				return err
			}
			context, err := f.context(c.InOrStdin())
			if err != nil {
				return err
			}
			return f.write(c.OutOrStdout(), context.Serialize(), format.SW4RMContext, nil)
		},
	}
	f.register(c, "metadata")
	return c
}

// context reads what a context is made of.
func (f *sw4rmParts) context(stdin io.Reader) (c sw4rm.Context, err error) {
	if f.history != "" {
		if c.History, err = f.messages(stdin); err != nil {
			return c, err
		}
	}
	if f.toolState != "" {
		doc, name, err := f.LoadDocument(f.toolState, stdin, f.limits)
		if err != nil {
			return c, err
		}
		if c.ToolState = doc.Root(); c.ToolState.Kind() != jsonstream.Object {
			return c, fmt.Errorf("%s: expected a tool state, an object, found %s", name, c.ToolState.Kind())
		}
	}
	c.Metadata, err = f.object("metadata of the context", f.metadata, stdin)
	return c, err
}

// messages reads the conversation.
func (f *sw4rmParts) messages(stdin io.Reader) (jsonstream.Value, error) {
	name := input.ShownName(f.history)
	text, err := f.ReadAll(f.history, stdin, f.limits)
	if err != nil {
		return jsonstream.Value{}, err
	}
	splitter := jsonstream.NewSplitter(bytes.NewReader(text), f.limits)
	var docs []*jsonstream.Document
	for {
		raw, err := splitter.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return jsonstream.Value{}, input.InFile(name, err)
		}
		doc, err := jsonstream.Parse(raw, f.limits)
		if err != nil {
			return jsonstream.Value{}, input.InFile(name, err)
		}
		docs = append(docs, doc)
	}
	if len(docs) == 0 {
		return jsonstream.Value{}, fmt.Errorf("%s: empty: expected an array of messages, or a message a line", name)
	}
	if len(docs) == 1 && docs[0].Root().Kind() == jsonstream.Array {
		return docs[0].Root(), nil
	}
	list := []byte{'['}
	for i, doc := range docs {
		if kind := doc.Root().Kind(); kind != jsonstream.Object {
			place := doc.Root().Position()
			return jsonstream.Value{}, fmt.Errorf("%s:%d:%d: expected one array of messages, or a message a line, found %s", name, place.Line, place.Column, kind)
		}
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, doc.Root().Raw()...)
	}
	doc, err := jsonstream.Parse(jsonstream.NewRaw(append(list, ']')), jsonstream.Unlimited())
	if err != nil {
		return jsonstream.Value{}, input.InFile(name, err)
	}
	return doc.Root(), nil
}

// object makes one object of files and of KEY=VALUE, whose value is a string.
func (f *sw4rmParts) object(what string, parts []string, stdin io.Reader) (jsonstream.Value, error) {
	if len(parts) == 0 {
		return jsonstream.Value{}, nil
	}
	var text []byte
	for _, part := range parts {
		if key, value, ok := strings.Cut(part, "="); ok {
			text = append(text, ',')
			var err error
			for i, s := range []string{key, value} {
				if text, err = jsontext.AppendQuote(text, s); err != nil {
					return jsonstream.Value{}, fmt.Errorf("%s: %q is not UTF-8", what, s)
				}
				if i == 0 {
					text = append(text, ':')
				}
			}
			continue
		}
		doc, name, err := f.LoadDocument(part, stdin, f.limits)
		if err != nil {
			return jsonstream.Value{}, err
		}
		if kind := doc.Root().Kind(); kind != jsonstream.Object {
			return jsonstream.Value{}, fmt.Errorf("%s: expected %s, an object, found %s", name, what, kind)
		}
		for _, v := range doc.Root().Members() {
			text = append(append(append(append(text, ','), v.RawName()...), ':'), v.Raw()...)
		}
	}
	if len(text) == 0 {
		text = []byte{','}
	}
	text[0] = '{'
	doc, err := jsonstream.Parse(jsonstream.NewRaw(append(text, '}')), jsonstream.Unlimited())
	if e := (*jsonstream.SyntaxError)(nil); errors.As(err, &e) {
		return jsonstream.Value{}, fmt.Errorf("%s: %s", what, term.Visible(e.Problem))
	}
	return doc.Root(), err
}

// write checks what was built, and writes it.
func (f *sw4rmParts) write(stdout io.Writer, text []byte, kind format.Format, wanted []string) error {
	doc, err := jsonstream.Parse(jsonstream.NewRaw(text), f.limits)
	if err != nil {
		return fmt.Errorf("what was built: %w", err)
	}
	name, what := schemas.SW4RMContext, "the context"
	if kind == format.SW4RMRequest {
		name, what = schemas.SW4RMRequest, "the request"
	}
	schema, err := validate.EmbeddedSchema(name)
	if err != nil {
		return err
	}
	refused := false
	refuse := func(problem string) {
		refused = true
		term.PrintError(f.stderr, fmt.Errorf("%s would be refused: %s", what, problem))
	}
	for _, finding := range schema.Check(doc.Root()) {
		refuse(term.Visible(finding.PlacedMessage()))
	}
	for _, p := range sw4rm.Check(doc, kind, f.limits) {
		if p.Severity == finding.Error {
			refuse(sw4rmText(p))
		} else if !slices.Contains(wanted, p.Rule) {
			term.PrintError(f.stderr, fmt.Errorf("warning: %s", sw4rmText(p)))
		}
	}
	if refused {
		return errNo
	}
	out, err := f.OpenData(f.output, stdout)
	if err != nil {
		return err
	}
	if text, err = f.append(nil, text); err == nil {
		_, err = out.Write(append(text, '\n'))
	}
	return out.Close(err)
}

// sw4rmRequestFlags are the flags of sw4rm request.
type sw4rmRequestFlags struct {
	sw4rmParts
	lenientFlag
	sw4rm.Draft
	contextFile string
	about       []string // metadata of the request
	priority    string
	timeout     string
}

func newSW4RMRequest(g *globals) *cobra.Command {
	f := &sw4rmRequestFlags{sw4rmParts: sw4rmParts{globals: g}}
	c := &cobra.Command{
		Use:   "request --from AGENT --reason TEXT",
		Short: "Build a HandoffRequest",
		Long: `Request builds a HandoffRequest. Its snapshot is the serialized context in base64: of
--context, or of the same flags as those of "handoff sw4rm context"; without any of
them it is null. Without --to, the request is for a router (handoff sw4rm route).

--no-history sets preserve_history to false, and empties the conversation in the
snapshot.`,
		Example: `  handoff sw4rm request --from planner --to reviewer --reason 'needs a review' --context context.json
  handoff sw4rm request --from planner --reason 'needs a review' --capability code_review --history history.json --metadata urgency=high`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	flags := c.Flags()
	flags.StringVar(&f.From, "from", "", "the `AGENT` that hands over")
	flags.StringVar(&f.To, "to", "", "the `AGENT` that is to take over")
	flags.StringVar(&f.Reason, "reason", "", "why, as `TEXT` for people")
	flags.StringArrayVar(&f.Capabilities, "capability", nil, "a capability `NAME` that the other agent must have; may be repeated")
	flags.BoolVar(&f.DropHistory, "no-history", false, "do not pass on the conversation")
	flags.StringVar(&f.contextFile, "context", "", "the context, a `FILE`")
	flags.StringArrayVar(&f.about, "metadata", nil, "metadata of the request, a `FILE|KEY=VALUE`; may be repeated")
	flags.StringVar(&f.ID, "request-id", "", "the `ID` of the request at the wire service")
	flags.StringVar(&f.priority, "priority", "", "the priority at the wire service, a `NUMBER`")
	flags.StringVar(&f.timeout, "timeout", "", "how long the wire service waits for an answer, a `DURATION` such as 30s")
	f.sw4rmParts.register(c, "context-metadata")
	f.lenientFlag.register(c)
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
	if err := onceStdin(append(f.files(f.contextFile), filesOf(f.about)...)); err != nil {
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
		wanted = []string{"sw4rm/to-agent"} // which is what leaving out --to says
	}
	return f.write(c.OutOrStdout(), f.Draft.Append(nil), format.SW4RMRequest, wanted)
}

// readFlags reads the flags that not every text is right for.
func (f *sw4rmRequestFlags) readFlags(given func(flag string) bool) error {
	texts := [][2]string{{"from", f.From}, {"to", f.To}, {"reason", f.Reason}, {"request-id", f.ID}}
	for _, name := range f.Capabilities {
		texts = append(texts, [2]string{"capability", name})
	}
	for _, flag := range texts {
		if !utf8.ValidString(flag[1]) {
			return fmt.Errorf("--%s %q: not UTF-8, so that JSON cannot hold it", flag[0], flag[1])
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
			return fmt.Errorf("--timeout %q: write a duration of more than nothing and at most a hundred years, such as 500ms, 30s or 1h30m", f.timeout)
		}
	}
	return nil
}

// snapshot returns the context that the request carries, nil for none.
func (f *sw4rmRequestFlags) snapshot(stdin io.Reader) (*sw4rm.Context, error) {
	parts := f.history != "" || f.toolState != "" || f.sw4rmParts.metadata != nil
	switch {
	case f.contextFile != "" && parts:
		return nil, errors.New("--context, and --history, --tool-state or --context-metadata: use the one or the others")
	case f.DropHistory && f.history != "":
		return nil, errors.New("--no-history and --history: use one of them")
	case f.contextFile == "" && !parts:
		return nil, nil
	case parts:
		context, err := f.context(stdin)
		return &context, err
	}
	doc, name, err := f.LoadDocument(f.contextFile, stdin, f.limits)
	if err != nil {
		return nil, err
	}
	doc, told, err := f.fill(doc, format.SW4RMContext, f.limits)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for _, text := range told {
		term.PrintError(f.stderr, fmt.Errorf("%s: %s", name, text))
	}
	context, problems := sw4rm.ReadContext(doc.Root())
	return &context, sw4rmProblems(name, problems)
}
