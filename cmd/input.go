package cmd

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/compress"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/yamldoc"
)

// inputs are what the arguments and flags of a run may name for reading.
type inputs struct {
	claims    *claims
	unpacking compress.ReaderOptions // bounds what is decompressed
}

// A source is a file or standard input.
type source struct {
	name string    // as named by the user, "stdin" for standard input
	path string    // "" for standard input
	size int64     // in bytes, -1 if unknown
	err  error     // why there is nothing to open
	in   io.Reader // the content, where it is not to be opened: standard input, or what was read ahead

	found bool // in a directory, rather than named by the user

	unpacking compress.ReaderOptions
}

// sources lists what the arguments name: files, directories, "-"; nothing means
// standard input. What is not there, or standard input for a second time, becomes a
// source with an error, so that the rest is worked on first.
func (in *inputs) sources(args []string, stdin io.Reader, stderr io.Writer) []source {
	if len(args) == 0 {
		args = []string{"-"}
	}
	var list []source
	for i, arg := range args {
		if arg == "-" && slices.Contains(args[:i], "-") {
			list = append(list, source{name: "stdin", err: errTwiceStdin})
			continue
		}
		if arg == "-" {
			if isTerminal(stdin) {
				fmt.Fprintln(stderr, "handoff: reading from the terminal; end with Ctrl-D, or name a file")
			}
			list = append(list, source{name: "stdin", size: -1, in: stdin, unpacking: in.unpacking})
			_ = in.claims.standard("stdin", stdin, asMessages) // what is written asks for it
			continue
		}
		info, err := os.Stat(arg)
		switch {
		case err != nil:
			list = append(list, source{name: sourceName(arg), err: plainError(err)})
		case info.IsDir():
			list = append(list, in.directory(arg)...)
		default:
			list = append(list, in.fileSource(arg, info))
		}
	}
	return list
}

// sourceName returns the name of a file in reports. Lines begin with it, and must not
// begin like a workflow command of GitHub.
func sourceName(path string) string {
	if strings.HasPrefix(strings.TrimSpace(path), "::") {
		return "./" + path
	}
	return path
}

func (in *inputs) fileSource(path string, info fs.FileInfo) source {
	s := source{name: sourceName(path), path: path, size: -1, unpacking: in.unpacking}
	if info.Mode().IsRegular() {
		s.size = info.Size()
	}
	_ = in.claims.add(claim{name: path, info: info}, asMessages) // what is written asks for it
	return s
}

// oneStdin refuses a call that would read standard input twice: for the
// messages that args name, and for a file given as "-".
func oneStdin(args []string, files ...string) error {
	if slices.Contains(files, "-") && (len(args) == 0 || slices.Contains(args, "-")) {
		return errTwiceStdin
	}
	return nil
}

var errTwiceStdin = errors.New("standard input cannot be two things at once: name a file for one of them")

var messageSuffixes = []string{".json", ".jsonl", ".ndjson"}

// directory lists the messages below a directory, in lexical order.
func (in *inputs) directory(dir string) []source {
	var list []source
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			list = append(list, source{name: sourceName(path), err: plainError(err)})
			return nil
		}
		if entry.IsDir() || !isMessageName(entry.Name()) {
			return nil
		}
		info, err := os.Stat(path)
		switch {
		case err != nil:
			list = append(list, source{name: sourceName(path), err: plainError(err)})
		case info.Mode().IsRegular():
			s := in.fileSource(path, info)
			s.found = true
			list = append(list, s)
		case !info.IsDir():
			// Whoever made the directory chose it: a pipe without a writer never ends.
			list = append(list, source{name: sourceName(path), err: errors.New("is not a regular file: name it, if it is to be read")})
		}
		return nil
	})
	if err != nil {
		list = append(list, source{name: sourceName(dir), err: plainError(err)})
	}
	if len(list) == 0 {
		list = append(list, source{name: sourceName(dir), err: errors.New("no messages here: looked for *.json, *.jsonl and *.ndjson, also with .gz and .zst")})
	}
	return list
}

func isMessageName(name string) bool {
	name = strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
	for _, suffix := range messageSuffixes {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return false
}

// plainError takes the operation and the paths off a file error; the path stands
// before it in every message.
func plainError(err error) error {
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		return e.Err
	}
	if e := (*os.LinkError)(nil); errors.As(err, &e) {
		return e.Err
	}
	return err
}

// open returns the source's content, decompressed; count is told of every byte
// read.
func (s source) open(count func(int)) (*content, error) {
	in, closeFile, err := s.raw()
	if err != nil {
		return nil, err
	}
	return &content{compress.NewReader(countingReader{in, count}, s.unpacking), closeFile}, nil
}

// raw returns the source as it is, and what closes it.
func (s source) raw() (io.Reader, func() error, error) {
	if s.err != nil {
		return nil, nil, s.err
	}
	if s.in != nil {
		return s.in, func() error { return nil }, nil
	}
	f, err := os.Open(s.path)
	if err != nil {
		return nil, nil, plainError(err)
	}
	return f, f.Close, nil
}

// content is what a source holds, decompressed.
type content struct {
	*compress.Reader
	closeFile func() error
}

func (c *content) Close() error { return errors.Join(c.Reader.Close(), c.closeFile()) }

type countingReader struct {
	r     io.Reader
	count func(int)
}

func (c countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.count(n)
	if err != nil && err != io.EOF {
		err = plainError(err)
	}
	return n, err
}

// A document is one of a source, or what became of it.
type document struct {
	source source
	index  int // 0-based, within the source
	raw    jsonstream.Raw
	pause  bool // the next one may have to be waited for
	// err is a *jsonstream.SyntaxError for a document that cannot be had;
	// anything else means that the source could not be read to its end.
	err error
}

// unreadable reports whether the source could not be read, rather than that the
// document is damaged.
func (d document) unreadable() bool {
	damaged := (*jsonstream.SyntaxError)(nil)
	return d.err != nil && !errors.As(d.err, &damaged)
}

// wholeText returns the source's content as one document that need not be JSON.
func (s source) wholeText(limits jsonstream.Limits, count func(int)) document {
	d := document{source: s, raw: jsonstream.NewRaw(nil)}
	content, err := s.open(count)
	if err != nil {
		d.err = err
		return d
	}
	defer content.Close() // read only: nothing can be lost
	d.raw.Bytes, d.err = content.all(messageBound(limits))
	return d
}

// An origin is where a document stood, for people.
type origin struct {
	source  string // as named by the user
	line    int    // where the document begins
	several bool   // whether its source may hold others
	short   bool   // the document is shorter than what is reported of it may be
	pause   bool   // the next document may have to be waited for
}

// shortDocument is about how long a record without findings is, in bytes.
const shortDocument = 256

func (d document) origin() origin {
	const lineEnd = int64(len("\r\n"))
	several := d.index > 0 || d.source.size < 0 || d.source.size > int64(len(d.raw.Bytes))+lineEnd
	return origin{d.source.name, d.raw.Start.Line, several, len(d.raw.Bytes) < shortDocument, d.pause}
}

func (o origin) String() string {
	if !o.several {
		return visible(o.source)
	}
	return fmt.Sprintf("%s:%d", visible(o.source), o.line)
}

// inFile puts the place before an error that has one.
func inFile(name string, err error) error {
	if e := (*jsonstream.SyntaxError)(nil); errors.As(err, &e) {
		return fmt.Errorf("%s:%d:%d: %w", name, e.Line, e.Column, err)
	}
	if e := (*jsonstream.NumberError)(nil); errors.As(err, &e) {
		return fmt.Errorf("%s:%d:%d: %s: %w", name, e.Line, e.Column, visible(e.Pointer), err)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// documents calls yield with the source's documents in order, and last, where
// there is one, with the error that ended it. A source without any document has
// one empty one, which is an error for whoever needs a message. ready reports
// whether more has been read already, so that waiting for it does not hold up
// what there is.
func (s source) documents(limits jsonstream.Limits, count func(int), yield func(d document, ready bool) bool) {
	content, err := s.open(count)
	if err != nil {
		yield(document{source: s, err: err}, false)
		return
	}
	in := io.ReadCloser(content)
	if content.Codec() != compress.None {
		in = newAheadReader(content)
	}
	defer in.Close() // read only: nothing can be lost
	splitter := jsonstream.NewSplitter(in, limits)
	if s.size >= 0 && content.Codec() == compress.None {
		splitter.Expect(s.size)
	}
	for index := 0; ; index++ {
		raw, err := splitter.Next()
		if err == io.EOF {
			if index == 0 {
				yield(document{source: s, raw: jsonstream.NewRaw(nil)}, false)
			}
			return
		}
		ready := splitter.Ready()
		d := document{source: s, index: index, raw: raw, pause: !ready && s.size < 0, err: err}
		if !yield(d, ready) || d.unreadable() {
			return
		}
	}
}

// shownName returns a file's name for people.
func shownName(path string) string {
	if path == "-" {
		return "stdin"
	}
	return visible(path)
}

// loadDocument reads a file that holds one JSON document, and returns its name for
// people too.
func (in *inputs) loadDocument(path string, stdin io.Reader, limits jsonstream.Limits) (*jsonstream.Document, string, error) {
	return in.parseFile(path, stdin, messageBound(limits), limits)
}

// loadSettings is loadDocument for a file of settings.
func (in *inputs) loadSettings(path string, stdin io.Reader, limits jsonstream.Limits) (*jsonstream.Document, string, error) {
	return in.parseFile(path, stdin, settingsBound, limits)
}

func (in *inputs) parseFile(path string, stdin io.Reader, most byteBound, limits jsonstream.Limits) (*jsonstream.Document, string, error) {
	name := shownName(path)
	text, err := in.readUpTo(path, stdin, most)
	if err != nil {
		return nil, name, err
	}
	doc, err := jsonstream.Parse(jsonstream.NewRaw(text), limits)
	if err != nil {
		return nil, name, inFile(name, err)
	}
	return doc, name, nil
}

// inputSource returns the source for a file that is not read for messages.
func (in *inputs) inputSource(path string, stdin io.Reader) (source, error) {
	if path == "-" {
		return source{name: "stdin", size: -1, in: stdin, unpacking: in.unpacking}, in.claims.standard("stdin", stdin, asInput)
	}
	return source{name: path, path: path, size: -1, unpacking: in.unpacking}, in.claims.file(path, path, asInput)
}

// readAll returns a file's whole content, decompressed and no longer than a message may
// be: a schema or a single message.
func (in *inputs) readAll(path string, stdin io.Reader, limits jsonstream.Limits) ([]byte, error) {
	return in.readUpTo(path, stdin, messageBound(limits))
}

// readSettings returns the whole content of a file that says how messages are to be
// looked at, such as a profile, rules or a policy.
func (in *inputs) readSettings(path string, stdin io.Reader) ([]byte, error) {
	return in.readUpTo(path, stdin, settingsBound)
}

func (in *inputs) readUpTo(path string, stdin io.Reader, most byteBound) ([]byte, error) {
	s, err := in.inputSource(path, stdin)
	if err != nil {
		return nil, err
	}
	content, err := s.open(func(int) {})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	defer content.Close() // read only: nothing can be lost
	text, err := content.all(most)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	return text, nil
}

// A byteBound is how long a content may be, decompressed, and what to do where it is
// longer.
type byteBound struct {
	bytes  int64
	remedy string
}

func messageBound(limits jsonstream.Limits) byteBound {
	return byteBound{max(limits.MaxBytes, 1), "raise --max-message-bytes"}
}

var settingsBound = byteBound{yamldoc.MaxBytes, "settings are shorter"}

// all returns the whole content, if it is not longer than it may be.
func (c *content) all(most byteBound) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(c, most.bytes+1))
	if err != nil {
		return nil, err
	}
	if int64(len(text)) > most.bytes {
		return nil, fmt.Errorf("longer than %d bytes: %s", most.bytes, most.remedy)
	}
	return text, nil
}
