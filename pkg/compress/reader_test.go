package compress_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/eaapl/handoff/pkg/compress"
	"github.com/eaapl/handoff/pkg/compress/dictionary"
)

func gzipped(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func zstandard(t testing.TB, text string) string {
	t.Helper()
	w, err := zstd.NewWriter(nil, zstd.WithEncoderCRC(true), zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	return string(w.EncodeAll([]byte(text), nil))
}

// skippableFrame is an empty zstd frame (RFC 8878, section 3.1.2).
func skippableFrame(nibble byte, data string) string {
	b := []byte{0x50 | nibble, 0x2a, 0x4d, 0x18}
	return string(binary.LittleEndian.AppendUint32(b, uint32(len(data)))) + data
}

// read reads all data, and closes the reader.
func read(r io.Reader) (string, compress.Codec, error) {
	content := compress.NewReader(r, compress.ReaderOptions{})
	text, err := io.ReadAll(content)
	return string(text), content.Codec(), errors.Join(err, content.Close())
}

func TestReader(t *testing.T) {
	text := strings.Repeat(`{"handoffId":"é😀"}`+"\n", 10_000)
	for _, tt := range []struct {
		name  string
		in    string
		codec compress.Codec
		want  string
	}{
		{name: "plain", in: text, want: text},
		{name: "gzip", in: gzipped(t, text), codec: compress.Gzip, want: text},
		{name: "zstd", in: zstandard(t, text), codec: compress.Zstd, want: text},
		{name: "gzip of nothing", in: gzipped(t, ""), codec: compress.Gzip},
		{name: "zstd of nothing", in: zstandard(t, ""), codec: compress.Zstd},
		{name: "gzip members in a row", in: gzipped(t, "one\n") + gzipped(t, "") + gzipped(t, "two\n"), codec: compress.Gzip, want: "one\ntwo\n"},
		{name: "zstd frames in a row", in: zstandard(t, "one\n") + zstandard(t, "") + zstandard(t, "two\n"), codec: compress.Zstd, want: "one\ntwo\n"},
		{name: "skippable frame first", in: skippableFrame(0, "seek table") + zstandard(t, "one"), codec: compress.Zstd, want: "one"},
		{name: "skippable frame between", in: zstandard(t, "one") + skippableFrame(0xf, "") + zstandard(t, "two"), codec: compress.Zstd, want: "onetwo"},
		{name: "frame that names dictionary 0, which is none", in: "\x28\xb5\x2f\xfd\x21\x00\x03" + "\x19\x00\x00one", codec: compress.Zstd, want: "one"},
		{name: "frame with a long id of dictionary 0", in: "\x28\xb5\x2f\xfd\x23\x00\x00\x00\x00\x03" + "\x19\x00\x00one", codec: compress.Zstd, want: "one"},
		{name: "frame with a window, of unknown size", in: "\x28\xb5\x2f\xfd\x00\x00" + "\x19\x00\x00one", codec: compress.Zstd, want: "one"},
		{name: "frame with empty blocks", in: "\x28\xb5\x2f\xfd\x00\x00" + "\x00\x00\x00" + "\x18\x00\x00one" + "\x00\x00\x00" + "\x01\x00\x00", codec: compress.Zstd, want: "one"},
		{name: "frame with a repeated byte", in: "\x28\xb5\x2f\xfd\x20\x05" + "\x2b\x00\x00x", codec: compress.Zstd, want: "xxxxx"},
		{name: "gzip of empty stored blocks", in: "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03" + "\x00\x00\x00\xff\xff" + "\x01\x00\x00\xff\xff" + strings.Repeat("\x00", 8), codec: compress.Gzip},
		{name: "skippable frame alone", in: skippableFrame(7, "x"), codec: compress.Zstd},
		{name: "empty"},
		{name: "one byte", in: "{", want: "{"},
		{name: "first byte of gzip", in: "\x1f", want: "\x1f"},
		{name: "first byte of zstd", in: "\x28", want: "\x28"},
		{name: "first bytes of zstd", in: "\x28\xb5\x2f", want: "\x28\xb5\x2f"},
		{name: "first byte of a skippable frame", in: "P", want: "P"},
		{name: "text that begins like zstd", in: "(x) {}", want: "(x) {}"},
		{name: "text that begins like a skippable frame", in: "Post", want: "Post"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for how, r := range map[string]io.Reader{
				"at once":      strings.NewReader(tt.in),
				"byte by byte": iotest.OneByteReader(strings.NewReader(tt.in)),
				"by halves":    iotest.HalfReader(strings.NewReader(tt.in)),
				"end at once":  iotest.DataErrReader(strings.NewReader(tt.in)),
			} {
				got, codec, err := read(r)
				if err != nil || codec != tt.codec || got != tt.want {
					t.Errorf("%s: got %d bytes of %q, %v; want %d of %q", how, len(got), codec, err, len(tt.want), tt.codec)
				}
			}
		})
	}
}

// A file that is truncated at any byte never looks complete.
func TestTruncated(t *testing.T) {
	const text = `{"handoffId":"6e7f936b-cafd-4624-8754-0bafc4e8acb3","constraints":["a:b","a:b"]}` + "\n"
	for name, whole := range map[string]string{
		"gzip":             gzipped(t, text),
		"zstd":             zstandard(t, text),
		"zstd, skippable":  skippableFrame(0, "skip") + zstandard(t, text),
		"gzip, two in one": gzipped(t, "") + gzipped(t, text),
	} {
		t.Run(name, func(t *testing.T) {
			// Shorter data is neither gzip nor zstd; at these bytes a member or frame ends.
			clean := map[int]bool{len(gzipped(t, "")): name == "gzip, two in one", len(skippableFrame(0, "skip")): name == "zstd, skippable"}
			for n := 4; n < len(whole); n++ {
				if clean[n] {
					continue
				}
				_, codec, err := read(strings.NewReader(whole[:n]))
				if !errors.Is(err, compress.ErrCorrupt) || codec == compress.None {
					t.Errorf("the first %d of %d bytes: %q, error %v", n, len(whole), codec, err)
				}
			}
		})
	}
	if _, codec, err := read(strings.NewReader("\x1f\x8b")); codec != compress.Gzip || !errors.Is(err, compress.ErrCorrupt) {
		t.Errorf("two bytes of gzip: %q, %v", codec, err)
	}
}

// Damage gives an error after the readable content, and never other content.
func TestCorrupt(t *testing.T) {
	text := strings.Repeat("The Supplier's total liability shall not exceed 150% of the fees. ", 3)
	for name, whole := range map[string]string{"gzip": gzipped(t, text), "zstd": zstandard(t, text)} {
		t.Run(name, func(t *testing.T) {
			for _, at := range []int{len(whole) - 1, len(whole) - 4, len(whole) / 2} { // checksum and content
				damaged := []byte(whole)
				damaged[at] ^= 0x55
				if got, _, err := read(bytes.NewReader(damaged)); !errors.Is(err, compress.ErrCorrupt) {
					t.Errorf("byte %d: got %.40q, error %v", at, got, err)
				}
			}
			if _, _, err := read(strings.NewReader(whole + "tail")); !errors.Is(err, compress.ErrCorrupt) {
				t.Errorf("with something after it: error %v", err)
			}
		})
	}
}

// An error of the source is distinguished from damage.
func TestSourceFails(t *testing.T) {
	failed := errors.New("disk on fire")
	for name, in := range map[string]string{"plain": "{}", "gzip": gzipped(t, "{}"), "zstd": zstandard(t, "{}")} {
		r := io.MultiReader(strings.NewReader(in[:len(in)-1]), iotest.ErrReader(failed))
		if _, _, err := read(r); !errors.Is(err, failed) || errors.Is(err, compress.ErrCorrupt) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	for _, start := range []string{"", "\x1f", "\x1f\x8b", "\x28\xb5\x2f\xfd"} {
		if _, _, err := read(io.MultiReader(strings.NewReader(start), iotest.ErrReader(failed))); !errors.Is(err, failed) || errors.Is(err, compress.ErrCorrupt) {
			t.Errorf("after %q: error %v", start, err)
		}
	}
}

// D10: nine bytes declare a window of 512 MiB. It is rejected, not allocated.
func TestD10HugeWindow(t *testing.T) {
	const huge = "\x28\xb5\x2f\xfd\x00\x98\x01\x00\x00" // window descriptor 0x98: 2^(10+19) bytes; an empty last block
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, codec, err := read(strings.NewReader(huge))
	runtime.ReadMemStats(&after)
	if codec != compress.Zstd || !errors.Is(err, compress.ErrWindow) {
		t.Errorf("got %q, error %v", codec, err)
	}
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 16<<20 {
		t.Errorf("%d MiB were allocated", allocated>>20)
	}
	// The largest accepted window.
	const largest = "\x28\xb5\x2f\xfd\x00\x88\x01\x00\x00"
	if got, _, err := read(strings.NewReader(largest)); got != "" || err != nil {
		t.Errorf("128 MiB: got %q, error %v", got, err)
	}
}

// gzip ignores the zeros at the end of a block of a tape or disk.
func TestGzipPadding(t *testing.T) {
	one, zeros := gzipped(t, "{}"), strings.Repeat("\x00", 100_000)
	for _, tt := range []struct {
		name, in, want string
		corrupt        bool
	}{
		{name: "at the end", in: one + zeros, want: "{}"},
		{name: "a single one", in: one + "\x00", want: "{}"},
		{name: "before another member", in: one + zeros + one, want: "{}{}"},
		{name: "before something else", in: one + zeros + "x", want: "{}", corrupt: true},
		{name: "after a zstd frame", in: zstandard(t, "{}") + zeros, want: "{}", corrupt: true},
	} {
		got, _, err := read(strings.NewReader(tt.in))
		if got != tt.want || errors.Is(err, compress.ErrCorrupt) != tt.corrupt {
			t.Errorf("%s: got %q, error %v", tt.name, got, err)
		}
	}
}

// A frame that was made with a dictionary and does not name it (zstd --no-dictID) looks damaged:
// the error mentions the other possibility.
func TestUnnamedDictionary(t *testing.T) {
	frame := compressed(t, compress.EncoderOptions{Dictionary: dictionary.Builtin()}, []byte(dictionary.Builtin()[1000:3000]))
	const descriptor, window, id = 4, 5, 6 // RFC 8878, section 3.1.1.1
	if frame[descriptor]&3 != 3 {
		t.Fatalf("the frame names no dictionary: % x", frame[:16])
	}
	unnamed := slices.Concat(frame[:descriptor], []byte{frame[descriptor] &^ 3, frame[window]}, frame[id+4:])
	if _, _, err := read(bytes.NewReader(unnamed)); !errors.Is(err, compress.ErrCorrupt) || !strings.Contains(err.Error(), "no-dictID") {
		t.Errorf("error %v", err)
	}
	damaged := zstandard(t, strings.Repeat("a", 5000))
	if _, _, err := read(strings.NewReader(damaged[:len(damaged)-1])); !errors.Is(err, compress.ErrCorrupt) || strings.Contains(err.Error(), "no-dictID") {
		t.Errorf("cut off: error %v", err)
	}
}

// Closing leaves the source open and is allowed before the end.
func TestClose(t *testing.T) {
	for name, in := range map[string]string{"plain": "{}", "gzip": gzipped(t, "{}"), "zstd": zstandard(t, "{}")} {
		r := compress.NewReader(strings.NewReader(in), compress.ReaderOptions{})
		if err := r.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzReader checks that reading ends within the limits for any bytes, and does not depend on the
// sizes of reads. Plain data is unchanged.
func FuzzReader(f *testing.F) {
	for _, in := range []string{
		"", "{", "{}\n{}", gzipped(f, `{"a":1}`), zstandard(f, `{"a":1}`), gzipped(f, "")[:15], skippableFrame(3, "x") + zstandard(f, "y"),
		"\x28\xb5\x2f\xfd\x00\x98\x01\x00\x00", "\x1f\x8b\x08\x1f", gzipped(f, "a") + "b", zstandard(f, strings.Repeat("a", 5000)),
		string(compressed(f, compress.EncoderOptions{Dictionary: dictionary.Builtin()}, []byte(`{"handoffId":"a"}`))),
	} {
		f.Add([]byte(in))
	}
	const maxContent = 1 << 20 // of content: the caller limits bombs
	limited := func(r io.Reader) (string, compress.Codec, bool) {
		content := compress.NewReader(r, compress.ReaderOptions{})
		defer content.Close()
		text, err := io.ReadAll(io.LimitReader(content, maxContent))
		unknown := (*compress.DictionaryError)(nil)
		if err != nil && !errors.Is(err, compress.ErrCorrupt) && !errors.Is(err, compress.ErrWindow) && !errors.As(err, &unknown) {
			f.Fatalf("error %v of a source that has none", err)
		}
		return string(text), content.Codec(), err == nil
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		text, codec, ok := limited(bytes.NewReader(in))
		bytewise, codec2, ok2 := limited(iotest.OneByteReader(bytes.NewReader(in)))
		if codec != codec2 || ok != ok2 || ok && text != bytewise {
			t.Fatalf("at once %q %v %d bytes, byte by byte %q %v %d bytes", codec, ok, len(text), codec2, ok2, len(bytewise))
		}
		// Within limits, the content is the same and not too long.
		const ratio, minContent = 10, 1000
		small, _, err := readWith(compress.ReaderOptions{MaxBytes: minContent, MaxRatio: ratio}, in)
		if codec != compress.None && len(text) < maxContent && (len(small) > len(text) || text[:len(small)] != string(small) ||
			err == nil && len(small) > max(minContent, ratio*len(in))) {
			t.Fatalf("%d bytes became %d, within limits %d, %v", len(in), len(text), len(small), err)
		}
		if codec == compress.None && (!ok || text != string(in[:min(len(in), maxContent)])) {
			t.Fatalf("plain data changed: %q", in)
		}
	})
}
