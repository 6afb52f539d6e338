package compress

import (
	"fmt"
	"hash/crc32"
	"io"
	"runtime"
	"slices"
	"sync"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zstd"
)

// EncoderOptions configure an [Encoder].
type EncoderOptions struct {
	// Codec is Gzip or Zstd; None means Zstd.
	Codec Codec
	// Level is from 1 (fastest) to 9 for gzip or 22 for zstd; 0 means 6 for gzip, 3 for zstd, and 6
	// for zstd with a dictionary. Zstd has four distinct levels here: 1 and 2, 3 to 5, 6 to 9, and
	// 10 to 22.
	Level int
	// Dictionary is a zstd dictionary with its header; nil means none. Data compressed with it
	// cannot be read without it.
	Dictionary []byte
}

// dictionaryLevel is the default level with a dictionary. Messages are small then, and this level
// compresses them 5 % better.
const dictionaryLevel = 6

// An Encoder compresses content into units. It is safe for concurrent use.
type Encoder struct {
	format  format
	options []zstd.EOption
	zstd    *zstd.Encoder // for whole units
	streams sync.Pool     // *frameStream values
	flate   sync.Pool     // *flate.Writer values
}

// streamWindow is the window size of frames made on all cores, in bytes. Pieces of four times this
// length are compressed independently.
const streamWindow = 1 << 20

// NewEncoder returns an encoder, or an error for an invalid option.
func NewEncoder(o EncoderOptions) (*Encoder, error) {
	if o.Codec == None {
		o.Codec = Zstd
	}
	e := &Encoder{format: o.Codec.format()}
	if o.Level == 0 {
		o.Level = e.format.defaultLevel
		if o.Dictionary != nil {
			o.Level = dictionaryLevel
		}
	}
	switch {
	case e.format.codec == None:
		return nil, fmt.Errorf("unknown codec %q: use gzip or zstd", o.Codec)
	case o.Level < 1 || o.Level > e.format.levels:
		return nil, fmt.Errorf("%s has no level %d: use 1 to %d", o.Codec, o.Level, e.format.levels)
	case o.Codec == Gzip && o.Dictionary != nil:
		return nil, fmt.Errorf("gzip does not support dictionaries: use zstd")
	case o.Codec == Gzip:
		e.flate.New = func() any {
			w, err := flate.NewWriter(nil, o.Level)
			if err != nil {
				panic(err) // the level was checked
			}
			return w
		}
		return e, nil
	}
	e.options = []zstd.EOption{
		zstd.WithEncoderLevel(zstd.EncoderLevelFromZstd(o.Level)),
		zstd.WithEncoderConcurrency(max(2, runtime.GOMAXPROCS(0))), // with 1, pieces would be divided differently
		zstd.WithEncoderCRC(true), zstd.WithZeroFrames(true), zstd.WithConcurrentBlocks(true),
	}
	if o.Dictionary != nil {
		e.options = append(e.options, zstd.WithEncoderDict(o.Dictionary))
	}
	var err error
	if e.zstd, err = e.newZstd(e.format.unit); err != nil { // every core holds two units
		return nil, fmt.Errorf("not a usable zstd dictionary: %w", err)
	}
	e.streams.New = func() any {
		s, err := e.newZstd(streamWindow)
		if err != nil {
			panic(err) // the options were checked
		}
		return &frameStream{s}
	}
	return e, nil
}

func (e *Encoder) newZstd(window int) (*zstd.Encoder, error) {
	return zstd.NewWriter(nil, append(slices.Clip(e.options), zstd.WithWindowSize(window))...)
}

// stream returns a stream that compresses content of a size, possibly [Unknown], to w.
func (e *Encoder) stream(w io.Writer, size int64) stream {
	if e.format.codec == Gzip {
		return &member{w: w, encoder: e}
	}
	s := e.streams.Get().(*frameStream)
	s.ResetContentSize(w, size)
	return s
}

// free returns a closed or discarded stream to its pool.
func (e *Encoder) free(s stream) {
	if s, ok := s.(*frameStream); ok {
		e.streams.Put(s)
	}
}

// A frameStream writes one zstd frame.
type frameStream struct{ *zstd.Encoder }

func (s *frameStream) discard() { s.Reset(io.Discard) }

// Append appends content to dst as one unit, with the content size in its header.
func (e *Encoder) Append(dst, content []byte) []byte {
	if e.format.codec == Zstd {
		begin := len(dst)
		dst = e.zstd.EncodeAll(content, dst)
		if n := len(content); n > 0 && n < unsaid {
			saySize(dst[begin:], n)
		}
		return dst
	}
	dst = e.appendDeflated(append(dst, gzipHeader...), content, true)
	return appendTrailer(dst, crc32.ChecksumIEEE(content), uint32(len(content)))
}

// unsaid is the minimum content size, in bytes, that the library writes to the frame header.
const unsaid = 256

// saySize writes the content size to the header of a zstd frame that lacks it. It takes the place
// of the window descriptor: the window is then as large as the content (RFC 8878, section
// 3.1.1.1.1.2).
func saySize(frame []byte, size int) {
	const single = 1 << 5
	descriptor := frame[descriptorAt]
	if descriptor&single != 0 || descriptor>>6 != 0 {
		return
	}
	frame[descriptorAt] |= single
	window := descriptorAt + 1
	id := []int{0, 1, 2, 4}[descriptor&3] // its length in bytes
	copy(frame[window:], frame[window+1:window+1+id])
	frame[window+id] = byte(size)
}
