package compress_test

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/eaapl/handoff/pkg/compress"
)

// A gzipHeader has the possible members of a header (RFC 1952, section 2.3).
type gzipHeader struct {
	flags               byte
	extra, name, remark string
	checksum            uint16 // added to the correct one
}

func (h gzipHeader) member(t testing.TB, text string) string {
	b := []byte("\x1f\x8b\x08\x00\x01\x02\x03\x04\x00\x03")
	b[3] = h.flags
	if h.flags&4 != 0 {
		b = append(binary.LittleEndian.AppendUint16(b, uint16(len(h.extra))), h.extra...)
	}
	if h.flags&8 != 0 {
		b = append(append(b, h.name...), 0)
	}
	if h.flags&16 != 0 {
		b = append(append(b, h.remark...), 0)
	}
	if h.flags&2 != 0 {
		b = binary.LittleEndian.AppendUint16(b, uint16(crc32.ChecksumIEEE(b))+h.checksum)
	}
	return string(b) + gzipped(t, text)[10:]
}

// TestGzipHeaders checks headers of any length: RFC 1952 has no limit.
func TestGzipHeaders(t *testing.T) {
	long := strings.Repeat("x", 3<<20)
	for _, tt := range []struct {
		name   string
		header gzipHeader
		wrong  string
	}{
		{name: "nothing"},
		{name: "text", header: gzipHeader{flags: 1}},
		{name: "empty name", header: gzipHeader{flags: 8}},
		{name: "name of 511 bytes", header: gzipHeader{flags: 8, name: long[:511]}},
		{name: "name of 512 bytes", header: gzipHeader{flags: 8, name: long[:512]}},
		{name: "name of 64 KiB", header: gzipHeader{flags: 8, name: long[:64<<10]}},
		{name: "comment of 3 MiB", header: gzipHeader{flags: 16, remark: long}},
		{name: "extra field", header: gzipHeader{flags: 4, extra: "AP\x02\x00ab"}},
		{name: "empty extra field", header: gzipHeader{flags: 4}},
		{name: "longest extra field", header: gzipHeader{flags: 4, extra: long[:1<<16-1]}},
		{name: "header checksum", header: gzipHeader{flags: 2}},
		{name: "everything", header: gzipHeader{flags: 31, extra: "\x00\x00", name: long[:70_000], remark: long[:70_000]}},
		{name: "wrong header checksum", header: gzipHeader{flags: 10, name: "a", checksum: 1}, wrong: "its header does not match its checksum"},
		{name: "reserved flag", header: gzipHeader{flags: 0x20}, wrong: "flags that RFC 1952 does not define"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			const text = `{"handoffId":"a"}` + "\n"
			data := tt.header.member(t, text)
			for how, in := range map[string]io.Reader{
				"at once":      strings.NewReader(data + data),
				"byte by byte": iotest.OneByteReader(strings.NewReader(data + data)),
			} {
				got, _, err := read(in)
				if tt.wrong == "" && (got != text+text || err != nil) {
					t.Errorf("%s: got %q, %v", how, got, err)
				}
				if tt.wrong != "" && (got != "" || !errors.Is(err, compress.ErrCorrupt) || !strings.Contains(err.Error(), tt.wrong)) {
					t.Errorf("%s: got %q, %v", how, got, err)
				}
			}
			for _, cut := range []int{10, len(data) - len(gzipped(t, text)) + 9, len(data) - 1} {
				if got, _, err := read(strings.NewReader(data[:cut])); !errors.Is(err, compress.ErrCorrupt) {
					t.Errorf("the first %d bytes: got %q, %v", cut, got, err)
				}
			}
		})
	}
	if _, _, err := read(strings.NewReader("\x1f\x8b\x07" + gzipped(t, "a")[3:])); !errors.Is(err, compress.ErrCorrupt) || !strings.Contains(err.Error(), "not compressed with deflate") {
		t.Errorf("another method: %v", err)
	}
}

// An endless name takes no memory.
func TestGzipHeaderMemory(t *testing.T) {
	endless := io.MultiReader(strings.NewReader("\x1f\x8b\x08\x08\x00\x00\x00\x00\x00\x03"), io.LimitReader(xs{}, 64<<20))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, _, err := read(endless); !errors.Is(err, compress.ErrCorrupt) {
		t.Error(err)
	}
	runtime.ReadMemStats(&after)
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 4<<20 {
		t.Errorf("%d MiB were allocated", allocated>>20)
	}
}

// xs is a stream of the letter x.
type xs struct{}

func (xs) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}
