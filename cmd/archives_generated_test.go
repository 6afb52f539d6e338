package cmd

import (
	"archive/zip"
	"bytes"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/docs"
	"github.com/eaapl/handoff/schemas"
	"github.com/eaapl/handoff/vectors"
)

// TestGeneratedArchives compares the archives that the program embeds with their files, after TestGenerated has
// written some of them.
func TestGeneratedArchives(t *testing.T) {
	for _, tt := range []struct {
		dir, archive string
		patterns     []string
		except       []string
	}{
		{dir: "docs", archive: docs.Archive, patterns: []string{"*.md"}, except: []string{"commands.md", "coverage.md", "providers.md", "rules.md"}},
		{dir: "schemas", archive: schemas.Archive, patterns: []string{"*.schema.json", "examples/*.json"}},
		{dir: "vectors", archive: vectors.Archive, patterns: []string{"*.json"}},
	} {
		t.Run(tt.dir, func(t *testing.T) {
			dir := os.DirFS(filepath.Join("..", tt.dir))
			want := make(map[string]string)
			for _, pattern := range tt.patterns {
				names, err := fs.Glob(dir, pattern)
				if err != nil || len(names) == 0 {
					t.Fatalf("%s: %q, error %v", pattern, names, err)
				}
				for _, name := range names {
					if slices.Contains(tt.except, name) {
						continue
					}
					text, err := fs.ReadFile(dir, name)
					if err != nil {
						t.Fatal(err)
					}
					want[name] = string(text)
				}
			}
			path := filepath.Join("..", tt.dir, tt.archive)
			got := readArchive(t, path)
			// Another version of Go may compress differently: the archive stays if its contents are right.
			if cmp.Equal(want, got) {
				return
			}
			if !*update {
				t.Fatalf("%s/%s is out of date: run go test ./cmd -run Generated -update", tt.dir, tt.archive)
			}
			if err := os.WriteFile(path, archiveOf(t, want), 0o644); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// readArchive returns the texts of the files in an archive, by name.
func readArchive(t *testing.T, path string) map[string]string {
	r, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	texts := make(map[string]string)
	for _, f := range r.File {
		text, err := fs.ReadFile(r, f.Name)
		if err != nil {
			t.Fatal(err)
		}
		texts[f.Name] = string(text)
	}
	return texts
}

// archiveOf returns an archive of files with these texts.
func archiveOf(t *testing.T, texts map[string]string) []byte {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		member, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(member, texts[name]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
