package tokens

import (
	"flag"
	"os"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/tiktoken-go/tokenizer/codec"

	"github.com/eaapl/handoff/internal/packed"
)

var update = flag.Bool("update", false, "write the vocabularies anew")

// TestVocabularies compares the vocabularies with those of the library, which is not part of the
// program: it is four times as large, and takes longer to load than most counts.
func TestVocabularies(t *testing.T) {
	const special = 50256 // of p50k, which occurs in no text
	for _, tt := range []struct {
		name         string
		packed       []byte
		size, except uint
		codec        *codec.Codec
	}{
		{"o200k", o200kTokens, o200kSize, none, codec.NewO200kBase()},
		{"cl100k", cl100kTokens, cl100kSize, none, codec.NewCl100kBase()},
		{"p50k", p50kTokens, p50kSize, special, codec.NewP50kBase()},
		{"r50k", p50kTokens, r50kSize, none, codec.NewR50kBase()},
	} {
		var tokens []byte
		for rank := range tt.size {
			token := ""
			if rank != tt.except {
				var err error
				if token, err = tt.codec.Decode([]uint{rank}); err != nil {
					t.Fatalf("%s: rank %d: %v", tt.name, rank, err)
				}
			}
			tokens = append(append(tokens, byte(len(token))), token...)
		}
		if tt.name != "r50k" && *update {
			packer, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithWindowSize(2<<20))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile("vocabularies/"+tt.name+".zst", packer.EncodeAll(tokens, nil), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		have := string(packed.Zstd(tt.packed))
		if tt.name == "r50k" { // the beginning of p50k
			have = have[:min(len(tokens), len(have))]
		}
		if string(tokens) != have {
			t.Errorf("%s: differs from the library's: run go test ./pkg/tokens -update", tt.name)
		}
	}
}
