package input

import (
	"fmt"
	"io"

	"github.com/eaapl/handoff/internal/claim"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/internal/yamldoc"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// ShownName returns a file's name for people.
func ShownName(path string) string {
	if path == "-" {
		return "stdin"
	}
	return term.Visible(path)
}

// LoadDocument reads a file that holds one JSON document, and returns its name for
// people too.
func (in *Reader) LoadDocument(path string, stdin io.Reader, limits jsonstream.Limits) (*jsonstream.Document, string, error) {
	return in.parseFile(path, stdin, MessageBound(limits), limits)
}

// LoadSettings is loadDocument for a file of settings.
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

// File returns the source for a file that is not read for messages.
func (in *Reader) File(path string, stdin io.Reader) (Source, error) {
	if path == "-" {
		return Source{Name: "stdin", Size: -1, In: stdin, Unpacking: in.Unpacking}, in.Claims.Standard("stdin", stdin, claim.AsInput)
	}
	return Source{Name: path, Path: path, Size: -1, Unpacking: in.Unpacking}, in.Claims.File(path, path, claim.AsInput)
}

// OpenFile opens a file that a flag names, which may be a pipe, as it is. It returns what closes it. The
// error names it.
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

// ReadAll returns a file's whole content, decompressed and no longer than a message may
// be: a schema or a single message.
func (in *Reader) ReadAll(path string, stdin io.Reader, limits jsonstream.Limits) ([]byte, error) {
	return in.readUpTo(path, stdin, MessageBound(limits))
}

// ReadSettings returns the whole content of a file that says how messages are to be
// looked at, such as a profile, rules or a policy.
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

// A ByteBound is how long a content may be, decompressed, and what to do where it is
// longer.
type ByteBound struct {
	Bytes  int64
	Remedy string
}

func MessageBound(limits jsonstream.Limits) ByteBound {
	return ByteBound{max(limits.MaxBytes, 1), "raise --max-message-bytes"}
}

var settingsBound = ByteBound{yamldoc.MaxBytes, "settings are shorter"}

// ReadAll returns all that r holds, if it is not longer than it may be.
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

// ReadAsIs returns a file's whole content, not decompressed, and no longer than a message may
// be.
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
