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
		Short: "Turn length-delimited protobuf envelopes into transcripts",
		Long: `Decode reads protobuf envelopes, each after its length as a varint, and writes a
transcript for each session, one a line, in the order in which the sessions begin.
Fields that it does not know are kept as unknown_fields, and encode puts them back.`,
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
