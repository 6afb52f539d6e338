package macp

import (
	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
)

func newMACPDecode(g *cli.Globals) *cobra.Command {
	var output string
	var out cli.Layout
	c := &cobra.Command{
		Use:   "decode [FILE|-]...",
		Short: "Convert length-delimited protobuf envelopes to transcripts",
		Long: `Decode reads protobuf envelopes, each prefixed with its length as a varint, and writes
one transcript per session and line, in the order in which the sessions begin. Unknown
fields are kept in unknown_fields, and encode restores them.`,
		Example: `  handoff macp decode session.macp > session.json
  handoff macp decode capture.macp | handoff macp check`,
		RunE: func(c *cobra.Command, args []string) error {
			w, err := g.OpenData(output, c.OutOrStdout())
			if err != nil {
				return err
			}
			in := transcriptInput{Globals: g, wire: true}
			work := func(t transcript) ([]byte, error) {
				text, err := out.Append(nil, t.doc.Raw().Bytes)
				return append(text, '\n'), err
			}
			unread, err := readTranscripts(c, &in, args, work, func(_ transcript, text []byte) error {
				_, err := w.Write(text)
				return err
			}, w.Flush)
			outcome := cli.Answer(nil, unread, false)
			if output != "" && err == nil {
				err = outcome // there is no output file
			}
			if err := w.Close(err); err != nil {
				return err
			}
			return outcome
		},
	}
	c.Flags().StringVarP(&output, "output", "o", "", "write the transcripts to `FILE`")
	out.Register(c)
	return c
}
