package pack

import (
	"errors"
	"fmt"

	"github.com/eaapl/handoff/internal/frames"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/output"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/pkg/compress"
	"github.com/eaapl/handoff/pkg/history"
)

// A framed is a message and its size, or an error.
type framed struct {
	frames.Frame
	err error
}

// packMessages compresses each message, with its line feed, as a separate frame.
func (f *compressFlags) packMessages(list []input.Source, in *tally, data *compress.UnitWriter, flush func() error) (messages int, err error) {
	var index *output.File
	if f.index != "" {
		if index, err = f.Open(f.index, nil); err != nil {
			return 0, err
		}
		defer func() { err = index.Close(err) }()
	}
	w := frames.NewWriter(data)
	produce := func(emit func([]input.Document) bool) { input.Batches(list, f.Limits, f.progress.Bytes, emit) }
	err = input.InOrder(produce, f.packBatch, func(batch []framed) error {
		for _, r := range batch {
			if r.err != nil {
				return r.err
			}
			messages++
			f.progress.Message()
			in.Write(r.Message) // never fails
			in.Write([]byte{'\n'})
			entry, err := w.Write(r.Frame)
			if err == nil && index != nil {
				err = report.WriteIndex(index, entry)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}, func() error {
		if flush == nil {
			return nil
		}
		if err := data.Flush(); err != nil {
			return err
		}
		return flush()
	})
	if err != nil {
		return messages, err
	}
	return messages, data.Close()
}

func (f *compressFlags) packBatch(batch []input.Document) []framed {
	list := make([]framed, 0, len(batch))
	packer := frames.Packer{Encoder: f.encoder, Format: f.From, Limits: f.Limits}
	for _, d := range batch {
		r := framed{err: d.Err}
		if r.err == nil {
			r.Frame, r.err = packer.Pack(d.Raw)
		}
		switch {
		case errors.As(r.err, new(*history.MismatchError)):
			r.err = fmt.Errorf("%s: %w", d.Origin(), r.err)
		case r.err != nil:
			r.err = input.InFile(d.Source.Name, r.err)
		}
		if list = append(list, r); r.err != nil {
			break
		}
	}
	return list
}
