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
		Short: "Decompress zstd or gzip, or one message out of it",
		Long: `Decompress writes what zstd or gzip data holds to stdout. JSON that is not
compressed passes through unchanged. Data that is damaged, cut off or unreasonably
large is an error, with exit code 2, and with -o or -i there is no file then.

With -i each FILE.zst or FILE.gz is replaced by FILE, with its mode and times. It
is deleted when the new file is safely on the disk, and not before.

With --index, as compress --per-message wrote it, only one message is read: the
one with the number --message-number, or those with the --handoff-id.`,
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
	flags.StringVar(&f.dict, "dict", "", "use the zstd dictionary in `FILE` too; the one built in is known")
	flags.BoolVar(&f.force, "force", false, "write over files that are there already")
	flags.StringVar(&f.index, "index", "", "read one message only, by the index in `FILE`")
	flags.IntVar(&f.message, "message-number", 0, "with --index: the number of the message, from 0")
	flags.StringVar(&f.handoffID, "handoff-id", "", "with --index: the `ID` of the message")
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
		return errors.New("--index needs --message-number or --handoff-id: which message is to be read?")
	case f.message < 0:
		return fmt.Errorf("--message-number %d: use 0 or more", f.message)
	case f.index != "" && (f.inPlace || f.verify || len(args) > 1):
		return errors.New("--index reads from one file to stdout or to -o FILE")
	case f.verify && !f.inPlace && (f.output == "" || f.output == "-"):
		return errors.New("--verify needs -o or -i: what goes to stdout cannot be read again")
	case output.CodecOf(f.output) != compress.None:
		return fmt.Errorf("%s: decompress writes plain data, and this is a name for %s data", f.output, output.CodecOf(f.output))
	}
	return input.OneStdin(args, f.dict, f.index)
}
