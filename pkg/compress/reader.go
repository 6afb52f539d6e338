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

// ReaderOptions limit the content to read. The zero value means the defaults.
type ReaderOptions struct {
	// MaxBytes is the size of content that is read regardless of MaxRatio; 0 means DefaultMaxBytes.
	MaxBytes int64
	// MaxRatio is the maximum decompression ratio of content beyond MaxBytes; 0 means
	// DefaultMaxRatio, negative means no limit.
	MaxRatio int64
	// Dictionaries are zstd dictionaries with their headers, for frames that refer to their ids.
	// The built-in one need not be listed.
	Dictionaries [][]byte
}

// maxWindow is the maximum zstd window, as in zstd itself without --long. A frame of nine bytes can
// declare a far larger one.
const maxWindow = 128 << 20

// A Reader reads content and decompresses it if necessary.
type Reader struct {
	options ReaderOptions
	src     *source
	buffer  *bufio.Reader
	codec   Codec
	unit    io.Reader // the current member or frame, nil between two
	gunzip  gunzip
	zstd    *zstd.Decoder
	frame   frame
	known   []uint32 // ids of the dictionaries loaded into the decoder
	content int64    // bytes
	start   int64    // offset in the content of the current member or frame
	err     error
}

// NewReader returns a reader of r's content, decompressed if r begins with gzip or zstd data; it
// waits for the first bytes. Consecutive gzip members or zstd frames form one content. Zeros after
// a gzip member are ignored; anything else after the last member or frame is an error.
//
// The content is complete only with [io.EOF]. After the readable content, Read returns an error
// that wraps [ErrCorrupt] for damaged data, [ErrWindow] for a frame that needs too much memory, a
// [*RatioError] for content that exceeds the limits, a [*DictionaryError] for an unknown
// dictionary, or the unchanged error of r. The caller closes the reader, which does not close r.
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

// Codec returns the codec of the data.
func (r *Reader) Codec() Codec { return r.codec }

// Dictionary returns the id of the last frame's dictionary, 0 for none.
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
			r.unit = nil // the next Read begins another
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

// Close releases the resources of the reader.
func (r *Reader) Close() error {
	if r.zstd != nil {
		r.zstd.Close()
	}
	r.err = errors.Join(r.err, io.ErrClosedPipe)
	return nil
}

// next begins the next member or frame; the error is io.EOF if there is none.
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
			// Zeros pad the blocks of tapes and disks; gzip ignores them, too.
		default:
			return nil, errors.New("other data follows it")
		}
	}
}

// begin begins the member or frame at the start of the source.
func (r *Reader) begin() (io.Reader, error) {
	if r.codec == Gzip {
		return &r.gunzip, noEOF(r.gunzip.next(r.buffer))
	}
	return r.nextFrame()
}

// padding consumes zeros and reports whether there were any.
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

// detect returns the codec of the data by its first bytes. It waits for no more of them than it
// needs: the first byte is enough for plain text.
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

// skippable reports whether a zstd skippable frame follows. Four bits of its first byte may have
// any value.
func skippable(r *bufio.Reader) bool {
	first, err := r.Peek(1)
	return err == nil && first[0]&0xf0 == 0x50 && begins(r, string(first)+"\x2a\x4d\x18")
}

// A source counts the bytes read and keeps the reader's error, which the decoders do not always
// return.
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
