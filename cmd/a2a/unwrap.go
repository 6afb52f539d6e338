package a2a

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/pkg/formats/a2a"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// unwrapFlags are the flags of a2a unwrap.
type unwrapFlags struct {
	cli.Rewriting
	cli.Layout
	answer, all bool
}

func newUnwrap(g *cli.Globals) *cobra.Command {
	f := &unwrapFlags{Rewriting: cli.Rewriting{Globals: g}}
	c := &cobra.Command{
		Use:   "unwrap [FILE|DIR|-]...",
		Short: "Extract handoffs from A2A messages",
		Long: `Unwrap prints the canonical handoff message that is carried in an A2A message, task,
artifact or update, alone or in a JSON-RPC or stream envelope, according to the handoff
extension (docs/a2a.md). It also reads A2A 0.3. The message is unchanged except for
white space. It is not checked: use validate, verify or accept for that.

Exit code 0: each document carries one handoff; 1: at least one document carries none,
or several (--all prints all of them). The handoffs of the other documents are printed
in any case.`,
		Example: `  handoff a2a unwrap request.json
  handoff a2a unwrap request.json | handoff accept
  handoff a2a unwrap --answer task.json`,
		RunE: func(c *cobra.Command, args []string) error {
			f.Rewrite = func(dst []byte, d input.Document, _ func(any)) ([]byte, error) { return f.append(dst, d) }
			return f.Run(c, args)
		},
	}
	c.Flags().BoolVar(&f.answer, "answer", false, "extract the answers to handoffs instead of the handoffs")
	c.Flags().BoolVar(&f.all, "all", false, "print all handoffs of a document, one per line, even if there are none or several")
	cli.OnlyForCall(c, "answer", "all")
	f.RegisterOutput(c)
	f.RegisterInPlace(c)
	f.Layout.Register(c)
	return c
}

// append appends the content of a document to dst.
func (f *unwrapFlags) append(dst []byte, d input.Document) ([]byte, error) {
	doc, err := d.Parse(f.Limits)
	if err != nil {
		return nil, err
	}
	content := a2a.Handoff
	if f.answer {
		content = a2a.Answer
	}
	var carried []jsonstream.Value
	if f.all {
		carried = a2a.Contents(doc.Root(), content)
	} else {
		one, err := a2a.Unwrap(doc.Root(), content)
		if err != nil {
			return nil, cli.Reject(fmt.Errorf("%s: %w", d.Origin(), err))
		}
		carried = []jsonstream.Value{one}
	}
	for i, v := range carried {
		if i > 0 {
			dst = append(dst, '\n')
		}
		if dst, err = f.Append(dst, v.Raw()); err != nil {
			return nil, err
		}
	}
	return dst, nil
}
