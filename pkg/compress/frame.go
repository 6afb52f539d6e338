package compress

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
)

// A frame reads one zstd frame and nothing after it. The library's decoder would read into the next
// frame, which may need another dictionary or may not have arrived yet.
type frame struct {
	src        *bufio.Reader
	left       int // bytes to the next block header
	last       bool
	checksum   bool
	dictionary uint32 // id of the dictionary, 0 for none
}

// descriptorAt is the offset of the frame header descriptor, after the magic number.
const descriptorAt = 4

// next parses the frame header at the start of src without consuming it: magic number, descriptor,
// window, dictionary id, content size (RFC 8878, section 3.1.1.1).
func (f *frame) next(src *bufio.Reader) error {
	start, err := src.Peek(descriptorAt + 1)
	if err != nil {
		return err
	}
	descriptor := start[descriptorAt]
	at, single := descriptorAt+1, descriptor>>5&1 == 1
	if !single {
		at++ // window descriptor
	}
	idSize := []int{0, 1, 2, 4}[descriptor&3]
	contentSize := []int{0, 2, 4, 8}[descriptor>>6]
	if contentSize == 0 && single {
		contentSize = 1
	}
	header, err := src.Peek(at + idSize + contentSize)
	if err != nil {
		return err
	}
	id := make([]byte, 4)
	copy(id, header[at:at+idSize])
	*f = frame{src: src, left: len(header), checksum: descriptor>>2&1 == 1, dictionary: binary.LittleEndian.Uint32(id)}
	return nil
}

// Read returns io.EOF only at the end of the frame.
func (f *frame) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if f.left == 0 {
		if err := f.nextBlock(); err != nil {
			return 0, err
		}
	}
	n, err := f.src.Read(p[:min(len(p), f.left)])
	f.left -= n
	return n, noEOF(err)
}

// nextBlock parses the next block header (section 3.1.1.2) without consuming it.
func (f *frame) nextBlock() error {
	if f.last {
		if !f.checksum {
			return io.EOF
		}
		f.checksum = false
		f.left = 4
		return nil
	}
	header, err := f.src.Peek(3)
	if err != nil {
		return noEOF(err)
	}
	const repeated = 1 // an RLE block: one byte, repeated
	f.last = header[0]&1 == 1
	size := int(header[0])>>3 | int(header[1])<<5 | int(header[2])<<13
	if header[0]>>1&3 == repeated {
		size = 1
	}
	f.left = len(header) + size
	return nil
}

// ended reports whether the whole frame has been read.
func (f *frame) ended() bool { return f.last && f.left == 0 && !f.checksum }

// skip consumes the skippable frame (section 3.1.2) at the start of src.
func skip(src *bufio.Reader) error {
	header, err := src.Peek(8)
	if err != nil {
		return err
	}
	length := int64(len(header)) + int64(binary.LittleEndian.Uint32(header[4:]))
	_, err = io.CopyN(io.Discard, src, length)
	return err
}

// noEOF turns io.EOF in the middle of data into an error.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
