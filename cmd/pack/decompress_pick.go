package pack

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/frames"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/output"
	"github.com/eaapl/handoff/internal/term"
)

// pick writes the selected messages, using the places in the index. It returns [cli.ErrNo] if there is no
// such message.
func (f *decompressFlags) pick(c *cobra.Command, args []string) error {
	index, err := f.File(f.index, c.InOrStdin())
	if err != nil {
		return err
	}
	chosen, err := f.lookUp(index, c.Flags().Changed("message-number"))
	if err != nil {
		err = fmt.Errorf("%s: %w", f.index, err)
		if errors.As(err, new(*frames.NotFoundError)) {
			term.PrintError(c.ErrOrStderr(), err)
			return cli.ErrNo
		}
		return err
	}
	s := f.Sources(args, c.InOrStdin(), c.ErrOrStderr())[0]
	out, err := f.OpenData(f.output, c.OutOrStdout())
	if err != nil {
		return err
	}
	if err = f.copyFrames(out, s, chosen); err != nil {
		err = fmt.Errorf("%s: %w", s.Name, err)
	}
	return out.Close(err)
}

// lookUp returns the entries of the index for the selected messages.
func (f *decompressFlags) lookUp(index input.Source, byNumber bool) ([]frames.Entry, error) {
	lines, err := index.Open(func(int) {})
	if err != nil {
		return nil, err
	}
	defer lines.Close() // read only: nothing can be lost
	if !byNumber {
		return frames.ByID(lines, f.handoffID, f.Limits)
	}
	entry, err := frames.ByNumber(lines, f.message, f.Limits)
	return []frames.Entry{entry}, err
}

func (f *decompressFlags) copyFrames(out *output.File, s input.Source, chosen []frames.Entry) error {
	data, closeFile, err := s.Raw()
	if err != nil {
		return err
	}
	defer closeFile() // read only: nothing can be lost
	for content, err := range frames.Read(data, chosen, s.Unpacking, f.Limits) {
		if err != nil {
			return err
		}
		if _, err := out.Write(content); err != nil {
			return err
		}
	}
	return nil
}
