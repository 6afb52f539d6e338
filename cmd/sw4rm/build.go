package sw4rm

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats/sw4rm"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/validate"
	"github.com/eaapl/handoff/schemas"
)

// sw4rmParts are the flags for the parts of a context.
type sw4rmParts struct {
	*cli.Globals
	cli.Layout
	output    string
	history   string
	toolState string
	metadata  []string
	stderr    io.Writer
}

func (f *sw4rmParts) register(c *cobra.Command, metadata string) {
	flags := c.Flags()
	flags.StringVar(&f.history, "history", "", "conversation `FILE`: an array of messages, or one message per line")
	flags.StringVar(&f.toolState, "tool-state", "", "tool state `FILE`")
	flags.StringArrayVar(&f.metadata, metadata, nil, "metadata of the context, a `FILE|KEY=VALUE`; may be repeated")
	flags.StringVarP(&f.output, "output", "o", "", "write the output to `FILE`")
	cli.OnlyForCall(c)
	f.Layout.Register(c)
}

// files returns the files that the flags name.
func (f *sw4rmParts) files(more ...string) []string {
	return append(append([]string{f.history, f.toolState}, filesOf(f.metadata)...), more...)
}

// filesOf returns the values that are not KEY=VALUE.
func filesOf(metadata []string) []string {
	return slices.DeleteFunc(slices.Clone(metadata), func(text string) bool { return strings.Contains(text, "=") })
}

// object merges files and KEY=VALUE pairs, whose values are strings, into one object.
func (f *sw4rmParts) object(what string, parts []string, stdin io.Reader) (jsonstream.Value, error) {
	if len(parts) == 0 {
		return jsonstream.Value{}, nil
	}
	var members sw4rm.Members
	for _, part := range parts {
		if key, value, ok := strings.Cut(part, "="); ok {
			if err := members.AddString(key, value); err != nil {
				return jsonstream.Value{}, fmt.Errorf("%s: %w", what, err)
			}
			continue
		}
		doc, name, err := f.LoadDocument(part, stdin, f.Limits)
		if err != nil {
			return jsonstream.Value{}, err
		}
		if kind := doc.Root().Kind(); kind != jsonstream.Object {
			return jsonstream.Value{}, fmt.Errorf("%s: expected %s, an object, found %s", name, what, kind)
		}
		members.AddAll(doc.Root())
	}
	object, err := members.Object()
	if err != nil {
		err = fmt.Errorf("%s: %w", what, err)
	}
	return object, err
}

// write checks the built message and writes it.
func (f *sw4rmParts) write(stdout io.Writer, text []byte, kind format.Format, wanted []string) error {
	doc, err := jsonstream.Parse(jsonstream.NewRaw(text), f.Limits)
	if err != nil {
		return fmt.Errorf("the output cannot be parsed: %w", err)
	}
	name, what := schemas.SW4RMContext, "the context"
	if kind == format.SW4RMRequest {
		name, what = schemas.SW4RMRequest, "the request"
	}
	schema, err := validate.EmbeddedSchema(name)
	if err != nil {
		return err
	}
	rejected := false
	reject := func(problem string) {
		rejected = true
		term.PrintError(f.stderr, fmt.Errorf("%s would be rejected: %s", what, problem))
	}
	for _, finding := range schema.Check(doc.Root()) {
		reject(term.Visible(finding.PlacedMessage()))
	}
	for _, p := range sw4rm.Check(doc, kind, f.Limits) {
		if p.Severity == finding.Error {
			reject(sw4rmText(p))
		} else if !slices.Contains(wanted, p.Rule) {
			term.PrintError(f.stderr, fmt.Errorf("warning: %s", sw4rmText(p)))
		}
	}
	if rejected {
		return cli.ErrNo
	}
	if text, err = f.Append(nil, text); err != nil {
		return err
	}
	return f.WriteData(f.output, stdout, append(text, '\n'))
}
