package compress_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/eaapl/handoff/internal/oracle"
	"github.com/eaapl/handoff/pkg/compress"
)

// otherReaders are other programs that read our output. They answer in the form of read.mjs in
// testdata/oracles/compression.
var otherReaders = []struct {
	codec    compress.Codec
	language string
	name     string // in docs/compression.md
}{
	{compress.Zstd, "sh", "zstd -d"},
	{compress.Zstd, "python", "zstandard decompress"},
	{compress.Zstd, "python", "zstandard stream_reader"},
	{compress.Zstd, "python", "zstandard.open"},
	{compress.Zstd, "node", "zlib.zstdDecompressSync"},
	{compress.Zstd, "node", "zlib.createZstdDecompress"},
	{compress.Zstd, "node", "fzstd decompress"},
	{compress.Gzip, "sh", "gzip -d"},
	{compress.Gzip, "python", "gzip.decompress"},
	{compress.Gzip, "python", "gzip.open"},
	{compress.Gzip, "node", "zlib.gunzipSync"},
	{compress.Gzip, "node", "zlib.createGunzip"},
	{compress.Gzip, "node", "DecompressionStream gzip"},
	{compress.Gzip, "node", "fflate gunzipSync"},
}

// outputs are the kinds of output that readers are tested with, by their names in the table of
// docs/compression.md.
var outputs = []string{"file", "pipe", "per message"}

// readerOutputs returns the outputs for some content.
func readerOutputs(t *testing.T, codec compress.Codec, content []byte) map[string][]byte {
	encoder := newEncoder(t, compress.EncoderOptions{Codec: codec})
	var pipe, units bytes.Buffer
	w, row := compress.NewWriter(&pipe, encoder, compress.Unknown), compress.NewUnitWriter(&units, encoder)
	half := len(content) / 2
	_, err := w.Write(content[:half])
	err = errors.Join(err, w.Flush())
	_, failure := w.Write(content[half:])
	if err := errors.Join(err, failure, w.Close()); err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(content) {
		if err := row.Write(encoder.Append(nil, line)); err != nil {
			t.Fatal(err)
		}
	}
	if err := row.Close(); err != nil {
		t.Fatal(err)
	}
	return map[string][]byte{"file": compressed(t, compress.EncoderOptions{Codec: codec}, content), "pipe": pipe.Bytes(), "per message": units.Bytes()}
}

// A reading is the answer of a reader about an output.
type reading struct {
	Version string
	Bytes   int
	SHA256  string
	Error   string
}

// verdict returns the entry of the table for a reading.
func (r reading) verdict(content []byte) string {
	sum := sha256.Sum256(content)
	switch {
	case r.Error != "":
		return "error"
	case r.Bytes == len(content) && r.SHA256 == hex.EncodeToString(sum[:]):
		return "all"
	case r.Bytes < len(content):
		return "**a part**"
	}
	return "wrong"
}

// TestOtherReaders checks the statements of docs/compression.md about other readers. All of them,
// in all versions, read a file completely.
func TestOtherReaders(t *testing.T) {
	lines := bytes.Repeat([]byte(`{"handoffId":"6e7f936b","constraints":["a:b","é😀"]}`+"\n"), 70)
	content := bytes.Repeat(append(append(bytes.Repeat([]byte("x"), 80_000), '"'), lines...), 60) // 5 MB
	table := readersTable(t)
	dir := t.TempDir()
	for _, codec := range compress.Codecs() {
		for name, data := range readerOutputs(t, codec, content) {
			if err := os.WriteFile(filepath.Join(dir, name+string(codec)), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, r := range otherReaders {
		t.Run(r.name, func(t *testing.T) {
			var got []string
			version := ""
			for _, output := range outputs {
				one, ok := readWithOther(t, r.language, r.name, filepath.Join(dir, output+string(r.codec)))
				if !ok {
					t.Skip("it is not installed here")
				}
				version = one.Version
				if got = append(got, one.verdict(content)); output == "file" && got[0] != "all" {
					t.Errorf("version %s makes %d bytes of %d, %s", one.Version, one.Bytes, len(content), one.Error)
				}
			}
			t.Logf("| `%s` | %s | %s |", r.name, version, strings.Join(got, " | "))
			want, ok := table[r.name+" "+majorOf(version)]
			if !ok {
				t.Skipf("docs/compression.md has no row for version %s", version)
			}
			if !slices.EqualFunc(got, strings.Split(want, " | "), func(got, want string) bool {
				return got == want || got == "error" && want == "**a part**" // the result depends on the place of the frames in its buffer
			}) {
				t.Errorf("version %s: got %s, and docs/compression.md has %s", version, strings.Join(got, " | "), want)
			}
		})
	}
}

// readWithOther reads a file with a reader; ok is false if the reader is not installed.
func readWithOther(t *testing.T, language, name, file string) (r reading, ok bool) {
	var args []string
	switch scripts := filepath.Join("..", "..", "testdata", "oracles", "compression"); language {
	case "node":
		args = []string{"node", filepath.Join(oracle.InstallReaders(t), "read.mjs"), name, file}
	case "python":
		args = []string{"python3", filepath.Join(scripts, "read.py"), name, file}
	default:
		return readWithProgram(t, strings.Fields(name)[0], file)
	}
	if _, err := exec.LookPath(args[0]); err != nil {
		return r, false
	}
	text, err := exec.Command(args[0], args[1:]...).Output()
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return r, false
	}
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return r, true
}

// readWithProgram is readWithOther for a program of the shell.
func readWithProgram(t *testing.T, program, file string) (r reading, ok bool) {
	about, err := exec.Command(program, "--version").Output()
	if err != nil {
		return r, false
	}
	in, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close() // read only
	c := exec.Command(program, "-dc")
	c.Stdin = in
	content, err := c.Output()
	sum := sha256.Sum256(content)
	r = reading{Version: regexp.MustCompile(`[0-9]+(\.[0-9]+)+`).FindString(string(about)), Bytes: len(content), SHA256: hex.EncodeToString(sum[:])}
	if err != nil {
		r.Error = err.Error()
	}
	return r, true
}

// readersTable returns the rows of docs/compression.md: the verdicts about the outputs, by the name
// and the major version of a reader.
func readersTable(t *testing.T) map[string]string {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "compression.md"))
	if err != nil {
		t.Fatal(err)
	}
	table := map[string]string{}
	known := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|.*?([0-9][0-9.]*) \\| (.*) \\|$").FindAllStringSubmatch(string(text), -1) {
		table[row[1]+" "+majorOf(row[2])] = row[3]
		known[row[1]] = true
	}
	for _, r := range otherReaders {
		if !known[r.name] {
			t.Errorf("docs/compression.md has no row for %s", r.name)
		}
	}
	return table
}

// majorOf returns the part of a version that changes with the behaviour.
func majorOf(version string) string {
	parts := strings.SplitN(version, ".", 3)
	if parts[0] == "0" && len(parts) > 1 {
		return "0." + parts[1]
	}
	return parts[0]
}
