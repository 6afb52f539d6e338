package macp

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/formats/macp"
	"github.com/eaapl/handoff/pkg/formats/macp/wire"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// appending is one run of a command that appends a message.
type appending struct {
	*stepFlags
	name    string // of the file, as displayed
	options macp.Options
	stderr  io.Writer
}

// outcome prints a rejection and returns the error of the run.
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
	session, _ := macp.Replay(read, a.options)
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

// readable returns an error if text exceeds the limits for reading it again.
func (a appending) readable(text []byte) error {
	if limit := a.Limits.MaxBytes; int64(len(text)) > limit {
		return fmt.Errorf("%s: would be longer than %d bytes: raise --max-message-bytes", a.name, limit)
	}
	_, err := a.only(text)
	return err
}

// only returns the only transcript in a text.
func (a appending) only(text []byte) (transcript, error) {
	d := input.Document{Source: input.Source{Name: a.name, Size: int64(len(text))}, Raw: jsonstream.NewRaw(text)}
	list := a.transcripts(d)
	if len(list) > 1 {
		return transcript{}, fmt.Errorf("%s: contains %d sessions, and a message can only be appended to one: split the file with handoff macp decode", a.name, len(list))
	}
	if list[0].err != nil {
		return list[0], list[0].err
	}
	return list[0], list[0].hasMessages()
}

// onWire appends the last message of a transcript to a stream without changing the rest of it.
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
