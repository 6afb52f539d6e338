package compress

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"runtime"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// EncoderOptions says how to compress.
type EncoderOptions struct {
	// Codec is Gzip or Zstd; None means Zstd.
	Codec Codec
	// Level is 1 (fastest) to 9 for gzip and to 22 for zstd; 0 means 6 and 3, and 6
	// with a dictionary. Of zstd's levels four differ here: 1 and 2, 3 to 5, 6 to 9,
	// and 10 to 22.
	Level int
	// Dictionary is a zstd dictionary, header and all; nil means none. Data compressed
	// with it can only be read with it.
	Dictionary []byte
}

// dictionaryLevel is the default where there is a dictionary: messages are small
// then, and it finds 5 % more in them.
const dictionaryLevel = 6

// An Encoder makes units. It is safe for concurrent use.
type Encoder struct {
	format format
	zstd   *zstd.Encoder
	gzip   sync.Pool // of *gzip.Writer
}

// NewEncoder returns an encoder. An error says which option is wrong.
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
		return nil, fmt.Errorf("gzip knows no dictionaries: use zstd")
	case o.Codec == Gzip:
		e.gzip.New = func() any {
			w, err := gzip.NewWriterLevel(nil, o.Level)
			if err != nil {
				panic(err) // the level was checked
			}
			return w
		}
		return e, nil
	}
	options := []zstd.EOption{
		zstd.WithEncoderLevel(zstd.EncoderLevelFromZstd(o.Level)),
		zstd.WithEncoderConcurrency(runtime.GOMAXPROCS(0)),
		zstd.WithWindowSize(e.format.unit), // every core holds two
		zstd.WithEncoderCRC(true), zstd.WithZeroFrames(true),
	}
	if o.Dictionary != nil {
		options = append(options, zstd.WithEncoderDict(o.Dictionary))
	}
	var err error
	if e.zstd, err = zstd.NewWriter(nil, options...); err != nil {
		return nil, fmt.Errorf("not a usable zstd dictionary: %w", err)
	}
	return e, nil
}

// Append appends content to dst as one unit.
func (e *Encoder) Append(dst, content []byte) []byte {
	if e.format.codec == Zstd {
		return e.zstd.EncodeAll(content, dst)
	}
	unit := e.appendGzip(dst, content)
	if len(unit)-len(dst) > gzipStored(len(content)) {
		return appendStored(dst, content)
	}
	return unit
}

func (e *Encoder) appendGzip(dst, content []byte) []byte {
	w := e.gzip.Get().(*gzip.Writer)
	defer e.gzip.Put(w)
	out := appender{dst}
	w.Reset(&out)
	if _, err := w.Write(content); err != nil {
		panic(err) // memory takes everything
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return out.bytes
}

// A gzip member whose content is stored: the header, blocks of at most
// storedBlock bytes with headers of their own, and the checksum with the length.
const (
	gzipHeader  = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff" // deflate, no name or time, unknown system
	storedBlock = 1<<16 - 1
)

// gzipStored returns the length of a member that stores n bytes.
func gzipStored(n int) int {
	return len(gzipHeader) + n + 5*max(1, (n+storedBlock-1)/storedBlock) + 8
}

func appendStored(dst, content []byte) []byte {
	dst = append(dst, gzipHeader...)
	for rest := content; ; {
		n := min(len(rest), storedBlock)
		last := byte(0)
		if n == len(rest) {
			last = 1
		}
		dst = append(dst, last, byte(n), byte(n>>8), ^byte(n), ^byte(n>>8))
		dst = append(dst, rest[:n]...)
		if rest = rest[n:]; last == 1 {
			break
		}
	}
	dst = binary.LittleEndian.AppendUint32(dst, crc32.ChecksumIEEE(content))
	return binary.LittleEndian.AppendUint32(dst, uint32(len(content)))
}

type appender struct{ bytes []byte }

func (a *appender) Write(p []byte) (int, error) {
	a.bytes = append(a.bytes, p...)
	return len(p), nil
}
