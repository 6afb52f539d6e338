package compress

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/eaapl/handoff/pkg/compress/dictionary"
)

// TestOneUnit checks that a Writer writes one frame or member, whatever its size and flushes. A
// frame declares the size of its content if it is known or the content is short.
func TestOneUnit(t *testing.T) {
	for _, o := range []EncoderOptions{{}, {Level: 1}, {Level: 7}, {Level: 19}, {Dictionary: dictionary.Builtin()}, {Codec: Gzip}, {Codec: Gzip, Level: 1}} {
		encoder, err := NewEncoder(o)
		if err != nil {
			t.Fatal(err)
		}
		held := encoder.format.unit
		for _, n := range []int{0, 1, 255, 256, 1024, 1025, 65_791, 65_792, held, held + 1, 9<<20 + 7} {
			content := []byte(strings.Repeat(`{"handoffId":"é😀"}`+"\n", n/20+1))[:n]
			for _, how := range []struct {
				name string
				size int64
				step int // the number of bytes between flushes
			}{{"size known", int64(n), n}, {"size unknown", Unknown, n}, {"flushed", Unknown, n/3 + 1}, {"size known, flushed", int64(n), n/3 + 1}} {
				var data bytes.Buffer
				w := NewWriter(&data, encoder, how.size)
				for rest := content; len(rest) > 0; {
					step := min(how.step, len(rest))
					if _, err := w.Write(rest[:step]); err != nil {
						t.Fatal(err)
					}
					if rest = rest[step:]; how.step < n {
						if err := w.Flush(); err != nil {
							t.Fatal(err)
						}
					}
				}
				if err := w.Close(); err != nil {
					t.Fatal(err)
				}
				said := n <= held && how.step >= n || how.size >= unsaid
				checkUnit(t, o.Codec, data.Bytes(), content, said)
				if t.Failed() {
					t.Fatalf("%+v, %d bytes, %s", o, n, how.name)
				}
			}
		}
	}
}

// checkUnit checks that data is one unit.
func checkUnit(t *testing.T, codec Codec, data, content []byte, said bool) {
	t.Helper()
	src := bufio.NewReader(bytes.NewReader(data))
	if codec == Gzip {
		var member gunzip
		if err := member.next(src); err != nil {
			t.Error(err)
		} else if got, err := io.ReadAll(&member); err != nil || !bytes.Equal(got, content) {
			t.Errorf("the first member has %d bytes, %v", len(got), err)
		}
	} else {
		var header zstd.Header
		if err := header.Decode(data); err != nil || header.HasFCS != said && len(content) > 0 || said && header.FrameContentSize != uint64(len(content)) {
			t.Errorf("the frame says %d bytes (%v), %v", header.FrameContentSize, header.HasFCS, err)
		}
		var first frame
		if err := first.next(src); err != nil {
			t.Error(err)
		} else if _, err := io.Copy(io.Discard, &first); err != nil {
			t.Error(err)
		}
	}
	if rest, err := io.ReadAll(src); len(rest) > 0 || err != nil {
		t.Errorf("%d bytes follow the unit, %v", len(rest), err)
	}
	r := NewReader(bytes.NewReader(data), ReaderOptions{})
	defer r.Close()
	if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, content) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}
