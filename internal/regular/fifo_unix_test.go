//go:build unix

package regular

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestPipe checks that opening never waits for the other side of a pipe, and opens no device.
func TestPipe(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, "/dev/null"} {
		if _, err := Open(path); !errors.Is(err, ErrNot) {
			t.Errorf("%s: %v", path, err)
		}
		if _, err := OpenNamed(path); !errors.Is(err, ErrNot) {
			t.Errorf("%s by its name: %v", path, err)
		}
		if _, err := OpenWithin(t.Context(), path); !errors.Is(err, ErrNot) {
			t.Errorf("%s within a context: %v", path, err)
		}
	}
	if _, err := fs.ReadFile(DirFS(dir), "pipe"); !errors.Is(err, ErrNot) {
		t.Errorf("a pipe in a folder: %v", err)
	}
}

// TestExchanged checks that a pipe that replaces a file while it is opened is not waited for.
func TestExchanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	exchange := func(path string) (fs.FileInfo, error) {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			return nil, err
		}
		info, err := os.Stat(path)
		return info, errors.Join(err, os.Remove(path), syscall.Mkfifo(path, 0o600))
	}
	if _, err := open(exchange, path, 0); !errors.Is(err, ErrNot) {
		t.Error(err)
	}
}

// TestLink checks that OpenNamed follows no link.
func TestLink(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(file, nil, 0o600), os.Symlink(file, link)); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenNamed(link); !errors.Is(err, ErrNot) {
		t.Error(err)
	}
	f, err := Open(link)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
}

// TestReadFileOrPipe checks that reading does not wait for a writer, and reads the data in a pipe to its end.
func TestReadFileOrPipe(t *testing.T) {
	dir := t.TempDir()
	pipe, file := filepath.Join(dir, "pipe"), filepath.Join(dir, "file")
	if err := errors.Join(syscall.Mkfifo(pipe, 0o600), os.WriteFile(file, []byte("text"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFileOrPipe(pipe); !errors.Is(err, ErrNoWriter) {
		t.Errorf("without a writer: %v", err)
	}
	for _, path := range []string{dir, "/dev/null"} {
		if _, err := ReadFileOrPipe(path); !errors.Is(err, ErrNot) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if text, err := ReadFileOrPipe(file); string(text) != "text" || err != nil {
		t.Errorf("a file: %q, %v", text, err)
	}
	writer, err := os.OpenFile(pipe, os.O_RDWR, 0) // does not wait for a reader
	if err != nil {
		t.Fatal(err)
	}
	read := make(chan string)
	go func() {
		text, err := ReadFileOrPipe(pipe)
		if err != nil {
			t.Error(err)
		}
		read <- string(text)
	}()
	// More than a pipe holds: the end is written while the reader reads.
	want := strings.Repeat("text", 1<<18)
	if _, err := writer.WriteString(want); err != nil {
		t.Error(err)
	}
	if err := writer.Close(); err != nil {
		t.Error(err)
	}
	if text := <-read; text != want {
		t.Errorf("%d bytes, want %d", len(text), len(want))
	}
}
