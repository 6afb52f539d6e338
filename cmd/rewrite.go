package cmd

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

// A rewriting makes of every document another one, in the order read: one a
// line on the output, or in the place of the old ones.
type rewriting struct {
	*globals
	output  string
	inPlace bool
	// rewrite appends the text made of a document to dst. Its error, or each of
	// those that it joins, says with the place why there is none, and may be a
	// refusal.
	rewrite func(dst []byte, d input.Document, tell func(news any)) ([]byte, error)
	// publish gets what rewrite told of some documents, in the order of the input
	// and before the texts made of them are written.
	publish func(news []any) error

	stderr   io.Writer
	progress *term.Progress
	outcome  error // the worst that happened: nil, errNo or errReported
}

// A refusal is an error by which the answer is no, rather than that there is
// none.
type refusal struct{ error }

func (r refusal) Unwrap() error { return r.error }

// registerOutput registers -o.
func (f *rewriting) registerOutput(c *cobra.Command) {
	c.Flags().StringVarP(&f.output, "output", "o", "", "write the messages to `FILE`")
}

// registerInPlace registers -i.
func (f *rewriting) registerInPlace(c *cobra.Command) {
	c.Flags().BoolVarP(&f.inPlace, "in-place", "i", false, "rewrite the files")
}

// run rewrites what the arguments name. Documents that cannot be rewritten are
// told on stderr and left out.
func (f *rewriting) run(c *cobra.Command, args []string) error {
	f.stderr = c.ErrOrStderr()
	f.progress = f.newProgress(f.stderr, f.inPlace || f.output != "" || !term.IsTerminal(c.OutOrStdout()))
	list := f.Sources(args, c.InOrStdin(), f.stderr)
	if err := f.claimInPlace(list, f.inPlace); err != nil {
		return err
	}
	f.progress.Start(input.TotalSize(list))
	defer f.progress.Stop()
	if f.inPlace {
		return f.replace(list)
	}
	out, err := f.OpenData(f.output, c.OutOrStdout())
	if err != nil {
		return err
	}
	err = f.all(list, out)
	if f.output != "" && err == nil {
		err = f.outcome // then there is no file
	}
	if err := out.Close(err); err != nil {
		return err
	}
	return f.outcome
}

// claimInPlace returns why nothing may be written: with -i, to the sources.
func (g *globals) claimInPlace(list []input.Source, inPlace bool) error {
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
func (f *rewriting) replace(list []input.Source) error {
	if f.output != "" {
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
		if worst == nil || errors.Is(f.outcome, errReported) {
			worst = f.outcome
		}
	}
	return worst
}

func (f *rewriting) replaceFile(s input.Source) error {
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

func (f *rewriting) all(list []input.Source, out *output.File) error {
	produce := func(emit func([]input.Document) bool) { input.Batches(list, f.limits, f.progress.Bytes, emit) }
	return input.InOrder(produce, f.work, func(r rewritten) error {
		for range r.documents {
			f.progress.Message()
		}
		for _, err := range r.problems {
			f.fail(err)
		}
		if len(r.news) > 0 {
			f.progress.Clear()
			if err := f.publish(r.news); err != nil {
				return err
			}
		}
		_, err := out.Write(r.text)
		return err
	}, out.Flush)
}

func (f *rewriting) work(batch []input.Document) rewritten {
	r := rewritten{documents: len(batch)}
	size := 0
	for _, d := range batch {
		size += len(d.Raw.Bytes) + len(d.Raw.Bytes)/16 + 256
	}
	r.text = make([]byte, 0, size)
	tell := func(news any) { r.news = append(r.news, news) }
	for _, d := range batch {
		if d.Err != nil {
			r.problems = append(r.problems, input.InFile(d.Source.Name, d.Err))
			continue
		}
		text, err := f.rewrite(r.text, d, tell)
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

// fail tells a problem and remembers what it comes to.
func (f *rewriting) fail(err error) {
	f.progress.Fail(err)
	no := refusal{}
	if !errors.As(err, &no) {
		f.outcome = errReported
	} else if f.outcome == nil {
		f.outcome = errNo
	}
}

// layout is how a message is written.
type layout struct{ pretty bool }

func (l *layout) register(c *cobra.Command) {
	c.Flags().BoolVar(&l.pretty, "pretty", false, "indent the output")
}

// append appends a JSON text.
func (l layout) append(dst, text []byte) ([]byte, error) {
	if l.pretty {
		return jsonstream.AppendIndent(dst, text)
	}
	return jsonstream.AppendCompact(dst, text), nil
}
