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

--message-number N writes only the message number N, counted from 1, and --handoff-id ID
all messages with that id. With --index (see compress --per-message), only these are
read, and otherwise all data before them.`,
		Example: `  handoff decompress < queue | consumer
  handoff decompress -i archive/
  handoff decompress --message-number 17 archive.jsonl.gz
  handoff decompress --index all.index --message-number 17 all.zst`,
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.check(c, args); err != nil {
				return err
			}
			if err := f.loadDictionary(c.InOrStdin()); err != nil {
				return err
			}
			f.convert, f.target = f.unpack, unpackedName
			switch {
			case f.index != "":
				return f.pick(c, args)
			case f.message > 0 || f.handoffID != "":
				return f.search(c, args)
			}
			return f.run(c, args)
		},
	}
	flags := c.Flags()
	f.register(c)
	flags.StringVar(&f.dict, "dict", "", "additional zstd dictionary `FILE`; the built-in one is always available")
	flags.BoolVar(&f.force, "force", false, "overwrite existing files")
	flags.StringVar(&f.index, "index", "", "index `FILE`, to read only one message")
	flags.IntVar(&f.message, "message-number", 0, "write only the message number `N`, from 1")
	flags.StringVar(&f.handoffID, "handoff-id", "", "write only the messages with the handoff `ID`")
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
	case chosen > 1:
		return errors.New("--message-number and --handoff-id: use one of them")
	case f.index != "" && chosen == 0:
		return errors.New("--index needs --message-number or --handoff-id, to select a message")
	case c.Flags().Changed("message-number") && f.message < 1:
		return fmt.Errorf("--message-number %d: messages are counted from 1", f.message)
	case c.Flags().Changed("handoff-id") && f.handoffID == "":
		return errors.New("--handoff-id is empty: name a handoff")
	case chosen > 0 && (f.inPlace || f.verify):
		return errors.New("one message is written to stdout or to -o FILE: leave out --in-place and --verify")
	case f.index != "" && len(args) > 1:
		return errors.New("--index: name one file")
	case f.verify && !f.inPlace && (f.output == "" || f.output == "-"):
		return errors.New("--verify needs -o or -i, because stdout cannot be read again")
	case output.CodecOf(f.output) != compress.None:
		return fmt.Errorf("%s: the name is for %s data, and decompress writes plain data: use another name", f.output, output.CodecOf(f.output))
	}
	return input.OneStdin(args, f.dict, f.index)
}
