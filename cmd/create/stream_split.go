package create

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/chunked"
	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/validate"
)

// streamSplitFlags are the flags of stream split.
type streamSplitFlags struct {
	cli.Rewriting
	chunkBytes int64
	keys       cli.KeyFlags
	keyID      string
}

func newStreamSplit(g *cli.Globals) *cobra.Command {
	f := &streamSplitFlags{Rewriting: cli.Rewriting{Globals: g}}
	c := &cobra.Command{
		Use:   "split [FILE|DIR|-]...",
		Short: "Split messages into chunks",
		Long: `Split writes the chunks of every message, one per line (JSON Lines). The streams are
written one after the other, in the order of the messages.

With a key, every chunk is signed, so that the receiver can begin with the first one; a
signature of the message itself is unchanged. A message is rejected, with exit code 1,
if it fails the schema or, with a key, if it contains a number that a signature would
not protect.`,
		Example: `  handoff stream split message.json > chunks.jsonl
  producer | handoff stream split --chunk-bytes 256KiB --key-file agent.key > chunks.jsonl`,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	c.Flags().Var(cli.NewByteSize(&f.chunkBytes, chunked.DefaultChunkBytes), "chunk-bytes", "maximum size of a chunk; a chunk with an indivisible value may be larger")
	f.keys.Register(c)
	c.Flags().StringVar(&f.keyID, "key-id", "", "`ID` of the signing key; for a key without an ID, the ID to use")
	f.RegisterOutput(c)
	return c
}

func (f *streamSplitFlags) run(c *cobra.Command, args []string) error {
	if err := input.OneStdin(args, f.keys.Files...); err != nil {
		return err
	}
	if f.chunkBytes < chunked.MinChunkBytes {
		return fmt.Errorf("--chunk-bytes %d: use %d or more", f.chunkBytes, chunked.MinChunkBytes)
	}
	o := chunked.SplitOptions{ChunkBytes: int(f.chunkBytes)}
	keys, err := f.keys.Load(f.Globals, c)
	if err != nil {
		return err
	}
	if len(keys) > 0 {
		key, err := cli.ChooseSigner(keys, f.keyID)
		if err == nil {
			err = key.MaySign()
		}
		if err != nil {
			return err
		}
		o.Key = &key
	} else if f.keyID != "" {
		return cli.ErrNoKey
	}
	splitter := chunked.NewSplitter(o)
	validator := validate.New(validate.Options{Layers: []finding.Layer{finding.Schema}})
	f.Rewrite = func(dst []byte, d input.Document, _ func(any)) ([]byte, error) {
		return f.split(c.Context(), dst, d, splitter, validator)
	}
	return f.Run(c, args)
}

// split appends the chunks of a message.
func (f *streamSplitFlags) split(ctx context.Context, dst []byte, d input.Document, splitter *chunked.Splitter, validator *validate.Validator) ([]byte, error) {
	doc, err := d.Parse(f.Limits)
	if err != nil {
		return nil, err
	}
	m := message.Of(doc)
	r, err := validator.Validate(ctx, m)
	if err != nil {
		return nil, err
	}
	if !r.Valid {
		return nil, cli.RejectInvalid(d, r, "split", "fix it")
	}
	begin := len(dst)
	err = splitter.Split(m, func(chunk []byte) error {
		if len(dst) > begin {
			dst = append(dst, '\n')
		}
		dst = append(dst, chunk...)
		return nil
	})
	if err != nil {
		return nil, cli.Reject(input.InFile(d.Source.Name, err))
	}
	return dst, nil
}
