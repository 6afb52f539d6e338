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
	"github.com/eaapl/handoff/pkg/history"
)

// pick writes the selected messages, using the places in the index. It returns [cli.ErrNo] if there is no
// such message.
func (f *decompressFlags) pick(c *cobra.Command, args []string) error {
	index, err := f.File(f.index, c.InOrStdin())
	if err != nil {
		return err
	}
	chosen, err := f.lookUp(index, f.message > 0)
	if err != nil {
		return notFound(c, fmt.Errorf("%s: %w", f.index, err))
	}
	s := f.Sources(args, c.InOrStdin(), c.ErrOrStderr())[0]
	out, err := f.OpenPart(f.output, c.OutOrStdout())
	if err != nil {
		return err
	}
	if err = f.copyFrames(out, s, chosen); err != nil {
		err = fmt.Errorf("%s: %w", s.Name, err)
	}
	return out.Close(err)
}

// notFound returns an error, or prints it and returns [cli.ErrNo] if it reports that there is no such message.
func notFound(c *cobra.Command, err error) error {
	if errors.As(err, new(*frames.NotFoundError)) {
		term.PrintError(c.ErrOrStderr(), err)
		return cli.ErrNo
	}
	return err
}

// search writes the selected messages of data without an index. It returns [cli.ErrNo] if there are none.
func (f *decompressFlags) search(c *cobra.Command, args []string) error {
	list := f.Sources(args, c.InOrStdin(), c.ErrOrStderr())
	out, err := f.OpenPart(f.output, c.OutOrStdout())
	if err != nil {
		return err
	}
	n, found := 0, false
	for _, s := range list {
		s.Documents(f.Limits, func(int) {}, func(d input.Document, _ bool) bool {
			n++
			var chosen bool
			if chosen, err = f.chooses(d, n); chosen && err == nil {
				found = true
				out.Write(d.Raw.Bytes)
				err = out.WriteByte('\n') // sticky: it returns the error of Write, too
			}
			return err == nil && !(found && f.message > 0)
		})
		if err != nil || found && f.message > 0 {
			break
		}
	}
	if err == nil && !found {
		name := "the input"
		if len(list) == 1 {
			name = list[0].Name
		}
		err = notFound(c, fmt.Errorf("%s: %w", name, frames.NotFound(f.message, n, f.handoffID)))
	}
	return out.Close(err)
}

// chooses reports whether a document, number n, is selected.
func (f *decompressFlags) chooses(d input.Document, n int) (bool, error) {
	if f.message > 0 && n != f.message && !d.Unreadable() {
		return false, nil
	}
	doc, err := d.Parse(f.Limits)
	return err == nil && (f.message > 0 || history.ID(doc.Root(), "") == f.handoffID), err
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
