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

// A Rewriting makes of every document another one, in the order read: one a
// line on the output, or in the place of the old ones.
type Rewriting struct {
	*Globals
	Output  string
	InPlace bool
	// Rewrite appends the text made of a document to dst, or nothing. Its error, or each of
	// those that it joins, says with the place why there is none, and may be a
	// rejection.
	Rewrite func(dst []byte, d input.Document, report func(any)) ([]byte, error)
	// Publish gets what Rewrite reported of some documents, in the order of the input
	// and before the texts made of them are written. How many there are in a call depends
	// on how the input was read, and must not show in what is printed.
	Publish func(news []any) error
	// KeepsEnds says that a file in which nothing is done stays as it is, and else the white space
	// around its documents: each is not simply a line. The texts made of JSON Lines have the ends of
	// their lines.
	KeepsEnds bool
	// Single says, for texts of which each is a whole file, what a file has only one of, such as "a
	// session": of several documents for one output, only the first is rewritten. "" for others.
	Single string

	// Copy is for documents that are Long: it returns the offset after what is copied of the file, from
	// where the document begins, and false where Rewrite has to make a text of the whole. nil says
	// that there are none.
	Copy func(d input.Document, file *os.File, report func(any)) (end int64, ok bool)

	Stderr   io.Writer
	Progress *term.Progress
	outcome  error // the worst that happened: nil, errNo or errReported
	alone    bool  // one source is written to one output
	changed  bool  // something was done in it
}

// RegisterOutput registers -o.
func (f *Rewriting) RegisterOutput(c *cobra.Command) {
	c.Flags().StringVarP(&f.Output, "output", "o", "", "write the messages to `FILE`")
}

// RegisterInPlace registers -i.
func (f *Rewriting) RegisterInPlace(c *cobra.Command) {
	c.Flags().BoolVarP(&f.InPlace, "in-place", "i", false, "replace the files")
}

// Run rewrites what the arguments name. Documents that cannot be rewritten are
// reported on stderr and left out.
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
	out, err := f.OpenData(f.Output, c.OutOrStdout())
	if err != nil {
		return err
	}
	err = f.all(list, out)
	if f.Output != "" && err == nil {
		err = f.outcome // then there is no file
	}
	if err := out.Close(err); err != nil {
		return err
	}
	return f.outcome
}

// ClaimInPlace returns why nothing may be written: with -i, to the sources.
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

// replace rewrites each file by itself: all of it, or nothing.
func (f *Rewriting) replace(list []input.Source) error {
	if f.Output != "" {
		return errors.New("--in-place and --output: use one of them")
	}
	if f.Each {
		return errors.New("--in-place and --each: what an array holds comes out one a line; write it to another file with --output")
	}
	for _, s := range list {
		if s.Path == "" && s.Err == nil {
			return errors.New("--in-place needs files: standard input has no place to be written back to")
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

// rewritten is what became of a batch. The notes are errors and what Rewrite reported, in the
// order of the documents: where a batch ends must not show in their order.
type rewritten struct {
	documents int
	text      []byte
	copied    *copied // in the place of text, or nil
	changed   bool    // something was done
	notes     []any
}

// copied is what is copied of a file, which it closes.
type copied struct {
	name       string
	file       *os.File
	begin, end int64
	all        bool // nothing is left out
}

func (c *copied) to(w io.Writer) error {
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

// several is the error of a document after the first.
func (f *Rewriting) several(d input.Document) error {
	if d.Index > 0 {
		return fmt.Errorf("message %d of the file: %s is a whole file: give each message a file of its own", d.Index+1, f.Single)
	}
	return fmt.Errorf("%s is a whole file, and this is not the first that is read: convert one file at a time, or all with --in-place", f.Single)
}

// publish prints errors, and gives all that Rewrite reported between them to Publish.
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
	for i, d := range batch { // one that is long is alone
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

// copy returns what is copied of a document that is long, nil if Rewrite has to make its text.
func (f *Rewriting) copy(d input.Document, note func(any)) *copied {
	file, err := d.File()
	if err != nil {
		return nil // so is reading the whole
	}
	if end, ok := f.Copy(d, file, note); ok {
		c := &copied{name: d.Source.Name, file: file, begin: d.Raw.Start.Offset, end: end, all: end == d.Long}
		if f.KeepsEnds && f.alone {
			c.begin = 0
		}
		return c
	}
	_ = file.Close() // read only: nothing can be lost
	return nil
}

// fail prints an error and keeps what it means for the exit code.
func (f *Rewriting) fail(err error) {
	f.Progress.Fail(err)
	no := Rejection{}
	if !errors.As(err, &no) {
		f.outcome = ErrReported
	} else if f.outcome == nil {
		f.outcome = ErrNo
	}
}

// Layout is how a message is written.
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
