package regular

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// ErrNoWriter is the error of a pipe without a writer.
var ErrNoWriter = errors.New("is a pipe without a writer")

// ReadFileOrPipe returns the content of a regular file, or of a pipe with a writer, such as a shell's
// <(COMMAND). For anything else, it returns an error that wraps [ErrNot] or [ErrNoWriter] without blocking.
func ReadFileOrPipe(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Mode()&fs.ModeNamedPipe == 0 {
		return ReadFile(path)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|nonBlock, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close() // read only: nothing can be lost
	text, err := io.ReadAll(f)
	if err == nil && len(text) == 0 {
		err = &fs.PathError{Op: "read", Path: path, Err: ErrNoWriter}
	}
	return text, err
}
