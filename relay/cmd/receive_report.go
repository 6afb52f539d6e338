package cmd

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/output"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/intake"
	"github.com/eaapl/handoff/relay/receiver"
	"github.com/eaapl/handoff/relay/transport"
)

// A receiveReport prints the progress of receive on standard error, and writes the answers to the files named
// by flags. It is an [intake.Observer].
type receiveReport struct {
	flags  *receiveFlags
	stderr io.Writer
	out    *output.File
	place  string
	answer func(dst []byte, a receiver.Answer) ([]byte, error) // appends it in its sent form

	mu      sync.Mutex
	counts  answerCounts
	ended   map[bool]int // numbers of agents that have failed and succeeded
	trouble string       // last reported error
	ill     error        // why no message can be accepted now, nil if messages can
	replies []byte       // not yet appended
	more    chan struct{}
	written chan struct{} // closed after the last one was appended
	err     error         // error of writing answers
}

func newReceiveReport(f *receiveFlags, c *cobra.Command, out *output.File, u *url.URL, answers *receiver.Receiver) *receiveReport {
	return &receiveReport{
		flags: f, stderr: c.ErrOrStderr(), out: out, place: term.Visible(transport.Shown(u)), counts: newAnswerCounts(), answer: answers.AppendAnswer, ended: map[bool]int{},
		more: make(chan struct{}, 1), written: make(chan struct{}),
	}
}

// begin prints the place of the messages.
func (r *receiveReport) begin() {
	if as := r.flags.checks.as; !r.flags.quiet {
		if as != "" {
			as = " as " + term.Visible(as)
		}
		fmt.Fprintf(r.stderr, "handoff: receiving from %s%s\n", r.place, as)
	}
	go func() {
		defer close(r.written)
		for range r.more {
			r.writeReplies()
		}
	}()
}

// listens prints the address of a server, which has the port if the given one was 0.
func (r *receiveReport) listens(at net.Addr) {
	if !r.flags.quiet {
		fmt.Fprintf(r.stderr, "handoff: listening at %s\n", at)
	}
}

// warn warns of a receiver that is reachable from other machines.
func (r *receiveReport) warn(at net.Addr, token, secure bool) {
	if a, ok := at.(*net.TCPAddr); !ok || a.IP.IsLoopback() {
		return
	}
	switch {
	case !token:
		term.Warn(r.stderr, fmt.Sprintf("everyone who can reach %s can post messages: use --token-file to require a token", at))
	case !secure:
		term.Warn(r.stderr, "others on the network can read the traffic and the token: use --tls-cert and --tls-key to serve https")
	}
}

// end prints a summary of the run, unless it ended with an error.
func (r *receiveReport) end(err error) error {
	close(r.more)
	<-r.written
	r.writeReplies()
	err = errors.Join(err, r.err)
	if err == nil && !r.flags.quiet {
		text := r.counts.summary()
		if r.ended[true]+r.ended[false] > 0 {
			text += fmt.Sprintf("; agents: %d completed, %d failed", r.ended[true], r.ended[false])
		}
		fmt.Fprintln(r.stderr, text)
	}
	return err
}

// rejected reports whether a message was rejected, or an agent has failed.
func (r *receiveReport) rejected() bool {
	return r.counts.statuses[receiver.Rejected] > 0 || r.ended[false] > 0
}

// Taken implements [intake.Observer].
func (*receiveReport) Taken(transport.Message) {}

// Answered implements [intake.Observer].
func (r *receiveReport) Answered(a receiver.Answer, _ time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if a.Status != receiver.Completed && a.Reason != receiver.ExecutionFailed { // these follow another answer
		r.counts.add(a)
	}
	if a.Status == receiver.Rejected && a.Reason != receiver.ExecutionFailed && !r.flags.quiet {
		r.print(fmt.Errorf("%s: rejected: %s", nameOf(a), a.Why()))
	}
	r.reply(a)
}

// Revoked implements [intake.Observer]: a message revoked in time is counted as rejected. A message that an
// agent has is already counted.
func (r *receiveReport) Revoked(a receiver.Answer) {
	if a.Reason == receiver.Revoked {
		r.Answered(a, 0)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reply(a)
}

// reply queues an answer for writing.
func (r *receiveReport) reply(a receiver.Answer) {
	text, err := r.answer(nil, a)
	if err != nil {
		r.err = err
		return
	}
	r.replies = append(append(r.replies, text...), '\n')
	select {
	case r.more <- struct{}{}:
	default: // a notification is already pending
	}
}

// writeReplies writes the queued answers.
func (r *receiveReport) writeReplies() {
	r.mu.Lock()
	replies := r.replies
	r.replies = nil
	r.mu.Unlock()
	if len(replies) == 0 {
		return
	}
	err := r.flags.appendReplies(replies)
	if r.flags.format == acceptAnswers {
		r.out.Write(replies)
		err = errors.Join(err, r.out.FlushDurably())
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil && r.err == nil {
		r.err = err
		r.print(err)
	}
}

// Begun implements [intake.Observer].
func (r *receiveReport) Begun(s audit.Stored) { r.say(s, "an agent has begun with the first chunk") }

// TakenBack implements [intake.Observer].
func (r *receiveReport) TakenBack(s audit.Stored, why string) {
	r.say(s, "its agent was ended: "+why)
}

// say prints an event of an incomplete handoff.
func (r *receiveReport) say(of audit.Stored, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.flags.quiet {
		fmt.Fprintf(r.stderr, "handoff: %s: %s\n", term.Visible(of.HandoffID), term.Visible(text))
	}
}

// Ended implements [intake.Observer].
func (r *receiveReport) Ended(accepted receiver.Answer, e receiver.Execution) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended[e.ExitCode == 0]++
	if e.Problem != "" {
		r.print(fmt.Errorf("%s: %s", nameOf(accepted), e.Problem))
	}
}

func nameOf(a receiver.Answer) string {
	if a.HandoffID == "" {
		return "a message without handoffId"
	}
	return term.Visible(a.HandoffID)
}

// Down implements [intake.Observer].
func (r *receiveReport) Down(err error) { r.Trouble(err) }

// Up implements [intake.Observer].
func (r *receiveReport) Up() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.again()
}

// Trouble implements [intake.Observer]: repeated errors are printed once.
func (r *receiveReport) Trouble(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if errors.As(err, new(*intake.LogError)) {
		r.ill = err
	}
	if text := err.Error(); text != r.trouble {
		r.trouble = text
		r.print(err)
	}
}

// Recovered implements [intake.Observer].
func (r *receiveReport) Recovered() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ill = nil
	r.again()
}

// again prints that messages are received again.
func (r *receiveReport) again() {
	r.trouble = ""
	fmt.Fprintf(r.stderr, "handoff: receiving from %s again\n", r.place)
}

// health returns the reason why no message can be accepted now.
func (r *receiveReport) health() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ill
}

func (r *receiveReport) print(err error) { term.PrintError(r.stderr, err) }
