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

// A gunzip reads one gzip member (RFC 1952), and nothing after it. Go's reader takes no file name
// and no comment of 512 bytes or more.
type gunzip struct {
	src      *bufio.Reader
	content  io.ReadCloser // of flate
	checksum uint32
	size     uint32 // modulo 2^32
}

// The flags of a header (section 2.3.1). Nobody knows what follows a reserved one.
const (
	hasChecksum = 1 << (iota + 1)
	hasExtra
	hasName
	hasComment
	firstReserved
)

var (
	errMember   = errors.New("its content is not what its checksum is of")
	errHeader   = errors.New("its header is not what its checksum is of")
	errMethod   = errors.New("it is not compressed with deflate")
	errReserved = errors.New("its header has flags that RFC 1952 does not know")
)

// next begins the member that src is before. What its header has but the flags is passed over,
// however long it is.
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

// Read returns io.EOF at the end of the member, whose checksum was right then.
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

// A header takes the parts of a gzip header from src, until one cannot be had.
type header struct {
	src      *bufio.Reader
	checksum uint32
	err      error
}

// take takes n bytes.
func (h *header) take(n int) []byte {
	part := make([]byte, n)
	if h.err == nil {
		_, h.err = io.ReadFull(h.src, part)
	}
	h.checksum = crc32.Update(h.checksum, crc32.IEEETable, part)
	return part
}

// text passes over a text and the zero after it.
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
