package dictionary_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"

	"github.com/eaapl/handoff/pkg/compress/dictionary"
)

// alike returns n small messages that share most of their text.
func alike(n int) [][]byte {
	samples := make([][]byte, n)
	for i := range samples {
		samples[i] = fmt.Appendf(nil, `{"recordNumber":%d,"description":"The quick brown fox, number %d, jumps over the lazy dog","status":"waiting for the %s"}`,
			i*7919%1000, i, []string{"postman", "milkman", "baker's boy"}[i%3])
	}
	return samples
}

func random(n, size int) [][]byte {
	r := rand.New(rand.NewPCG(1, 2))
	samples := make([][]byte, n)
	for i := range samples {
		samples[i] = make([]byte, size)
		for j := range samples[i] {
			samples[i][j] = byte(r.Uint32())
		}
	}
	return samples
}

func repeat(n int, s string) [][]byte {
	samples := make([][]byte, n)
	for i := range samples {
		samples[i] = []byte(s)
	}
	return samples
}

func TestTrain(t *testing.T) {
	samples := alike(100)
	dict, err := dictionary.Train(samples, dictionary.Options{})
	if err != nil {
		t.Fatal(err)
	}
	again, err := dictionary.Train(samples, dictionary.Options{})
	if err != nil || !bytes.Equal(dict, again) {
		t.Errorf("training twice gave two dictionaries (%v)", err)
	}
	id, err := dictionary.ID(dict)
	if err != nil || id < dictionary.MinID || id > dictionary.MaxID || id == dictionary.BuiltinID {
		t.Errorf("derived id %d (%v), want another in the private range", id, err)
	}
	plain, with := encoder(t, zstd.SpeedDefault, nil), encoder(t, zstd.SpeedDefault, dict)
	last := samples[len(samples)-1]
	without, small := len(plain.EncodeAll(last, nil)), with.EncodeAll(last, nil)
	if 2*len(small) > without {
		t.Errorf("%d bytes with the dictionary, %d without: want less than half", len(small), without)
	}
	if !bytes.Equal(decode(t, dict, small), last) {
		t.Error("a sample came back as another text")
	}
}

func TestTrainOptions(t *testing.T) {
	for _, tt := range []struct {
		name       string
		samples    [][]byte
		options    dictionary.Options
		wantErr    string // "" for none
		samplesErr bool
	}{
		{name: "an id", samples: alike(20), options: dictionary.Options{ID: dictionary.MinID}},
		{name: "smallest", samples: shared(), options: dictionary.Options{MaxBytes: dictionary.MinMaxBytes}},
		{name: "too small", samples: alike(20), options: dictionary.Options{MaxBytes: 100}, wantErr: "it must have 1024 to 131072"},
		{name: "too large", samples: alike(20), options: dictionary.Options{MaxBytes: 1 << 30}, wantErr: "it must have 1024 to 131072"},
		{name: "registered id", samples: alike(20), options: dictionary.Options{ID: 7}, wantErr: "from 32768 to 2147483647"},
		{name: "reserved id", samples: alike(20), options: dictionary.Options{ID: 1 << 31}, wantErr: "from 32768 to 2147483647"},
		{name: "no samples", wantErr: "0 of them have 32 bytes or more, at least 8 are needed", samplesErr: true},
		{name: "too few", samples: alike(7), wantErr: "7 of them", samplesErr: true},
		{name: "too short", samples: repeat(100, "{}"), wantErr: "0 of them", samplesErr: true},
		{name: "nothing in common", samples: random(50, 400), wantErr: "in common", samplesErr: true},
		{name: "all zero", samples: repeat(50, strings.Repeat("\x00", 500))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dict, err := dictionary.Train(tt.samples, tt.options)
			if tt.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), tt.wantErr) || errors.Is(err, dictionary.ErrSamples) != tt.samplesErr {
					t.Errorf("error %v, want one with %q", err, tt.wantErr)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if limit := tt.options.MaxBytes; limit != 0 && len(dict) > limit {
				t.Errorf("%d bytes, want at most %d", len(dict), limit)
			}
			if id, err := dictionary.ID(dict); err != nil || tt.options.ID != 0 && id != tt.options.ID {
				t.Errorf("id %d (%v), want %d", id, err, tt.options.ID)
			}
		})
	}
}

// shared returns samples that have far more in common than a small dictionary can contain.
func shared() [][]byte {
	text := random(1, 8<<10)[0]
	samples := alike(10)
	for i := range samples {
		samples[i] = append(samples[i], text...)
	}
	return samples
}

// TestTrainAnything checks that any samples give a working dictionary of at most the given size, or
// an error.
func TestTrainAnything(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		piece := rapid.OneOf(
			rapid.SliceOfN(rapid.Byte(), 0, 64),
			rapid.Map(rapid.StringN(0, 200, 400), func(s string) []byte { return []byte(s) }),
			rapid.Map(rapid.IntRange(1, 200_000), func(n int) []byte { return bytes.Repeat([]byte("ab"), n) }),
			rapid.Map(rapid.Byte(), func(b byte) []byte { return bytes.Repeat([]byte{b}, 300) }),
		)
		pieces := rapid.SliceOfN(piece, 1, 6).Draw(r, "pieces")
		samples := make([][]byte, rapid.IntRange(0, 30).Draw(r, "samples"))
		for i := range samples {
			for range rapid.IntRange(0, 4).Draw(r, "length") {
				samples[i] = append(samples[i], rapid.SampledFrom(pieces).Draw(r, "piece")...)
			}
		}
		limit := rapid.IntRange(dictionary.MinMaxBytes, 8<<10).Draw(r, "limit")
		dict, err := dictionary.Train(samples, dictionary.Options{MaxBytes: limit})
		if err != nil {
			if !errors.Is(err, dictionary.ErrSamples) {
				r.Fatal(err)
			}
			return
		}
		if len(dict) > limit {
			r.Fatalf("%d bytes, want at most %d", len(dict), limit)
		}
		with := encoder(t, zstd.SpeedFastest, dict)
		if !bytes.Equal(decode(t, dict, with.EncodeAll(samples[0], nil)), samples[0]) {
			r.Fatal("a sample came back as another text")
		}
	})
}
