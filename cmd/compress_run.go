package cmd

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/cmd/internal/claim"
	"github.com/eaapl/handoff/cmd/internal/input"
	"github.com/eaapl/handoff/cmd/internal/output"
	"github.com/eaapl/handoff/cmd/internal/report"
	"github.com/eaapl/handoff/pkg/compress"
	"github.com/eaapl/handoff/pkg/compress/dictionary"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
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
		err = pump(w, content, func() error { return cmp.Or(w.Flush(), flush()) })
	}
	if err != nil {
		return true, err
	}
	return true, w.Close()
}

// patience is how long content waits for more of it when none comes. What is
// compressed in small pieces grows; waiting for ever would starve the reader.
const patience = time.Second

// pump copies src to dst, and flushes when nothing comes from src and something
// has waited.
func pump(dst io.Writer, src io.Reader, flush func() error) error {
	type piece struct {
		bytes []byte
		err   error
	}
	pieces, free := make(chan piece), make(chan []byte, 2)
	free <- make([]byte, input.BatchBytes)
	free <- make([]byte, input.BatchBytes)
	defer close(free)
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		for buffer := range free {
			n, err := src.Read(buffer)
			select {
			case pieces <- piece{buffer[:n], err}:
			case <-stop:
				return
			}
			if err != nil {
				return
			}
		}
	}()
	var due <-chan time.Time // when something will have waited for too long
	for {
		var p piece
		select {
		case p = <-pieces:
		default: // nothing is there yet
			select {
			case p = <-pieces:
			case <-due:
				due = nil
				if err := flush(); err != nil {
					return err
				}
				continue
			}
		}
		if len(p.bytes) > 0 && due == nil {
			due = time.After(patience)
		}
		if _, err := dst.Write(p.bytes); err != nil {
			return err
		}
		if p.err == io.EOF {
			return nil
		}
		if p.err != nil {
			return p.err
		}
		free <- p.bytes[:cap(p.bytes)]
	}
}

// A frame is a message compressed by itself, or the reason why there is none.
type frame struct {
	indexed
	text []byte // of the message
	unit []byte // the text and a line feed, compressed
	err  error
}

// indexed is a line of the index.
type indexed struct {
	Index         int    `json:"index"`  // 0-based
	Offset        int64  `json:"offset"` // of its frame, in bytes
	Length        int64  `json:"length"`
	ContentOffset int64  `json:"contentOffset"` // in what the data decompresses to
	ContentLength int64  `json:"contentLength"`
	HandoffID     string `json:"handoffId,omitzero"` // or its counterpart in other formats
}

// packMessages compresses each message, and the line feed after it, by itself.
func (f *compressFlags) packMessages(list []input.Source, in *tally, w *compress.Writer, flush func() error) (messages int, err error) {
	var index *output.File
	if f.index != "" {
		if index, err = f.Open(f.index, nil); err != nil {
			return 0, err
		}
		defer func() { err = index.Close(err) }()
	}
	produce := func(emit func([]input.Document) bool) { input.Batches(list, f.Limits, f.progress.Bytes, emit) }
	offset := int64(0)
	err = input.InOrder(produce, f.packBatch, func(batch []frame) error {
		for _, r := range batch {
			if r.err != nil {
				return r.err
			}
			r.Index, r.Offset, r.Length = messages, offset, int64(len(r.unit))
			r.ContentOffset, r.ContentLength = in.bytes, int64(len(r.text))+1
			messages++
			offset += r.Length
			f.progress.Message()
			in.Write(r.text) // nothing can go wrong there
			in.Write([]byte{'\n'})
			if err := w.WriteUnit(r.unit); err != nil {
				return err
			}
			if index == nil {
				continue
			}
			if err := report.WriteIndex(index, r.indexed); err != nil {
				return err
			}
		}
		return nil
	}, func() error {
		if flush == nil {
			return nil
		}
		return cmp.Or(w.Flush(), flush())
	})
	if err != nil {
		return messages, err
	}
	return messages, w.Close()
}

func (f *compressFlags) packBatch(batch []input.Document) []frame {
	frames := make([]frame, 0, len(batch))
	var text, unit []byte // used again and again
	for _, d := range batch {
		r := frame{text: d.Raw.Bytes, err: d.Err}
		var doc *jsonstream.Document
		if r.err == nil {
			doc, r.err = jsonstream.Parse(d.Raw, f.Limits)
		}
		if r.err != nil {
			r.err = input.InFile(d.Source.Name, r.err)
			return append(frames, r)
		}
		if f.From != "" {
			if _, err := history.FormatOf(doc.Root(), f.From); err != nil {
				r.err = fmt.Errorf("%s: %w", d.Origin(), err)
				return append(frames, r)
			}
		}
		r.HandoffID = history.ID(doc.Root(), f.From)
		text = append(append(text[:0], r.text...), '\n')
		unit = f.encoder.Append(unit[:0], text)
		r.unit = slices.Clone(unit)
		frames = append(frames, r)
	}
	return frames
}

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
		fmt.Fprintf(f.stderr, "dictionary %d of %d bytes from %s\n", id, len(dict), counted(len(samples), "message"))
	}
	return nil
}
