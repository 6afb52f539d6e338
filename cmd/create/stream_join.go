package create

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/chunked"
	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/output"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/validate"
)

// streamJoinFlags are the flags of stream join.
type streamJoinFlags struct {
	*cli.Globals
	receiver   cli.ReceiverFlags
	output     string
	first      bool
	maxStreams int
}

func newStreamJoin(g *cli.Globals) *cobra.Command {
	f := &streamJoinFlags{Globals: g}
	c := &cobra.Command{
		Use:   "join [FILE|DIR|-]...",
		Short: "Join chunks into messages",
		Long: `Join writes the messages that it assembles from chunks, one per line, in the order in
which their streams end. Chunks of different streams may be interleaved; the chunks of
one stream must be in order. A chunk that is repeated byte for byte is dropped.

Each chunk is checked when it is read, and the whole message at its end, as by handoff
validate. With keys, every chunk must be signed by a key that may sign for the sender. A
lost, repeated, reordered, foreign, forged or truncated chunk is reported, and the rest
of its stream is ignored: exit code 1.

With --first, the message of the first chunk is also written, as soon as it is valid, so
that an agent can begin. For each handoffId, the first line is then this early message,
and the second line, which may never follow, is the whole message.`,
		Example: `  handoff stream join chunks.jsonl
  consumer | handoff stream join --first --key-file team.key | agent`,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	f.receiver.Register(c)
	c.Flags().BoolVar(&f.first, "first", false, "also write the message of each first chunk, as soon as it is valid")
	c.Flags().IntVar(&f.maxStreams, "max-streams", 64, "maximum number of open streams")
	c.Flags().StringVarP(&f.output, "output", "o", "", "write the messages to `FILE`")
	return c
}

func (f *streamJoinFlags) run(c *cobra.Command, args []string) error {
	if err := input.OneStdin(args, append(f.receiver.Keys.Files, f.receiver.Profile)...); err != nil {
		return err
	}
	if f.maxStreams < 1 {
		return fmt.Errorf("--max-streams %d: use 1 or more", f.maxStreams)
	}
	o := chunked.AssemblerOptions{Limits: f.Limits, MaxStreams: f.maxStreams, Validate: validate.Options{Limits: f.Limits}}
	var err error
	if o.Validate.Receiver, err = f.receiver.Load(f.Globals, c.InOrStdin()); err != nil {
		return err
	}
	if o.Validate.Verifier, err = f.receiver.Verifier(f.Globals, c, o.Validate.Receiver); err != nil {
		return err
	}
	stderr := c.ErrOrStderr()
	list := f.Sources(args, c.InOrStdin(), stderr)
	out, err := f.OpenData(f.output, c.OutOrStdout())
	if err != nil {
		return err
	}
	j := &streamJoining{streamJoinFlags: f, assembler: chunked.NewAssembler(o), out: out, stderr: stderr,
		progress: f.NewProgress(stderr)}
	err = j.all(c.Context(), list)
	answer := cli.Answer(err, j.unread, j.faults > 0)
	if err == nil && f.output != "" {
		err = answer // there is no output file
	}
	if err := out.Close(err); err != nil {
		return err
	}
	return answer
}

// streamJoining is one run of stream join.
type streamJoining struct {
	*streamJoinFlags
	assembler *chunked.Assembler
	out       *output.File
	stderr    io.Writer
	progress  *term.Progress
	faults    int // chunks and streams with a fault
	unread    int // documents that are not chunks, and sources
	dropped   int // repeated chunks
}

// all joins the chunks of all sources.
func (j *streamJoining) all(ctx context.Context, list []input.Source) error {
	whole := func(batch []input.Document) []input.Document { return batch }
	err := input.Process(list, chunked.ChunkLimits(j.Limits), j.progress, whole, func(batch []input.Document) error {
		for _, d := range batch {
			if err := j.add(ctx, d); err != nil {
				return err
			}
		}
		return nil
	}, j.out.Flush)
	if err != nil {
		return err
	}
	err = j.consume("", j.assembler.Close())
	if j.dropped > 0 {
		term.Warn(j.stderr, "dropped "+term.Counted(j.dropped, "repeated chunk"))
	}
	return err
}

// add takes the next chunk.
func (j *streamJoining) add(ctx context.Context, d input.Document) error {
	if d.Err != nil {
		j.unread++
		j.progress.Fail(input.InFile(d.Source.Name, d.Err))
		return nil
	}
	events, err := j.assembler.Add(ctx, d.Raw, time.Now())
	if err != nil {
		return err
	}
	return j.consume(d.Source.Name, events)
}

// consume writes messages, and reports faults.
func (j *streamJoining) consume(source string, events []chunked.Event) error {
	for _, e := range events {
		switch {
		case e.Fault != nil:
			j.report(source, e.Fault)
		case e.Kind == chunked.Dropped:
			j.dropped++
		case e.Kind == chunked.Completed || e.Kind == chunked.Began && j.first:
			j.progress.Message()
			if _, err := j.out.Write(append(e.Message, '\n')); err != nil {
				return err
			}
		}
	}
	return nil
}

// report reports a fault. A fault without the ID of its stream counts as unreadable.
func (j *streamJoining) report(source string, f *chunked.Fault) {
	if f.Reason == chunked.Malformed && f.Stream == "" {
		j.unread++
	} else {
		j.faults++
	}
	place := term.Visible(source) + ": "
	switch {
	case source == "":
		place = ""
	case f.Line > 0:
		place = fmt.Sprintf("%s:%d:%d: ", term.Visible(source), f.Line, f.Column)
	}
	j.progress.Fail(fmt.Errorf("%s%s", place, term.Visible(f.Error())))
}
