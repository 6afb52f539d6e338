package compress

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/eaapl/handoff/pkg/compress/dictionary"
)

// The defaults of ReaderOptions.
const (
	DefaultMaxBytes = 64 << 20
	DefaultMaxRatio = 1000
)

// ReaderOptions limits what may be read. The zero value is the default.
type ReaderOptions struct {
	// MaxBytes of content are always read; 0 means DefaultMaxBytes.
	MaxBytes int64
	// MaxRatio is how many times as long as the data read content beyond MaxBytes may be;
	// 0 means DefaultMaxRatio, negative means no limit.
	MaxRatio int64
	// Dictionaries are zstd dictionaries, header and all, to be used by frames that name
	// them by their ids. The built-in one need not be listed.
	Dictionaries [][]byte
}

// maxWindow is the largest zstd window accepted: the limit of zstd itself without --long.
// A frame of nine bytes can declare far more.
const maxWindow = 128 << 20

// A Reader reads content, decompressed if need be.
type Reader struct {
	options ReaderOptions
	src     *source
	buffer  *bufio.Reader
	codec   Codec
	unit    io.Reader // the member or frame that is being read, nil between two
	gunzip  gunzip
	zstd    *zstd.Decoder
	frame   frame
	known   []uint32 // ids of the dictionaries that the decoder has
	content int64    // bytes
	start   int64    // of the content, where the member or frame begins
	err     error
}

// NewReader returns a reader of r's content, decompressed where the first bytes
// are those of gzip or zstd; it waits for these. Several gzip members or zstd
// frames in a row are one content, and so are zeros after a gzip member; anything else
// after them is an error.
//
// Reading gives, after the content that could be read, an error that wraps [ErrCorrupt]
// for damaged data, [ErrWindow] for a frame that needs too much memory, a [*RatioError]
// for data that grows beyond the limits, a [*DictionaryError] for a dictionary that is not
// known, or an error of r itself as it is. The content is only complete with [io.EOF]. The caller closes the reader, which
// does not close r.
func NewReader(r io.Reader, o ReaderOptions) *Reader {
	if o.MaxBytes == 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	if o.MaxRatio == 0 {
		o.MaxRatio = DefaultMaxRatio
	}
	src := &source{r: r}
	buffer := bufio.NewReaderSize(src, 64<<10)
	return &Reader{options: o, src: src, buffer: buffer, codec: detect(buffer)}
}

// Codec returns what the data is compressed with.
func (r *Reader) Codec() Codec { return r.codec }

// Dictionary returns the id of the dictionary of the frame read last, 0 for none.
func (r *Reader) Dictionary() uint32 { return r.frame.dictionary }

func (r *Reader) Read(p []byte) (int, error) {
	if r.codec == None {
		return r.buffer.Read(p)
	}
	if r.err != nil || len(p) == 0 {
		return 0, r.err
	}
	for {
		if r.unit == nil {
			r.start = r.content
			if r.unit, r.err = r.next(); r.err != nil {
				r.err = r.explain(r.err)
				return 0, r.err
			}
		}
		n, err := r.unit.Read(p)
		r.content += int64(n)
		switch {
		case err == io.EOF && r.codec == Zstd && !r.frame.ended():
			r.err = r.explain(io.ErrUnexpectedEOF)
		case err == io.EOF:
			r.unit = nil // the next Read looks for another
		case err != nil:
			r.err = r.explain(err)
		}
		if r.err == nil {
			r.err = r.checkRatio()
		}
		if n > 0 || r.err != nil {
			return n, r.err
		}
	}
}

// Close frees what the reader holds.
func (r *Reader) Close() error {
	if r.zstd != nil {
		r.zstd.Close()
	}
	r.err = errors.Join(r.err, io.ErrClosedPipe)
	return nil
}

// next begins the next member or frame; io.EOF means that there is none.
func (r *Reader) next() (io.Reader, error) {
	for {
		_, err := r.buffer.Peek(1)
		switch {
		case err != nil:
			return nil, err
		case r.codec == Zstd && skippable(r.buffer):
			if err := skip(r.buffer); err != nil {
				return nil, noEOF(err)
			}
		case begins(r.buffer, r.codec.format().magic):
			return r.begin()
		case r.codec == Gzip && padding(r.buffer):
			// Zeros fill up the blocks of tapes and disks; gzip passes over them, too.
		default:
			return nil, errors.New("something else follows it")
		}
	}
}

// begin begins the member or frame that the reader is before.
func (r *Reader) begin() (io.Reader, error) {
	if r.codec == Gzip {
		return &r.gunzip, noEOF(r.gunzip.next(r.buffer))
	}
	return r.nextFrame()
}

// padding takes zeros, and reports whether there are any.
func padding(r *bufio.Reader) bool {
	first, err := r.Peek(1)
	if err != nil || first[0] != 0 {
		return false
	}
	buffered, _ := r.Peek(r.Buffered())
	zeros := len(buffered) - len(bytes.TrimLeft(buffered, "\x00"))
	_, err = r.Discard(zeros)
	return err == nil
}

func (r *Reader) nextFrame() (io.Reader, error) {
	if err := r.frame.next(r.buffer); err != nil {
		return nil, noEOF(err)
	}
	if r.zstd == nil {
		var err error
		r.zstd, err = zstd.NewReader(nil, zstd.WithDecoderMaxWindow(maxWindow),
			zstd.WithDecoderLowmem(true), zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, err
		}
	}
	dict, err := r.decoderOption(r.frame.dictionary)
	if err != nil {
		return nil, err
	}
	return r.zstd, r.zstd.ResetWithOptions(&r.frame, dict...)
}

// decoderOption returns the decoder's option for a dictionary.
func (r *Reader) decoderOption(id uint32) ([]zstd.DOption, error) {
	for _, known := range append(r.known, 0) {
		if id == known {
			return nil, nil
		}
	}
	give := func(dict []byte) ([]zstd.DOption, error) {
		r.known = append(r.known, id)
		return []zstd.DOption{zstd.WithDecoderDicts(dict)}, nil
	}
	for _, dict := range r.options.Dictionaries {
		if known, err := dictionary.ID(dict); err == nil && known == id {
			return give(dict)
		}
	}
	if id == dictionary.BuiltinID {
		return give(dictionary.Builtin())
	}
	return nil, &DictionaryError{id}
}

func (r *Reader) checkRatio() error {
	read := r.src.read - int64(r.buffer.Buffered())
	if ratio := r.options.MaxRatio; ratio > 0 && r.content > r.options.MaxBytes && (r.content-1)/ratio >= read {
		return &RatioError{r.codec, read, r.content, r.options.MaxBytes, ratio}
	}
	return nil
}

// explain returns the cause of a failure to read a member or frame.
func (r *Reader) explain(err error) error {
	unknown := (*DictionaryError)(nil)
	switch {
	case r.src.err != nil:
		return r.src.err
	case err == io.EOF || errors.As(err, &unknown):
		return err
	case errors.Is(err, zstd.ErrWindowSizeExceeded), errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return fmt.Errorf("%s: %w", r.codec, ErrWindow)
	case r.unit != nil && r.codec == Zstd && r.frame.dictionary == 0 && r.content == r.start && !errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%s: %w, or it was made with a dictionary that it does not name (zstd's option no-dictID), which cannot be read: %w", r.codec, ErrCorrupt, err)
	}
	return fmt.Errorf("%s: %w: %w", r.codec, ErrCorrupt, err)
}

// detect looks at the first bytes. It waits for no more of them than it needs:
// plain text shows by its first.
func detect(r *bufio.Reader) Codec {
	for _, f := range formats {
		if begins(r, f.magic) {
			return f.codec
		}
	}
	if skippable(r) {
		return Zstd
	}
	return None
}

func begins(r *bufio.Reader, magic string) bool {
	for i := range len(magic) {
		if start, err := r.Peek(i + 1); err != nil || start[i] != magic[i] {
			return false
		}
	}
	return true
}

// skippable reports whether a zstd skippable frame follows, whose first byte has
// four bits that may be anything.
func skippable(r *bufio.Reader) bool {
	first, err := r.Peek(1)
	return err == nil && first[0]&0xf0 == 0x50 && begins(r, string(first)+"\x2a\x4d\x18")
}

// A source counts the bytes read, and keeps the error of the reader: the decoders do not
// always return it.
type source struct {
	r    io.Reader
	read int64 // bytes
	err  error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	s.read += int64(n)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}
