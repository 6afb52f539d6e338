package input

import (
	"fmt"
	"io"

	"github.com/eaapl/handoff/internal/claim"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/internal/yamldoc"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// ShownName returns the display name of a file.
func ShownName(path string) string {
	if path == "-" {
		return "stdin"
	}
	return term.Visible(path)
}

// LoadDocument reads a file with one JSON document. It also returns the display name of the file.
func (in *Reader) LoadDocument(path string, stdin io.Reader, limits jsonstream.Limits) (*jsonstream.Document, string, error) {
	return in.parseFile(path, stdin, MessageBound(limits), limits)
}

// LoadSettings is like LoadDocument, but for a file with settings.
func (in *Reader) LoadSettings(path string, stdin io.Reader, limits jsonstream.Limits) (*jsonstream.Document, string, error) {
	return in.parseFile(path, stdin, settingsBound, limits)
}

func (in *Reader) parseFile(path string, stdin io.Reader, limit ByteBound, limits jsonstream.Limits) (*jsonstream.Document, string, error) {
	name := ShownName(path)
	text, err := in.readUpTo(path, stdin, limit)
	if err != nil {
		return nil, name, err
	}
	doc, err := jsonstream.Parse(jsonstream.NewRaw(text), limits)
	if err != nil {
		return nil, name, InFile(name, err)
	}
	return doc, name, nil
}

// File returns the source for a file that is not a source of messages.
func (in *Reader) File(path string, stdin io.Reader) (Source, error) {
	if path == "-" {
		return Source{Name: "stdin", Size: -1, In: stdin, Unpacking: in.Unpacking}, in.Claims.Standard("stdin", stdin, claim.AsInput)
	}
	return Source{Name: path, Path: path, Size: -1, Unpacking: in.Unpacking}, in.Claims.File(path, path, claim.AsInput)
}

// OpenFile opens a file that a flag names, without decompressing it; it may be a pipe. It returns a function
// that closes the file. The error names the file.
func (in *Reader) OpenFile(path string) (io.Reader, func() error, error) {
	if err := in.Claims.File(path, path, claim.AsInput); err != nil {
		return nil, nil, err
	}
	content, closeFile, err := Source{Name: path, Path: path, Size: -1}.Raw()
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return content, closeFile, nil
}

// ReadAll returns the decompressed content of a file with a schema or a single message. The maximum size is
// that of a message.
func (in *Reader) ReadAll(path string, stdin io.Reader, limits jsonstream.Limits) ([]byte, error) {
	return in.readUpTo(path, stdin, MessageBound(limits))
}

// ReadSettings returns the content of a file with settings, such as a profile, rules or a policy.
func (in *Reader) ReadSettings(path string, stdin io.Reader) ([]byte, error) {
	return in.readUpTo(path, stdin, settingsBound)
}

func (in *Reader) readUpTo(path string, stdin io.Reader, limit ByteBound) ([]byte, error) {
	s, err := in.File(path, stdin)
	if err != nil {
		return nil, err
	}
	content, err := s.Open(func(int) {})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	defer content.Close() // read only: nothing can be lost
	text, err := limit.ReadAll(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	return text, nil
}

// A ByteBound is a maximum size of decompressed content, and the remedy for larger content.
type ByteBound struct {
	Bytes  int64
	Remedy string
}

func MessageBound(limits jsonstream.Limits) ByteBound {
	return ByteBound{max(limits.MaxBytes, 1), "raise --max-message-bytes"}
}

var settingsBound = ByteBound{yamldoc.MaxBytes, "settings are shorter"}

// ReadAll reads all of r, or returns an error if it is too long.
func (b ByteBound) ReadAll(r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, b.Bytes+1))
	if err != nil {
		return nil, term.PlainError(err)
	}
	if int64(len(text)) > b.Bytes {
		return nil, fmt.Errorf("longer than %d bytes: %s", b.Bytes, b.Remedy)
	}
	return text, nil
}

// ReadAsIs returns the content of a file without decompressing it. The maximum size is that of a message.
func (in *Reader) ReadAsIs(path string, stdin io.Reader, limits jsonstream.Limits) ([]byte, error) {
	s, err := in.File(path, stdin)
	if err != nil {
		return nil, err
	}
	content, closeFile, err := s.Raw()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	defer closeFile() // read only: nothing can be lost
	text, err := MessageBound(limits).ReadAll(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, term.PlainError(err))
	}
	return text, nil
}
