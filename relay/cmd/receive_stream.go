package cmd

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/relay/intake"
	"github.com/eaapl/handoff/relay/transport"
)

// receiveStreamFlags are the flags for messages in chunks.
type receiveStreamFlags struct {
	on      bool
	timeout time.Duration
	max     int
	begin   string // chunk with which agents begin
}

// Values of the flag for the chunk with which agents begin.
const (
	beginFirst = "first"
	beginLast  = "last"
)

func (f *receiveStreamFlags) register(c *cobra.Command) {
	flags := c.Flags()
	flags.BoolVar(&f.on, "stream-chunks", false, "also receive messages in chunks, from handoff send --stream (docs/streaming.md)")
	flags.DurationVar(&f.timeout, "stream-timeout", intake.DefaultStreamTimeout, "maximum time from the first to the last chunk of a message, after which the task returns to the sender")
	flags.IntVar(&f.max, "max-chunks", intake.DefaultMaxChunks, "maximum number of waiting chunks of incomplete messages, and of chunks in a message")
	flags.StringVar(&f.begin, "begin-with", beginFirst, "`CHUNK` of a stream at which the agent begins: first (it reads the chunks), or last (it reads the complete message)")
	cli.Complete(c, "begin-with", beginFirst, beginLast)
}

// check returns an error if the flags do not fit an address. early reports that agents can begin early, and
// chosen that the user has set the chunk with which they begin.
func (f *receiveStreamFlags) check(address string, early, chosen bool) error {
	switch {
	case f.begin != beginFirst && f.begin != beginLast:
		return fmt.Errorf("--begin-with %s: use first or last", finding.Quote(f.begin))
	case chosen && (!f.on || !early):
		return errors.New("--begin-with is for --stream-chunks and agents that run once for each message: name one after --, without --stream and --render")
	case f.timeout < time.Second:
		return fmt.Errorf("--stream-timeout %s: use 1s or more", f.timeout)
	case f.max < 2:
		return fmt.Errorf("--max-chunks %d: use 2 or more", f.max)
	case !f.on && f.timeout != intake.DefaultStreamTimeout || !f.on && f.max != intake.DefaultMaxChunks:
		return errors.New("--stream-timeout and --max-chunks are for --stream-chunks")
	case !f.on:
		return nil
	}
	if err := checkStreamed(address); err != nil {
		return fmt.Errorf("--stream-chunks: %w", err)
	}
	return nil
}

// set makes an intake receive chunks, and the transport deliver as many as may wait. early is as for check.
func (f *receiveStreamFlags) set(r *receptionFlags, o *intake.Options, to *transport.Options, early bool) {
	if !f.on {
		return
	}
	o.Streams = &intake.StreamOptions{Validate: r.checks.options, Limits: r.Limits, MaxChunks: f.max, Timeout: f.timeout, Early: early && f.begin == beginFirst}
	if to.Prefetch == 0 {
		to.Prefetch = transport.DefaultPrefetch
	}
	to.Prefetch += f.max
}
