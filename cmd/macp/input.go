package macp

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
)

// A transcriptInput configures how transcripts are read.
type transcriptInput struct {
	*cli.Globals
	wire     bool
	lost     func(report.Unread) error // gets unreadable transcripts; nil to only print their errors
	progress *term.Progress            // of the run
}

func (f *transcriptInput) register(c *cobra.Command) {
	c.Flags().BoolVar(&f.wire, "wire", false, "read transcripts as length-delimited protobuf envelopes instead of JSON")
}

// batches returns a function that emits the documents of sources in batches.
func (f *transcriptInput) batches(list []input.Source, count func(int)) func(emit func([]input.Document) bool) {
	if !f.wire {
		return func(emit func([]input.Document) bool) { input.Batches(list, f.Limits, count, emit) }
	}
	for i, s := range list {
		if s.Found {
			list[i].Err = errors.New("was found in a directory, in which only JSON is read: with --wire, name each file")
		}
	}
	return func(emit func([]input.Document) bool) { input.Wholes(list, f.Limits, count, emit) }
}

// readTranscripts is [cli.Each] for every transcript that the arguments name.
func readTranscripts[R any](c *cobra.Command, f *transcriptInput, args []string, work func(transcript) (R, error), consume func(transcript, R) error, flush func() error) (unread int, err error) {
	type outcome struct {
		transcript
		result R
	}
	list := f.Sources(args, c.InOrStdin(), c.ErrOrStderr())
	f.progress = f.NewProgress(c.ErrOrStderr())
	input.Watch(f.progress, list)
	defer f.progress.Stop()
	err = input.InOrder(f.batches(list, f.progress.Bytes), func(batch []input.Document) []outcome {
		var outcomes []outcome
		for _, d := range batch {
			for _, t := range f.transcripts(d) {
				o := outcome{transcript: t}
				if t.err == nil {
					o.result, o.err = work(t)
				}
				outcomes = append(outcomes, o)
			}
		}
		return outcomes
	}, func(outcomes []outcome) error {
		for _, o := range outcomes {
			f.progress.Message()
			if o.err != nil {
				unread++
				if f.progress.Fail(o.err) && f.lost != nil {
					if err := f.lost(report.Unread{Source: o.source, Index: o.index, Err: o.err}); err != nil {
						return err
					}
				}
			} else if err := consume(o.transcript, o.result); err != nil {
				return err
			}
		}
		return nil
	}, flush)
	return unread, err
}
