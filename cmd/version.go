package cmd

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/cmd/internal/cli"
	"github.com/eaapl/handoff/cmd/internal/report"
)

func newVersion(*cli.Globals) *cobra.Command {
	var format string
	c := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			v := report.ReadVersion()
			if format == "json" {
				return report.WriteJSON(c.OutOrStdout(), v)
			}
			return writeVersion(c.OutOrStdout(), v)
		},
	}
	cli.RegisterFormat(c, &format, "text or json", report.PlainFormats)
	return c
}

// writeVersion writes a version as a line.
func writeVersion(w io.Writer, v report.Version) error {
	line := fmt.Sprintf("handoff %s %s %s", v.Version, v.Go, v.Platform)
	if v.Revision != "" {
		line += fmt.Sprintf(" (%.12s, %s)", v.Revision, v.Time)
	}
	_, err := fmt.Fprintln(w, line)
	return err
}
