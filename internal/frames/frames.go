// Package frames stores messages as compressed frames, one each. An index has the position of every
// frame, so that a message can be read without the rest.
package frames

import (
	"slices"

	"github.com/eaapl/handoff/pkg/compress"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// An Entry is a line of an index: the position of a message.
type Entry struct {
	Index         int    `json:"index"`  // 0-based
	Offset        int64  `json:"offset"` // of its frame, in bytes
	Length        int64  `json:"length"`
	ContentOffset int64  `json:"contentOffset"` // in the decompressed data
	ContentLength int64  `json:"contentLength"`
	HandoffID     string `json:"handoffId,omitzero"` // or its counterpart in other formats
}

// A Frame is a message compressed by itself.
type Frame struct {
	Message []byte
	ID      string
	Data    []byte // the message and a line feed, compressed
}

// A Packer compresses messages to frames. It is not safe for concurrent use, but several packers
// may share an encoder.
type Packer struct {
	Encoder *compress.Encoder
	Format  format.Format // of the messages; "" means any
	Limits  jsonstream.Limits

	content, data []byte // buffers, reused
}

// Pack compresses a message. The frame retains message. The error is that of [jsonstream.Parse] or
// [history.FormatOf].
func (p *Packer) Pack(message jsonstream.Raw) (Frame, error) {
	doc, err := jsonstream.Parse(message, p.Limits)
	if err == nil && p.Format != "" {
		_, err = history.FormatOf(doc.Root(), p.Format)
	}
	if err != nil {
		return Frame{}, err
	}
	p.content = append(append(p.content[:0], message.Bytes...), '\n')
	p.data = p.Encoder.Append(p.data[:0], p.content)
	return Frame{message.Bytes, history.ID(doc.Root(), p.Format), slices.Clone(p.data)}, nil
}

// A Writer writes frames one after another. It is not safe for concurrent use.
type Writer struct {
	w    *compress.UnitWriter
	next Entry // position of the next frame, without its lengths
}

// NewWriter returns a writer of frames to w, which must be empty. The caller flushes and closes w.
func NewWriter(w *compress.UnitWriter) *Writer { return &Writer{w: w} }

// Write writes a frame and returns its line of the index. The error is that of
// [compress.UnitWriter.Write].
func (w *Writer) Write(f Frame) (Entry, error) {
	e := w.next
	e.Length, e.ContentLength, e.HandoffID = int64(len(f.Data)), int64(len(f.Message))+1, f.ID
	w.next = Entry{Index: e.Index + 1, Offset: e.Offset + e.Length, ContentOffset: e.ContentOffset + e.ContentLength}
	return e, w.w.Write(f.Data)
}
