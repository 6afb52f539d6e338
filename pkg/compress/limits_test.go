package compress_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/compress"
	"github.com/eaapl/handoff/pkg/compress/dictionary"
)

func readWith(o compress.ReaderOptions, data []byte) ([]byte, *compress.Reader, error) {
	r := compress.NewReader(bytes.NewReader(data), o)
	text, err := io.ReadAll(r)
	return text, r, errors.Join(err, r.Close())
}

// A decompression bomb is an error of the reader, and does not fill the memory.
func TestRatio(t *testing.T) {
	const size = 3 << 20
	for _, codec := range compress.Codecs() {
		bomb := compressed(t, compress.EncoderOptions{Codec: codec}, make([]byte, size))
		ratio := int64(size / len(bomb))
		for _, tt := range []struct {
			name     string
			options  compress.ReaderOptions
			rejected bool
		}{
			{name: "below the size from which it counts", options: compress.ReaderOptions{MaxBytes: size, MaxRatio: 1}},
			{name: "default size", options: compress.ReaderOptions{MaxRatio: 1}},
			{name: "above the ratio", options: compress.ReaderOptions{MaxBytes: 1000, MaxRatio: ratio / 2}, rejected: true},
			{name: "below the ratio", options: compress.ReaderOptions{MaxBytes: 1000, MaxRatio: 100 * ratio}},
			{name: "no limit", options: compress.ReaderOptions{MaxBytes: 1000, MaxRatio: -1}},
		} {
			t.Run(string(codec)+" "+tt.name, func(t *testing.T) {
				text, _, err := readWith(tt.options, bomb)
				tooMuch := (*compress.RatioError)(nil)
				if errors.As(err, &tooMuch) != tt.rejected || !tt.rejected && err != nil {
					t.Fatalf("%d bytes, error %v", len(text), err)
				}
				if !tt.rejected {
					return
				}
				if len(text) == size || !strings.Contains(err.Error(), fmt.Sprintf("may be at most %d times", ratio/2)) {
					t.Errorf("%d bytes, error %v", len(text), err)
				}
			})
		}
	}
}

// Frames are read with the dictionaries that they name, in any order.
func TestDictionaries(t *testing.T) {
	one, two := testDictionary(t, 100_001), testDictionary(t, 100_002)
	text := []byte(`{"handoffId":"7919","agentType":"contract-review-1","status":"complete"}` + "\n")
	frame := func(dict []byte) []byte { return compressed(t, compress.EncoderOptions{Dictionary: dict}, text) }
	row := bytes.Join([][]byte{frame(one), frame(nil), frame(dictionary.Builtin()), frame(two), frame(one)}, nil)

	got, r, err := readWith(compress.ReaderOptions{Dictionaries: [][]byte{one, two}}, row)
	if want := bytes.Repeat(text, 5); err != nil || !bytes.Equal(got, want) || r.Dictionary() != 100_001 {
		t.Errorf("got %q, %v, dictionary %d", got, err, r.Dictionary())
	}
	got, _, err = readWith(compress.ReaderOptions{}, frame(dictionary.Builtin()))
	if err != nil || !bytes.Equal(got, text) {
		t.Errorf("built in: got %q, %v", got, err)
	}
	unknown := (*compress.DictionaryError)(nil)
	got, _, err = readWith(compress.ReaderOptions{Dictionaries: [][]byte{one}}, row)
	if !errors.As(err, &unknown) || unknown.ID != 100_002 || len(got) != 3*len(text) {
		t.Errorf("got %d bytes, error %v", len(got), err)
	}
	if want := "dictionary 100002, which is unknown"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
	// Another dictionary under the same id gives an error, not other content.
	impostor := testDictionary(t, 100_001)
	copy(impostor[len(impostor)-2000:], noise(2000))
	if _, _, err := readWith(compress.ReaderOptions{Dictionaries: [][]byte{impostor}}, frame(one)); !errors.Is(err, compress.ErrCorrupt) {
		t.Errorf("wrong dictionary: error %v", err)
	}
}

// samples are small data of every kind that we write.
func samples(t testing.TB) map[string][]byte {
	text := []byte(strings.Repeat(`{"handoffId":"6e7f936b","constraints":["a:b","a:b"]}`+"\n", 4))
	list := map[string][]byte{
		"zstd with a dictionary": compressed(t, compress.EncoderOptions{Dictionary: testDictionary(t, 77777)}, text),
	}
	for _, codec := range compress.Codecs() {
		o := compress.EncoderOptions{Codec: codec}
		list[string(codec)] = compressed(t, o, text)
		list[string(codec)+" stored"] = compressed(t, o, noise(100))
		list[string(codec)+" of nothing"] = compressed(t, o, nil)
		list[string(codec)+" in a row"] = append(compressed(t, o, text), compressed(t, o, noise(50))...)
	}
	return list
}

// A change of any byte gives an error or has no effect; it never gives other content. Data that is
// no longer recognised as compressed has another codec.
func TestEveryByteCorrupted(t *testing.T) {
	o := compress.ReaderOptions{Dictionaries: [][]byte{testDictionary(t, 77777)}}
	for name, whole := range samples(t) {
		t.Run(name, func(t *testing.T) {
			want, whole1, err := readWith(o, whole)
			if err != nil {
				t.Fatal(err)
			}
			damaged := bytes.Clone(whole)
			for at := range damaged {
				for _, mask := range []byte{0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0x55, 0xff} {
					damaged[at] ^= mask
					got, r, err := readWith(o, damaged)
					if err == nil && r.Codec() == whole1.Codec() && !bytes.Equal(got, want) {
						t.Fatalf("byte %d changed by %#x: %d bytes, %q", at, mask, len(got), got)
					}
					damaged[at] ^= mask
				}
			}
		})
	}
}

// Truncated data is damaged, except at the end of a member or frame.
func TestEveryLength(t *testing.T) {
	o := compress.ReaderOptions{Dictionaries: [][]byte{testDictionary(t, 77777)}}
	for name, whole := range samples(t) {
		t.Run(name, func(t *testing.T) {
			clean := 0
			for n := 1; n < len(whole); n++ {
				_, r, err := readWith(o, whole[:n])
				switch {
				case r.Codec() == compress.None && n < 4:
				case err == nil:
					clean++
				case !errors.Is(err, compress.ErrCorrupt):
					t.Errorf("the first %d of %d bytes: %v", n, len(whole), err)
				}
			}
			if want := strings.Count(name, "in a row"); clean != want {
				t.Errorf("%d lengths look complete, want %d", clean, want)
			}
			if _, _, err := readWith(o, append(bytes.Clone(whole), 1)); !errors.Is(err, compress.ErrCorrupt) {
				t.Errorf("with a byte after it: error %v", err)
			}
		})
	}
}

// All content has one codec.
func TestMixed(t *testing.T) {
	for _, first := range compress.Codecs() {
		for _, second := range compress.Codecs() {
			data := append(compressed(t, compress.EncoderOptions{Codec: first}, []byte("one")), compressed(t, compress.EncoderOptions{Codec: second}, []byte("two"))...)
			got, _, err := readWith(compress.ReaderOptions{}, data)
			if first == second && (string(got) != "onetwo" || err != nil) || first != second && !errors.Is(err, compress.ErrCorrupt) {
				t.Errorf("%s and %s: got %q, %v", first, second, got, err)
			}
		}
	}
}

// FuzzRoundTrip checks that data written in any pieces is read unchanged.
func FuzzRoundTrip(f *testing.F) {
	f.Add([]byte(`{"a":1}`), uint64(1), false)
	f.Add(bytes.Repeat([]byte("ab"), 2000), uint64(2), true)
	f.Add(noise(2000), uint64(3), true)
	encoders := map[bool]*compress.Encoder{false: newEncoder(f, compress.EncoderOptions{}), true: newEncoder(f, compress.EncoderOptions{Codec: compress.Gzip})}
	f.Fuzz(func(t *testing.T, content []byte, seed uint64, gzip bool) {
		pieces := rand.New(rand.NewPCG(seed, 0))
		var data bytes.Buffer
		w := compress.NewWriter(&data, encoders[gzip], compress.Unknown)
		for rest := content; len(rest) > 0; {
			n := 1 + pieces.IntN(len(rest))
			if _, err := w.Write(rest[:n]); err != nil {
				t.Fatal(err)
			}
			if rest = rest[n:]; pieces.IntN(4) == 0 {
				if err := w.Flush(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		got, _, err := readWith(compress.ReaderOptions{}, data.Bytes())
		if err != nil || !bytes.Equal(got, content) {
			t.Fatalf("%d bytes became %d, %v", len(content), len(got), err)
		}
	})
}
