package pack

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/claim"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/compress"
	"github.com/eaapl/handoff/pkg/compress/dictionary"
)

// maxSamples is the maximum size of the samples in memory, in bytes.
const maxSamples = 128 << 20

// trainDictionary creates a dictionary from the messages that the arguments name.
func (f *compressFlags) trainDictionary(c *cobra.Command, args []string) error {
	if f.inPlace || f.perMessage || f.dict != "" || f.output == "" {
		return errors.New("--train writes only a dictionary: name its file with -o, and leave out --in-place, --per-message and --dict")
	}
	f.stderr = c.ErrOrStderr()
	samples, err := f.samples(f.Sources(args, c.InOrStdin(), f.stderr))
	if err != nil {
		return err
	}
	p := f.StartDoing(f.stderr, "training with "+term.Counted(len(samples), "message"), -1)
	dict, err := dictionary.Train(samples, dictionary.Options{})
	p.Stop()
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

// samples reads the samples for the dictionary.
func (f *compressFlags) samples(list []input.Source) (samples [][]byte, err error) {
	p := f.NewProgress(f.stderr)
	input.Watch(p, list)
	defer p.Stop()
	size := 0
	for _, s := range list {
		if size >= maxSamples {
			break
		}
		var problem error
		s.Documents(f.Limits, p.Bytes, func(d input.Document, _ bool) bool {
			if problem = d.Err; problem != nil {
				return false
			}
			p.Message()
			samples = append(samples, d.Raw.Bytes)
			size += len(d.Raw.Bytes)
			return size < maxSamples
		})
		if problem != nil {
			return nil, input.InFile(s.Name, problem)
		}
	}
	return samples, nil
}
