package cmd

import (
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/cmd/internal/cli"
	"github.com/eaapl/handoff/cmd/internal/input"
	"github.com/eaapl/handoff/cmd/internal/term"
	"github.com/eaapl/handoff/pkg/compress"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// pick writes the messages chosen, of which the index says where they are. No
// such message means no.
func (f *decompressFlags) pick(c *cobra.Command, args []string) error {
	f.stderr = c.ErrOrStderr()
	index, err := f.File(f.index, c.InOrStdin())
	if err != nil {
		return err
	}
	chosen, err := f.lookUp(index, c.Flags().Changed("message"))
	if err != nil {
		err = fmt.Errorf("%s: %w", f.index, err)
		if no := (cli.Rejection{}); errors.As(err, &no) {
			term.PrintError(f.stderr, err)
			return cli.ErrNo
		}
		return err
	}
	s := f.Sources(args, c.InOrStdin(), f.stderr)[0]
	out, err := f.OpenData(f.output, c.OutOrStdout())
	if err != nil {
		return err
	}
	err = frames(s, chosen, f.Limits, func(content []byte) error {
		_, err := out.Write(content)
		return err
	})
	if err != nil {
		err = fmt.Errorf("%s: %w", s.Name, err)
	}
	return out.Close(err)
}

// lookUp returns the lines of the index for the messages chosen, in order.
func (f *decompressFlags) lookUp(index input.Source, byNumber bool) ([]indexed, error) {
	var chosen []indexed
	var problem error
	lines := 0
	index.Documents(f.Limits, func(int) {}, func(d input.Document, _ bool) bool {
		entry := indexed{Index: -1, Offset: -1}
		problem = d.Err
		if problem == nil {
			problem = json.Unmarshal(d.Raw.Bytes, &entry)
		}
		if problem == nil && (entry.Index != lines || entry.Offset < 0 || entry.Length <= 0 || entry.ContentLength <= 0) {
			problem = errors.New("not a line of an index")
		}
		if problem != nil {
			problem = fmt.Errorf("line %d: %w", d.Raw.Start.Line, problem)
			return false
		}
		lines++
		if byNumber && entry.Index == f.message || !byNumber && entry.HandoffID == f.handoffID {
			chosen = append(chosen, entry)
		}
		return !byNumber || entry.Index < f.message
	})
	switch {
	case problem != nil:
		return nil, problem
	case len(chosen) == 0 && byNumber:
		return nil, cli.Reject(fmt.Errorf("has no message %d: there are %d, from 0", f.message, lines))
	case len(chosen) == 0:
		return nil, cli.Reject(fmt.Errorf("has no message with the handoffId %q", f.handoffID))
	}
	return chosen, nil
}

// frames calls yield with the content of each frame, in the order of the data.
func frames(s input.Source, chosen []indexed, limits jsonstream.Limits, yield func([]byte) error) error {
	data, closeFile, err := s.Raw()
	if err != nil {
		return err
	}
	defer closeFile() // read only: nothing can be lost
	at := int64(0)
	for _, entry := range chosen {
		if err := skip(data, entry.Offset-at); err != nil {
			return notIndexed(err)
		}
		at = entry.Offset + entry.Length
		text, err := entry.read(data, s.Unpacking, limits)
		if err != nil {
			return err
		}
		if err := yield(text); err != nil {
			return err
		}
	}
	return nil
}

// read returns the content of the frame that data is before, if it is the one
// that the index means.
func (e indexed) read(data io.Reader, unpacking compress.ReaderOptions, limits jsonstream.Limits) ([]byte, error) {
	frame := input.NewContent(io.LimitReader(data, e.Length), unpacking)
	defer frame.Reader.Close() // read only: nothing can be lost
	text, err := frame.All(input.MessageBound(limits))
	switch {
	case errors.Is(err, compress.ErrCorrupt):
		return nil, notIndexed(err)
	case err != nil:
		return nil, err
	case frame.Codec() == compress.None, int64(len(text)) != e.ContentLength:
		return nil, notIndexed(errors.New("there is something else at its place"))
	}
	doc, err := jsonstream.Parse(jsonstream.NewRaw(text), limits)
	if err != nil {
		return nil, notIndexed(err)
	}
	if !history.HasID(doc.Root(), e.HandoffID) {
		return nil, notIndexed(fmt.Errorf("the message there is %q", history.ID(doc.Root(), "")))
	}
	return text, nil
}

func notIndexed(err error) error { return fmt.Errorf("the index is not one of this data: %w", err) }

// skip moves on in data by n bytes.
func skip(data io.Reader, n int64) error {
	if n < 0 {
		return errors.New("it goes backwards")
	}
	if file, ok := data.(io.Seeker); ok {
		if _, err := file.Seek(n, io.SeekCurrent); err == nil {
			return nil
		}
	}
	_, err := io.CopyN(io.Discard, data, n) // a pipe
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return err
}
