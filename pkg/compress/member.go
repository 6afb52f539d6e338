package compress

import (
	"encoding/binary"
	"hash/crc32"
	"io"
	"runtime"

	"github.com/klauspost/compress/flate"
)

// A member is a stream that writes one gzip member. It compresses pieces of the content on all
// cores, independently, and holds a few of them in memory per core.
type member struct {
	w        io.Writer
	encoder  *Encoder
	content  []byte   // of the incomplete piece
	pending  []*piece // in flight, in order
	spare    []*piece // to be reused
	begun    bool     // the header has been written
	checksum uint32
	size     uint32 // of the content, modulo 2^32
}

// A piece is a part of the content that is being compressed.
type piece struct {
	content, data []byte
	last          bool
	done          chan struct{}
}

// pieceLength is the length of a piece, in bytes: large enough not to reduce the ratio.
const pieceLength = 1 << 20

func (m *member) Write(p []byte) (int, error) {
	m.checksum = crc32.Update(m.checksum, crc32.IEEETable, p)
	m.size += uint32(len(p))
	length := len(p)
	for len(p) > 0 {
		n := min(len(p), pieceLength-len(m.content))
		m.content = append(m.content, p[:n]...)
		p = p[n:]
		if len(m.content) < pieceLength {
			break
		}
		if err := m.compress(false); err != nil {
			return length - len(p), err
		}
	}
	return length, nil
}

// compress starts compressing the collected piece.
func (m *member) compress(last bool) error {
	one := &piece{done: make(chan struct{}, 1)}
	if n := len(m.spare); n > 0 {
		one, m.spare = m.spare[n-1], m.spare[:n-1]
	}
	one.content, m.content, one.last = m.content, one.content[:0], last
	m.pending = append(m.pending, one)
	go func() {
		one.data = m.encoder.appendDeflated(one.data[:0], one.content, last)
		one.done <- struct{}{}
	}()
	return m.drain(maxPending())
}

// maxPending returns the maximum number of pieces in flight: one per core, and one for the core
// that finishes first.
func maxPending() int { return runtime.GOMAXPROCS(0) + 1 }

// drain writes pieces until only limit are in flight.
func (m *member) drain(limit int) error {
	for len(m.pending) > limit {
		one := m.pending[0]
		m.pending = m.pending[1:]
		<-one.done
		if !m.begun {
			m.begun = true
			if _, err := io.WriteString(m.w, gzipHeader); err != nil {
				return err
			}
		}
		if _, err := m.w.Write(one.data); err != nil {
			return err
		}
		m.spare = append(m.spare, one)
	}
	return nil
}

func (m *member) Flush() error {
	if len(m.content) > 0 {
		if err := m.compress(false); err != nil {
			return err
		}
	}
	return m.drain(0)
}

func (m *member) Close() error {
	if err := m.compress(true); err != nil {
		return err
	}
	if err := m.drain(0); err != nil {
		return err
	}
	_, err := m.w.Write(appendTrailer(nil, m.checksum, m.size))
	return err
}

// discard does nothing: the goroutines end by themselves.
func (m *member) discard() {}

// gzipHeader is the header of a gzip member: deflate, no name or time, unknown system.
const gzipHeader = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"

// appendTrailer appends the trailer of a gzip member: the checksum and the size of its content.
func appendTrailer(dst []byte, checksum, size uint32) []byte {
	return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(dst, checksum), size)
}

// appendDeflated appends content as deflate blocks (RFC 1951) that end at a byte boundary. The
// final block is written only with the last piece.
func (e *Encoder) appendDeflated(dst, content []byte, last bool) []byte {
	out := appender{dst}
	w := e.flate.Get().(*flate.Writer)
	w.Reset(&out)
	_, err := w.Write(content)
	if err == nil && last {
		err = w.Close()
	} else if err == nil {
		err = w.Flush()
	}
	if err != nil {
		panic(err) // writing to memory cannot fail
	}
	e.flate.Put(w)
	if len(out.bytes)-len(dst) <= storedLength(len(content)) {
		return out.bytes
	}
	dst = appendStored(dst, content, last)
	if !last {
		dst = appendStored(dst, nil, false) // as Flush does, so that readers can pass on the content
	}
	return dst
}

// storedBlock is the maximum length of a stored block, in bytes.
const storedBlock = 1<<16 - 1

// storedLength returns the length of n bytes in stored blocks.
func storedLength(n int) int { return n + 5*max(1, (n+storedBlock-1)/storedBlock) }

// appendStored appends content in stored blocks.
func appendStored(dst, content []byte, last bool) []byte {
	for {
		n := min(len(content), storedBlock)
		final := byte(0)
		if last && n == len(content) {
			final = 1
		}
		dst = append(dst, final, byte(n), byte(n>>8), ^byte(n), ^byte(n>>8))
		dst = append(dst, content[:n]...)
		if content = content[n:]; len(content) == 0 {
			return dst
		}
	}
}

type appender struct{ bytes []byte }

func (a *appender) Write(p []byte) (int, error) {
	a.bytes = append(a.bytes, p...)
	return len(p), nil
}
