package macp

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/formats/macp"
	"github.com/eaapl/handoff/pkg/formats/macp/wire"
)

func newMACPEncode(g *cli.Globals) *cobra.Command {
	var output string
	var strict bool
	c := &cobra.Command{
		Use:   "encode [FILE|DIR|-]...",
		Short: "Convert transcripts to length-delimited protobuf envelopes",
		Long: `Encode writes the messages of transcripts as protobuf envelopes, each prefixed with its
length as a varint. Members without a protobuf field are left out, and reported on
stderr.`,
		Example: `  handoff macp encode session.json > session.macp
  handoff macp encode --lossless -o session.macp session.json`,
		RunE: func(c *cobra.Command, args []string) error {
			e := encoding{transcriptInput: transcriptInput{Globals: g}, strict: strict}
			return e.run(c, args, output)
		},
	}
	c.Flags().StringVarP(&output, "output", "o", "", "write the envelopes to `FILE`")
	c.Flags().BoolVar(&strict, "lossless", false, "reject a transcript that protobuf cannot represent in full: exit code 1")
	return c
}

// encoding is one run of macp encode.
type encoding struct {
	transcriptInput
	strict bool
	lossy  bool // a transcript was left out, as encoding would lose data
}

// encoded is a transcript in the wire format.
type encoded struct {
	data []byte
	lost []wire.Loss
}

func (e *encoding) run(c *cobra.Command, args []string, path string) error {
	out, err := e.OpenData(path, c.OutOrStdout())
	if err != nil {
		return err
	}
	unread, err := readTranscripts(c, &e.transcriptInput, args, encode, func(t transcript, r encoded) error {
		e.report(t, r.lost)
		if e.strict && len(r.lost) > 0 {
			e.lossy = true
			return nil
		}
		_, err := out.Write(r.data)
		return err
	}, out.Flush)
	outcome := cli.Answer(nil, unread, e.lossy)
	if path != "" && err == nil {
		err = outcome // there is no output file
	}
	if err := out.Close(err); err != nil {
		return err
	}
	return outcome
}

// encode encodes one transcript. It may run concurrently.
func encode(t transcript) (encoded, error) {
	if macp.IsFixture(t.doc.Root()) {
		return encoded{}, fmt.Errorf("%s: is a conformance fixture: only transcripts can be encoded", t.origin)
	}
	data, lost, err := wire.Encode(t.doc)
	if m := (*wire.MemberError)(nil); errors.As(err, &m) {
		placed := finding.Finding{Pointer: m.Pointer, Message: m.Problem}
		err = fmt.Errorf("%s:%d:%d: %s", term.Visible(t.source), m.Line, m.Column, term.Visible(placed.PlacedMessage()))
	}
	return encoded{data, lost}, err
}

// maxLosses is the maximum number of reported losses per transcript.
const maxLosses = 20

func (e *encoding) report(t transcript, lost []wire.Loss) {
	for i, l := range lost {
		if i == maxLosses {
			e.progress.Fail(fmt.Errorf("%s: … and %s more", term.Visible(t.source), term.Plural(len(lost)-i, "member")))
			return
		}
		e.progress.Fail(fmt.Errorf("%s:%d:%d: %s: is left out: %s", term.Visible(t.source), l.Line, l.Column, term.Visible(l.Pointer), l.Reason))
	}
}
