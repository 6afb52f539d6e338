package compress_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/eaapl/handoff/internal/tier"
	"github.com/eaapl/handoff/pkg/compress"
	"github.com/eaapl/handoff/pkg/compress/dictionary"
)

func TestMain(m *testing.M) { os.Exit(tier.Run(m)) }

// others are the programs with which data is exchanged: the commands that compress and decompress,
// from stdin to stdout. DICT is the file of a dictionary.
var others = []struct {
	name                 string
	codec                compress.Codec
	compress, decompress []string
	dictionary           bool
}{
	{name: "gzip", codec: compress.Gzip, compress: []string{"gzip", "-c"}, decompress: []string{"gzip", "-dc"}},
	{name: "zstd", codec: compress.Zstd, compress: []string{"zstd", "-qc"}, decompress: []string{"zstd", "-qdc"}},
	{name: "zstd, long", codec: compress.Zstd, compress: []string{"zstd", "-qc", "--long=27", "-T2"}, decompress: []string{"zstd", "-qdc"}},
	{name: "zstd with a dictionary", codec: compress.Zstd, dictionary: true,
		compress: []string{"zstd", "-qc", "-D", "DICT"}, decompress: []string{"zstd", "-qdc", "-D", "DICT"}},
	{name: "python", codec: compress.Gzip,
		compress:   []string{"python3", "-c", "import gzip,sys; sys.stdout.buffer.write(gzip.compress(sys.stdin.buffer.read()))"},
		decompress: []string{"python3", "-c", "import gzip,sys; sys.stdout.buffer.write(gzip.decompress(sys.stdin.buffer.read()))"}},
}

// Other programs can read our output, and we can read theirs.
func TestOtherPrograms(t *testing.T) {
	text := bytes.Repeat([]byte(`{"handoffId":"6e7f936b","constraints":["a:b","é😀"]}`+"\n"), 100_000)
	dict := filepath.Join(t.TempDir(), "dict")
	if err := os.WriteFile(dict, dictionary.Builtin(), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range others {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := exec.LookPath(tt.compress[0]); err != nil {
				if os.Getenv("CI") != "" {
					t.Fatal(err)
				}
				t.Skip(err)
			}
			o := compress.EncoderOptions{Codec: tt.codec}
			if tt.dictionary {
				o.Dictionary = dictionary.Builtin()
			}
			for name, content := range map[string][]byte{
				"nothing": nil, "one byte": {'x'}, "random": noise(5000), "a message": text[:5000], "several frames": text, "random frames": noise(3 << 20),
			} {
				ours := compressed(t, o, content)
				if got := filter(t, tt.decompress, dict, ours); !bytes.Equal(got, content) {
					t.Errorf("%s: %d bytes of ours became %d", name, len(content), len(got))
				}
				if got := filter(t, tt.decompress, dict, append(ours, ours...)); len(got) != 2*len(content) {
					t.Errorf("%s twice: %d bytes of ours became %d", name, 2*len(content), len(got))
				}
				theirs := filter(t, tt.compress, dict, content)
				got, r, err := readWith(compress.ReaderOptions{}, append(theirs, theirs...))
				if err != nil || r.Codec() != tt.codec || !bytes.Equal(got, append(bytes.Clone(content), content...)) {
					t.Errorf("%s: %d bytes of theirs became %d, %v", name, 2*len(content), len(got), err)
				}
			}
		})
	}
}

// filter returns the output of a program for data.
func filter(t *testing.T, args []string, dict string, data []byte) []byte {
	t.Helper()
	var words []string
	for _, word := range args {
		if word == "DICT" {
			word = dict
		}
		words = append(words, word)
	}
	var out, problems bytes.Buffer
	c := exec.Command(words[0], words[1:]...)
	c.Stdin, c.Stdout, c.Stderr = bytes.NewReader(data), &out, &problems
	if err := c.Run(); err != nil {
		t.Fatalf("%v: %v: %s", words, err, problems.Bytes())
	}
	return out.Bytes()
}
