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
		Short: "Take handoffs out of messages of A2A",
		Long: `Unwrap prints the canonical handoff message that a message, task, artifact or update of
A2A carries, alone or in the envelopes of JSON-RPC and of streams, by the handoff
extension of docs/a2a.md; of A2A 0.3, too. Its bytes are those that came, but for white
space. It does not check what it prints: that is for validate, verify and accept.

Exit code 0: each document carries one handoff; 1: at least one carries none, or
several (--all prints them all). What other documents carry is printed all the same.`,
		Example: `  handoff a2a unwrap request.json
  handoff a2a unwrap request.json | handoff accept
  handoff a2a unwrap --answer task.json`,
		RunE: func(c *cobra.Command, args []string) error {
			f.Rewrite = func(dst []byte, d input.Document, _ func(any)) ([]byte, error) { return f.append(dst, d) }
			return f.Run(c, args)
		},
	}
	c.Flags().BoolVar(&f.answer, "answer", false, "take out the answer to a handoff instead")
	c.Flags().BoolVar(&f.all, "all", false, "print as many as a document carries, one a line: several, one or none")
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
