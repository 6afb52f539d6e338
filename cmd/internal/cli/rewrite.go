package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/cmd/internal/claim"
	"github.com/eaapl/handoff/cmd/internal/input"
	"github.com/eaapl/handoff/cmd/internal/output"
	"github.com/eaapl/handoff/cmd/internal/term"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Rewriting makes of every document another one, in the order read: one a
// line on the output, or in the place of the old ones.
type Rewriting struct {
	*Globals
	Output  string
	InPlace bool
	// rewrite appends the text made of a document to dst. Its error, or each of
	// those that it joins, says with the place why there is none, and may be a
	// rejection.
	Rewrite func(dst []byte, d input.Document, report func(any)) ([]byte, error)
	// Publish gets what Rewrite reported of some documents, in the order of the input
	// and before the texts made of them are written.
	Publish func(news []any) error

	Stderr   io.Writer
	Progress *term.Progress
	outcome  error // the worst that happened: nil, errNo or errReported
}

// A Rejection is an error by which the answer is no, rather than that there is
// none.
type Rejection struct{ Err error }

// Reject returns err as a [Rejection].
func Reject(err error) error { return Rejection{err} }

func (r Rejection) Error() string { return r.Err.Error() }

func (r Rejection) Unwrap() error { return r.Err }

// RegisterOutput registers -o.
func (f *Rewriting) RegisterOutput(c *cobra.Command) {
	c.Flags().StringVarP(&f.Output, "output", "o", "", "write the messages to `FILE`")
}

// RegisterInPlace registers -i.
func (f *Rewriting) RegisterInPlace(c *cobra.Command) {
	c.Flags().BoolVarP(&f.InPlace, "in-place", "i", false, "rewrite the files")
}

// Run rewrites what the arguments name. Documents that cannot be rewritten are
// reported on stderr and left out.
func (f *Rewriting) Run(c *cobra.Command, args []string) error {
	f.Stderr = c.ErrOrStderr()
	f.Progress = f.NewProgress(f.Stderr, f.InPlace || f.Output != "" || !term.IsTerminal(c.OutOrStdout()))
	list := f.Sources(args, c.InOrStdin(), f.Stderr)
	if err := f.ClaimInPlace(list, f.InPlace); err != nil {
		return err
	}
	f.Progress.Start(input.TotalSize(list))
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
	err = f.all([]input.Source{s}, out)
	return out.Close(cmp.Or(err, f.outcome))
}

// rewritten is what became of a batch.
type rewritten struct {
	documents int
	text      []byte
	problems  []error
	news      []any
}

func (r rewritten) Weight() int { return cap(r.text) + 1024*len(r.problems) }

func (f *Rewriting) all(list []input.Source, out *output.File) error {
	produce := func(emit func([]input.Document) bool) { input.Batches(list, f.Limits, f.Progress.Bytes, emit) }
	return input.InOrder(produce, f.work, func(r rewritten) error {
		for range r.documents {
			f.Progress.Message()
		}
		for _, err := range r.problems {
			f.fail(err)
		}
		if len(r.news) > 0 {
			f.Progress.Clear()
			if err := f.Publish(r.news); err != nil {
				return err
			}
		}
		_, err := out.Write(r.text)
		return err
	}, out.Flush)
}

func (f *Rewriting) work(batch []input.Document) rewritten {
	r := rewritten{documents: len(batch)}
	size := 0
	for _, d := range batch {
		size += len(d.Raw.Bytes) + len(d.Raw.Bytes)/16 + 256
	}
	r.text = make([]byte, 0, size)
	report := func(news any) { r.news = append(r.news, news) }
	for _, d := range batch {
		if d.Err != nil {
			r.problems = append(r.problems, input.InFile(d.Source.Name, d.Err))
			continue
		}
		text, err := f.Rewrite(r.text, d, report)
		if err == nil {
			r.text = append(text, '\n')
			continue
		}
		if several, ok := err.(interface{ Unwrap() []error }); ok {
			r.problems = append(r.problems, several.Unwrap()...)
		} else {
			r.problems = append(r.problems, err)
		}
	}
	return r
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
