// Package input turns arguments into sources and sources into documents, and processes the documents
// concurrently, in input order and in constant memory.
package input

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/eaapl/handoff/internal/claim"
	"github.com/eaapl/handoff/internal/regular"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/compress"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Reader opens the files that the arguments and flags of a run name.
type Reader struct {
	Claims    *claim.Set
	Unpacking compress.ReaderOptions // limits decompression
	// Lines reports, from the first document of a source, whether the whole source is one document of JSON
	// Lines; nil means no.
	Lines func(first []byte) bool
	// LongLines keeps long JSON Lines out of memory: see [Document.File].
	LongLines bool
	// Each treats the elements of an array as documents, instead of the array.
	Each bool
}

// A Source is a file or standard input.
type Source struct {
	Name string    // as named by the user, "stdin" for standard input
	Path string    // "" for standard input
	Size int64     // in bytes, -1 if unknown
	Err  error     // an error instead of the content
	In   io.Reader // the content if it is already open: standard input, or a file that was read ahead

	Found bool // found in a directory, not named by the user
	typed bool // standard input is a terminal

	Unpacking compress.ReaderOptions
	Lines     func(first []byte) bool // see Reader
	LongLines bool                    // see Reader
	Each      bool                    // see Reader
}

// Sources returns the sources that the arguments name: files, directories, "-"; no arguments mean standard
// input. A missing file, or standard input for a second time, becomes a source with an error, so that the
// other sources are processed first.
func (in *Reader) Sources(args []string, stdin io.Reader, stderr io.Writer) []Source {
	if len(args) == 0 {
		args = []string{"-"}
	}
	var list []Source
	for i, arg := range args {
		if arg == "-" && slices.Contains(args[:i], "-") {
			list = append(list, Source{Name: "stdin", Err: ErrTwiceStdin})
			continue
		}
		if arg == "-" {
			typed := term.IsTerminal(stdin)
			if typed {
				fmt.Fprintln(stderr, "handoff: reading from the terminal; end with Ctrl-D, or name a file")
			}
			list = append(list, Source{Name: "stdin", Size: -1, typed: typed, In: stdin, Unpacking: in.Unpacking, Lines: in.Lines, Each: in.Each})
			_ = in.Claims.Standard("stdin", stdin, claim.AsMessages) // Check returns the error before anything is written
			continue
		}
		info, err := os.Stat(arg)
		switch {
		case arg == "":
			list = append(list, Source{Name: `""`, Err: errNoName})
		case err != nil:
			list = append(list, Source{Name: SourceName(arg), Err: notFound(arg, err)})
		case info.IsDir():
			list = append(list, in.Directory(arg)...)
		default:
			list = append(list, in.Found(arg, info))
		}
	}
	return list
}

// Watch starts the progress of reading sources, unless standard input is a terminal, which shows the user's
// typing.
func Watch(p *term.Progress, list []Source) {
	total := int64(0)
	for _, s := range list {
		switch {
		case s.typed:
			return
		case s.Size < 0:
			total = -1
		case total >= 0:
			total += s.Size
		}
	}
	p.Start(total)
}

// SourceName returns the name of a file in reports. Lines begin with the name, and must not look like
// workflow commands of GitHub.
func SourceName(path string) string {
	if strings.HasPrefix(strings.TrimSpace(path), "::") {
		return "./" + path
	}
	return path
}

func (in *Reader) Found(path string, info fs.FileInfo) Source {
	s := Source{Name: SourceName(path), Path: path, Size: -1, Unpacking: in.Unpacking, Lines: in.Lines, LongLines: in.LongLines, Each: in.Each}
	if info.Mode().IsRegular() {
		s.Size = info.Size()
	}
	_ = in.Claims.Add(claim.File{Name: path, Info: info}, claim.AsMessages) // Check returns the error before anything is written
	return s
}

// OneStdin returns an error if standard input would be read twice. The messages that args name may come from
// it, and so does each of files that is "-".
func OneStdin(args []string, files ...string) error {
	free := len(args) > 0 && !slices.Contains(args, "-")
	for _, file := range files {
		if file == "-" && !free {
			return ErrTwiceStdin
		}
		free = free && file != "-"
	}
	return nil
}

var errNoName = errors.New("an argument is empty: a variable may not be set")

var ErrTwiceStdin = errors.New("standard input is named for two inputs: name a file for one of them")

var messageSuffixes = []string{".json", ".jsonl", ".ndjson"}

// notFound returns the cause of an error of [os.Stat]: a link can be there without its file.
func notFound(path string, err error) error {
	if target, linkErr := os.Readlink(path); linkErr == nil && errors.Is(err, fs.ErrNotExist) {
		return danglingError(target)
	}
	return term.PlainError(err)
}

// A danglingError reports a link to a file that does not exist. It is [fs.ErrNotExist].
type danglingError string

func (e danglingError) Error() string {
	return "is a link to " + term.Visible(string(e)) + ", which does not exist"
}

func (danglingError) Is(target error) bool { return target == fs.ErrNotExist }

// Directory returns the sources of the files below a directory, in lexical order. dir may be a link to a
// directory; links to directories below it are not followed, because they can lead back.
func (in *Reader) Directory(dir string) []Source {
	var list []Source
	root := filepath.Clean(dir) + string(filepath.Separator) // the separator follows a link
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			if path == root {
				path = dir
			}
			list = append(list, Source{Name: SourceName(path), Err: term.PlainError(err)})
			return nil
		}
		if entry.IsDir() || !isMessageName(entry.Name()) {
			return nil
		}
		info, err := os.Stat(path)
		switch {
		case err != nil:
			list = append(list, Source{Name: SourceName(path), Err: notFound(path, err)})
		case info.Mode().IsRegular():
			s := in.Found(path, info)
			s.Found = true
			list = append(list, s)
		case !info.IsDir():
			// The author of the directory may have put anything there: a pipe without a writer would block
			// forever.
			list = append(list, Source{Name: SourceName(path), Err: errors.New("is not a regular file: to read it, name it as an argument")})
		}
		return nil
	})
	if err != nil {
		list = append(list, Source{Name: SourceName(dir), Err: term.PlainError(err)})
	}
	if len(list) == 0 {
		list = append(list, Source{Name: SourceName(dir), Err: errors.New("contains no message files: looked for *.json, *.jsonl and *.ndjson, also with .gz and .zst")})
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

// Open returns the source's decompressed content. count is called with the number of bytes of each read.
func (s Source) Open(count func(int)) (*Content, error) {
	in, closeFile, err := s.Raw()
	if err != nil {
		return nil, err
	}
	return &Content{compress.NewReader(countingReader{in, count}, s.Unpacking), closeFile}, nil
}

// Raw returns the source's content without decompressing it, and a function that closes it.
func (s Source) Raw() (io.Reader, func() error, error) {
	if s.Err != nil {
		return nil, nil, s.Err
	}
	if s.In != nil {
		return s.In, func() error { return nil }, nil
	}
	open := regular.Open
	if s.Size < 0 {
		open = os.Open // only the user can have named a pipe
	}
	f, err := open(s.Path)
	if err != nil {
		return nil, nil, term.PlainError(err)
	}
	return f, f.Close, nil
}

// A Content is the decompressed content of a source.
type Content struct {
	*compress.Reader
	closeFile func() error
}

func (c *Content) Close() error { return errors.Join(c.Reader.Close(), c.closeFile()) }

type countingReader struct {
	r     io.Reader
	count func(int)
}

func (c countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.count(n)
	if err != nil && err != io.EOF {
		err = term.PlainError(err)
	}
	return n, err
}

// A Document is a document of a source, or an error.
type Document struct {
	Source Source
	Index  int            // 0-based, within the source
	Raw    jsonstream.Raw // without Bytes if Long is set
	// Long is set for JSON Lines that are not in memory: the end offset of the last. See [Document.File].
	Long int64
	// Space is the white space around the document, nil if unknown: in a pipe, the white space after a
	// document is input that may not have arrived yet.
	Space *Space
	pause bool // the next one may not be available yet
	// Err is a *jsonstream.SyntaxError for a damaged document; any other error means that the source could
	// not be read to its end.
	Err error
}

// A Space is the white space around a document in a file: before the first one, and after each.
type Space struct{ Before, After []byte }

// Unreadable reports whether the source could not be read, rather than that the document is damaged.
func (d Document) Unreadable() bool {
	damaged := (*jsonstream.SyntaxError)(nil)
	return d.Err != nil && !errors.As(d.Err, &damaged)
}

// ErrShorter reports a file that was truncated while it was read.
var ErrShorter = errors.New("the file became shorter while it was read: read it again")

// File opens the file with the long JSON Lines, which extend from Raw.Start to Long.
func (d Document) File() (*os.File, error) {
	f, err := regular.Open(d.Source.Path)
	if err != nil {
		return nil, term.PlainError(err)
	}
	return f, nil
}

// Whole returns the document with its bytes, even if it is Long.
func (d Document) Whole() Document {
	if d.Long == 0 {
		return d
	}
	f, err := d.File()
	if err != nil {
		d.Err = err
		return d
	}
	defer f.Close() // read only: nothing can be lost
	d.Raw.Bytes = make([]byte, d.Long-d.Raw.Start.Offset)
	if _, err := f.ReadAt(d.Raw.Bytes, d.Raw.Start.Offset); errors.Is(err, io.EOF) {
		d.Err = ErrShorter
	} else if err != nil {
		d.Err = term.PlainError(err)
	}
	d.Long = 0
	return d
}

// Parse parses the document. The error has the place.
func (d Document) Parse(limits jsonstream.Limits) (*jsonstream.Document, error) {
	doc, err := (*jsonstream.Document)(nil), d.Err
	if err == nil {
		doc, err = jsonstream.Parse(d.Raw, limits)
	}
	if err != nil {
		return nil, InFile(d.Source.Name, err)
	}
	return doc, nil
}

// WholeText returns the source's content as one document, which need not be JSON.
func (s Source) WholeText(limits jsonstream.Limits, count func(int)) Document {
	d := Document{Source: s, Raw: jsonstream.NewRaw(nil)}
	content, err := s.Open(count)
	if err != nil {
		d.Err = err
		return d
	}
	defer content.Close() // read only: nothing can be lost
	d.Raw.Bytes, d.Err = MessageBound(limits).ReadAll(content)
	return d
}

// An Origin is the place of a document, for people.
type Origin struct {
	Source  string // as named by the user
	Line    int    // of the document's beginning
	Several bool   // the source may have other documents
	Short   bool   // the document may be shorter than its record
	Pause   bool   // the next document may not be available yet
}

// shortDocument is the approximate size of a record without findings, in bytes.
const shortDocument = 256

func (d Document) Origin() Origin {
	const lineEnd = int64(len("\r\n"))
	length := int64(len(d.Raw.Bytes))
	if d.Long > 0 {
		length = d.Long - d.Raw.Start.Offset
	}
	several := d.Index > 0 || d.Source.Size < 0 || d.Source.Size > length+lineEnd
	return Origin{d.Source.Name, d.Raw.Start.Line, several, length < shortDocument, d.pause}
}

func (o Origin) String() string {
	if !o.Several {
		return term.Visible(o.Source)
	}
	return fmt.Sprintf("%s:%d", term.Visible(o.Source), o.Line)
}

// InFile adds the place to an error that has one.
func InFile(name string, err error) error {
	if e := (*jsonstream.SyntaxError)(nil); errors.As(err, &e) {
		return fmt.Errorf("%s:%d:%d: %w", name, e.Line, e.Column, err)
	}
	if e := (*jsonstream.NumberError)(nil); errors.As(err, &e) {
		return fmt.Errorf("%s:%d:%d: %s: %w", name, e.Line, e.Column, term.Visible(e.Pointer), err)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// longLines is the minimum size of JSON Lines that are kept out of memory if possible.
const longLines = 1 << 20

// Documents calls yield with the source's documents in order. If an error ended the source, the last call has
// the error. A source without documents yields an empty one, which is an error if a message is required.
// ready reports whether more input has been read already, so that waiting for input does not delay the
// documents so far.
func (s Source) Documents(limits jsonstream.Limits, count func(int), yield func(d Document, ready bool) bool) {
	content, err := s.Open(count)
	if err != nil {
		yield(Document{Source: s, Err: err}, false)
		return
	}
	in := io.ReadCloser(content)
	if content.Codec() != compress.None {
		in = newAheadReader(content)
	}
	defer in.Close() // read only: nothing can be lost
	splitter := jsonstream.NewSplitter(in, limits)
	if s.Lines != nil {
		splitter.TakeLines(s.Lines)
	}
	if s.Size >= 0 && content.Codec() == compress.None {
		splitter.Expect(s.Size)
		if s.LongLines && s.In == nil {
			splitter.LeaveLines(longLines)
		}
	}
	var before []byte
	known := s.Size >= 0
	for index := 0; ; index++ {
		if known && index == 0 {
			before, known = splitter.Space()
		}
		raw, err := splitter.Next()
		if err == io.EOF {
			if index == 0 {
				yield(Document{Source: s, Raw: jsonstream.NewRaw(nil)}, false)
			}
			return
		}
		ready := splitter.Ready()
		d := Document{Source: s, Index: index, Raw: raw, pause: !ready && s.Size < 0, Err: err}
		if known && err == nil && raw.Bytes != nil {
			var after []byte
			if after, known = splitter.Space(); known {
				d.Space = &Space{before, after}
			}
			before = nil
		}
		if raw.Lines && raw.Bytes == nil && err == nil {
			d.Long = s.Size
			count(int(s.Size - raw.Start.Offset))
		}
		elements := s.elements(d, limits)
		for i, one := range elements {
			one.Index = index + i
			if !yield(one, ready || i < len(elements)-1) {
				return
			}
		}
		if elements != nil {
			index += len(elements) - 1
			continue
		}
		if !yield(d, ready) || d.Unreadable() {
			return
		}
	}
}

// elements returns the elements of an array as documents, nil to keep the document: if it is not an array, is
// empty, or cannot be parsed.
func (s Source) elements(d Document, limits jsonstream.Limits) []Document {
	if !s.Each || d.Err != nil || d.Raw.Lines || !bytes.HasPrefix(bytes.TrimLeft(d.Raw.Bytes, " \t\r\n"), []byte("[")) {
		return nil
	}
	doc, err := jsonstream.Parse(d.Raw, limits)
	if err != nil {
		return nil
	}
	var list []Document
	for _, v := range doc.Root().Elements() {
		one := d
		one.Raw = jsonstream.Raw{Bytes: v.Raw(), Start: v.Position()}
		one.Space, one.pause = nil, false
		list = append(list, one)
	}
	if list != nil {
		list[len(list)-1].pause = d.pause
	}
	return list
}

// CodecInPlace returns the codec of a source, or an error if it cannot be rewritten in place.
func (s Source) CodecInPlace() (compress.Codec, error) {
	if s.Err == nil && s.Size < 0 {
		return compress.None, errors.New("is not a regular file, and cannot be rewritten in place")
	}
	content, err := s.Open(func(int) {})
	if err != nil {
		return compress.None, err
	}
	defer content.Close() // read only: nothing can be lost
	return content.Codec(), nil
}
