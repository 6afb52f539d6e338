package cmd

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/cmd/internal/claim"
	"github.com/eaapl/handoff/cmd/internal/input"
	"github.com/eaapl/handoff/cmd/internal/term"
	"github.com/eaapl/handoff/pkg/compress"
	"github.com/eaapl/handoff/pkg/compress/dictionary"
)

// maxSamples is how many bytes of samples are kept in memory for training.
const maxSamples = 128 << 20

// trainDictionary makes a dictionary of the messages that the arguments name.
func (f *compressFlags) trainDictionary(c *cobra.Command, args []string) error {
	if f.inPlace || f.perMessage || f.dict != "" || f.output == "" {
		return errors.New("--train writes a dictionary, and nothing else: use it with -o FILE and samples")
	}
	f.stderr = c.ErrOrStderr()
	var samples [][]byte
	size := 0
	for _, s := range f.Sources(args, c.InOrStdin(), f.stderr) {
		if size >= maxSamples {
			break
		}
		var problem error
		s.Documents(f.Limits, func(int) {}, func(d input.Document, _ bool) bool {
			if problem = d.Err; problem != nil {
				return false
			}
			samples = append(samples, d.Raw.Bytes)
			size += len(d.Raw.Bytes)
			return size < maxSamples
		})
		if problem != nil {
			return input.InFile(s.Name, problem)
		}
	}
	dict, err := dictionary.Train(samples, dictionary.Options{})
	if err != nil {
		return err
	}
	id, err := dictionary.ID(dict)
	if err != nil {
		return err
	}
	out, err := f.OpenAs(claim.AsOutput, compress.None, f.output, c.OutOrStdout())
	if err != nil {
		return err
	}
	_, err = out.Write(dict)
	if err := out.Close(err); err != nil {
		return err
	}
	if !f.quiet {
		fmt.Fprintf(f.stderr, "dictionary %d of %d bytes from %s\n", id, len(dict), term.Counted(len(samples), "message"))
	}
	return nil
}
