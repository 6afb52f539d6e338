package pack

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/output"
	"github.com/eaapl/handoff/pkg/compress"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// appendTo acts like another process while a file is rewritten.
func appendTo(t *testing.T, path, text string) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(text); err != nil {
		t.Error(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

// TestInPlaceChanged appends to a file while each command rewrites it, and checks that the file is kept with the
// appended text.
func TestInPlaceChanged(t *testing.T) {
	const before, added = "{\"a\":1}\n", "{\"b\":2}\n"
	limits := jsonstream.Limits{MaxBytes: 1 << 20, MaxDepth: 100}
	quiet := func() (*cobra.Command, *strings.Builder) {
		printed := &strings.Builder{}
		c := &cobra.Command{}
		c.SetOut(io.Discard)
		c.SetErr(printed)
		return c, printed
	}
	rewritingOf := func(path string, f *cli.Rewriting) *cli.Rewriting {
		f.Globals = cli.NewGlobals()
		f.Limits = limits
		f.Rewrite = func(dst []byte, d input.Document, _ func(any)) ([]byte, error) {
			appendTo(t, path, added)
			return append(dst, d.Raw.Bytes...), nil
		}
		return f
	}
	tests := []struct {
		name    string
		rewrite func(path string) (printed string, err error)
	}{
		{"--in-place", func(path string) (string, error) {
			c, printed := quiet()
			err := rewritingOf(path, &cli.Rewriting{InPlace: true}).Run(c, []string{path})
			return printed.String(), err
		}},
		{"--output", func(path string) (string, error) {
			c, printed := quiet()
			err := rewritingOf(path, &cli.Rewriting{Output: path}).Run(c, []string{path})
			return printed.String(), err
		}},
		{"compress --in-place", func(path string) (string, error) {
			c, printed := quiet()
			p := packing{Globals: cli.NewGlobals(), inPlace: true, format: "text"}
			p.Limits = limits
			p.target = func(s input.Source) (string, error) { return s.Path + ".zst", nil }
			p.convert = func([]input.Source, *output.File) (packed, error) {
				appendTo(t, path, added)
				return packed{Codec: compress.Zstd, packs: true}, nil
			}
			err := p.run(c, []string{path})
			return printed.String(), err
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "a.jsonl")
			if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
				t.Fatal(err)
			}
			printed, err := tt.rewrite(path)
			if err == nil || !strings.Contains(printed+err.Error(), "a.jsonl: changed while it was read: it is left unchanged") {
				t.Errorf("%q, error %v", printed, err)
			}
			if text, err := os.ReadFile(path); err != nil || string(text) != before+added {
				t.Errorf("the file has %q, %v", text, err)
			}
			if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
				t.Errorf("other files: %v, %v", files, err)
			}
		})
	}
}
