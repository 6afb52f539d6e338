package cmd

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/pkg/intake"
	"github.com/eaapl/handoff/pkg/transport"
)

// receiveStreamFlags say whether messages are received that come in chunks.
type receiveStreamFlags struct {
	on      bool
	timeout time.Duration
	max     int
}

func (f *receiveStreamFlags) register(c *cobra.Command) {
	flags := c.Flags()
	flags.BoolVar(&f.on, "stream-chunks", false, "also receive messages that come in chunks, of handoff send --stream (docs/streaming.md)")
	flags.DurationVar(&f.timeout, "stream-timeout", intake.DefaultStreamTimeout, "how long the chunks of a message may take, from the first to the last: then the task is the sender's again")
	flags.IntVar(&f.max, "max-chunks", intake.DefaultMaxChunks, "how many chunks may wait for the rest of their messages; a message has no more")
}

// check returns what is wrong with the flags for an address.
func (f *receiveStreamFlags) check(address string) error {
	switch {
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

// set lets an intake receive chunks, and the transport deliver as many as may wait.
func (f *receiveStreamFlags) set(r *receptionFlags, o *intake.Options, to *transport.Options) {
	if !f.on {
		return
	}
	o.Streams = &intake.StreamOptions{Validate: r.checks.options, Limits: r.Limits, MaxChunks: f.max, Timeout: f.timeout}
	if to.Prefetch == 0 {
		to.Prefetch = transport.DefaultPrefetch
	}
	to.Prefetch += f.max
}
