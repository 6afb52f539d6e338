package regular

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"
)

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := ReadFile(path); err != nil || string(text) != "text" {
		t.Errorf("%q, %v", text, err)
	}
	for name, open := range map[string]func(string) error{
		"Open":       func(path string) error { _, err := Open(path); return err },
		"OpenNamed":  func(path string) error { _, err := OpenNamed(path); return err },
		"OpenWithin": func(path string) error { _, err := OpenWithin(t.Context(), path); return err },
		"ReadFile":   func(path string) error { _, err := ReadFile(path); return err },
	} {
		if err := open(dir); !errors.Is(err, ErrNot) {
			t.Errorf("%s of a directory: %v", name, err)
		}
		if err := open(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s of nothing: %v", name, err)
		}
	}
}

func TestDirFS(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "a", "b"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a", "b", "file"), []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := fstest.TestFS(DirFS(dir), "a/b/file"); err != nil {
		t.Error(err)
	}
}

// hanging is a file on a file system that does not respond.
type hanging struct{ answered chan struct{} }

func (h hanging) ReadAt([]byte, int64) (int, error) { <-h.answered; return 0, nil }
func (hanging) Close() error                        { return nil }

// TestSilentFileSystem checks that a read waits for a file system until the context is done, or 30 seconds.
func TestSilentFileSystem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hanging{make(chan struct{})}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		f := &File{ctx: ctx, file: h, name: "a file"}
		if _, err := f.ReadAt(make([]byte, 1), 0); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a context that ends: %v", err)
		}
		f.ctx = t.Context()
		began := time.Now()
		if _, err := f.ReadAt(make([]byte, 1), 0); err == nil || err.Error() != "read a file: the file system has not answered for 30s" || time.Since(began) != patience {
			t.Errorf("no end of the context: %v after %s", err, time.Since(began))
		}
		close(h.answered) // ends the waiting reads
	})
}

// TestLateFile checks that a file is closed if it is opened after the caller has stopped waiting.
func TestLateFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		answer, dropped := make(chan int), make(chan int, 1)
		go func() {
			time.Sleep(time.Second)
			cancel()
			time.Sleep(time.Second)
			answer <- 7
		}()
		if _, err := within(ctx, "a file", func() (int, error) { return <-answer, nil }, func(n int) { dropped <- n }); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if n := <-dropped; n != 7 {
			t.Errorf("dropped %d", n)
		}
	})
}
