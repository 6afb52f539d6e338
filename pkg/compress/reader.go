// Package compress recognises and reads gzip (RFC 1952) and zstd (RFC 8878)
// data by its first bytes, in bounded memory.
package compress

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// A Codec is a way of compressing.
type Codec string

// The codecs. None is that of plain data.
const (
	None Codec = ""
	Gzip Codec = "gzip"
	Zstd Codec = "zstd"
)

// ErrCorrupt reports compressed data that is damaged or cut off.
var ErrCorrupt = errors.New("compressed data is damaged or cut off")

// maxWindow is the largest zstd window accepted: what zstd itself accepts
// without --long. A frame of nine bytes can declare far more.
const maxWindow = 128 << 20

// NewReader returns a reader of r's content, decompressed where the first bytes
// are those of gzip or zstd, and the codec found. Several gzip members or zstd
// frames in a row are one content. Damaged data gives an error that wraps
// [ErrCorrupt], after what could be read; an error of r itself is returned as it
// is. The caller closes the reader, which does not close r.
func NewReader(r io.Reader) (io.ReadCloser, Codec, error) {
	src := &source{r: r}
	buffered := bufio.NewReaderSize(src, 64<<10)
	switch codec := detect(buffered); codec {
	case Gzip:
		z, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, codec, src.explain(codec, err)
		}
		return &reader{codec, src, z, z.Close}, codec, nil
	case Zstd:
		z, err := zstd.NewReader(buffered, zstd.WithDecoderMaxWindow(maxWindow),
			zstd.WithDecoderLowmem(true), zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, codec, src.explain(codec, err)
		}
		return &reader{codec, src, z, func() error { z.Close(); return nil }}, codec, nil
	default:
		return io.NopCloser(buffered), None, nil
	}
}

var magics = map[Codec][]byte{
	Gzip: {0x1f, 0x8b},
	Zstd: {0x28, 0xb5, 0x2f, 0xfd},
}

// skippable are the first bytes of a zstd skippable frame, but for the lowest
// four bits of the first one.
var skippable = []byte{0x50, 0x2a, 0x4d, 0x18}

// detect looks at the first bytes. It waits for no more of them than it needs:
// plain text shows by its first.
func detect(r *bufio.Reader) Codec {
	first, err := r.Peek(1)
	if err != nil {
		return None
	}
	for codec, magic := range magics {
		if first[0] != magic[0] {
			continue
		}
		if start, _ := r.Peek(len(magic)); bytes.Equal(start, magic) {
			return codec
		}
	}
	if first[0]&0xf0 == skippable[0] {
		if start, _ := r.Peek(len(skippable)); len(start) == len(skippable) && bytes.Equal(start[1:], skippable[1:]) {
			return Zstd
		}
	}
	return None
}

// A source remembers how reading failed: the decoders do not always tell.
type source struct {
	r   io.Reader
	err error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

// explain returns the error of the source if that is what a decoder failed on,
// else says that the data is damaged.
func (s *source) explain(codec Codec, err error) error {
	if s.err != nil {
		return s.err
	}
	return corrupt(codec, err)
}

type reader struct {
	codec Codec
	src   *source
	io.Reader
	close func() error
}

func (r *reader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil && err != io.EOF {
		err = r.src.explain(r.codec, err)
	}
	return n, err
}

func (r *reader) Close() error { return r.close() }

func corrupt(codec Codec, err error) error {
	if errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, zstd.ErrDecoderSizeExceeded) {
		return fmt.Errorf("%s data asks for a window of more than %d MiB: %w", codec, maxWindow>>20, ErrCorrupt)
	}
	return fmt.Errorf("%s: %w: %w", codec, ErrCorrupt, err)
}
