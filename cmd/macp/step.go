package macp

import (
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/rfc3339"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/formats/macp"
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

The message is appended if the rules of the mode allow it; otherwise nothing is written,
the exit code is 1, and stderr names the rule. Processes that append to the same file
wait for each other. With "-", the transcript is read from standard input and written to
standard output.`

func (f *stepFlags) register(c *cobra.Command) {
	f.transcriptInput.register(c)
	f.policyFlag.register(c)
	flags := c.Flags()
	flags.StringVar(&f.messageID, "message-id", "", "`ID` of the message (default: a random UUID)")
	flags.StringVar(&f.sender, "sender", "", "sending `PARTICIPANT`")
	flags.StringVar(&f.timestamp, "timestamp", "", "`TIME` of the message (RFC 3339; default: now)")
}

// A stepMaker returns a payload that fits the state of the session, and its sender unless --sender names one.
type stepMaker func(s *macp.Session) (p macp.Payload, sender string, err error)

// step returns the message to append.
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
		return step, fmt.Errorf("--timestamp %q: write it in the form of RFC 3339, such as 2026-01-31T12:00:00Z", step.Timestamp)
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
