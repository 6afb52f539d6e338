package accepted_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"testing/fstest"

	"github.com/eaapl/handoff/internal/accepted"
)

// memory is a file in memory, for one process.
type memory struct{ text []byte }

func (m *memory) ReadAt(b []byte, at int64) (int, error) {
	return bytes.NewReader(m.text).ReadAt(b, at)
}

func (m *memory) Stat() (fs.FileInfo, error) {
	return fs.Stat(fstest.MapFS{"ids": {Data: m.text}}, "ids")
}

func (m *memory) Append(text []byte, end int64) error {
	m.text = append(m.text[:end], text...)
	return nil
}

func (m *memory) Close() error { return nil }

func ExampleLog() {
	file := &memory{[]byte("h-1\n")}
	log := accepted.NewLog(func() (accepted.File, error) { return file, nil }, func(a, b fs.FileInfo) bool { return true })
	fmt.Println(log.Accept([]string{"h-1", "h-2", "h-2"}))
	fmt.Println(log.Accept([]string{"h-2", "h-3"}))
	fmt.Printf("%s", file.text)
	// Output:
	// [false true false] <nil>
	// [false true] <nil>
	// h-1
	// h-2
	// h-3
}
