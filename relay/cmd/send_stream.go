package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/eaapl/handoff/internal/chunked"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/validate"
	"github.com/eaapl/handoff/relay/deliver"
)

// checkStream returns an error if the destinations of the flags cannot carry chunks.
func (f *sendFlags) checkStream() error {
	if len(f.addresses) != 1 {
		return fmt.Errorf("--stream: %d addresses are given, but a message in chunks goes to one receiver", len(f.addresses))
	}
	return checkStreamed(f.addresses[0].Destination)
}

// checkStreamed returns an error if an address cannot carry chunks.
func checkStreamed(address string) error {
	row, _, err := transportOf(address)
	if err == nil && row.name == "http" {
		err = errors.New("http answers each message separately, but all chunks have one answer: use a queue, such as dir:queue")
	}
	return err
}

// A chunkRun is one run of send with chunks.
type chunkRun struct {
	*sendRun
	assembler *chunked.Assembler
	streams   map[string]*sentStream // open streams
	order     []string               // order of their beginnings
	dropped   int                    // duplicate chunks
}

// A sentStream is a message being sent in chunks.
type sentStream struct {
	part   deliver.Part // chunks waiting to be sent
	bytes  int
	result deliver.Result // of the last call to SendPart
	over   bool           // no more of it is sent
}

// sendChunks sends the chunks of all sources as they are read.
func (s *sendRun) sendChunks(sources []input.Source) error {
	c := &chunkRun{
		sendRun: s, streams: map[string]*sentStream{},
		assembler: chunked.NewAssembler(chunked.AssemblerOptions{Limits: s.Limits, Validate: validate.Options{Limits: s.Limits}}),
	}
	s.sender.Listen(s.addresses[0].Destination) // a receiver may reject an incomplete stream
	whole := func(batch []input.Document) []input.Document { return batch }
	err := input.Process(sources, chunked.ChunkLimits(s.Limits), s.progress, whole, c.add, c.flush)
	if c.dropped > 0 {
		term.Warn(s.command.ErrOrStderr(), term.Counted(c.dropped, "chunk")+" dropped: sent before")
	}
	return errors.Join(err, c.end(err == nil))
}

// add appends chunks to the waiting ones, and sends them when there are enough.
func (c *chunkRun) add(batch []input.Document) error {
	for _, d := range batch {
		if d.Err != nil {
			c.unread++
			c.progress.Fail(input.InFile(d.Source.Name, d.Err))
			continue
		}
		events, err := c.assembler.Add(c.ctx, d.Raw, time.Now())
		if err != nil {
			return err
		}
		for _, e := range events {
			if err := c.take(d, e); err != nil {
				return err
			}
		}
	}
	return nil
}

// take handles the event of a chunk.
func (c *chunkRun) take(d input.Document, e chunked.Event) error {
	st := c.streams[e.Stream]
	switch e.Kind {
	case chunked.Dropped:
		c.dropped++
		return nil
	case chunked.Failed:
		return c.fail(d, e.Fault)
	case chunked.Began:
		c.messages++
		c.progress.Message()
		st = &sentStream{}
		if err := c.begin(st, e.Message); err != nil {
			st.over = true
			c.unread++
			c.progress.Fail(fmt.Errorf("%s: %w", d.Origin(), err))
		}
		c.streams[e.Stream], c.order = st, append(c.order, e.Stream)
	}
	if st == nil || st.over {
		if e.Kind == chunked.Completed {
			delete(c.streams, e.Stream)
		}
		return nil
	}
	text := bytes.Clone(bytes.TrimSpace(d.Raw.Bytes))
	st.part.Chunks = append(st.part.Chunks, text)
	st.bytes += len(text)
	if e.Kind == chunked.Completed {
		whole, err := c.store.Examine(jsonstream.NewRaw(e.Message), c.Limits)
		if err != nil {
			return err
		}
		st.part.Whole = whole
		return c.send(e.Stream, st)
	}
	if len(st.part.Chunks) == sendMessages || st.bytes >= sendBytes {
		return c.send(e.Stream, st)
	}
	return nil
}

// begin handles the first message of a stream.
func (c *chunkRun) begin(st *sentStream, first []byte) error {
	o, err := c.store.Examine(jsonstream.NewRaw(first), c.Limits)
	if err != nil {
		return err
	}
	if len(o.Receivers) != 1 {
		return fmt.Errorf("the message is for %s, but a message in chunks goes to one receiver", strings.Join(o.Receivers, ", "))
	}
	o.Checkpoint = c.checkpoint
	if o.To, err = c.addressed(o); err != nil {
		return err
	}
	st.part.Outgoing = o
	c.own[o.HandoffID] = true
	return nil
}

// fail reports a chunk that is not sent.
func (c *chunkRun) fail(d input.Document, f *chunked.Fault) error {
	c.unread++
	c.progress.Fail(fmt.Errorf("%s: %s", d.Origin(), term.Visible(f.Error())))
	st := c.streams[f.Stream]
	if !f.Ended || st == nil || st.over {
		return nil
	}
	if err := c.send(f.Stream, st); err != nil { // the chunks before it
		return err
	}
	return c.leave(f.Stream, st)
}

// flush sends the waiting chunks.
func (c *chunkRun) flush() error {
	for _, id := range c.order {
		if st := c.streams[id]; st != nil && !st.over {
			if err := c.send(id, st); err != nil {
				return err
			}
		}
	}
	return nil
}

// send sends the waiting chunks of a stream, and reports its result when it is known.
func (c *chunkRun) send(id string, st *sentStream) (err error) {
	if len(st.part.Chunks) == 0 {
		return nil
	}
	if st.result, err = c.sender.SendPart(c.ctx, st.part); err != nil {
		return err
	}
	st.part.From += len(st.part.Chunks)
	st.part.Chunks, st.bytes = nil, 0
	r := st.result
	switch {
	case st.part.Whole != nil:
		delete(c.streams, id)
	case r.Err == nil && !r.State.Pending() && r.State != deliver.Stopped:
		return nil
	}
	st.over = true
	return c.finish(st)
}

// finish reports the result of a stream.
func (c *chunkRun) finish(st *sentStream) error {
	if st.result.Err == nil {
		if err := c.sender.EndParts(c.ctx, st.result.Handoff); err != nil {
			return err
		}
	}
	if c.wait > 0 && st.part.Whole != nil {
		if err := c.await([]deliver.Result{st.result}); err != nil {
			return err
		}
	}
	if err := c.sender.Settle(c.ctx); err != nil {
		return err
	}
	if _, err := c.news.report(c.ctx, c.own); err != nil {
		return err
	}
	if err := c.count(st.result); err != nil {
		return err
	}
	return c.out.Flush()
}

// leave leaves an incomplete stream as it is.
func (c *chunkRun) leave(id string, st *sentStream) error {
	st.over = true
	c.unended++
	if st.result.Handoff == nil {
		return nil
	}
	term.Warn(c.command.ErrOrStderr(), fmt.Sprintf("%s: its last chunk is missing; chunks sent: %d", term.Visible(id), st.part.From))
	return c.sender.EndParts(c.ctx, st.result.Handoff)
}

// end leaves the open streams, and prints how to continue.
func (c *chunkRun) end(said bool) error {
	var errs []error
	open := 0
	for _, id := range c.order {
		if st := c.streams[id]; st != nil && !st.over {
			open++
			errs = append(errs, c.leave(id, st))
		}
	}
	if open > 0 && said {
		_, err := c.news.report(c.ctx, c.own)
		errs = append(errs, err)
		fmt.Fprintln(c.command.ErrOrStderr(), "handoff: hint: send the complete stream again from its first chunk, or take the task back with handoff rollback")
	}
	return errors.Join(errs...)
}
