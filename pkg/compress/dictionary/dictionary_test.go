package dictionary_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/eaapl/handoff/pkg/compress/dictionary"
)

func TestBuiltin(t *testing.T) {
	dict := dictionary.Builtin()
	if n := len(dict); n < 16<<10 || n > 64<<10 {
		t.Errorf("the built-in dictionary has %d bytes, want 16 to 64 KiB", n)
	}
	if id, err := dictionary.ID(dict); id != dictionary.BuiltinID || err != nil {
		t.Errorf("ID(Builtin()) = %#x, %v, want %#x", id, err, dictionary.BuiltinID)
	}
	dict[0] = 0
	if dictionary.Builtin()[0] == 0 {
		t.Error("a change of what Builtin returned changed the dictionary")
	}
}

func TestID(t *testing.T) {
	dict := dictionary.Builtin()
	for _, tt := range []struct {
		name    string
		dict    []byte
		wantErr string
	}{
		{name: "empty", dict: nil, wantErr: "it is empty"},
		{name: "text", dict: []byte("{}"), wantErr: "it starts with 7b 7d, a dictionary with 37 a4 30 ec"},
		{name: "a zstd frame", dict: []byte("\x28\xb5\x2f\xfd\x00"), wantErr: "it starts with 28 b5 2f fd"},
		{name: "magic only", dict: dict[:4], wantErr: "damaged or cut off"},
		{name: "cut in the tables", dict: dict[:60], wantErr: "damaged or cut off"},
		{name: "id 0", dict: append([]byte("\x37\xa4\x30\xec\x00\x00\x00\x00"), dict[8:]...), wantErr: "ID 0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := dictionary.ID(tt.dict)
			if !errors.Is(err, dictionary.ErrDictionary) || !strings.Contains(err.Error(), tt.wantErr) {
				t.Errorf("ID: %v, want an ErrDictionary with %q", err, tt.wantErr)
			}
		})
	}
}

func FuzzID(f *testing.F) {
	f.Add(dictionary.Builtin()[:1024])
	f.Add([]byte("\x37\xa4\x30\xec\x01\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, dict []byte) {
		if id, err := dictionary.ID(dict); (id == 0) != (err != nil) {
			t.Errorf("ID = %d, %v", id, err)
		}
	})
}

// TestHeldOut checks the compression ratios of the built-in dictionary on messages about subjects
// that are not in its training data.
func TestHeldOut(t *testing.T) {
	plain := encoder(t, zstd.SpeedDefault, nil)
	for _, tt := range []struct {
		level zstd.EncoderLevel
		want  float64 // times smaller than without a dictionary at the default level
	}{
		{zstd.SpeedDefault, 1.24},
		{zstd.SpeedBetterCompression, 1.29},
		{zstd.SpeedBestCompression, 1.35},
	} {
		with := encoder(t, tt.level, dictionary.Builtin())
		without, small := 0, 0
		for _, m := range heldOut(t) {
			frame := with.EncodeAll(m, nil)
			without += len(plain.EncodeAll(m, nil))
			small += len(frame)
			if got := decode(t, dictionary.Builtin(), frame); !bytes.Equal(got, m) {
				t.Errorf("level %v: a message of %d bytes came back as another of %d", tt.level, len(m), len(got))
			}
		}
		if got := float64(without) / float64(small); got < tt.want {
			t.Errorf("level %v: %.3f times smaller with the dictionary, want %.2f", tt.level, got, tt.want)
		}
	}
}

// TestReference exchanges frames with the zstd program, in both directions.
func TestReference(t *testing.T) {
	program, err := exec.LookPath("zstd")
	if err != nil && os.Getenv("CI") == "" {
		t.Skip("zstd is not installed")
	} else if err != nil {
		t.Fatal("zstd is not installed")
	}
	trained, err := dictionary.Train(alike(40), dictionary.Options{MaxBytes: 4 << 10})
	if err != nil {
		t.Fatal(err)
	}
	for name, dict := range map[string][]byte{"builtin": dictionary.Builtin(), "trained": trained} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "dict")
			if err := os.WriteFile(file, dict, 0o600); err != nil {
				t.Fatal(err)
			}
			run := func(in []byte, args ...string) []byte {
				t.Helper()
				c := exec.Command(program, append(args, "-q", "-c", "-D", file)...)
				c.Stdin = bytes.NewReader(in)
				var stderr strings.Builder
				c.Stderr = &stderr
				out, err := c.Output()
				if err != nil {
					t.Fatalf("zstd %v: %v\n%s", args, err, &stderr)
				}
				return out
			}
			ours := encoder(t, zstd.SpeedBestCompression, dict)
			for _, m := range heldOut(t) {
				if got := run(ours.EncodeAll(m, nil), "-d"); !bytes.Equal(got, m) {
					t.Error("zstd read another message than was written")
				}
				if got := decode(t, dict, run(m)); !bytes.Equal(got, m) {
					t.Error("another message was read than zstd wrote")
				}
			}
		})
	}
}

// heldOut returns the messages of testdata/heldout, whose words are not in the training data.
func heldOut(t *testing.T) [][]byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "heldout", "*.json"))
	if err != nil || len(files) < 12 {
		t.Fatalf("testdata/heldout has %d messages (%v), want 12 or more", len(files), err)
	}
	messages := make([][]byte, len(files))
	for i, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		messages[i] = bytes.TrimSpace(text)
	}
	return messages
}

func encoder(t *testing.T, level zstd.EncoderLevel, dict []byte) *zstd.Encoder {
	t.Helper()
	options := []zstd.EOption{zstd.WithEncoderLevel(level), zstd.WithEncoderConcurrency(1)}
	if dict != nil {
		options = append(options, zstd.WithEncoderDict(dict))
	}
	e, err := zstd.NewWriter(nil, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

func decode(t *testing.T, dict, frame []byte) []byte {
	t.Helper()
	d, err := zstd.NewReader(nil, zstd.WithDecoderDicts(dict), zstd.WithDecoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	text, err := d.DecodeAll(frame, nil)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
