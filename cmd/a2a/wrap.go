package a2a

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/formats/a2a"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/validate"
	"github.com/eaapl/handoff/schemas"
)

// wrapFlags are the flags of a2a wrap.
type wrapFlags struct {
	cli.Rewriting
	cli.Layout
	options      a2a.WrapOptions
	rpc, request bool
	force        bool

	messages *validate.Validator
	answers  *validate.Schema
}

func newWrap(g *cli.Globals) *cobra.Command {
	f := &wrapFlags{Rewriting: cli.Rewriting{Globals: g}}
	c := &cobra.Command{
		Use:   "wrap [FILE|DIR|-]...",
		Short: "Wrap handoffs in A2A messages",
		Long: `Wrap puts each canonical handoff message into a data part of an A2A 1.0 Message,
according to the handoff extension (docs/a2a.md). The handoff is unchanged except for
white space, so its signature remains valid. --request writes the body of message:send
(HTTP+JSON), --rpc a SendMessage request (JSON-RPC). Send it with the header
"A2A-Extensions: ` + a2a.ExtensionURI + `".

The answer to a handoff, as printed by accept -f json, is wrapped as a message of the
agent.

The messageId is derived from the content: it stays the same if the handoff is sent
again, and changes if the handoff is corrected.

A handoff is rejected, with exit code 1, if it fails the schema (--force overrides
this), or if it contains a number that does not fit a double, because A2A would change
the number.`,
		Example: `  handoff a2a wrap message.json
  handoff sign --key-file legal.key message.json | handoff a2a wrap --rpc --context-id c-7 >request.json
  handoff accept -f json message.json | handoff a2a wrap --task-id t-1`,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	flags := c.Flags()
	flags.BoolVar(&f.rpc, "rpc", false, "write JSON-RPC SendMessage requests")
	flags.BoolVar(&f.request, "request", false, "write HTTP+JSON requests, with the message as a member")
	flags.StringVar(&f.options.ContextID, "context-id", "", "`ID` of the conversation")
	flags.StringVar(&f.options.TaskID, "task-id", "", "`ID` of the A2A task")
	flags.StringVar(&f.options.MessageID, "message-id", "", "`ID` of the message, instead of the one derived from the content")
	flags.StringVar(&f.options.Role, "role", "", "role of the message's author: user (client) or agent (server) (default user for handoffs and agent for answers)")
	flags.BoolVar(&f.force, "force", false, "also wrap handoffs that fail the schema")
	cli.Complete(c, "role", "user", "agent")
	cli.OnlyForCall(c)
	f.RegisterOutput(c)
	f.RegisterInPlace(c)
	f.Layout.Register(c)
	return c
}

func (f *wrapFlags) run(c *cobra.Command, args []string) error {
	switch {
	case f.rpc && f.request:
		return errors.New("--rpc and --request: use one of them")
	case f.rpc:
		f.options.Envelope = a2a.RPC
	case f.request:
		f.options.Envelope = a2a.Request
	}
	role, ok := map[string]string{"": "", "user": "ROLE_USER", "agent": "ROLE_AGENT"}[f.options.Role]
	if !ok {
		return fmt.Errorf("--role %q: use user or agent", f.options.Role)
	}
	f.options.Role = role
	if f.options.MessageID != "" && len(args) > 1 {
		return fmt.Errorf("--message-id %q: names a single message: found %d files", f.options.MessageID, len(args))
	}
	f.messages = validate.New(validate.Options{Layers: []finding.Layer{finding.Schema}})
	var err error
	f.answers, err = validate.CompileSchema(schemas.Base+"answer", []byte(`{"$ref":"`+schemas.A2AHandoff+`#/$defs/answer"}`), nil)
	if err != nil {
		return err
	}
	f.Rewrite = func(dst []byte, d input.Document, _ func(any)) ([]byte, error) { return f.append(c.Context(), dst, d) }
	return f.Run(c, args)
}

// append appends the A2A message that carries a document.
func (f *wrapFlags) append(ctx context.Context, dst []byte, d input.Document) ([]byte, error) {
	m, err := message.ParseInPlace(d.Raw, message.Options{Limits: f.Limits})
	if err != nil {
		return nil, input.InFile(d.Source.Name, err)
	}
	if f.options.MessageID != "" && d.Index > 0 {
		return nil, fmt.Errorf("%s: --message-id names a single message: found another one", d.Origin())
	}
	content, err := a2a.ContentOf(m.Root())
	if err != nil {
		return nil, cli.Reject(fmt.Errorf("%s: not wrapped: %w", d.Origin(), err))
	}
	if err := f.check(ctx, d, m, content); err != nil {
		return nil, err
	}
	text, err := a2a.Wrap(m.Root(), f.options)
	if errors.As(err, new(*jsonstream.NumberError)) {
		err = fmt.Errorf("not wrapped, because A2A transmits numbers as doubles: %w", err)
	}
	if err != nil {
		return nil, cli.Reject(input.InFile(term.Visible(d.Source.Name), err))
	}
	return f.Append(dst, text)
}

// check returns an error if a document must not be wrapped.
func (f *wrapFlags) check(ctx context.Context, d input.Document, m *message.Message, content a2a.Content) error {
	if f.force {
		return nil
	}
	var found []finding.Finding
	if content == a2a.Answer {
		found = f.answers.Check(m.Root())
	} else {
		r, err := f.messages.Validate(ctx, m)
		if err != nil {
			return err
		}
		if !r.Valid {
			found = r.Findings
		}
	}
	for _, first := range found {
		return cli.Reject(fmt.Errorf("%s:%d:%d: not wrapped, because the %s is invalid: %s; fix it, or use --force",
			term.Visible(d.Source.Name), first.Line, first.Column, content, term.Visible(first.PlacedMessage())))
	}
	return nil
}
