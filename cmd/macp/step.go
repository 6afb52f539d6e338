package macp

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/cmd/internal/cli"
	"github.com/eaapl/handoff/cmd/internal/input"
	"github.com/eaapl/handoff/cmd/internal/term"
	"github.com/eaapl/handoff/pkg/formats/macp"
	"github.com/eaapl/handoff/pkg/formats/macp/wire"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/rfc3339"
)

// stepFlags are the flags of the commands that append a message to a transcript.
type stepFlags struct {
	transcriptInput
	policyFlag
	messageID string
	sender    string
	timestamp string
}

const stepLong = `

The message is appended if the rules of the mode allow it; otherwise nothing is
written, the exit code is 1, and stderr names the rule. Processes that append to one
file at once wait for each other. With "-" the transcript comes from standard input
and goes to standard output.`

func (f *stepFlags) register(c *cobra.Command) {
	f.transcriptInput.register(c)
	f.policyFlag.register(c)
	flags := c.Flags()
	flags.StringVar(&f.messageID, "message-id", "", "the `ID` of the message; a random UUID if there is none")
	flags.StringVar(&f.sender, "sender", "", "the `PARTICIPANT` that sends the message")
	flags.StringVar(&f.timestamp, "timestamp", "", "the `TIME` of the message (RFC 3339); now if there is none")
}

// A stepMaker completes a payload from what the session has come to, and says who
// sends it unless --sender does.
type stepMaker func(s *macp.Session) (p macp.Payload, sender string, err error)

// step returns the message that is to be appended.
func (f *stepFlags) step(p macp.Payload, sender string) (macp.Step, error) {
	step := macp.Step{MessageID: f.messageID, Sender: f.sender, Timestamp: f.timestamp, Payload: p}
	if step.MessageID == "" {
		step.MessageID = uuid.NewString()
	}
	if step.Sender == "" {
		step.Sender = sender
	}
	if step.Timestamp == "" {
		step.Timestamp = time.Now().UTC().Format("2006-01-02T15:04:05.000Z07:00")
	} else if _, ok := rfc3339.Parse(step.Timestamp); !ok {
		return step, fmt.Errorf("--timestamp %q: write it as RFC 3339 has it, such as 2026-01-31T12:00:00Z", step.Timestamp)
	}
	return step, nil
}

var errNoFile = errors.New("the name of the transcript is empty: name a file, or - for standard input and output")

// append appends a message to the transcript in a file.
func (f *stepFlags) append(c *cobra.Command, path string, make stepMaker) error {
	if path == "" {
		return errNoFile
	}
	if err := input.OneStdin([]string{path}, f.path); err != nil {
		return err
	}
	policy, err := f.load(f.Globals, c)
	if err != nil {
		return err
	}
	a := appending{stepFlags: f, name: term.Visible(path), options: macp.Options{Policy: policy}, stderr: c.ErrOrStderr()}
	if path == "-" {
		a.name = "stdin"
		text, err := f.ReadAll(path, c.InOrStdin(), f.Limits)
		if err != nil {
			return err
		}
		if text, _, err = a.extend(text, make); err != nil {
			return a.outcome(err)
		}
		return f.WriteData("", c.OutOrStdout(), text)
	}
	id, err := a.toFile(path, make)
	if err != nil {
		return a.outcome(err)
	}
	_, err = fmt.Fprintln(c.OutOrStdout(), id)
	return err
}

// appending is one run of a command that appends a message.
type appending struct {
	*stepFlags
	name    string // of the file, for people
	options macp.Options
	stderr  io.Writer
}

// outcome prints a rejection, and makes the answer of it.
func (a appending) outcome(err error) error {
	if no := (*macp.RejectedError)(nil); errors.As(err, &no) {
		term.PrintError(a.stderr, fmt.Errorf("%s: %s", a.name, term.Visible(no.Error())))
		return cli.ErrNo
	}
	return err
}

// toFile appends a message to a file, and returns the message's id.
func (a appending) toFile(path string, make stepMaker) (string, error) {
	h, err := holdFile(a.Globals, path, a.stderr)
	if err != nil {
		return "", err
	}
	defer h.release()
	text, codec, err := h.read(a.Limits)
	if err != nil {
		err = fmt.Errorf("%s: %w", a.name, err)
		if errors.Is(err, fs.ErrNotExist) {
			err = term.WithHint(err, "handoff macp start begins a transcript")
		}
		return "", err
	}
	text, id, err := a.extend(text, make)
	if err != nil {
		return "", err
	}
	return id, h.replace(codec, text)
}

// extend returns a transcript with one more message, and the message's id.
func (a appending) extend(text []byte, make stepMaker) ([]byte, string, error) {
	t, err := a.only(text)
	if err != nil {
		return nil, "", err
	}
	if macp.IsFixture(t.doc.Root()) {
		return nil, "", fmt.Errorf("%s: %w", a.name, macp.ErrFixture)
	}
	read, _ := macp.Read(t.doc)
	session := macp.NewSession(read, a.options)
	for e := range read.Messages() {
		session.Accept(e) // what is rejected has no effect
	}
	payload, sender, err := make(session)
	if err != nil {
		return nil, "", err
	}
	step, err := a.step(payload, sender)
	if err != nil {
		return nil, "", err
	}
	longer, err := macp.Append(t.doc, step, a.options)
	if err == nil && a.wire {
		longer, err = a.onWire(text, longer)
	}
	if err != nil {
		return nil, "", err
	}
	return longer, step.MessageID, a.readable(longer)
}

// readable returns an error for what could not be read again under the same limits.
func (a appending) readable(text []byte) error {
	if limit := a.Limits.MaxBytes; int64(len(text)) > limit {
		return fmt.Errorf("%s: would be longer than %d bytes: raise --max-message-bytes", a.name, limit)
	}
	_, err := a.only(text)
	return err
}

// only returns the transcript that a text holds.
func (a appending) only(text []byte) (transcript, error) {
	d := input.Document{Source: input.Source{Name: a.name, Size: int64(len(text))}, Raw: jsonstream.NewRaw(text)}
	list := a.transcripts(d)
	if len(list) > 1 {
		return transcript{}, fmt.Errorf("%s: holds %d sessions: a message is appended to a file of one; handoff macp decode takes them apart", a.name, len(list))
	}
	if list[0].err != nil {
		return list[0], list[0].err
	}
	return list[0], list[0].hasMessages()
}

// onWire appends the last message of a transcript to a stream, which otherwise stays
// as it is.
func (a appending) onWire(stream, longer []byte) ([]byte, error) {
	doc, err := jsonstream.Parse(jsonstream.NewRaw(longer), jsonstream.Unlimited())
	if err != nil {
		return nil, err
	}
	list := doc.Root().Get("messages")
	text, lost, err := wire.AppendEnvelope(bytes.Clone(stream), list.At(fmt.Sprintf("/%d", list.Len()-1)))
	for _, l := range lost {
		term.PrintError(a.stderr, fmt.Errorf("%s: %s: is left out: %s", a.name, l.Pointer, l.Reason))
	}
	return text, err
}
