package cmd

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"hash"
	"io"
	"slices"

	"github.com/eaapl/handoff/cmd/internal/input"
	"github.com/eaapl/handoff/cmd/internal/output"
	"github.com/eaapl/handoff/pkg/compress"
	"github.com/eaapl/handoff/pkg/compress/dictionary"
)

// pack compresses what the sources hold.
func (f *compressFlags) pack(list []input.Source, out *output.File) (packed, error) {
	p := packed{Codec: compress.Codec(f.codec), packs: true}
	in, data := f.newTally(nil), &tally{w: out}
	var flush func() error
	if slices.ContainsFunc(list, func(s input.Source) bool { return s.Size < 0 }) {
		flush = out.Flush // somebody may be waiting
	}
	var err error
	if f.perMessage {
		p.Messages, err = f.packMessages(list, in, compress.NewWriter(data, f.encoder), flush)
	} else {
		p.packs, err = f.packStream(list, in, data, flush)
	}
	if !p.packs {
		p.Codec = compress.None
	} else if f.dictionary != nil {
		p.Dictionary, _ = dictionary.ID(f.dictionary) // it was checked when it was loaded
	}
	if err == nil {
		p.count(in, data)
	}
	return p, err
}

// A tally counts what goes through it to w, and hashes it if there is a hash.
type tally struct {
	w     io.Writer // nil: it goes nowhere
	hash  hash.Hash
	bytes int64
}

// newTally returns a tally of content, which is hashed for --verify.
func (f *packing) newTally(w io.Writer) *tally {
	if f.verify {
		return &tally{w: w, hash: sha256.New()}
	}
	return &tally{w: w}
}

func (t *tally) Write(p []byte) (int, error) {
	t.bytes += int64(len(p))
	if t.hash != nil {
		t.hash.Write(p)
	}
	if t.w == nil {
		return len(p), nil
	}
	return t.w.Write(p)
}

// packStream compresses all as one stream, unless it is too short, and reports
// whether it did. Nothing at all is compressed too: it would look like something
// that got lost. flush is nil if nobody waits for the output.
func (f *compressFlags) packStream(list []input.Source, in, data *tally, flush func() error) (bool, error) {
	all := &contents{list: list, count: f.progress.Bytes}
	if flush == nil { // otherwise it may be waiting for input when something fails
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
	w := compress.NewWriter(data, f.encoder)
	content = io.MultiReader(bytes.NewReader(head), content)
	if flush == nil {
		_, err = w.ReadFrom(content)
	} else {
		err = compress.CopyFlushing(w, content, func() error { return cmp.Or(w.Flush(), flush()) })
	}
	if err != nil {
		return true, err
	}
	return true, w.Close()
}
