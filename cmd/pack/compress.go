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
		Long: `Compress writes its input as one zstd or gzip stream to stdout, using all cores. gzip
-d, zstd -d and every command of handoff can read it. Compressed input is recompressed:
--codec gzip converts zstd to gzip.

With -i, each file is replaced by FILE.zst or FILE.gz, with the same mode and times. The
original is deleted only after the new file is safely on disk.

With --min-bytes, shorter input is not compressed: each file with -i, otherwise the
input as a whole. decompress passes such input through unchanged.

With --per-message, each message is a separate frame, and --index writes one line of
JSON per message, with which decompress finds the message without reading the rest.
Single messages compress well with a dictionary: --dict builtin, or one trained on your
own messages (--train), which decompress then needs, too.

Messages of all formats, and any other data, are compressed alike. --format-in matters
only with --per-message: a message in another format is then an error, and the index has
the ids of that format.

Zstd levels are 1 to 22, but only four are distinct: 1 and 2, 3 to 5, 6 to 9, 10 to 22.`,
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
	flags.StringVar(&f.codec, "codec", "zstd", "zstd or gzip (default: by the name of the -o file)")
	flags.IntVar(&f.level, "level", 0, "level, from 1 (fastest) to 9 for gzip or 22 for zstd; 0 means 6 for gzip, 3 for zstd, and 6 with a dictionary")
	flags.Var(cli.SizeOrZero{ByteSize: cli.NewByteSize(&f.threshold, 0)}, "min-bytes", "minimum size to compress; shorter input stays unchanged")
	flags.StringVar(&f.dict, "dict", "", "zstd dictionary `FILE`, or builtin for the built-in one")
	flags.BoolVar(&f.train, "train", false, "train a dictionary on sample messages")
	flags.BoolVar(&f.perMessage, "per-message", false, "compress each message separately")
	flags.StringVar(&f.index, "index", "", "with --per-message: index `FILE` with the position of each message")
	flags.BoolVar(&f.force, "force", false, "write to a terminal, and overwrite existing files")
	cli.Complete(c, "codec", "zstd", "gzip")
	return c
}

// prepare checks the flags and creates the encoder.
func (f *compressFlags) prepare(c *cobra.Command, args []string) error {
	switch {
	case f.index != "" && !f.perMessage:
		return errors.New("--index needs --per-message: only then can a single message be read")
	case f.perMessage && f.threshold > 0:
		return errors.New("--per-message and --min-bytes: use one of them: a partly compressed stream could not be read")
	case f.index != "" && f.inPlace && len(args) != 1:
		return errors.New("--index with --in-place: name one file, because an index is for one file")
	case f.output == "" && !f.inPlace && !f.force && term.IsTerminal(c.OutOrStdout()):
		return term.WithHint(errors.New("compressed data is not written to a terminal"), "name a file with -o, or use --force")
	}
	promised := output.CodecOf(f.output)
	if promised != compress.None && string(promised) != f.codec {
		if c.Flags().Changed("codec") {
			return fmt.Errorf("--codec %s: the name %s is for %s data", f.codec, f.output, promised)
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
