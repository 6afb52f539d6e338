package compress

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/flate"
)

// A gunzip reads one gzip member (RFC 1952) and nothing after it. Unlike compress/gzip, it accepts
// file names and comments of 512 bytes or more.
type gunzip struct {
	src      *bufio.Reader
	content  io.ReadCloser // the flate reader
	checksum uint32
	size     uint32 // modulo 2^32
}

// The flags of a header (section 2.3.1). Data with a reserved flag cannot be decoded.
const (
	hasChecksum = 1 << (iota + 1)
	hasExtra
	hasName
	hasComment
	firstReserved
)

var (
	errMember   = errors.New("its content does not match its checksum")
	errHeader   = errors.New("its header does not match its checksum")
	errMethod   = errors.New("it is not compressed with deflate")
	errReserved = errors.New("its header has flags that RFC 1952 does not define")
)

// next reads the header of the member at the start of src. It skips everything but the flags, of
// any length.
func (g *gunzip) next(src *bufio.Reader) error {
	h := header{src: src}
	start := h.take(10)
	if h.err != nil {
		return h.err
	}
	flags := start[3]
	switch {
	case start[2] != 8:
		return errMethod
	case flags >= firstReserved:
		return errReserved
	}
	if flags&hasExtra != 0 {
		if length := h.take(2); h.err == nil {
			h.take(int(binary.LittleEndian.Uint16(length)))
		}
	}
	if flags&hasName != 0 {
		h.text()
	}
	if flags&hasComment != 0 {
		h.text()
	}
	if flags&hasChecksum != 0 {
		want := uint16(h.checksum)
		if sum := h.take(2); h.err == nil && binary.LittleEndian.Uint16(sum) != want {
			return errHeader
		}
	}
	if h.err != nil {
		return h.err
	}
	g.src, g.checksum, g.size = src, 0, 0
	if g.content == nil {
		g.content = flate.NewReader(src)
		return nil
	}
	return g.content.(flate.Resetter).Reset(src, nil)
}

// Read returns io.EOF at the end of the member, after checking its checksum.
func (g *gunzip) Read(p []byte) (int, error) {
	n, err := g.content.Read(p)
	g.checksum = crc32.Update(g.checksum, crc32.IEEETable, p[:n])
	g.size += uint32(n)
	if err != io.EOF {
		return n, err
	}
	trailer := make([]byte, 8)
	if _, err := io.ReadFull(g.src, trailer); err != nil {
		return n, noEOF(err)
	}
	if !bytes.Equal(trailer, appendTrailer(nil, g.checksum, g.size)) {
		return n, errMember
	}
	return n, io.EOF
}

// A header reads the parts of a gzip header from src, until an error.
type header struct {
	src      *bufio.Reader
	checksum uint32
	err      error
}

// take consumes and returns n bytes.
func (h *header) take(n int) []byte {
	part := make([]byte, n)
	if h.err == nil {
		_, h.err = io.ReadFull(h.src, part)
	}
	h.checksum = crc32.Update(h.checksum, crc32.IEEETable, part)
	return part
}

// text skips a zero-terminated text.
func (h *header) text() {
	for h.err == nil {
		var part []byte
		part, h.err = h.src.ReadSlice(0)
		h.checksum = crc32.Update(h.checksum, crc32.IEEETable, part)
		if h.err == nil {
			return
		}
		if h.err == bufio.ErrBufferFull {
			h.err = nil
		}
	}
}
