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
		Short: "Put handoffs into messages of A2A",
		Long: `Wrap makes of each canonical handoff message a Message of A2A 1.0 that carries it in a
data part, as the handoff extension of docs/a2a.md has it. Nothing of the handoff changes
but white space, so its signature holds. With --request it is the body of message:send
(HTTP+JSON), with --rpc a SendMessage request of JSON-RPC. Send the header
"A2A-Extensions: ` + a2a.ExtensionURI + `" with it.

The answer to a handoff, as accept -f json prints it, is wrapped as a message of the
agent.

The messageId is made of the content: the same handoff has the same one when it is sent
again, and a corrected one has another.

A handoff is rejected, with exit code 1, if it fails the schema (--force overrides that),
or if it has a number that a double does not hold: A2A would pass another one on.`,
		Example: `  handoff a2a wrap message.json
  handoff sign --key-file legal.key message.json | handoff a2a wrap --rpc --context-id c-7 >request.json
  handoff accept -f json message.json | handoff a2a wrap --task-id t-1`,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	flags := c.Flags()
	flags.BoolVar(&f.rpc, "rpc", false, "write SendMessage requests of JSON-RPC")
	flags.BoolVar(&f.request, "request", false, "write the requests of HTTP+JSON, with the message as a member")
	flags.StringVar(&f.options.ContextID, "context-id", "", "the `ID` of the conversation")
	flags.StringVar(&f.options.TaskID, "task-id", "", "the `ID` of A2A's task")
	flags.StringVar(&f.options.MessageID, "message-id", "", "the `ID` of the message, instead of one that is made of the content")
	flags.StringVar(&f.options.Role, "role", "", "who says it: user, the client, or agent, the server (default user for handoffs and agent for answers)")
	flags.BoolVar(&f.force, "force", false, "wrap what fails the schema, too")
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
		return fmt.Errorf("--message-id %q: is for one message: found %d files", f.options.MessageID, len(args))
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
		return nil, fmt.Errorf("%s: --message-id is for one message, and this is another", d.Origin())
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
		err = fmt.Errorf("not wrapped, because A2A passes numbers on as doubles: %w", err)
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
