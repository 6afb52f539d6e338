package sw4rm

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats/sw4rm"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// responding is the common part of respond and route, which read requests and write answers.
type responding struct {
	cli.Rewriting
	cli.Layout
	LenientFlag
	seed     string
	seeded   bool
	rejected bool
}

// An outcome is the text report on one request.
type outcome struct {
	notes    []string
	rejected bool
}

func (f *responding) register(c *cobra.Command) {
	c.Flags().StringVar(&f.seed, "seed", "", "`TEXT` that, with the request, determines the handoff_id (default: random)")
	cli.OnlyForCall(c, "seed", "request", "prefer")
	f.LenientFlag.Register(c)
	f.RegisterOutput(c)
	f.Layout.Register(c)
}

// run answers the requests that the arguments name. answer returns the text of the answer; a rejection
// without a text gets one.
func (f *responding) run(c *cobra.Command, args []string, answer func(d input.Document, r *sw4rm.Request, handoffID string) ([]byte, outcome, error)) error {
	f.seeded = c.Flags().Changed("seed")
	f.Rewrite = func(dst []byte, d input.Document, publish func(any)) ([]byte, error) {
		r, notes, err := f.read(d)
		if err != nil {
			return nil, err
		}
		id := sw4rm.NewID()
		if f.seeded {
			id = sw4rm.SeededID(f.seed, r)
		}
		text, o, err := answer(d, r, id)
		for _, line := range notes {
			o.notes = append(o.notes, fmt.Sprintf("%s: %s", d.Origin(), line))
		}
		publish(o)
		if err != nil {
			return nil, err
		}
		return f.Layout.Append(dst, text)
	}
	f.Publish = func(news []any) error {
		for _, n := range news {
			o := n.(outcome)
			for _, line := range o.notes {
				f.Progress.Fail(errors.New(term.Visible(line)))
			}
			f.rejected = f.rejected || o.rejected
		}
		return nil
	}
	if err := f.Rewriting.Run(c, args); err != nil || !f.rejected {
		return err
	}
	return cli.ErrNo
}

// read reads a request and reports the members that it filled in.
func (f *responding) read(d input.Document) (*sw4rm.Request, []string, error) {
	doc, err := d.Parse(f.Limits)
	if err != nil {
		return nil, nil, err
	}
	doc, notes, err := f.Fill(doc, format.SW4RMRequest, f.Limits)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", d.Origin(), err)
	}
	r, problems := sw4rm.ReadRequest(doc, f.Limits)
	return r, notes, Problems(term.Visible(d.Source.Name), problems)
}

// loadAgents reads a file of agent records.
func loadAgents[A any](f *responding, c *cobra.Command, args []string, file string, read func(*jsonstream.Document) (A, []finding.Finding)) (agents A, err error) {
	if err := input.OneStdin(args, file); err != nil {
		return agents, err
	}
	doc, name, err := f.LoadDocument(file, c.InOrStdin(), f.Limits)
	if err != nil {
		return agents, err
	}
	agents, problems := read(doc)
	return agents, reported(c.ErrOrStderr(), Problems(name, problems))
}
