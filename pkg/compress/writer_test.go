package compress_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"

	"github.com/eaapl/handoff/pkg/compress"
)

// testDictionary is a small dictionary with its own id.
func testDictionary(t testing.TB, id uint32) []byte {
	t.Helper()
	var samples [][]byte
	for i := range 200 {
		samples = append(samples, fmt.Appendf(nil, `{"handoffId":"%d","agentType":"contract-review-%d","status":"complete"}`, i*7919, i%13))
	}
	dict, err := zstd.BuildDict(zstd.BuildDictOptions{ID: id, Contents: samples, History: bytes.Join(samples, nil)[:2000], Offsets: [3]int{1, 4, 8}})
	if err != nil {
		t.Fatal(err)
	}
	return dict
}

func newEncoder(t testing.TB, o compress.EncoderOptions) *compress.Encoder {
	t.Helper()
	e, err := compress.NewEncoder(o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func compressed(t testing.TB, o compress.EncoderOptions, content []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := compress.NewWriter(&b, newEncoder(t, o), int64(len(content)))
	_, err := w.Write(content)
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func noise(n int) []byte {
	b := make([]byte, n)
	r := rand.NewChaCha8([32]byte{1})
	r.Read(b)
	return b
}

// contents draws bytes of any kind: random bytes, repetitive text, or both in turn.
func contents(maxLength int) *rapid.Generator[[]byte] {
	return rapid.Custom(func(t *rapid.T) []byte {
		var b []byte
		for range rapid.IntRange(0, 4).Draw(t, "parts") {
			n := rapid.IntRange(0, maxLength/4).Draw(t, "length")
			switch rapid.IntRange(0, 3).Draw(t, "kind") {
			case 0:
				b = append(b, noise(n)...)
			case 1:
				b = append(b, bytes.Repeat([]byte(`{"handoffId":"é😀"}`+"\n"), n/20)...)
			case 2:
				b = append(b, make([]byte, n)...)
			default:
				b = append(b, rapid.SliceOfN(rapid.Byte(), 0, 100).Draw(t, "bytes")...)
			}
		}
		return b
	})
}

// Data is read unchanged: for any bytes, codec and level, sizes of writes and reads, and flushes,
// with and without a dictionary, alone and concatenated.
func TestRoundTrip(t *testing.T) {
	dict := testDictionary(t, 77777)
	options := []compress.EncoderOptions{{}, {Dictionary: dict}}
	for level := 1; level <= 9; level++ {
		options = append(options, compress.EncoderOptions{Codec: compress.Gzip, Level: level})
	}
	for _, level := range []int{1, 6, 10} {
		options = append(options, compress.EncoderOptions{Codec: compress.Zstd, Level: level}, compress.EncoderOptions{Level: level, Dictionary: dict})
	}
	var encoders []*compress.Encoder
	for _, o := range options {
		encoders = append(encoders, newEncoder(t, o))
	}
	rapid.Check(t, func(t *rapid.T) {
		choice := rapid.IntRange(0, len(encoders)-1).Draw(t, "options")
		codec := options[choice].Codec
		if codec == compress.None {
			codec = compress.Zstd
		}
		var data bytes.Buffer
		var want []byte
		for range rapid.IntRange(1, 3).Draw(t, "in a row") {
			content := contents(5<<20).Draw(t, "content")
			want = append(want, content...)
			size := int64(compress.Unknown)
			if rapid.Bool().Draw(t, "size known") {
				size = int64(len(content))
			}
			w := compress.NewWriter(&data, encoders[choice], size)
			for len(content) > 0 {
				n := rapid.IntRange(1, len(content)).Draw(t, "chunk")
				var err error
				if rapid.Bool().Draw(t, "by halves") {
					_, err = io.Copy(w, iotest.HalfReader(bytes.NewReader(content[:n])))
				} else {
					_, err = w.Write(content[:n])
				}
				if err != nil {
					t.Fatal(err)
				}
				content = content[n:]
				if rapid.IntRange(0, 9).Draw(t, "flush") == 0 {
					if err := w.Flush(); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := errors.Join(w.Close(), w.Close()); err != nil {
				t.Fatal(err)
			}
		}
		var in io.Reader = &data
		if rapid.Bool().Draw(t, "halves") {
			in = iotest.HalfReader(in)
		}
		r := compress.NewReader(in, compress.ReaderOptions{Dictionaries: [][]byte{dict}})
		defer r.Close()
		if r.Codec() != codec {
			t.Fatalf("codec %q", r.Codec())
		}
		var got bytes.Buffer
		buffer := make([]byte, rapid.IntRange(1, 1<<20).Draw(t, "buffer"))
		if _, err := io.CopyBuffer(struct{ io.Writer }{&got}, struct{ io.Reader }{r}, buffer); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Bytes(), want) {
			t.Fatalf("%d bytes became %d others", len(want), got.Len())
		}
	})
}

// The output is never longer than the input and the headers of its frames.
func TestNeverLonger(t *testing.T) {
	for _, o := range []compress.EncoderOptions{
		{Level: 1}, {Level: 3}, {Level: 7}, {Level: 19}, {Dictionary: testDictionary(t, 77777)},
		{Codec: compress.Gzip, Level: 1}, {Codec: compress.Gzip, Level: 6}, {Codec: compress.Gzip, Level: 9},
	} {
		unit, block, blockHeader := 2<<20, 1<<16, 3
		if o.Codec == compress.Gzip {
			unit, block, blockHeader = 1<<20, 1<<16-1, 5
		}
		for _, n := range []int{0, 1, 2, 10, 255, 256, 1000, 65_535, 65_536, 65_537, 131_073, 2<<20 + 1} {
			content := noise(n)
			units := max(1, (n+unit-1)/unit)
			maxLength := n + units*18 + blockHeader*((n+block-1)/block+units)
			if got := len(compressed(t, o, content)); got > maxLength {
				t.Errorf("%+v: %d random bytes became %d, more than %d", o, n, got, maxLength)
			}
			// Bytes without repetitions that do not use their whole range, which an encoder may try
			// to compress in vain.
			for i := range content {
				content[i] |= 0x80
			}
			if got := len(compressed(t, o, content)); got > maxLength {
				t.Errorf("%+v: %d odd bytes became %d, more than %d", o, n, got, maxLength)
			}
		}
	}
}

// Flushed content can be read while the stream is still open.
func TestFlush(t *testing.T) {
	for _, codec := range compress.Codecs() {
		var data bytes.Buffer
		w := compress.NewWriter(&data, newEncoder(t, compress.EncoderOptions{Codec: codec}), compress.Unknown)
		if err := w.Flush(); err != nil || data.Len() > 0 {
			t.Errorf("%s: nothing became %d bytes, %v", codec, data.Len(), err)
		}
		r := (*compress.Reader)(nil)
		for _, want := range []string{"one\n", "two\n", strings.Repeat("three", 1<<20)} {
			_, err := io.WriteString(w, want)
			if err := errors.Join(err, w.Flush(), w.Flush()); err != nil {
				t.Fatal(err)
			}
			if r == nil {
				r = compress.NewReader(io.MultiReader(&data, waiting{t}), compress.ReaderOptions{})
				defer r.Close()
			}
			got := make([]byte, len(want))
			if _, err := io.ReadFull(r, got); err != nil || string(got) != want {
				t.Errorf("%s: got %.20q, %v", codec, got, err)
			}
		}
	}
}

// waiting is a stream without data: reading from it would block.
type waiting struct{ t *testing.T }

func (w waiting) Read([]byte) (int, error) {
	w.t.Error("the reader waits for more than it needs")
	return 0, io.EOF
}

// A lockedBuffer can be read between two calls of a writer, while its goroutines write.
type lockedBuffer struct {
	mu   sync.Mutex
	data []byte
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.data = append(b.data, p...)
	return len(p), nil
}

func (b *lockedBuffer) Bytes() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.data)
}

// Without Close, every reader reports that the data is cut off, wherever it ends.
func TestWithoutClose(t *testing.T) {
	for _, codec := range compress.Codecs() {
		encoder := newEncoder(t, compress.EncoderOptions{Codec: codec})
		var stream, units lockedBuffer
		one, row := compress.NewWriter(&stream, encoder, compress.Unknown), compress.NewUnitWriter(&units, encoder)
		unit := encoder.Append(nil, []byte("one"))
		for i, step := range []struct {
			data *lockedBuffer
			do   func() error
		}{
			{&stream, func() error { _, err := one.Write(noise(8 << 20)); return err }},
			{&stream, one.Flush},
			{&stream, one.Flush},
			{&stream, func() error { _, err := one.Write([]byte("two")); return err }},
			{&units, func() error { return row.Write(unit) }},
			{&units, row.Flush},
			{&units, row.Flush},
			{&units, func() error { return row.Write(unit) }},
			{&units, func() error { return row.Write(unit) }},
		} {
			if err := step.do(); err != nil {
				t.Fatal(err)
			}
			data := step.data.Bytes()
			if len(data) == 0 && (i == 0 || i == 4) {
				continue // the writer holds all of it
			}
			if _, _, err := read(bytes.NewReader(data)); !errors.Is(err, compress.ErrCorrupt) {
				t.Errorf("%s, step %d: %d bytes, error %v", codec, i, len(data), err)
			}
		}
		if err := errors.Join(one.Close(), one.Close(), row.Close(), row.Close()); err != nil {
			t.Fatal(err)
		}
		if got, _, err := read(bytes.NewReader(stream.Bytes())); got != string(noise(8<<20))+"two" || err != nil {
			t.Errorf("%s: closed: %d bytes, error %v", codec, len(got), err)
		}
		if got, _, err := read(bytes.NewReader(units.Bytes())); got != "oneoneone" || err != nil {
			t.Errorf("%s: units: got %q, error %v", codec, got, err)
		}
	}
}

// Discard ends the work, and nothing is written after it.
func TestDiscard(t *testing.T) {
	for _, codec := range compress.Codecs() {
		encoder := newEncoder(t, compress.EncoderOptions{Codec: codec})
		for range 3 { // reuses the encoder's resources
			var data bytes.Buffer
			w := compress.NewWriter(&data, encoder, compress.Unknown)
			if _, err := w.Write(noise(12 << 20)); err != nil {
				t.Fatal(err)
			}
			w.Discard()
			length := data.Len()
			if _, err := w.Write([]byte("x")); err == nil {
				t.Errorf("%s: a discarded writer can be written to", codec)
			}
			if err := w.Close(); err != nil || data.Len() != length {
				t.Errorf("%s: %d bytes more, error %v", codec, data.Len()-length, err)
			}
			if _, _, err := read(&data); length > 0 && !errors.Is(err, compress.ErrCorrupt) {
				t.Errorf("%s: error %v", codec, err)
			}
		}
		if got := compressed(t, compress.EncoderOptions{Codec: codec}, noise(9<<20)); len(got) < 9<<20 {
			t.Errorf("%s: %d bytes afterwards", codec, len(got))
		}
	}
}

// Content with another size than declared is an error, whatever its size.
func TestSize(t *testing.T) {
	for _, codec := range compress.Codecs() {
		for _, size := range []int{1, 1000, 3 << 20, 20 << 20} {
			for _, written := range []int{0, size - 1, size + 1} {
				w := compress.NewWriter(io.Discard, newEncoder(t, compress.EncoderOptions{Codec: codec, Level: 1}), int64(size))
				_, err := w.Write(make([]byte, written))
				if err == nil {
					err = w.Close()
				}
				wrong := (*compress.SizeError)(nil)
				if !errors.As(err, &wrong) || wrong.Size != int64(size) || wrong.Written != int64(written) {
					t.Errorf("%s: %d of %d bytes: error %v", codec, written, size, err)
				}
			}
		}
	}
}

// A failing destination fails the writer permanently.
func TestWriterFails(t *testing.T) {
	full := errors.New("disk full")
	for _, codec := range compress.Codecs() {
		w := compress.NewWriter(&failing{err: full}, newEncoder(t, compress.EncoderOptions{Codec: codec}), compress.Unknown)
		var err error
		for range 100 {
			if _, err = w.Write(noise(1 << 20)); err != nil {
				break
			}
		}
		if err == nil {
			err = w.Flush() // with many cores, the encoder holds all of it until the flush
		}
		if !errors.Is(err, full) || !errors.Is(w.Flush(), full) || !errors.Is(w.Close(), full) {
			t.Errorf("%s: error %v, then %v, %v", codec, err, w.Flush(), w.Close())
		}
	}
	w := compress.NewWriter(io.Discard, newEncoder(t, compress.EncoderOptions{}), compress.Unknown)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte("x")); err == nil {
		t.Error("a closed writer can be written to")
	}
}

type failing struct{ err error }

func (f *failing) Write([]byte) (int, error) { return 0, f.err }

func TestEncoderOptions(t *testing.T) {
	for _, tt := range []struct {
		name    string
		options compress.EncoderOptions
		want    string
	}{
		{name: "codec", options: compress.EncoderOptions{Codec: "lzma"}, want: `unknown codec "lzma": use gzip or zstd`},
		{name: "gzip level", options: compress.EncoderOptions{Codec: compress.Gzip, Level: 10}, want: "gzip has no level 10: use 1 to 9"},
		{name: "zstd level", options: compress.EncoderOptions{Level: 23}, want: "zstd has no level 23: use 1 to 22"},
		{name: "negative", options: compress.EncoderOptions{Level: -1}, want: "zstd has no level -1: use 1 to 22"},
		{name: "gzip dictionary", options: compress.EncoderOptions{Codec: compress.Gzip, Dictionary: []byte{1}}, want: "gzip does not support dictionaries: use zstd"},
		{name: "no dictionary", options: compress.EncoderOptions{Dictionary: []byte("text")}, want: "not a usable zstd dictionary"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := compress.NewEncoder(tt.options); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}
