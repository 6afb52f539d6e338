package pack

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/output"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/compress"
)

// compressFlags are the flags of compress.
type compressFlags struct {
	packing
	cli.FormatFlag
	codec      string
	level      int
	threshold  int64
	train      bool
	perMessage bool
	index      string

	encoder *compress.Encoder
}

func NewCompress(g *cli.Globals) *cobra.Command {
	f := &compressFlags{packing: packing{Globals: g}}
	c := &cobra.Command{
		Use:   "compress [FILE|DIR|-]...",
		Short: "Compress messages with zstd or gzip",
		Long: `Compress makes one zstd or gzip stream of what it reads, on all cores, and writes
it to stdout. gzip -d and zstd -d read it, and so does every command of handoff.
What is already compressed is compressed anew: --codec gzip makes gzip of zstd.

With -i each file is replaced by FILE.zst or FILE.gz, with its mode and times. It
is deleted when the new file is safely on the disk, and not before.

--min-bytes leaves what is shorter as it is: with -i each file by itself, otherwise
the input as a whole. decompress passes such input on unchanged.

With --per-message each message is a frame of its own, and --index writes a line
of JSON for each, by which decompress finds it again without reading the rest.
Single messages compress well with a dictionary: --dict builtin, or one trained on
your own messages (--train), which decompress then needs too.

Messages of all formats, and anything else, are compressed alike. --format-in matters
only with --per-message: a message in another format is an error then, and the ids in the
index are those of that format.

Zstd levels are 1 to 22, of which four differ: 1 and 2, 3 to 5, 6 to 9, 10 to 22.`,
		Example: `  producer | handoff compress --min-bytes 100KB > queue
  handoff compress -i --verify archive/
  handoff compress --per-message --dict builtin --index all.index -o all.zst all.jsonl
  handoff compress --train -o team.dict samples/`,
		RunE: func(c *cobra.Command, args []string) error {
			if f.train {
				return f.trainDictionary(c, args)
			}
			if err := f.prepare(c, args); err != nil {
				return err
			}
			return f.run(c, args)
		},
	}
	flags := c.Flags()
	f.packing.register(c)
	f.FormatFlag.Register(c)
	flags.StringVar(&f.codec, "codec", "zstd", "zstd or gzip; by default what the name after -o says")
	flags.IntVar(&f.level, "level", 0, "1 (fastest) to 9 for gzip, to 22 for zstd; 0 is 6 and 3, and 6 with a dictionary")
	flags.Var(cli.SizeOrZero{ByteSize: cli.NewByteSize(&f.threshold, 0)}, "min-bytes", "leave what is shorter as it is")
	flags.StringVar(&f.dict, "dict", "", "compress with the zstd dictionary in `FILE`, or with the one built in: builtin")
	flags.BoolVar(&f.train, "train", false, "make a dictionary of sample messages")
	flags.BoolVar(&f.perMessage, "per-message", false, "compress each message by itself")
	flags.StringVar(&f.index, "index", "", "with --per-message: write to `FILE` where each message is")
	flags.BoolVar(&f.force, "force", false, "write to a terminal, and over files that are there already")
	cli.Complete(c, "codec", "zstd", "gzip")
	return c
}

// prepare checks the flags and creates the encoder.
func (f *compressFlags) prepare(c *cobra.Command, args []string) error {
	switch {
	case f.index != "" && !f.perMessage:
		return errors.New("--index needs --per-message: only then can a message be read by itself")
	case f.perMessage && f.threshold > 0:
		return errors.New("--per-message and --min-bytes: a stream that is partly compressed could not be read; use one of them")
	case f.index != "" && f.inPlace && len(args) != 1:
		return errors.New("--index with --in-place: name one file, an index is for one")
	case f.output == "" && !f.inPlace && !f.force && term.IsTerminal(c.OutOrStdout()):
		return term.WithHint(errors.New("compressed data is not for a terminal"), "name a file with -o, or use --force")
	}
	promised := output.CodecOf(f.output)
	if promised != compress.None && string(promised) != f.codec {
		if c.Flags().Changed("codec") {
			return fmt.Errorf("--codec %s: %s is a name for %s data", f.codec, f.output, promised)
		}
		f.codec = string(promised)
	}
	if err := input.OneStdin(args, f.dict); err != nil {
		return err
	}
	if err := f.loadDictionary(c.InOrStdin()); err != nil {
		return err
	}
	f.convert, f.target = f.pack, f.packedName
	var err error
	f.encoder, err = compress.NewEncoder(compress.EncoderOptions{Codec: compress.Codec(f.codec), Level: f.level, Dictionary: f.dictionary})
	return err
}
