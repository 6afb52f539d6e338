package cmd

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/output"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/relay/deliver"
	"github.com/eaapl/handoff/relay/receiver"
)

// Maximum number and size of messages that are sent together. Fewer are sent if reading more would block.
const (
	sendMessages = 512
	sendBytes    = 4 << 20
)

// A sendRun is one run of send.
type sendRun struct {
	*sendFlags
	ctx        context.Context
	command    *cobra.Command
	store      *deliver.Store
	sender     *deliver.Sender
	news       *newsHandler
	out        *output.File
	progress   *term.Progress
	checkpoint []byte

	waiting []*deliver.Outgoing // in input order
	bytes   int
	own     map[string]bool // ids of this run

	messages int // messages read
	// Numbers of copies by result: sent counts the copies sent by this run, or with --wait the accepted ones.
	sent, dropped, already, before, rejected, open, refused, unread, unanswered, unended int
}

func (f *sendFlags) send(c *cobra.Command, store *deliver.Store, sender *deliver.Sender, args []string, checkpoint []byte) (err error) {
	news, err := f.news.start(f.Globals, c, store, sender)
	if err != nil {
		return err
	}
	defer func() { err = news.close(err) }()
	out, err := f.Open("", c.OutOrStdout())
	if err != nil {
		return err
	}
	s := &sendRun{
		sendFlags: f, ctx: c.Context(), command: c, store: store, sender: sender, news: news, out: out, checkpoint: checkpoint,
		progress: f.NewProgress(c.ErrOrStderr()), own: map[string]bool{},
	}
	if err := sender.Settle(s.ctx); err != nil { // left by a run that died
		return out.Close(err)
	}
	if sources := f.Sources(args, c.InOrStdin(), c.ErrOrStderr()); f.stream {
		err = s.sendChunks(sources)
	} else {
		err = input.Process(sources, f.Limits, s.progress, s.examine, s.add, s.flush)
	}
	if err == nil { // left by other runs
		err = sender.Flush(s.ctx, func([]*deliver.Handoff) error { return nil })
	}
	err = out.Close(err)
	if err != nil {
		return err
	}
	if !f.quiet {
		fmt.Fprintln(c.ErrOrStderr(), s.summary())
	}
	if s.open > 0 && !f.quiet {
		fmt.Fprintln(c.ErrOrStderr(), "handoff: hint: handoff outbox flush sends the waiting messages")
	}
	return cli.Answer(nil, s.unread+s.open+s.refused+s.unanswered+s.unended, s.rejected > 0)
}

// outgoingMessage is a message to send, or the reason why it cannot be sent.
type outgoingMessage struct {
	*deliver.Outgoing
	origin input.Origin
	err    error
}

// examine examines a batch, on all cores.
func (s *sendRun) examine(batch []input.Document) []outgoingMessage {
	list := make([]outgoingMessage, len(batch))
	for i, d := range batch {
		o := &list[i]
		o.origin = d.Origin()
		if o.err = d.Err; o.err != nil {
			continue
		}
		if o.Outgoing, o.err = s.store.Examine(d.Raw, s.Limits); o.err != nil {
			if errors.As(o.err, new(*deliver.MessageError)) {
				o.err = fmt.Errorf("%w (handoff validate lists all problems)", o.err)
			}
			continue
		}
		o.Checkpoint = s.checkpoint
		o.To, o.err = s.addressed(o.Outgoing)
	}
	return list
}

// add appends a batch to the waiting messages, and sends them when there are enough.
func (s *sendRun) add(list []outgoingMessage) error {
	for _, o := range list {
		s.progress.Message()
		if o.err != nil {
			s.unread++
			s.progress.Fail(fmt.Errorf("%s: %w", o.origin, o.err))
			continue
		}
		s.messages++
		s.waiting = append(s.waiting, o.Outgoing)
		if s.bytes += o.Size(); len(s.waiting) == sendMessages || s.bytes >= sendBytes {
			if err := s.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// flush sends the waiting messages, and with --wait waits for their answers.
func (s *sendRun) flush() error {
	if len(s.waiting) == 0 {
		return nil
	}
	for _, o := range s.waiting {
		s.own[o.HandoffID] = true
	}
	results, err := s.sender.Send(s.ctx, s.waiting)
	s.waiting, s.bytes = s.waiting[:0], 0
	if err != nil {
		return err
	}
	if s.wait > 0 {
		if err := s.await(results); err != nil {
			return err
		}
	}
	if _, err := s.news.report(s.ctx, s.own); err != nil {
		return err
	}
	for _, r := range results {
		if err := s.count(r); err != nil {
			return err
		}
	}
	return s.out.Flush()
}

// await waits for the answers to sent messages.
func (s *sendRun) await(results []deliver.Result) error {
	var list []*deliver.Handoff
	for _, r := range results {
		if r.Err == nil && (r.State == deliver.Dispatched || r.InFlight()) { // waiting cannot help the others
			list = append(list, r.Handoff)
		}
	}
	ctx, cancel := context.WithTimeout(s.ctx, s.wait)
	defer cancel()
	if err := s.sender.Wait(ctx, list); err != nil {
		return err
	}
	return s.sender.Settle(s.ctx) // before the answer is printed
}

// count counts the result of a message, and prints its answer or its error.
func (s *sendRun) count(r deliver.Result) error {
	if s.wait > 0 && r.Err == nil && r.Answer != nil {
		text, err := r.Answer.AppendJSON(nil)
		if err != nil {
			return err
		}
		fmt.Fprintf(s.out, "%s\n", text)
	}
	switch {
	case r.Err != nil:
		s.refused++
		err := r.Err
		if busy := (*deliver.BusyError)(nil); errors.As(err, &busy) && busy.Elsewhere {
			err = fmt.Errorf("%w (handoff rollback --force %s revokes it there)", err, term.Visible(r.HandoffID))
		}
		s.progress.Fail(err)
		return nil
	case r.Before.Taken():
		s.before++
		s.note(r, "was accepted before: nothing is sent")
		return nil
	case r.State.Taken() && r.Answer != nil && r.Answer.Status == receiver.Duplicate:
		s.before++
		s.note(r, "was accepted by its receiver before")
		return nil
	case r.State.Taken() && (r.Before == "" || s.wait > 0):
		s.sent++
		return nil
	case r.State.Pending():
		s.rejected++
	case r.State == deliver.Dispatched && s.wait > 0:
		s.unanswered++
		s.progress.Fail(fmt.Errorf("%s: no answer within %s: handoff status %s reads a later one", term.Visible(r.HandoffID), s.wait, term.Visible(r.TaskID)))
		return nil
	case r.State == deliver.Dispatched && r.Before == "" && r.Confirmed == deliver.Taken:
		s.sent++
		return nil
	case r.State == deliver.Dispatched && r.Before == "" && r.Confirmed == deliver.Known:
		s.dropped++
		s.note(r, "was already on the server, from an earlier try: the server dropped this copy")
		return nil
	case r.State == deliver.Dispatched || r.State.Taken():
		s.already++
		s.note(r, "was sent before: nothing is sent")
		return nil
	default:
		s.open++
	}
	problem := handoffProblem(r.Handoff)
	if problem == nil && r.Before != "" {
		problem = fmt.Errorf("%s: another process is sending it", term.Visible(r.HandoffID))
	}
	if problem != nil && !s.quiet {
		s.progress.Fail(problem)
	}
	return nil
}

// note prints the state of a message that this run has not sent, and its time.
func (s *sendRun) note(r deliver.Result, what string) {
	if s.quiet {
		return
	}
	is := "at " + deliver.Redacted(r.Destination)
	if !r.Dispatched.IsZero() {
		is += ", " + r.Dispatched.UTC().Format(recordedForm)
	}
	if r.State.Taken() && r.Answer != nil {
		is += ", " + answerLine(r.Answer)
	}
	s.progress.Fail(fmt.Errorf("%s: %s (%s)", term.Visible(r.HandoffID), what, term.Visible(is)))
}

// summary returns a summary of the run.
func (s *sendRun) summary() string {
	text := fmt.Sprintf("%s: %d sent", term.Counted(s.messages, "message"), s.sent)
	if s.wait > 0 {
		text = fmt.Sprintf("%s: %d accepted", term.Counted(s.messages, "message"), s.sent)
	}
	for _, more := range []struct {
		n    int
		what string
	}{{s.dropped, "dropped by the server as a duplicate"}, {s.already, "already sent"}, {s.before, "accepted before"}, {s.rejected, "rejected"}, {s.unanswered, "not answered"}, {s.unended, "not ended"}, {s.open, "in the outbox"}, {s.refused, "not sent"}, {s.unread, "not read"}} {
		if more.n > 0 {
			text += fmt.Sprintf(", %d %s", more.n, more.what)
		}
	}
	return text
}
