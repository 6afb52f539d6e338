package pack

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/output"
	"github.com/eaapl/handoff/pkg/compress"
)

// decompressFlags are the flags of decompress.
type decompressFlags struct {
	packing
	index     string
	message   int
	handoffID string
}

func NewDecompress(g *cli.Globals) *cobra.Command {
	f := &decompressFlags{packing: packing{Globals: g}}
	c := &cobra.Command{
		Use:   "decompress [FILE|DIR|-]...",
		Short: "Decompress zstd or gzip data, or extract one message",
		Long: `Decompress writes the content of zstd or gzip data to stdout. Uncompressed JSON passes
through unchanged. Data that is damaged, truncated or unreasonably large is an error,
with exit code 2; with -o or -i, no file is then written.

With -i, each FILE.zst or FILE.gz is replaced by FILE, with the same mode and times. The
original is deleted only after the new file is safely on disk.

With --index (see compress --per-message), only the message with the number
--message-number is read, or all messages with the --handoff-id.`,
		Example: `  handoff decompress < queue | consumer
  handoff decompress -i archive/
  handoff decompress --index all.index --message-number 17 all.zst`,
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.check(c, args); err != nil {
				return err
			}
			if err := f.loadDictionary(c.InOrStdin()); err != nil {
				return err
			}
			f.convert, f.target = f.unpack, unpackedName
			if f.index != "" {
				return f.pick(c, args)
			}
			return f.run(c, args)
		},
	}
	flags := c.Flags()
	f.register(c)
	flags.StringVar(&f.dict, "dict", "", "additional zstd dictionary `FILE`; the built-in one is always available")
	flags.BoolVar(&f.force, "force", false, "overwrite existing files")
	flags.StringVar(&f.index, "index", "", "index `FILE`, to read only one message")
	flags.IntVar(&f.message, "message-number", 0, "with --index: number of the message, from 0")
	flags.StringVar(&f.handoffID, "handoff-id", "", "with --index: `ID` of the message's handoff")
	cli.OnlyForCall(c, "message-number")
	return c
}

func (f *decompressFlags) check(c *cobra.Command, args []string) error {
	chosen := 0
	for _, flag := range []string{"message-number", "handoff-id"} {
		if c.Flags().Changed(flag) {
			chosen++
		}
	}
	switch {
	case f.index == "" && chosen > 0:
		return errors.New("--message-number and --handoff-id need --index")
	case f.index != "" && chosen != 1:
		return errors.New("--index needs --message-number or --handoff-id, to select a message")
	case f.message < 0:
		return fmt.Errorf("--message-number %d: use 0 or more", f.message)
	case f.index != "" && (f.inPlace || f.verify || len(args) > 1):
		return errors.New("--index: name one file, and write to stdout or to -o FILE, without --verify")
	case f.verify && !f.inPlace && (f.output == "" || f.output == "-"):
		return errors.New("--verify needs -o or -i, because stdout cannot be read again")
	case output.CodecOf(f.output) != compress.None:
		return fmt.Errorf("%s: the name is for %s data, and decompress writes plain data: use another name", f.output, output.CodecOf(f.output))
	}
	return input.OneStdin(args, f.dict, f.index)
}
