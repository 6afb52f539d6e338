package pack

import (
	"bytes"
	"io"
	"slices"

	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/output"
	"github.com/eaapl/handoff/pkg/compress"
	"github.com/eaapl/handoff/pkg/compress/dictionary"
)

// pack compresses the content of the sources.
func (f *compressFlags) pack(list []input.Source, out *output.File) (packed, error) {
	p := packed{Codec: compress.Codec(f.codec), packs: true}
	in, data := f.newTally(nil), &tally{w: out}
	var flush func() error
	if slices.ContainsFunc(list, func(s input.Source) bool { return s.Size < 0 }) {
		flush = out.Flush // a reader may be waiting
	}
	var err error
	if f.perMessage {
		p.Messages, err = f.packMessages(list, in, compress.NewUnitWriter(data, f.encoder), flush)
	} else {
		p.packs, err = f.packStream(list, in, data, flush)
	}
	if !p.packs {
		p.Codec = compress.None
	} else if f.dictionary != nil {
		p.Dictionary, _ = dictionary.ID(f.dictionary) // checked when it was loaded
	}
	if err == nil {
		p.count(in, data)
	}
	return p, err
}

// packStream compresses the sources as one stream unless they are too short, and reports whether it did.
// Empty input is compressed, too: empty output would look like lost data. flush is nil if the output has no
// waiting reader.
func (f *compressFlags) packStream(list []input.Source, in, data *tally, flush func() error) (bool, error) {
	size := contentSize(list)
	all := &contents{list: list, count: f.progress.Bytes, sized: size != compress.Unknown}
	if flush == nil { // otherwise a read may block after an error
		defer all.Close() // read only: nothing can be lost
	}
	content := io.TeeReader(all, in)
	head, err := io.ReadAll(io.LimitReader(content, f.threshold))
	if err != nil {
		return true, err
	}
	if len(head) > 0 && int64(len(head)) < f.threshold {
		_, err := data.Write(head)
		return false, err
	}
	w := compress.NewWriter(data, f.encoder, size)
	defer w.Discard()
	content = io.MultiReader(bytes.NewReader(head), content)
	if flush == nil {
		_, err = io.CopyBuffer(w, content, make([]byte, input.BatchBytes))
	} else {
		err = compress.CopyFlushing(w, content, func() error {
			if err := w.Flush(); err != nil {
				return err
			}
			return flush()
		})
	}
	if err != nil {
		return true, err
	}
	return true, w.Close()
}
