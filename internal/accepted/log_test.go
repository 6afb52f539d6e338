package accepted

import (
	"bytes"
	"errors"
	"io/fs"
	"testing"
	"testing/fstest"
)

// A faulty file fails to append with err, unless that is nil.
type faulty struct {
	text []byte
	err  error
}

func (f *faulty) ReadAt(b []byte, at int64) (int, error) {
	return bytes.NewReader(f.text).ReadAt(b, at)
}

func (f *faulty) Stat() (fs.FileInfo, error) { return fs.Stat(fstest.MapFS{"x": {Data: f.text}}, "x") }

func (f *faulty) Append(text []byte, end int64) error {
	if f.err == nil {
		f.text = append(f.text[:end], text...)
	}
	return f.err
}

func (f *faulty) Close() error { return nil }

// An ID that could not be recorded was not accepted, and can be accepted later.
func TestAppendFails(t *testing.T) {
	full := errors.New("no space")
	f := &faulty{text: []byte("a\n"), err: full}
	l := NewLog(func() (File, error) { return f, nil }, func(fs.FileInfo, fs.FileInfo) bool { return true })
	if fresh, err := l.Accept([]string{"a", "b"}); fresh != nil || !errors.Is(err, full) {
		t.Fatalf("got %v, %v", fresh, err)
	}
	f.err = nil
	if fresh, err := l.Accept([]string{"a", "b"}); err != nil || fresh[0] || !fresh[1] || string(f.text) != "a\nb\n" {
		t.Errorf("got %v, %v, and the file %q", fresh, err, f.text)
	}
}

// An ID that would be read back as another one, or as two, is not recorded.
func TestNoID(t *testing.T) {
	f := &faulty{}
	l := NewLog(func() (File, error) { return f, nil }, func(fs.FileInfo, fs.FileInfo) bool { return true })
	for _, id := range []string{"", "a\nb", "\n"} {
		if fresh, err := l.Accept([]string{"ok", id}); err == nil || len(f.text) > 0 {
			t.Errorf("%q: got %v and the file %q", id, fresh, f.text)
		}
	}
}
