package pack

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/output"
	"github.com/eaapl/handoff/pkg/compress"
)

// unpack writes the decompressed content of the sources.
func (f *decompressFlags) unpack(list []input.Source, out *output.File) (packed, error) {
	p, data, content := packed{}, &tally{}, f.newTally(out)
	for _, s := range list {
		codec, dictionary, err := unpackOne(s, content, func(n int) {
			data.bytes += int64(n)
			f.progress.Bytes(n)
		}, out.Flush)
		if err != nil {
			return p, fmt.Errorf("%s: %w", s.Name, err)
		}
		p.Codec, p.Dictionary = codec, dictionary
	}
	p.count(data, content)
	return p, nil
}

func unpackOne(s input.Source, w io.Writer, count func(int), flush func() error) (compress.Codec, uint32, error) {
	content, err := s.Open(count)
	if err != nil {
		return compress.None, 0, err
	}
	defer content.Close() // read only: nothing can be lost
	var r io.Reader = content
	if content.Codec() == compress.None {
		if r, err = mustBeJSON(content); err != nil {
			return compress.None, 0, err
		}
	}
	if s.Size < 0 {
		w = flushing{w, flush} // a reader may be waiting
	}
	_, err = io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{r}, make([]byte, input.BatchBytes))
	return content.Codec(), content.Dictionary(), err
}

// mustBeJSON returns uncompressed data if it may be JSON, and otherwise an error: the data may be a fragment
// of compressed data.
func mustBeJSON(content io.Reader) (io.Reader, error) {
	r := bufio.NewReader(content)
	first, err := r.Peek(1)
	switch {
	case err == io.EOF:
		return nil, errors.New("is empty, so it is not compressed data: it was cut off")
	case err != nil:
		return nil, err
	case !strings.ContainsRune(" \t\r\n{[\"-0123456789tfn", rune(first[0])):
		return nil, errors.New("is neither gzip nor zstd data, nor JSON")
	}
	return r, nil
}

// flushing flushes after every write.
type flushing struct {
	io.Writer
	flush func() error
}

func (f flushing) Write(p []byte) (int, error) {
	n, err := f.Writer.Write(p)
	if err == nil {
		err = f.flush()
	}
	return n, err
}
