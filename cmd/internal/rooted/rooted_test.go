package rooted_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/eaapl/handoff/cmd/internal/rooted"
	"github.com/eaapl/handoff/pkg/compress"
)

// folders returns folders over root, beside which is a secret.
func folders(t *testing.T) (f *rooted.Folders, root, secret string) {
	t.Helper()
	dir := t.TempDir()
	root, secret = filepath.Join(dir, "root"), filepath.Join(dir, "secret")
	for _, d := range []string{root, filepath.Join(root, "sub"), secret, filepath.Join(dir, "root-2")} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{filepath.Join(root, "a.json"), filepath.Join(root, "sub", "b.json"), filepath.Join(secret, "s.json"), filepath.Join(dir, "root-2", "s.json")} {
		if err := os.WriteFile(path, []byte(filepath.Base(path)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f, err := rooted.Open([]string{root}, compress.ReaderOptions{MaxBytes: 1000})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f, root, secret
}

func read(f *rooted.Folders, path string) (string, error) {
	r, err := f.Open(path)
	if err != nil {
		return "", err
	}
	defer r.Close()
	text, err := io.ReadAll(r)
	return string(text), err
}

func TestRead(t *testing.T) {
	f, root, _ := folders(t)
	for _, path := range []string{"a.json", "sub/b.json", "./sub/../a.json", filepath.Join(root, "sub", "b.json")} {
		if text, err := read(f, path); err != nil || text != filepath.Base(path) {
			t.Errorf("%s: %q, %v", path, text, err)
		}
	}
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	z.Write([]byte("unpacked"))
	z.Close()
	if err := os.WriteFile(filepath.Join(root, "z.json.gz"), zipped.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := read(f, "z.json.gz"); err != nil || text != "unpacked" {
		t.Errorf("gzip: %q, %v", text, err)
	}
}

// TestEscapes asks for files outside by every way there is: none is read, written or said to be
// there.
func TestEscapes(t *testing.T) {
	f, root, secret := folders(t)
	paths := []string{"../secret/s.json", "sub/../../secret/s.json", filepath.Join(secret, "s.json"), root + "-2/s.json", root + "/../secret/s.json", "/etc/passwd", "", "..", "."}
	if runtime.GOOS != "windows" { // where links need a right
		for name, to := range map[string]string{"link": secret, "relative": "../secret", "file": filepath.Join(secret, "s.json"), "loop": "loop"} {
			if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
				t.Fatal(err)
			}
		}
		paths = append(paths, "link/s.json", "relative/s.json", "file", "loop", "sub/../link/s.json")
	}
	for _, path := range paths {
		if text, err := read(f, path); err == nil {
			t.Errorf("read %q: %q", path, text)
		}
	}
	for _, path := range append(paths, "../secret/new.json", "link/new.json", "relative/new.json", filepath.Join(secret, "new.json")) {
		_ = f.Write(path, []byte("written"), true) // replacing a link in the folder is no escape
	}
	for _, name := range []string{"new.json", "s.json"} {
		if text, err := os.ReadFile(filepath.Join(secret, name)); err == nil && string(text) != "s.json" || err != nil && name == "s.json" {
			t.Errorf("%s was written: %q, %v", name, text, err)
		}
	}
	if entries, _ := os.ReadDir(secret); len(entries) != 1 {
		t.Errorf("%d files in the folder beside", len(entries))
	}
}

// TestWrite writes files: as a whole, and over others only if that is asked for.
func TestWrite(t *testing.T) {
	f, root, _ := folders(t)
	if err := f.Write("sub/new.json", []byte("1"), false); err != nil {
		t.Fatal(err)
	}
	if err := f.Write("sub/new.json", []byte("2"), false); err == nil || !strings.Contains(err.Error(), "already") {
		t.Errorf("over another: %v", err)
	}
	if text, _ := read(f, "sub/new.json"); text != "1" {
		t.Errorf("%q", text)
	}
	if err := f.Write(filepath.Join(root, "sub", "new.json"), []byte("3"), true); err != nil {
		t.Error(err)
	}
	if text, _ := read(f, "sub/new.json"); text != "3" {
		t.Errorf("%q", text)
	}
	for _, path := range []string{"nowhere/new.json", "sub"} {
		if err := f.Write(path, nil, true); err == nil {
			t.Errorf("%s was written", path)
		}
	}
	err := filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
		if strings.Contains(path, ".handoff-") {
			t.Errorf("left over: %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
