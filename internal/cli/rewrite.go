package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/claim"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/output"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Rewriting replaces every document by another, in input order: one per line of the output, or in place.
type Rewriting struct {
	*Globals
	Output  string
	InPlace bool
	// Rewrite appends the text for a document to dst, or nothing. Its error, or each joined error, has the
	// place and may be a rejection.
	Rewrite func(dst []byte, d input.Document, report func(any)) ([]byte, error)
	// Publish receives the reports that Rewrite made on some documents, in input order and before the texts
	// of these documents are written. The number of reports per call depends on how the input was read and
	// must not affect the output.
	Publish func(news []any) error
	// KeepsEnds keeps a file without changes as it is, and otherwise the white space around its documents,
	// instead of writing each on a line. Texts from JSON Lines keep their line ends.
	KeepsEnds bool
	// Single is a noun such as "a session" if each text is a whole file: then only the first of several
	// documents for one output is rewritten. "" for other texts.
	Single string

	// Part states that the documents cannot be restored from the texts: the output must not replace a source.
	Part bool

	// Copy handles documents that are Long. It returns the end offset of the part of the file to copy, from
	// the document's start, or false if Rewrite must be used. nil if no documents are long.
	Copy func(d input.Document, file *os.File, report func(any)) (end int64, ok bool)

	Stderr   io.Writer
	Progress *term.Progress
	outcome  error // the worst so far: nil, ErrNo or ErrReported
	alone    bool  // one source is written to one output
	changed  bool  // a document of it was changed
}

// RegisterOutput registers -o.
func (f *Rewriting) RegisterOutput(c *cobra.Command) {
	c.Flags().StringVarP(&f.Output, "output", "o", "", "write the messages to `FILE`")
}

// RegisterInPlace registers -i.
func (f *Rewriting) RegisterInPlace(c *cobra.Command) {
	c.Flags().BoolVarP(&f.InPlace, "in-place", "i", false, "replace the files")
}

// Run rewrites the documents of the arguments. It reports on stderr, and leaves out, documents that cannot be
// rewritten.
func (f *Rewriting) Run(c *cobra.Command, args []string) error {
	f.Stderr = c.ErrOrStderr()
	f.Progress = f.NewProgress(f.Stderr)
	list := f.Sources(args, c.InOrStdin(), f.Stderr)
	if err := f.ClaimInPlace(list, f.InPlace); err != nil {
		return err
	}
	input.Watch(f.Progress, list)
	defer f.Progress.Stop()
	if f.InPlace {
		return f.replace(list)
	}
	open := f.OpenData
	if f.Part {
		open = f.OpenPart
	}
	out, err := open(f.Output, c.OutOrStdout())
	if err != nil {
		return err
	}
	err = f.all(list, out)
	if f.Output != "" && err == nil {
		err = f.outcome // there is no output file
	}
	if err := out.Close(err); err != nil {
		return err
	}
	return f.outcome
}

// ClaimInPlace returns an error if, with -i, the sources may not be written.
func (g *Globals) ClaimInPlace(list []input.Source, inPlace bool) error {
	for _, s := range list {
		if inPlace && s.Path != "" {
			if err := g.Files.Claims.File(s.Name, s.Path, claim.AsData); err != nil {
				return err
			}
		}
	}
	return g.Files.Claims.Check()
}

// replace rewrites each file atomically.
func (f *Rewriting) replace(list []input.Source) error {
	if f.Output != "" {
		return errors.New("--in-place and --output: use one of them")
	}
	if f.Each {
		return errors.New("--in-place and --each: the elements of an array are written one per line; write them to another file with --output")
	}
	for _, s := range list {
		if s.Path == "" && s.Err == nil {
			return errors.New("--in-place needs files: standard input cannot be replaced")
		}
	}
	var worst error
	for _, s := range list {
		f.outcome = nil
		if err := f.replaceFile(s); err != nil && err != f.outcome {
			f.fail(err)
		}
		if worst == nil || errors.Is(f.outcome, ErrReported) {
			worst = f.outcome
		}
	}
	return worst
}

func (f *Rewriting) replaceFile(s input.Source) error {
	codec, err := s.CodecInPlace()
	if err != nil {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	out, err := f.OpenAs(claim.AsData, codec, s.Path, nil)
	if err != nil {
		return err
	}
	f.changed = false
	err = f.all([]input.Source{s}, out)
	if err = cmp.Or(err, f.outcome); err == nil && f.KeepsEnds && !f.changed {
		if err = out.Close(errSame); errors.Is(err, errSame) {
			return nil
		}
		return err
	}
	return out.Close(err)
}

// errSame leaves a file as it is.
var errSame = errors.New("nothing was done")

// A rewritten is the result of a batch. notes are errors and the reports of Rewrite, in document order: the
// ends of batches must not affect their order.
type rewritten struct {
	documents int
	text      []byte
	copied    *fileCopy // instead of text, or nil
	changed   bool      // a document was changed
	notes     []any
}

// A fileCopy is the part of a file to copy. It closes the file.
type fileCopy struct {
	name       string
	file       *os.File
	begin, end int64
	all        bool // nothing is left out
}

func (c *fileCopy) to(w io.Writer) error {
	defer c.file.Close() // read only: nothing can be lost
	n, err := io.Copy(w, io.NewSectionReader(c.file, c.begin, c.end-c.begin))
	if err == nil && n < c.end-c.begin {
		err = input.InFile(c.name, input.ErrShorter)
	}
	return err
}

func (r rewritten) Weight() int { return cap(r.text) + 1024*len(r.notes) }

func (f *Rewriting) all(list []input.Source, out *output.File) error {
	f.alone = len(list) == 1
	documents := 0
	produce := func(emit func([]input.Document) bool) {
		input.Batches(list, f.Limits, f.Progress.Bytes, func(batch []input.Document) bool {
			for i := range batch {
				if documents++; documents > 1 && f.Single != "" && batch[i].Err == nil {
					batch[i].Err = f.several(batch[i])
				}
			}
			return emit(batch)
		})
	}
	return input.InOrder(produce, f.work, func(r rewritten) error {
		for range r.documents {
			f.Progress.Message()
		}
		f.changed = f.changed || r.changed
		if err := f.publish(r.notes); err != nil {
			return err
		}
		if r.copied != nil {
			return r.copied.to(out)
		}
		_, err := out.Write(r.text)
		return err
	}, out.Flush)
}

// several returns the error for a document after the first.
func (f *Rewriting) several(d input.Document) error {
	if d.Index > 0 {
		return fmt.Errorf("message %d of the file: %s is a whole file: give each message a file of its own", d.Index+1, f.Single)
	}
	return fmt.Errorf("%s is a whole file, but other messages were converted before this one: convert one file at a time, or all with --in-place", f.Single)
}

// publish prints errors and passes the reports between them to Publish.
func (f *Rewriting) publish(notes []any) error {
	isError := func(note any) bool { _, yes := note.(error); return yes }
	for len(notes) > 0 {
		n := slices.IndexFunc(notes, isError)
		if n == 0 {
			f.fail(notes[0].(error))
			notes = notes[1:]
			continue
		}
		if n < 0 {
			n = len(notes)
		}
		if err := f.Publish(notes[:n]); err != nil {
			return err
		}
		notes = notes[n:]
	}
	return nil
}

func (f *Rewriting) work(batch []input.Document) rewritten {
	r := rewritten{documents: len(batch)}
	note := func(n any) { r.notes = append(r.notes, n) }
	for i, d := range batch { // a long one is the only one of its batch
		if d.Long > 0 && d.Err == nil {
			if r.copied = f.copy(d, note); r.copied != nil {
				r.changed = !r.copied.all
				return r
			}
			batch[i] = d.Whole()
		}
	}
	size := 0
	for _, d := range batch {
		size += len(d.Raw.Bytes) + len(d.Raw.Bytes)/16 + 256
	}
	r.text = make([]byte, 0, size)
	for _, d := range batch {
		if d.Err != nil {
			note(input.InFile(d.Source.Name, d.Err))
			continue
		}
		was := len(r.text)
		if f.KeepsEnds && f.alone && d.Space != nil {
			r.text = append(r.text, d.Space.Before...)
		}
		begin := len(r.text)
		text, err := f.Rewrite(r.text, d, note)
		if err == nil {
			r.changed = r.changed || !bytes.Equal(text[begin:], d.Raw.Bytes)
			switch {
			case len(text) == begin, f.KeepsEnds && d.Raw.Lines:
			case f.KeepsEnds && f.alone && d.Space != nil:
				text = append(text, d.Space.After...)
			default:
				text = append(text, '\n')
			}
			r.text = text
			continue
		}
		r.text = r.text[:was]
		if several, ok := err.(interface{ Unwrap() []error }); ok {
			for _, err := range several.Unwrap() {
				note(err)
			}
		} else {
			note(err)
		}
	}
	return r
}

// copy returns the part to copy of a long document, nil if Rewrite must be used.
func (f *Rewriting) copy(d input.Document, note func(any)) *fileCopy {
	file, err := d.File()
	if err != nil {
		return nil // reading the whole document returns the error again
	}
	if end, ok := f.Copy(d, file, note); ok {
		c := &fileCopy{name: d.Source.Name, file: file, begin: d.Raw.Start.Offset, end: end, all: end == d.Long}
		if f.KeepsEnds && f.alone {
			c.begin = 0
		}
		return c
	}
	_ = file.Close() // read only: nothing can be lost
	return nil
}

// fail prints an error and records its exit code.
func (f *Rewriting) fail(err error) {
	f.Progress.Fail(err)
	no := Rejection{}
	if !errors.As(err, &no) {
		f.outcome = ErrReported
	} else if f.outcome == nil {
		f.outcome = ErrNo
	}
}

// Layout is the layout of written messages.
type Layout struct{ Pretty bool }

func (l *Layout) Register(c *cobra.Command) {
	c.Flags().BoolVar(&l.Pretty, "pretty", false, "indent the output")
}

// Append appends a JSON text.
func (l Layout) Append(dst, text []byte) ([]byte, error) {
	if l.Pretty {
		return jsonstream.AppendIndent(dst, text)
	}
	return jsonstream.AppendCompact(dst, text), nil
}
