package pack

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/claim"
	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/output"
	"github.com/eaapl/handoff/pkg/compress"
)

// TestSourceStaysUntilSynced checks that compress -i deletes a file only after the name of the new one is on
// the disk. If that cannot be verified, it keeps and reports the file.
func TestSourceStaysUntilSynced(t *testing.T) {
	for name, failure := range map[string]error{"synced": nil, "fails": syscall.EIO, "cannot be read": fs.ErrPermission, "not supported": syscall.EINVAL} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "a.jsonl")
			if err := os.WriteFile(path, []byte("{}\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			g, printed, synced := cli.NewGlobals(), &strings.Builder{}, 0
			g.SyncFolder = func(folder string) error {
				synced++
				if names, err := filepath.Glob(filepath.Join(folder, "*")); err != nil || len(names) != 2 {
					t.Errorf("when its folder is synced, there are %v, %v", names, err)
				}
				return failure
			}
			p := packing{Globals: g, inPlace: true, format: "text"}
			p.target = func(s input.Source) (string, error) { return s.Path + ".zst", nil }
			p.convert = func(_ []input.Source, out *output.File) (packed, error) {
				_, err := io.WriteString(out, "packed")
				return packed{Codec: compress.Zstd, packs: true}, err
			}
			c := &cobra.Command{}
			c.SetOut(io.Discard)
			c.SetErr(printed)
			err := p.run(c, []string{path})
			_, gone := os.Stat(path)
			if (err == nil) != (failure == nil) || errors.Is(gone, fs.ErrNotExist) != (failure == nil) || synced == 0 {
				t.Errorf("error %v, the file: %v, synced %d times", err, gone, synced)
			}
			if failure != nil && !strings.Contains(printed.String(), "a.jsonl: was not removed") {
				t.Errorf("printed %q", printed)
			}
			if text, err := os.ReadFile(path + ".zst"); err != nil || string(text) != "packed" {
				t.Errorf("the new file has %q, %v", text, err)
			}
		})
	}
}

// TestNameSynced checks that -o succeeds if the name of the file is synced to the disk, or if the system cannot sync
// names, and that a failed sync is an error.
func TestNameSynced(t *testing.T) {
	for _, tt := range []struct{ failure, want error }{{nil, nil}, {syscall.EIO, output.ErrUnsynced}, {syscall.EINVAL, nil}, {fs.ErrPermission, nil}} {
		path := filepath.Join(t.TempDir(), "a.json")
		g := cli.NewGlobals()
		g.SyncFolder = func(string) error { return tt.failure }
		out, err := g.OpenAs(claim.AsData, compress.None, path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := out.Close(nil); !errors.Is(err, tt.want) {
			t.Errorf("%v: error %v, want %v", tt.failure, err, tt.want)
		}
	}
}
